"""Controls that bear the title of their row: “Play Blue Monday” for “Play the song by New Order”."""

from __future__ import annotations

from collections.abc import Callable

from ddax.environments.browser.seen import ACTED_ON, Node
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.rows import ROWS, Row, above_of, inside, node_words, words_of
from ddax.environments.pilot.words import EMPTY, FIELD


def titled(pilot: Pilot, verb: str, rest: set[str], names_of: Callable[[Node, str], set[str]]) -> list[Row]:
    """Return the controls called by a verb and by their row, in whose row the rest of an order stands."""
    found: list[Row] = []
    roles, parents = ({n.id: n.role for n in pilot.seen.nodes}, {n.id: n.parent for n in pilot.seen.nodes})
    heads = {word for n in pilot.seen.nodes if n.role == "heading" for word in words_of(n.name)}
    for node in pilot.nodes(ACTED_ON - FIELD - {"combobox", "option"}):
        words = names_of(node, verb) if node.name else set[str]()
        group = next((one for one in above_of(node, parents) if roles.get(one) in ROWS), "")
        if verb not in words or not group:
            continue
        parts = inside(pilot.seen, group)
        told = node_words(n for n in parts if n.role not in ACTED_ON and n.id != group)
        title, left = words - {verb} - EMPTY, rest - words - EMPTY
        if title and left and title - rest <= told and left <= told | heads and left & told:
            found.append(Row(node, parts))
    return found
