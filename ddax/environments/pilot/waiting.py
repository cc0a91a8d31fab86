"""Wait for some seconds, or until a page shows what an order names."""

from __future__ import annotations

import re

from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.words import content, likeness, numbers, plain, tokens, written

LOOKS, PAUSE = 60, "0.5"
"""How often it is looked for what is waited for, and the seconds between."""
WHOLE = 0.9
_UNTIL = re.compile(
    r"(?:until|till|for)\s++(?P<what>.+?)(?<!\s)\s+(?:(?:is|are|has|to|be|been)\s++){0,3}"
    r"(?:shown?|shows|appears?|appeared|visible|ready|there|enabled|available|says?|loaded|come|comes)(?:\s+up)?",
    re.IGNORECASE,
)


async def wait(pilot: Pilot, order: Order) -> bool:
    """Wait as long as an order says, or until something is shown that can be used."""
    until = _UNTIL.fullmatch(order.text.strip(" ."))
    if until:
        return await _until(pilot, order.quote or content(until["what"]) or until["what"])
    seconds = numbers(order.text)
    if not seconds and set(tokens(order.text)) & {"until", "till"}:
        pilot.misread("it is not understood what is waited for", "Say “wait until … is shown”")
        return False
    return await pilot.do("wait", "page", written(seconds[0] if seconds else 1.0)) != "refused"


async def _until(pilot: Pilot, wanted: str) -> bool:
    for _ in range(LOOKS):
        if any(
            "disabled" not in n.state
            and (likeness(wanted, n.name or n.own) >= WHOLE or plain(wanted) in plain(n.own))
            for n in pilot.seen.nodes
        ):
            return True
        pilot.max_moves += 1
        await pilot.do("wait", "page", PAUSE)
    pilot.misread(f"“{wanted}” did not come", "Wait for what the page says then")
    return False
