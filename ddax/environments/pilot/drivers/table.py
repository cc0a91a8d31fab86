"""The table of drivers: an act, and what carries it out and checks it."""

from __future__ import annotations

from collections.abc import Mapping

from ddax.environments.pilot import answers
from ddax.environments.pilot.drivers import asking, choosing, deeds, entering, moving, pressing
from ddax.environments.pilot.finding import reading
from ddax.environments.pilot.orders.frames import Act
from ddax.environments.pilot.pilot import Driver

DRIVERS: Mapping[Act, Driver] = {
    "press": pressing.press, "open": pressing.open_, "close": asking.close, "key": pressing.key_,
    "deed": deeds.deed, "dialog": asking.dialog, "leave": moving.leave, "wait": moving.wait,
    "scroll": moving.scroll, "hover": moving.hover, "write": entering.write, "set": choosing.set_,
    "search": entering.search, "choose": choosing.choose, "tick": choosing.tick, "drag": moving.drag,
    "upload": moving.upload, "sort": moving.sort, "tell": answers.tell, "read": reading.read,
    "mark": reading.mark,
}  # fmt: skip
