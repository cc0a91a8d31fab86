"""What stands together on a page: the row, card, group, section, dialog or form that holds an element."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property

from ddax.environments.browser.seen import Node, PageSeen
from ddax.environments.pilot.words import Keys, has_phrase, keys

NOWHERE = 1_000_000
ROWS = frozenset({"listitem", "row", "option", "treeitem", "article"})
"""Roles of what stands beside others of its kind."""


class Page:
    """A page with what holds what; `seen` is what was looked at."""

    def __init__(self, seen: PageSeen) -> None:
        self.seen = seen
        self._words: dict[str, Keys] = {}
        self._owns: dict[str, Keys] = {}
        self._saying: dict[Keys, list[Node]] = {}
        self._chains: dict[str, dict[str, int]] = {}
        self._places = {node.id: at for at, node in enumerate(seen.nodes)}

    @cached_property
    def by_id(self) -> dict[str, Node]:
        """Return the nodes by their ids."""
        return {node.id: node for node in self.seen.nodes}

    @cached_property
    def _members(self) -> dict[str, list[Node]]:
        """Return what each node and each box without a role holds, itself included, in order."""
        held: dict[str, list[Node]] = defaultdict(list)
        for node in self.seen.nodes:
            for holder in self.holders(node):
                held[holder].append(node)
            held[node.id].append(node)
        return held

    def holders(self, node: Node) -> Iterator[str]:
        """Yield the ids of what holds a node, the nearest first; the page itself is ""."""
        at: Node | None = node
        while at is not None:
            yield from (box.id for box in at.boxes)
            if at.parent:
                yield at.parent
            at = self.by_id.get(at.parent)
        yield ""

    def held(self, holder: str) -> list[Node]:
        """Return what a holder holds, in the order of the page."""
        return self._members[holder]

    def words(self, holder: str) -> Keys:
        """Return the words that stand in a holder, its own name among them."""
        if holder not in self._words:
            found: list[str] = []
            for node in self._members[holder]:
                found += (*self._own_words(node), "|")
            self._words[holder] = tuple(found)
        return self._words[holder]

    def level(self, node: Node, phrase: Sequence[str]) -> int:
        """Return how large the smallest holder of a node is that has a phrase; `NOWHERE` where none has.

        What stands in another row of a list, or below another heading of the same rank, does not count.
        """
        size = min((self._meeting(node, other) for other in self.saying(tuple(phrase))), default=NOWHERE)
        headed = self.heading(node)
        if headed is not None and has_phrase(keys(headed.name or headed.own), phrase):
            return min(size, abs(self._places[node.id] - self._places[headed.id]) + 1)
        return size

    def saying(self, phrase: Keys) -> list[Node]:
        """Return the elements that have a phrase among their own words."""
        if phrase not in self._saying:
            self._saying[phrase] = [
                node for node in self.seen.nodes if has_phrase(self._own_words(node), phrase)
            ]
        return self._saying[phrase]

    def _own_words(self, node: Node) -> Keys:
        if node.id not in self._owns:
            self._owns[node.id] = own_words(node)
        return self._owns[node.id]

    def _meeting(self, node: Node, other: Node) -> int:
        """Return how large the smallest holder of two elements is; `NOWHERE` where each is in its own row."""
        above, around = list(self._chain(node)), list(self._chain(other))
        at = next(at for at, holder in enumerate(above) if holder in self._chain(other))
        met = self._chain(other)[above[at]]
        alike = met and at and self._kinds.get(above[at - 1]) == self._kinds.get(around[met - 1], "")
        if alike or (self._rows.intersection(above[:at]) and self._rows.intersection(around[:met])):
            return NOWHERE
        apart = self._sections[node.id].items() ^ self._sections[other.id].items()
        if met and len({rank for rank, _ in apart}) < len(apart):
            return NOWHERE
        return len(self._members[above[max(at, 1)]])

    def _chain(self, node: Node) -> dict[str, int]:
        """Return an element and what holds it, from the inside out, each with its place."""
        if node.id not in self._chains:
            above = dict.fromkeys((node.id, *self.holders(node)))
            self._chains[node.id] = {holder: at for at, holder in enumerate(above)}
        return self._chains[node.id]

    @cached_property
    def _kinds(self) -> dict[str, str]:
        """Return of rows, and of boxes that stand beside others, by what they are alike."""
        found = {box.id: box.kind for node in self.seen.nodes for box in node.boxes}
        return found | dict.fromkeys(self._rows, "row")

    @cached_property
    def _rows(self) -> set[str]:
        return {node.id for node in self.seen.nodes if node.role in ROWS}

    @cached_property
    def _sections(self) -> dict[str, dict[str, str]]:
        """Return of each element the headings it stands under, by their rank."""
        found: dict[str, dict[str, str]] = {}
        now: dict[str, str] = {}
        for node in self.seen.nodes:
            if node.role == "heading":
                now = {rank: id for rank, id in now.items() if rank < node.tag} | {node.tag: node.id}
            found[node.id] = now
        return found

    def heading(self, node: Node) -> Node | None:
        """Return the heading that an element stands under."""
        at = self._places.get(node.id, 0)
        for place in range(at - 1, max(-1, at - 200), -1):
            if self.seen.nodes[place].role == "heading":
                return self.seen.nodes[place]
        return None

    def column(self, head: Node) -> list[Node]:
        """Return the cells that stand below a head of a table, from the top."""
        cells = (node for node in self.seen.nodes if node.role in ("cell", "gridcell"))
        return [node for node in cells if 0 <= head.middle[0] - node.box[0] <= node.box[2]]

    def place(self, node: Node) -> int:
        """Return where an element stands in the order of the page."""
        return self._places.get(node.id, 0)


def own_words(node: Node) -> Keys:
    """Return the words of an element itself, without those of what it holds."""
    if node.role in ("combobox", "listbox", "slider", "file"):
        return keys(f"{node.name or node.before} {node.value}")
    if node.role in ("textbox", "searchbox") and not node.name:
        return keys(f"{node.before} {node.value}")
    said = node.own or (node.name if node.role not in HOLDS or not node.own else "")
    more = (
        node.value if node.role in ("textbox", "searchbox", "spinbutton") and node.type != "password" else ""
    )
    return keys(f"{said} {more}")


HOLDS = frozenset("row cell listitem treeitem gridcell article label heading".split())  # noqa: SIM905
"""Roles whose name is the text of what they hold, too."""
