"""Order from a list whose rows have a plus: “one of each item: A, B”, “3 items that are vegan”."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, islice, pairwise

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.finding.match import usable
from ddax.environments.pilot.finding.relations import NOWHERE
from ddax.environments.pilot.orders.clauses import said_parts
from ddax.environments.pilot.pilot import NotDone, Pilot
from ddax.environments.pilot.words import Word, keys, said

_ITEM = frozenset({"item", "dish", "product", "dishe"})
ROW = 12
"""Elements that a row of such a list holds at most."""


def taken(pilot: Pilot, order: Sequence[Word]) -> list[Node]:
    """Return the plus to press for each thing that is ordered; [] where it is no such order or list."""
    rows = usable(pilot.page, lambda node: node.text.strip() == "+")
    at = next((n for n, word in enumerate(order) if word.group < 0 and word.key in _ITEM), -1)
    if len(rows) < 2 or at < 0:
        return []
    if any(word.key == "each" for word in order[:at]):
        return [row for part in _at_commas(order[at + 1 :]) for row in _rows(pilot, rows, part)]
    count = next((n for word in order[:at] if (n := word.counts)), 0)
    about = tuple(word.key for word in order[at + 1 :] if not word.is_stop and word.key not in _LINKS)
    kind = [row for row in rows if _level(pilot, row, about) <= ROW]
    if not count or not about or not kind:
        raise NotDone(f"it is not found what “{said(order)}” is")
    return list(islice(cycle(kind), count))


_LINKS = frozenset({"are", "be", "that", "which", "is"})


def _at_commas(order: Sequence[Word]) -> list[tuple[Word, ...]]:
    ends = [n for n, word in enumerate(order, 1) if word.ends or n == len(order)]
    return [tuple(order[start:end]) for start, end in pairwise([0, *ends])]


def _rows(pilot: Pilot, rows: Sequence[Node], part: Sequence[Word]) -> list[Node]:
    """Return the plus of what is called so, or of each of several: a name may have an “and” in it."""
    parts = said_parts(part)
    whole = any(keys(node.own) == tuple(word.key for word in part) for node in pilot.seen.nodes)
    return [_row(pilot, rows, one) for one in ([tuple(part)] if whole else parts)]


def _row(pilot: Pilot, rows: Sequence[Node], part: Sequence[Word]) -> Node:
    """Return the plus of the row that some words name whole."""
    name = tuple(word.key for word in part)
    named = [node for node in pilot.seen.nodes if keys(node.own) == name]
    found = [row for row in rows if named and _level(pilot, row, name) <= ROW]
    if len(named) != 1 or len(found) != 1:
        raise NotDone(f"there are {len(found)} of “{said(part)}” to take")
    return found[0]


def _level(pilot: Pilot, row: Node, phrase: Sequence[str]) -> int:
    """Return how large the holder is that a plus shares with a phrase and with no other plus."""
    ids = {other.id for other in pilot.seen.nodes if other.text.strip() == "+"}
    for holder in pilot.page.holders(row):
        held = pilot.page.held(holder)
        if len(ids & {one.id for one in held}) > 1:
            return NOWHERE
        if any(tuple(phrase) == keys(one.text) for one in held):
            return len(held)
    return NOWHERE
