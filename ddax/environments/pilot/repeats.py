"""The field in which a password is written once more before it is sent."""

from __future__ import annotations

import re

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.fields import fill
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.words import FIELD

_AGAIN = re.compile(
    r"\b(?:repeat(?:ed)?|confirm(?:ation)?|again|re-?(?:type|enter)|verify|verification)\b", re.IGNORECASE
)


def asks_again(field: Node) -> bool:
    """Tell whether a field asks for what another one has."""
    return _AGAIN.search(label_of(field)) is not None


async def repeat_password(pilot: Pilot) -> bool:
    """Write a password that was just written into the empty field that asks for it again, if there is one."""
    secret = [n for n in pilot.nodes(FIELD) if n.type == "password"]
    again = list(filter(asks_again, secret))
    first = [n for n in secret if n not in again and n.form == again[0].form] if len(again) == 1 else []
    if len(first) != 1 or again[0].value:
        return True
    written = [m.value for m in pilot.moves if m.name == "type" and m.target == first[0].id]
    return not written or await fill(pilot, again[0], written[-1])
