"""Boxes by what stands beside them: the name of their group, or the words of their row."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.options import group_of
from ddax.environments.pilot.paging import goes_on
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.rows import above_of, inside, node_words, rows_of, section, words_of
from ddax.environments.pilot.words import EMPTY, KINDS, likeness, plain, tokens

_ALL = re.compile(r"(?:all|every|each)(?: of)?(?: (?:the|my))? (?P<what>.+)", re.IGNORECASE)
_ALL_WITH = re.compile(
    r"(?:(?:all|every|each)(?: of)?(?: the)?(?: \w+)?|everyone|everybody|everything)"
    r" (?:from|in|of|at|with|by|for|to) (?:the )?(?P<what>.+)",
    re.IGNORECASE,
)
_ALL_FILES = re.compile(
    r"(?:all|every)(?: of)?(?: the)? (?P<kind>[a-z]{2,4}\d?)(?: (?:file|document|picture|image)s?|s)",
    re.IGNORECASE,
)
"""“All PDF files”, by how their names end."""
_SEVERAL = frozenset({"checkbox", "switch", "menuitemcheckbox"})
"""Boxes of which several may be ticked."""
CALLED = 0.9
"""Likeness from which a group is called what an order says."""
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


def of_group(pilot: Pilot, boxes: Sequence[Node], value: str) -> list[Node]:
    """Return the boxes of the one group that is called so: “all the toppings”; none where none is."""
    said = _ALL.fullmatch(value.strip())
    groups = [n for n in pilot.nodes({"group"}) if said and likeness(said["what"], n.name) >= CALLED]
    inside = {n.id for n in pilot.match.below(groups[0])} if len(groups) == 1 else set[str]()
    return [n for n in boxes if n.id in inside]


def of_rows(pilot: Pilot, boxes: Sequence[Node], value: str) -> list[Node]:
    """Return the boxes of all rows that say something, as “all employees from Oslo”; none where more come."""
    said, files = _ALL_WITH.fullmatch(value.strip()), _ALL_FILES.fullmatch(value.strip())
    words = set(words_of(said["what"])) - EMPTY if said else set[str]()
    if not (words or files) or goes_on(pilot):
        return []
    rows = {box.id: words_of_row(pilot, box) for box in boxes if box.role == "checkbox"}
    found = [box for box in boxes if words and words <= rows.get(box.id, set())]
    if files and not words:
        end = f".{files['kind'].casefold()}"
        found = [box for box in boxes if any(word.endswith(end) for word in rows.get(box.id, ()))]
    return found if 0 < len(found) < sum(map(bool, rows.values())) else []


def words_of_row(pilot: Pilot, box: Node) -> set[str]:
    """Return the words of the row that a box stands in; none where it stands in none."""
    roles = {n.id: n.role for n in pilot.seen.nodes}
    above = above_of(box, {n.id: n.parent for n in pilot.seen.nodes})
    group = next((one for one in above if roles.get(one) in ("row", "listitem")), "")
    return node_words(inside(pilot.seen, group)) if group else set()


def beside_of(pilot: Pilot, boxes: Sequence[Node]) -> list[Node] | None:
    """Return the other boxes of the group or list that some boxes stand in; None where there is neither."""
    groups = [n for n in pilot.nodes({"group"}) if {b.id for b in boxes} <= _ids(pilot, n)]
    inside = min((_ids(pilot, n) for n in groups), key=len, default=set[str]())
    places = {group_of(pilot, box) for box in boxes}
    if not groups and "" in places:
        return None
    others = [n for n in pilot.nodes(_SEVERAL) if n not in boxes]
    return [n for n in others if n.id in inside or (not groups and group_of(pilot, n) in places)]


def _ids(pilot: Pilot, node: Node) -> set[str]:
    return {inner.id for inner in pilot.match.below(node)}


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
    heads = [n for n in section(list(pilot.seen.nodes), box) if n.role == "heading"][-1:]
    head = group.name or group.before if group else heads[0].name if heads else ""
    own, named = (set(words_of(" ".join(tokens(text)))) for text in (label_of(box) or box.after, head))
    return bool(words & own) and words <= own | named
