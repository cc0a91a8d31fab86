"""Boxes by what stands beside them: the name of their group, or the words of their row."""

from __future__ import annotations

from collections.abc import Sequence

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.paging import goes_on
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.rows import above_of, rows_of, words_of
from ddax.environments.pilot.words import EMPTY, KINDS, plain, tokens

_BARE = frozenset({"select", "choose", "check", "tick", "mark", "pick", "this"})
"""Words of a box that say nothing of what it is for."""


def boxes_beside(pilot: Pilot, boxes: Sequence[Node], value: str) -> list[Node]:
    """Return the box of a group or of a row that some words mean; several for “all”, or where they say so."""
    words = set(words_of(value)) - EMPTY - KINDS
    if words in ({"all"}, {"everything"}):
        return _all_of(pilot, boxes)
    named = [n for n in boxes if words and set(words_of(label_of(n))) - _BARE == set(words_of(value))]
    found = named or [n for n in boxes if words and _in_group(pilot, n, words)]
    if len(found) == 1:
        return found
    bare = [n for n in boxes if _says_little(n, set())]
    rows = [row.control for row in rows_of(pilot.seen, bare) if words and words <= row.words()]
    several = any(
        plain(word).removesuffix("s") in KINDS and plain(word)[-1:] == "s" for word in value.split()
    )
    return rows if len(rows) == 1 or several else []


def _all_of(pilot: Pilot, boxes: Sequence[Node]) -> list[Node]:
    """Return the box for all the others, else those of all rows; none where there are rows out of sight."""
    every = [n for n in boxes if "all" in words_of(label_of(n)) and _says_little(n, {"all"})]
    bare = [n for n in boxes if _says_little(n, set())]
    if every:
        return every if len(every) == 1 else []
    return [] if goes_on(pilot) else bare


def _says_little(box: Node, but: set[str]) -> bool:
    """Tell whether a box is called nothing by which it is told from another one."""
    return not set(words_of(label_of(box))) - _BARE - KINDS - EMPTY - but


def _in_group(pilot: Pilot, box: Node, words: set[str]) -> bool:
    """Tell whether a box has some of the words, and its group the others: “express” under “Delivery”."""
    nodes = {node.id: node for node in pilot.seen.nodes}
    above = (nodes[one] for one in above_of(box, {n.id: n.parent for n in pilot.seen.nodes}) if one in nodes)
    group = next((n for n in above if n.role in ("group", "radiogroup")), None)
    own = set(words_of(" ".join(tokens(label_of(box) or box.after))))
    named = set(words_of(" ".join(tokens(group.name or group.before)))) if group else set[str]()
    return bool(words & own) and words <= own | named
