"""Press the value that stands behind a label, as in “their phone number”."""

from __future__ import annotations

import re

from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import press_node
from ddax.environments.pilot.words import tokens

LABELS = frozenset({"text", "label", "cell", "columnheader", "rowheader", "heading"})


async def theirs(pilot: Pilot, order: Order) -> bool | None:
    """Press the value behind a label, as in "their phone number"; None where none is meant."""
    found = re.search(r"\b(?:their|his|her|its)\s+(.+)$", order.outside)
    if not found:
        return None
    words = tokens(found[1])
    pool = [n for n in pilot.seen.nodes if n.role in LABELS]
    labels = [n for n in pool if set(tokens(n.own or n.name)) & set(words)]
    targets = list(pilot.nodes({"link", "clickable", "button"}))
    for label in labels:
        same = [n for n in targets if abs(n.box[1] - label.box[1]) < max(12, label.box[3])] or targets
        return await press_node(pilot, pilot.match.near(label, same)[0]) if same else False
    return None
