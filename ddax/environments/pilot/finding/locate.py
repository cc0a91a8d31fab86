"""Find what an order means, and bring to light what is folded away: sections, tabs, menus, tree items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ddax.environments.browser.seen import ACTED_ON, Node
from ddax.environments.pilot.finding.match import (
    BOXES,
    FIELDS,
    PRESSED,
    Hit,
    best,
    find,
    label,
    met,
    names,
    roles,
    runs,
    usable,
)
from ddax.environments.pilot.finding.ranking import best_of
from ddax.environments.pilot.finding.relations import Page
from ddax.environments.pilot.pilot import NotDone, Pilot
from ddax.environments.pilot.words import KINDS, Word, has_phrase, keys, nth, ordinal, plain, said

OPENED = 5
"""Things opened on the way to what is meant at most."""
ROW = 80
"""Elements that a row or card holds at most."""
TAGS = {"text": "input", "textarea": "textarea"}
"""Words for kinds of fields, with the tags they stand for."""
Accept = Callable[[Node], bool]


def pressed(node: Node) -> bool:
    """Tell whether an element is there to be pressed."""
    bare = (
        node.role in ("textbox", "searchbox", "spinbutton") and not node.name
    )  # it is known by its words alone
    return node.role in PRESSED and "disabled" not in node.state and not bare


def written(node: Node) -> bool:
    """Tell whether an element holds a value."""
    return node.role in FIELDS and "disabled" not in node.state


async def locate(
    pilot: Pilot,
    order: Sequence[Word],
    accept: Accept,
    *,
    kind: str = "control",
    links: bool = False,
    text: bool = False,
) -> Node:
    """Return the element that some words mean; raises NotDone where there is none, or more than one."""
    if (alone := _by_kind(pilot, order, accept)) is not None:
        return alone
    if (top := best_of(pilot, order, accept)) is not None:
        return top
    opened: set[str] = set()
    for _ in range(OPENED if not pilot.seeking else 4 * OPENED):
        found = meant(pilot, order, accept)
        if found is not None:
            return found
        if not await _reveal(pilot, order, opened, links=links):
            break
    for step in (_hovered, _labelled, _by_text, _in_menu):
        if step is _by_text and not text:
            continue
        found = await step(pilot, order, accept)
        if found is not None:
            return found
    raise missing(pilot, order, accept, kind)


def _by_kind(pilot: Pilot, order: Sequence[Word], accept: Accept) -> Node | None:
    """Return what is told by its kind and place alone, as “the 2nd check box”; None for any other order."""
    if any_one := bool(order) and order[0].key in ("a", "an", "any") and order[-1].key == "widget":
        order = [replace(word, group=-1) for word in order]
    tags = [TAGS[word.key] for word in order if word.key in TAGS]
    wanted = roles(order) or (KINDS["textbox"] if any_one and tags else ())
    number = ordinal(order)
    bare = all(word.is_stop or word.is_kind or ordinal([word]) for word in order)
    if not wanted or not bare:
        return None
    nodes = usable(pilot.page, lambda node: node.role in wanted and "disabled" not in node.state)
    if number:
        _see_end(pilot, number)
        if (chosen := nth(nodes, number)) is None:
            raise NotDone(f"there are only {len(nodes)} of this kind")
        return chosen
    if any_one:
        return next((node for node in nodes if not tags or node.tag in tags), None)
    return nodes[0] if len(nodes) == 1 and accept(nodes[0]) else None


def meant(pilot: Pilot, order: Sequence[Word], accept: Accept) -> Node | None:
    """Return the one element that some words mean; None for none, NotDone where many may be meant."""
    hits = met(pilot.page, order, accept)
    return one_of(pilot, order, hits) if hits else None


def one_of(pilot: Pilot, order: Sequence[Word], hits: Sequence[Hit]) -> Node:
    """Return the hit that is meant; raises NotDone where nothing tells some apart."""
    number = ordinal(order)
    if number:
        _see_end(pilot, number)
        alike = sorted(
            (hit for hit in hits if hit.fit == hits[0].fit), key=lambda hit: pilot.page.place(hit.node)
        )
        if (chosen := nth(alike, number)) is None:
            raise NotDone(f"there are only {len(alike)} of “{label(hits[0].node)}”")
        return chosen.node
    top = best(hits)
    nodes = [hit.node for hit in top]
    holds = {holder for node in nodes for holder in pilot.page.holders(node)}
    inner = [node for node in nodes if node.id not in holds]
    if len(inner) == 1 or (inner[0].href and len({node.href for node in inner}) == 1):
        return inner[0]
    raise NotDone(
        f"it is not said which one is meant of {len(inner)} called “{label(inner[0])}”",
        "Say beside what it stands",
    )


def _see_end(pilot: Pilot, number: int) -> None:
    """See that the last of a kind is looked at, where that one is meant."""
    if number < 0 and not pilot.seen.whole:
        raise NotDone("the page has more than was looked at: its last one is not known")


async def _reveal(pilot: Pilot, order: Sequence[Word], opened: set[str], *, links: bool) -> bool:
    """Open something folded that some of the words name; tells whether there was such a thing."""
    page = pilot.page
    hits = find(page, order, usable(page, lambda node: _folded(node, links) and node.id not in opened))
    hits = [hit for hit in hits if any(not order[at].is_kind for at in hit.used)]
    nodes = [hit.node for hit in hits if len(hit.left) < len(order)]
    if not nodes and pilot.seeking:
        nodes = [n for n in usable(page, lambda node: _folded(node, False)) if n.id not in opened]
    if not nodes:
        return False
    opened.add(nodes[0].id)
    known = {node.id for node in page.seen.nodes}
    changed = await pilot.do("click", nodes[0].id)
    return not known >= {node.id for node in pilot.seen.nodes} or await unfolded(pilot) or changed


async def unfolded(pilot: Pilot) -> bool:
    """Wait for a menu that opens late; tells whether the page shows a change."""
    return await pilot.do("wait", "page", "0.5")


def _folded(node: Node, links: bool) -> bool:
    if "disabled" in node.state:
        return False
    closed = "collapsed" in node.state and node.role != "combobox"
    closed |= node.role == "icon" and "expandable" in node.hints.casefold().split()
    tab = node.role == "tab" and not node.state & {"selected", "current"}
    return closed or tab or (links and node.role == "link")


async def _hovered(pilot: Pilot, order: Sequence[Word], accept: Accept) -> Node | None:
    """Hold the pointer over the row that some words name: many show their buttons only then."""
    for row in rows(pilot.page, order)[:2]:
        await pilot.do("hover", row.id)
        found = meant(pilot, order, accept)
        if found is not None:
            return found
    return None


def rows(page: Page, order: Sequence[Word]) -> list[Node]:
    """Return the texts that say a part of an order, the longest part first."""
    parts = [tuple(word.key for word in order[at:]) for at in range(len(order))]
    texts = [(node, keys(node.own)) for node in page.seen.nodes if node.role not in FIELDS]
    return [node for part in parts for node, said_ in texts if said_ == part]


async def _by_text(pilot: Pilot, order: Sequence[Word], _: Accept) -> Node | None:
    """Return the text that is called exactly as ordered: some pages press what is no control."""
    page = pilot.page
    hits = met(page, order, lambda n: n.role not in ACTED_ON and bool(n.own) and n.role != "heading")
    return one_of(pilot, order, hits) if hits else None


async def _labelled(pilot: Pilot, order: Sequence[Word], accept: Accept) -> Node | None:
    """Return the one element that stands alone behind a text that names it, as the link of “Phone: 12 34”."""
    page = pilot.page
    found = []
    for hit in best(met(page, order, lambda n: n.role not in ACTED_ON and n.own.rstrip().endswith(":"))):
        holder = next(iter(page.holders(hit.node)), "")
        found += [node for node in page.held(holder) if holder and accept(node)]
    return found[0] if len(found) == 1 else None


async def _in_menu(pilot: Pilot, order: Sequence[Word], accept: Accept) -> Node | None:
    """Open the menu of the row that a part of an order names, and return what is meant there."""
    page = pilot.page
    about = [run for run in runs(order, ()) if page.saying(tuple(word.key for word in run))]
    if not about or len(about) == len(runs(order, ())):
        return None
    menu = in_row(pilot, [word for run in about for word in run], lambda one: pressed(one) and is_menu(one))
    if menu is None:
        return None
    if not await pilot.do("click", menu.id):
        await unfolded(pilot)
    rest = [word for word in order if all(word not in run for run in about)]
    return (
        meant(pilot, order, accept)
        or meant(pilot, rest, accept)
        or await _by_text(pilot, order, accept)
        or await _by_text(pilot, rest, accept)
    )


MENU_SIGNS = frozenset({"+", "☰", "⋮", "⋯", "…", "...", "▾", "▼", "•••"})


def is_menu(node: Node) -> bool:
    """Tell whether an element opens the menu of its row."""
    said_ = {one for name in names(node) for one in keys(name)}
    return plain(node.text) in MENU_SIGNS - {"+"} or bool({"more", "menu", "option", "action"} & said_)


def in_row(pilot: Pilot, order: Sequence[Word], accept: Accept) -> Node | None:
    """Return the one element of a kind that stands in the row or card that the words name."""
    page = pilot.page
    parts = [[word.key for word in part] for part in runs(order, ())]
    if not parts or ordinal(order):
        return None
    found: list[tuple[int, Node]] = []
    for node in usable(page, accept):
        own = () if node.role not in BOXES and is_menu(node) else keys(label(node))
        if any(has_phrase(own, part) for part in parts):
            return None  # it is named in part: nothing beside it is meant, and it may say the opposite
        size = max(page.level(node, part) for part in parts)
        if size <= ROW and size < len(page.seen.nodes):
            found.append((size, node))
    least = min((size for size, _ in found), default=0)
    nodes = [node for size, node in found if size == least]
    return nodes[0] if len(nodes) == 1 else None


def missing(pilot: Pilot, order: Sequence[Word], accept: Accept, kind: str) -> NotDone:
    """Say that nothing is called as ordered, and what there is."""
    page = pilot.page
    there = pilot.named(usable(page, accept))
    hits = find(page, order, usable(page, accept))
    if hits:
        what = f"“{said(hits[0].left)}” is not found with “{label(hits[0].node)}”"
        return NotDone(what, "Say it in the words of the page")
    what = f"no {kind} is called “{pilot.cut(said(order), 80)}”"
    return NotDone(f"{what}; there are {there}" if there else what, "Say it in the words of the page")
