"""Ratings by stars: “Give the canteen 4 stars”, “Rate the film 4 out of 5”."""

from __future__ import annotations

import re

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import click
from ddax.environments.pilot.rows import above_of, inside, node_words, words_of
from ddax.environments.pilot.words import BOXES, EMPTY, NUMBERS

_RATED = re.compile(
    r"(?P<what>.*?)(?<!\s)\s*\b(?:with\s+)?(?P<stars>\d|one|two|three|four|five)\s*"
    r"(?:stars?|(?:stars?\s+)?out\s+of\s+\d+|/\s*\d+)(?P<behind>\s+(?:to|for)\s.{1,200})?",
    re.IGNORECASE,
)
_GIVES = re.compile(r"(?:rate\s+)?(?:\w+\s+)?(\d)\s*(?:stars?.*|out of \d.*|/\s*\d)")
"""What a control for so many stars is called."""


async def rate(pilot: Pilot, order: Order) -> bool | None:
    """Press the star of a number in the group that an order names; None where it speaks of no stars."""
    found = _RATED.fullmatch(order.text.strip(" ."))
    if found is None:
        return None
    count = NUMBERS.get(found["stars"].casefold(), 0) or int(found["stars"])
    named = set(words_of(f"{found['what']} {found['behind'] or ''}")) - EMPTY
    pool = [n for n in pilot.nodes(BOXES | {"button", "clickable", "icon"}) if _stars(n) == count]
    meant = [n for n in pool if named and named <= _around(pilot, n)] or (pool if len(pool) == 1 else [])
    if len(meant) > 1:
        pilot.unclear(meant)
    return len(meant) == 1 and await click(pilot, meant[0]) != "refused"


def _stars(node: Node) -> int:
    """Return how many stars a control gives, 0 where it does not say so."""
    said = _GIVES.fullmatch(label_of(node).casefold())
    return int(said[1]) if said else 0


def _around(pilot: Pilot, node: Node) -> set[str]:
    """Return the words of the groups that an element stands in, up to the first with others that rate."""
    found: set[str] = set()
    for group in above_of(node, {n.id: n.parent for n in pilot.seen.nodes}):
        parts = inside(pilot.seen, group)
        if sum(_stars(n) == _stars(node) for n in parts) > 1:
            break
        found |= node_words(parts)
    return found
