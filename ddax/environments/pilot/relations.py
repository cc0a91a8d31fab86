"""What stands together on a page: the row, card, group, section, dialog or form that holds an element."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property

from ddax.environments.browser.seen import Node, PageSeen
from ddax.environments.pilot.words import Keys, has_phrase, keys

NOWHERE = 1_000_000


class Page:
    """A page with what holds what; `seen` is what was looked at."""

    def __init__(self, seen: PageSeen) -> None:
        self.seen = seen
        self._words: dict[str, Keys] = {}
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
                found += (*own_words(node), "|")
            self._words[holder] = tuple(found)
        return self._words[holder]

    def level(self, node: Node, phrase: Sequence[str]) -> int:
        """Return how large the smallest holder of a node is that has a phrase; `NOWHERE` where none has."""
        size = NOWHERE
        for holder in self.holders(node):
            if has_phrase(self.words(holder), phrase):
                size = len(self._members[holder])
                break
        headed = self.heading(node)
        if headed is not None and has_phrase(keys(headed.name or headed.own), phrase):
            return min(size, abs(self._places[node.id] - self._places[headed.id]) + 1)
        return size

    def heading(self, node: Node) -> Node | None:
        """Return the heading that an element stands under."""
        at = self._places.get(node.id, 0)
        for place in range(at - 1, max(-1, at - 200), -1):
            if self.seen.nodes[place].role == "heading":
                return self.seen.nodes[place]
        return None

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
