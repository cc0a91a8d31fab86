"""Wait for some seconds, or until a page shows what an order names."""

from __future__ import annotations

from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.words import content, likeness, numbers, plain, tokens, written

LOOKS, PAUSE = 60, "0.5"
"""How often it is looked for what is waited for, and the seconds between."""
WHOLE = 0.9
_BEGINS = frozenset({"until", "till", "for"})
_IS = frozenset({"is", "are", "has", "to", "be", "been"})
_SHOWN = frozenset({
    "show", "shown", "shows", "appear", "appears", "appeared", "visible", "ready", "there", "enabled",
    "available", "say", "says", "loaded", "come", "comes",
})  # fmt: skip


async def wait(pilot: Pilot, order: Order) -> bool:
    """Wait as long as an order says, or until something is shown that can be used."""
    if until := awaited(order.text):
        return await _until(pilot, order.quote or content(until) or until)
    seconds = numbers(order.text)
    if not seconds and set(tokens(order.text)) & {"until", "till"}:
        pilot.misread("it is not understood what is waited for", "Say “wait until … is shown”")
        return False
    return await pilot.do("wait", "page", written(seconds[0] if seconds else 1.0)) != "refused"


def awaited(text: str) -> str:
    """Return what is waited for in “until … is shown”; empty where a text says no such thing."""
    words = text.strip(" .").split()
    if len(words) > 1 and words[-1].casefold() == "up":
        words.pop()
    if len(words) < 3 or words[0].casefold() not in _BEGINS or words[-1].casefold() not in _SHOWN:
        return ""
    what = words[1:-1]
    while len(what) > 1 and what[-1].casefold() in _IS:
        what.pop()
    return " ".join(what)


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
