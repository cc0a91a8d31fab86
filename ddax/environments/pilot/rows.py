"""Rows and cards: what belongs to one of several controls of the same name, and which words stand there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ddax.environments.browser.seen import Node, PageSeen
from ddax.environments.pilot.calendar import level

_PHRASES = (
    (re.compile(r"\b(?:log|sign)[ -]?(?:out|off)\b"), "logout"),
    (re.compile(r"\b(?:log|sign)[ -]?(?:in|on)\b"), "login"),
    (re.compile(r"\bsign[ -]?up\b"), "signup"),
    (re.compile(r"\bcheck[ -]?out\b"), "checkout"),
)
"""Verbs of two words, each as one."""
_SAME = {
    "remove": "delete", "trash": "delete", "erase": "delete", "put": "add", "reserve": "book",
    "purchase": "buy", "subscribe": "signup",
    "show": "view", "see": "view", "display": "view", "favorite": "favourite",
    "qty": "quantity", "amt": "amount", "dept": "department", "addr": "address",
    "create": "new", "proceed": "continue",
    "euro": "eur", "dollar": "usd", "children": "child",
    "basket": "cart", "bag": "cart", "e-mail": "email", "mail": "email", "×": "delete", "🗑": "delete",
}  # fmt: skip
"""Words that mean the same on a control."""
_ENDS = " \t.,;:!?\"'()[]{}“”«»@#"
_COUNT = re.compile(r"\(\d+\)")
ROWS = frozenset({"listitem", "row", "option", "treeitem", "article"})
"""Roles of what stands beside others of its kind."""


def words_of(text: str) -> list[str]:
    """Return the words of a text as they are compared: in lower case, singular, one for all of a meaning."""
    low = text.casefold()
    for phrase, word in _PHRASES:
        low = phrase.sub(word, low)
    return [same(word) for part in low.split() if (word := part.strip(_ENDS) or part)]


def words_of_name(text: str) -> list[str]:
    """Return the words of what a control is called, without how many it shows, as in “Basket (2)”."""
    return words_of(_COUNT.sub(" ", text))


def same(word: str) -> str:
    """Return the word that stands for all that mean the same as one."""
    one = re.sub(r"['’]s$", "", word)
    if len(one) > 4 and one.endswith(("sses", "xes", "ches", "shes")):
        one = one.removesuffix("es")
    elif len(one) > 3 and one.endswith("s") and not one.endswith(("ss", "us", "is")) and "." not in one:
        one = one.removesuffix("s")
    return _SAME.get(one, one)


def node_words(nodes: Iterable[Node]) -> set[str]:
    """Return the words that stand in some elements."""
    said = (f"{node.name} {node.own} {node.value}" for node in nodes)
    return {word for text in said for word in words_of(text)}


@dataclass(frozen=True)
class Row:
    """One of several controls of the same name, with the elements that belong to it."""

    control: Node
    parts: tuple[Node, ...]

    def words(self) -> set[str]:
        """Return the words of a row, but for those of its control."""
        return node_words(part for part in self.parts if part.id != self.control.id)


def rows_of(seen: PageSeen, controls: Sequence[Node]) -> list[Row]:
    """Return the rows of some controls of the same name; of those in no row of their own none.

    The row is the largest group that holds none of the others, without the rows beside it; where groups are
    none, as in cards, what stands in the same order before each of them.
    """
    return (
        _grouped(seen, controls, parents_of(seen))
        or _headed(seen, controls)
        or _boxed(seen, controls)
        or _blocks(seen, controls)
    )


def parents_of(seen: PageSeen) -> dict[str, str]:
    """Return the id of what holds each element."""
    return {node.id: node.parent for node in seen.nodes}


def holders_of(seen: PageSeen) -> dict[str, str]:
    """Return the id of what holds each element and each box, boxes without a role among them."""
    found: dict[str, str] = {}
    for node in seen.nodes:
        found |= pairwise((node.id, *(box.id for box in node.boxes), node.parent))
    return found


def _grouped(seen: PageSeen, controls: Sequence[Node], parents: Mapping[str, str]) -> list[Row]:
    """Return the largest group around each control that holds none of the others, as far as it has one."""
    rows: list[Row] = []
    for node, own in zip(controls, own_groups(controls, parents), strict=True):
        if own and len(controls) > 1:
            other = beside(seen, above_of(node, parents))
            rows.append(Row(node, tuple(n for n in inside(seen, own[-1]) if n.id not in other)))
    return rows


def own_groups(controls: Sequence[Node], parents: Mapping[str, str]) -> list[list[str]]:
    """Return for each of some controls the groups that hold it and none of the others, the largest last."""
    above = [above_of(node, parents) for node in controls]
    held = Counter(group for groups in above for group in groups)
    return [[group for group in groups if held[group] == 1] for groups in above]


def _boxed(seen: PageSeen, controls: Sequence[Node]) -> list[Row]:
    """Return the boxes without a role around some controls, where all of these lie equally deep in one."""
    parents = holders_of(seen)
    if len({len(own) for own in own_groups(controls, parents)}) > 1:
        return []
    rows = _grouped(seen, controls, parents)
    return rows if all(row.words() for row in rows) else []


def lines_of(seen: PageSeen, controls: Sequence[Node]) -> list[Row]:
    """Return the rows of some controls of the same name where they are those of one list; else none."""
    nodes = {node.id: node for node in seen.nodes}
    groups = own_groups(controls, parents_of(seen))
    tops = [nodes[own[-1]] for own in groups if own]
    kinds = {(top.role, top.tag, top.parent) for top in tops}
    if len(controls) > 1 and len(tops) == len(controls) and len(kinds) == 1:
        return rows_of(seen, controls)
    return _headed(seen, controls) or _alike(seen, controls)


def _alike(seen: PageSeen, controls: Sequence[Node]) -> list[Row]:
    """Return the rows of some controls where these are boxes of one kind beside each other."""
    kinds = {box.id: box.kind for node in seen.nodes for box in node.boxes}
    tops = [own[-1] for own in own_groups(controls, holders_of(seen)) if own]
    listed = len(tops) == len(controls) > 1 and len({kinds.get(top, top) for top in tops}) == 1
    return _boxed(seen, controls) if listed else []


def above_of(node: Node, parents: Mapping[str, str]) -> list[str]:
    """Return the ids of the groups an element is in, the innermost first."""
    found: list[str] = []
    at = parents.get(node.id, "")
    while at and at not in found:
        found.append(at)
        at = parents.get(at, "")
    return found


def beside(seen: PageSeen, groups: Collection[str]) -> set[str]:
    """Return the ids of the rows beside those among some groups, with all that is in them."""
    lists = {node.parent for node in seen.nodes if node.id in groups and node.role in ROWS}
    kinds = {box.kind for node in seen.nodes for box in node.boxes if box.id in groups}
    found: set[str] = set()
    for node in seen.nodes:
        other = node.role in ROWS and node.parent in lists and node.id not in groups
        other |= any(box.kind in kinds and box.id not in groups for box in node.boxes)
        if other or node.parent in found:
            found.add(node.id)
    return found


def inside(seen: PageSeen, group: str) -> tuple[Node, ...]:
    """Return a group with all that is in it."""
    within = {group}
    for node in seen.nodes:  # parents stand before their children
        if node.parent in within or any(box.id in within for box in node.boxes):
            within.add(node.id)
    return tuple(node for node in seen.nodes if node.id in within)


def _headed(seen: PageSeen, controls: Sequence[Node]) -> list[Row]:
    """Cut the siblings of some controls at the headings before them, where each has one of its own."""
    if len(controls) < 2 or len({node.parent for node in controls}) > 1:
        return []
    line = [node for node in seen.nodes if node.parent == controls[0].parent]
    heads = [at for at, node in enumerate(line) if node.role == "heading"]
    places = [line.index(node) for node in controls]
    above = [max((at for at in heads if at < place), default=-1) for place in places]
    if -1 in above or len(set(above)) < len(above) or len({line[at].tag for at in above}) > 1:
        return []
    ends = [min((at for at in heads if at > place), default=len(line)) for place in places]
    tail = max((end - place for end, place in zip(ends, places, strict=True) if end < len(line)), default=0)
    if tail:  # nothing ends the last row but that it is as long as the others
        ends = [min(end, place + tail) for end, place in zip(ends, places, strict=True)]
    cut = zip(controls, above, ends, strict=True)
    return [Row(node, tuple(line[start:end])) for node, start, end in cut]


def _blocks(seen: PageSeen, controls: Sequence[Node]) -> list[Row]:
    """Cut the siblings of some controls into blocks of one beginning, but for controls that begin a line."""
    if len(controls) < 2 or len({node.parent for node in controls}) > 1:
        return []
    line = [node for node in seen.nodes if node.parent == controls[0].parent]
    places = sorted(line.index(node) for node in controls)
    if any(_begins(line, at) for at in places):
        return []
    lead = 0
    while all(at - lead - 1 >= 0 for at in places):
        kinds = {(line[at - lead - 1].role, line[at - lead - 1].tag) for at in places}
        between = any(at - lead - 1 in places for at in places)
        if len(kinds) > 1 or between:
            break
        lead += 1
        if line[places[0] - lead].role == "heading":
            break
    starts = [at - lead for at in places]
    length = min((b - a for a, b in pairwise(starts)), default=0)
    heads = [at for at, node in enumerate(line) if node.role == "heading"]
    behind = (min((at for at in heads if at > place), default=len(line)) for place in places)
    stops = list(map(min, [*starts[1:], starts[-1] + length], behind))  # a heading begins another part
    return [Row(line[at], tuple(line[a:b])) for at, a, b in zip(places, starts, stops, strict=True) if lead]


def _begins(line: Sequence[Node], at: int) -> bool:
    """Tell whether an element stands in one line with what is behind it and not with what is before it."""
    before, behind = line[max(0, at - 1) : at], line[at + 1 : at + 2]
    return any(level(line[at], one) for one in behind) and not any(level(line[at], one) for one in before)


def section(nodes: Sequence[Node], control: Node) -> list[Node]:
    """Return what stands before a control, but for what stands below a heading that another one has ended."""
    found: list[tuple[int, Node]] = []
    depth = 0
    for node in nodes[: nodes.index(control)]:
        if node.role == "heading":
            depth = int(node.tag[1]) if re.fullmatch(r"h[1-6]", node.tag) else 2
            found = [one for one in found if one[0] < depth]
        found.append((depth, node))
    return [node for _, node in found]
