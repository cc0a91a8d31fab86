"""Press until a number that a page makes up is as asked."""

from __future__ import annotations

import re

from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import press_named
from ddax.environments.pilot.words import numbers, tokens


async def generate(pilot: Pilot, order: Order) -> bool:
    """Press until a number that is shown is as asked."""
    bounds = numbers(order.text)
    words = set(tokens(order.text))
    for _ in range(30):
        await press_named(pilot, "generate", frozenset({"button"}))
        shown = [float(n.own) for n in pilot.seen.nodes if re.fullmatch(r"-?\d+(?:\.\d+)?", n.own.strip())]
        if shown and _as_asked(shown[0], bounds, words):
            return True
    return False


def _as_asked(value: float, bounds: list[float], words: set[str]) -> bool:
    if "odd" in words or "even" in words:
        return (value % 2 == 1) == ("odd" in words)
    if not bounds:
        return False
    if words & {"greater", "more", "larger", "above", "over"}:
        return value > bounds[0]
    if words & {"less", "smaller", "below", "under", "lower"}:
        return value < bounds[0]
    return value == bounds[0]
