"""The one matcher: which element an order means, by names, roles, labels and what stands with it.

A control is meant when all words of its name are in the order, and the order's other words are found in what
holds it: its row, card, group, section, menu or dialog. Likeness of meaning counts for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ddax.environments.browser.seen import ACTED_ON, Node
from ddax.environments.pilot.finding.relations import NOWHERE, Page
from ddax.environments.pilot.words import COUNTS, KINDS, NTH, ORDINALS, SIGNS, Keys, Word, key, keys, plain

FIELDS = frozenset("textbox searchbox spinbutton combobox listbox slider color".split())  # noqa: SIM905
BOXES = frozenset({"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"})
OPTIONS = frozenset({"option", "menuitem", "menuitemradio", "menuitemcheckbox", "radio", "treeitem"})
PRESSED = ACTED_ON - {"listbox", "file", "color", "video", "audio", "slider"}
LITTLE = frozenset("the a an your my of to for this".split())  # noqa: SIM905
"""Words of a name that an order may leave out; “in” and “out” are none."""
_WHERE = frozenset({"in", "of", "beside", "under", "from", "for", "inside", "within", "by", "at", "on"})


@dataclass(frozen=True)
class Hit:
    """An element that an order may mean.

    `used` are the places of the words that name it, `left` the words that neither it nor what holds it says,
    `size` how much the holder that has the others holds. `rank` is how well it fits, least first: words left,
    shown already, words named, to the letter, of another role, a place, not quoted so, not acted on, size.
    """

    node: Node
    used: frozenset[int]
    left: tuple[Word, ...]
    size: int
    rank: tuple[int, ...]

    @property
    def fit(self) -> tuple[int, ...]:
        """What tells it from what the words mean as well: not where it stands, nor whether it can be used."""
        return self.rank[:7]


def names(node: Node) -> list[str]:
    """Return what an element is called: its name, the words beside it, or what it shows while empty."""
    found = [node.name]
    if node.role in FIELDS or node.role in BOXES:
        found += [node.before if not node.name or node.role == "combobox" else "", node.sample]
        if node.type in ("password", "email", "tel", "url", "search", "date", "time"):
            found.append(node.type)
    if not any(found):
        found += [node.own, node.after if node.role in BOXES else ""]
    if not any(map(keys, found)):
        found += hinted(node)
    if plain(node.name) == "close" and (not node.own or "icon only" in node.hints):
        found += ["x", "×"]  # it shows a cross alone
    return [name for name in dict.fromkeys(found) if name]


def hinted(node: Node) -> list[str]:
    """Return the words of the attributes of an element that shows none, and what its sign stands for."""
    sign = plain(node.name or node.own)
    return [*SIGNS.get(sign, ()), sign, *(node.hints.split() if not sign else ())]


def label(node: Node) -> str:
    """Return what an element is called when it is told of."""
    return node.name or node.before or node.own or node.sample or node.role


def find(page: Page, order: Sequence[Word], nodes: Iterable[Node]) -> list[Hit]:
    """Return the elements that some words may mean, the best first."""
    wanted = roles(order)
    hits = [hit for node in nodes for hit in [_hit(page, order, node, wanted)] if hit is not None]
    return sorted(hits, key=lambda hit: (hit.rank, page.place(hit.node)))


def met(page: Page, order: Sequence[Word], accept: Callable[[Node], bool]) -> list[Hit]:
    """Return the elements that can be used and that all of some words may mean, the best first."""
    return [hit for hit in find(page, order, usable(page, accept)) if not hit.left]


def best(hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits that nothing tells apart."""
    return [hit for hit in hits if hit.rank == hits[0].rank] if hits else []


def roles(order: Sequence[Word]) -> frozenset[str]:
    """Return the roles that the words of an order name."""
    return frozenset(role for word in order if word.group < 0 for role in KINDS.get(word.key, ()))


def _hit(page: Page, order: Sequence[Word], node: Node, wanted: frozenset[str]) -> Hit | None:
    said = [_used(order, name) for name in names(node)]
    used, exact = max(said, key=lambda one: (len(one[0]), one[1]), default=(frozenset[int](), 0))
    if not used:
        return None
    left: list[Word] = []
    size = 1
    for run in runs(order, frozenset[int]().union(*(one for one, _ in said))):  # it may be called twice
        there = page.level(node, [word.key for word in run])
        if there == NOWHERE:
            left += run
        size = max(size, there if there != NOWHERE else 1)
    rank = (
        len(left), _is_open(node), -sum(not order[at].is_kind for at in used), -min(exact, 2),
        node.role not in wanted if wanted else 0, _is_place(order, used), exact < 3,
        node.role not in ACTED_ON, size, "disabled" in node.state,
    )  # fmt: skip
    return Hit(node, used, tuple(left), size, tuple(map(int, rank)))


