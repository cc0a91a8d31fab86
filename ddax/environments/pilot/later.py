"""Wait for a field that a press is still bringing, as that of the second step of a login."""

from __future__ import annotations

from collections.abc import Callable

from ddax.environments.pilot.fields import named_field
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot, Skill
from ddax.environments.pilot.words import FIELD

PAUSE, LOOKS = 0.25, 12
"""The seconds between two looks for a field, and how many looks there are."""
_FIELDS = FIELD | {"combobox"}
_PRESSES = frozenset({"click", "press"})


async def comes(pilot: Pilot, shown: Callable[[], bool], looks: int = LOOKS) -> bool:
    """Wait until something is shown; False where it does not come, or the page says what it does not take."""
    failed = len(pilot.failed)
    for _ in range(looks):
        if shown():
            return True
        if len(pilot.failed) > failed or _held(pilot):
            return False
        pilot.max_moves += 1
        await pilot.do("wait", "page", f"{PAUSE}")
    return shown()


def missing(pilot: Pilot, name: str) -> None:
    """Note the field that did not come, and the one that a page does not take, where it says so."""
    if held := _held(pilot):
        pilot.misread(f"the page does not take what stands in “{held}”", "Say another value for it")
        return
    called = f"no field for “{name}”" if name else "no field for it"
    reason = f"{called} showed up within {PAUSE * LOOKS:g} s"
    pilot.misread(reason, "See in a browser what the page asks for at this step")


async def when_shown(pilot: Pilot, order: Order, skill: Skill, failed: int) -> bool:
    """Carry out an order whose field the last press may be bringing; what failed so far is taken back then.

    `failed` is the number of reasons there were before the order was tried.
    """
    if order.verb != "enter" or not pilot.moves or pilot.moves[-1].name not in _PRESSES:
        return False
    reasons, moves, known = pilot.failed[failed:], len(pilot.moves), _ids(pilot)
    del pilot.failed[failed:]
    while await comes(pilot, lambda: not _ids(pilot) <= known, LOOKS - (len(pilot.moves) - moves)):
        known.update(_ids(pilot))
        made = len(pilot.moves)
        if await skill(pilot, order):
            return True
        if len(pilot.moves) > made:
            return False
        reasons = pilot.failed[failed:]
        del pilot.failed[failed:]
    pilot.failed += [reason for reason in reasons if reason not in pilot.failed]
    if len(pilot.failed) == failed:
        missing(pilot, named_field(order.outside))
    return False


def _ids(pilot: Pilot) -> set[str]:
    return {node.id for node in pilot.nodes(_FIELDS)}


def _held(pilot: Pilot) -> str:
    """Return what the field is called that a page marks as wrong, where something was written to it."""
    wrong = [n for n in pilot.nodes(_FIELDS) if "invalid" in n.state and n.value]
    return (wrong[0].name or wrong[0].before) if wrong else ""
