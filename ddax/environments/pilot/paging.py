"""Lists that go on: on a next page, or further down."""

from __future__ import annotations

import re

from ddax.environments.browser.seen import PAGE, Node
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.words import plain, tokens

SCROLLS = 40
"""Scrolls for one order at most."""
TALL = 700
"""Pixels from which a page is taller than most windows."""
_ARROWS = re.compile(r"[<>‹›«»←→◀▶❮❯]+")
_OVER_ALL = frozenset(
    """last all every cheapest greatest largest highest biggest longest maximum most smallest lowest least
    shortest minimum fewest fastest""".split()  # noqa: SIM905
)
"""Words by which an order is about a list as a whole."""
_NAMING = frozenset({"press", "choose", "uncheck", "deed", "buy", "message", "goal"})
"""Kinds of orders that name what stands on the page."""


def is_pager(node: Node) -> bool:
    """Tell whether an element leads to another page of a list."""
    return (
        node.name.strip() in (">", "<", "›", "‹", "»", "«", "...")
        or node.name.strip().isdigit()
        or _said(node) in ("next", "previous", "prev")
    )


def _said(node: Node) -> str:
    """Return what an element is called, without the arrows beside it, as in “Next ›”."""
    return plain(_ARROWS.sub(" ", node.name))


def next_page(pilot: Pilot) -> Node | None:
    """Return what leads to the next page of a list."""
    pool = [
        n for n in pilot.seen.nodes if n.role in ("link", "button", "clickable") and "disabled" not in n.state
    ]
    return next(
        (
            n
            for n in pool
            if n.name.strip() in (">", "›", "»", "→") or _said(n) in ("next", "older", "next page")
        ),
        None,
    )


def goes_on(pilot: Pilot) -> bool:
    """Tell whether there is more of a list than is seen: a next page, or elements not looked at."""
    return not pilot.seen.whole or next_page(pilot) is not None


async def further(pilot: Pilot) -> bool:
    """Scroll to the end of what goes on, and say whether anything came to light that was not seen.

    Where what was seen goes, as in lists that show some rows alone, it is looked at step by step.
    """
    for name in _scrolled(pilot):
        came = False
        for _ in range(SCROLLS):
            known, places = {n.id for n in pilot.seen.nodes}, _places(pilot)
            pilot.max_moves += 1
            if await pilot.do("scroll", name, "down") == "refused":
                break
            now = {n.id for n in pilot.seen.nodes}
            came |= not known >= now
            if places == _places(pilot) or not known <= now:
                break
        if came:
            return True
    return False


def looks_further(pilot: Pilot, order: Order) -> bool:
    """Tell whether what an order names may stand further down."""
    return order.verb in _NAMING and bool(_scrolled(pilot))


async def see_all(pilot: Pilot, order: Order) -> None:
    """Scroll to the end of what goes on, where an order is about a list as a whole."""
    if order.verb in _NAMING and _OVER_ALL & set(tokens(order.outside)):
        await further(pilot)


def _scrolled(pilot: Pilot) -> list[str]:
    """Return what can be scrolled on: elements that are no fields, and a page that is taller than windows."""
    inner = [n.id for n in pilot.seen.nodes if n.scrolls[0] < n.scrolls[1] - 1 and n.tag != "textarea"]
    tall = any(n.box[1] + n.box[3] > TALL for n in pilot.seen.nodes)
    return [*inner, PAGE] if tall else inner


def _places(pilot: Pilot) -> list[tuple[str, float]]:
    return [(n.id, n.box[1]) for n in pilot.seen.nodes]