def _is_place(order: Sequence[Word], used: frozenset[int]) -> bool:
    """Tell whether words say where something is, and not what: “Cash” in “Delete in the row Cash”."""
    solid = [at for at, word in enumerate(order) if word.is_solid]
    before = order[solid[0] : min(used)] if solid and solid[0] not in used else ()
    return any(word.group < 0 and word.key in _WHERE for word in before)


def _is_open(node: Node) -> bool:
    """Tell whether an element has shown already what it is there to show: it names a place then."""
    return "expanded" in node.state or (node.role == "tab" and "selected" in node.state)


def _used(order: Sequence[Word], name: str) -> tuple[frozenset[int], int]:
    """Return where the words of a name stand, and how exactly: 3 quoted so, 2 to the letter, 1 in full."""
    said = keys(name) or (plain(name),)
    little = {key(word) for word in name.split() if word.islower()} & LITTLE
    free = dict(enumerate(order))
    used: set[int] = set()
    missing = 0
    run = _run_at(order, said)
    if run:
        used = set(run)
    else:
        for one in said:
            at = next((at for at, word in free.items() if word.key == one), None)
            if at is None:
                missing += one not in little
            else:
                used.add(at)
                free.pop(at)
    if missing:
        return frozenset(), 0
    bare = all(word.is_stop for word in order)
    solid = [at for at in used if bare or not order[at].is_stop]
    if not solid or _breaks_quote(order, used):
        return frozenset(), 0
    text = " ".join(order[at].text for at in run or ())
    if run and text == name and order[run[0]].group >= 0:
        return frozenset(used), 3
    return frozenset(used), 2 if run and plain(text) == plain(name) else 1


def _run_at(order: Sequence[Word], said: Keys) -> range | None:
    """Return where a name stands in an order; “log in” is “Login”."""
    whole = "".join(said)
    for size in (len(said), len(said) + 1, len(said) - 1):
        for at in range(len(order) - size + 1 if size > 0 else 0):
            if "".join(word.key for word in order[at : at + size]) == whole:
                return range(at, at + size)
    return None


def _breaks_quote(order: Sequence[Word], used: set[int]) -> bool:
    """Tell whether a part of a quote alone would be used: a quote is one thing."""
    groups = {order[at].group for at in used if order[at].group >= 0}
    return any(at not in used for at, word in enumerate(order) if word.group in groups)


def runs(order: Sequence[Word], used: Iterable[int]) -> list[tuple[Word, ...]]:
    """Return the words that a name leaves, those side by side together; without such as name nothing."""
    known = set(used)
    found: list[list[Word]] = [[]]
    for at, word in enumerate(order):
        if at in known or word.is_stop or (found[-1] and found[-1][-1].group != word.group):
            found.append([])
        if at not in known and not word.is_stop:
            found[-1].append(word)
    return [tuple(run) for run in map(_without_kinds, found) if run]


def _without_kinds(run: Sequence[Word]) -> list[Word]:
    """Drop the words for kinds at both ends of a run, and what numbers it."""
    kept = list(run)
    while kept and (kept[0].is_kind or _counts(kept[0])):
        kept.pop(0)
    while kept and kept[-1].is_kind:
        kept.pop()
    return kept


def _counts(word: Word) -> bool:
    return word.group < 0 and (word.key in ORDINALS or word.key in COUNTS or bool(NTH.fullmatch(word.key)))


def dialogs(page: Page) -> list[Node]:
    """Return the boxes of a page that ask something or lie over it."""
    return [node for node in page.seen.nodes if node.role in ("dialog", "alertdialog")]


def usable(page: Page, accept: Callable[[Node], bool]) -> list[Node]:
    """Return the elements that can be used now: of an open dialog that stops the rest, those in it alone."""
    modal = [node for node in dialogs(page) if "modal" in node.state]
    inside = {one.id for one in page.held(modal[-1].id)} if modal else None
    nodes = [node for node in page.seen.nodes if accept(node)]
    return [n for n in nodes if inside is None or n.id in inside or not _same_frame(n, modal[-1])]


def _same_frame(node: Node, other: Node) -> bool:
    return node.id.rpartition("e")[0] == other.id.rpartition("e")[0]
