"""Drivers for the rest: drag, upload, sort, wait, scroll, hover, leave alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.drivers.placing import (
    STEPS,
    amount,
    drag_by,
    drag_to_place,
    place_of,
    sort_by_drag,
)
from ddax.environments.pilot.finding.locate import locate, meant, missing, one_of, pressed
from ddax.environments.pilot.finding.looks import looked_for, seen_as
from ddax.environments.pilot.finding.match import find, label, met, roles, usable
from ddax.environments.pilot.finding.relations import NOWHERE
from ddax.environments.pilot.orders.frames import Frame
from ddax.environments.pilot.pilot import NotDone, Pilot
from ddax.environments.pilot.words import COUNTS, Word, keys, said

_FROM = frozenset({"from"})
_DOWN = frozenset({"descending", "descend", "decreasing", "highest", "largest", "newest", "latest", "down"})
_WAY = _DOWN | frozenset(
    "ascending ascend lowest smallest cheapest oldest earliest first last to order up low high".split()  # noqa: SIM905
)
"""Words that say which way a column is sorted."""

_ENDS = frozenset({"top", "bottom", "up", "down", "end", "very", "way"})
_SECONDS = re.compile(
    r"(?:for )?(?:(\d{1,4}|one|two|three|four|five|six) |a )?(?:seconds?|secs?|s)|", re.IGNORECASE
)


async def drag(pilot: Pilot, frame: Frame) -> None:
    """Drag one thing to another or to a place, or all that look alike into one; see that each is there."""
    way = next((word.key for word in frame.to if word.key in STEPS), "") if len(frame.to) == 1 else ""
    place = None if way else place_of(frame)
    if not frame.others and (way or place is not None):
        things = looked_for(pilot, frame.words) or [await _thing(pilot, _before(frame.words))]
        for thing in things:
            if way:
                await drag_by(pilot, thing, way, frame.count)
            elif place is not None:
                await drag_to_place(pilot, thing, place)
        return
    if alike := seen_as(pilot, frame.words):
        await _drag_alike(pilot, frame, alike)
        return
    await _drag_named(pilot, frame)


async def _drag_alike(pilot: Pilot, frame: Frame, alike: Sequence[Node]) -> None:
    """Drag what looks as is said, or where the frame says so everything else, into one place."""
    least = min(node.box[2] * node.box[3] for node in alike)
    alike = [node for node in alike if node.box[2] * node.box[3] <= 3 * least]  # a place to drop into is none
    size = max(node.box[2] * node.box[3] for node in alike)
    places = seen_as(pilot, frame.to, above=size) or [await _thing(pilot, frame.to)]
    if len(places) > 1:
        raise NotDone(f"it is not said which one is meant of {len(places)} that are “{said(frame.to)}”")
    place = places[0]
    if (
        len(alike) > 1
        and not frame.others
        and not any(word.key in ("all", "every", "each") for word in frame.words)
    ):
        raise NotDone(f"it is not said which one is meant of {len(alike)} that are “{said(frame.words)}”")
    if frame.others:
        known = {node.id for node in alike}
        same = [n for n in pilot.seen.nodes if n.role == alike[0].role and n.parent == alike[0].parent]
        alike = [n for n in same if n.id not in known and n.box[2] * n.box[3] <= 2 * size]
    for thing in alike:
        if thing.id != place.id:
            await pilot.do("drag", thing.id, place.id)
            _see_inside(pilot, thing, place)


def _see_inside(pilot: Pilot, thing: Node, place: Node) -> None:
    now, there = pilot.node(thing.id), pilot.node(place.id)
    if now is None or not _is_over(now, (there or place).box):
        raise NotDone(f"“{label(thing)}” was dragged, and is not where it was to be")


def _is_over(node: Node, box: tuple[float, ...]) -> bool:
    """Tell whether the middle of an element lies in a box."""
    (x, y), (left, top, wide, high) = node.middle, box
    return left <= x <= left + wide and top <= y <= top + high


async def _drag_named(pilot: Pilot, frame: Frame) -> None:
    thing = await _thing(pilot, _before(frame.words))
    place = await _thing(pilot, frame.to)
    was = place.box
    names = keys(thing.text)
    named = [word.key for word in frame.to if word.is_solid]
    near = pilot.page.level(thing, named) if named else NOWHERE
    await pilot.do("drag", thing.id, place.id)
    if not _arrived(pilot, names, place, was, named, near):
        raise NotDone(f"“{label(thing)}” was dragged, and is not at “{label(place)}”")


def _before(order: Sequence[Word]) -> tuple[Word, ...]:
    """Return the words before “from …”: where it is now need not be said."""
    at = next((n for n, word in enumerate(order) if word.group < 0 and word.key in _FROM), len(order))
    return tuple(order[:at])


async def _thing(pilot: Pilot, order: Sequence[Word]) -> Node:
    hits = met(pilot.page, order, lambda _: True)
    held = [hit for hit in hits if hit.node.role in ("region", "list", "group", "listbox")]
    if hits:
        return one_of(pilot, order, held or [hit for hit in hits if hit.node.drags] or hits)
    return await locate(pilot, order, lambda node: True, kind="thing")


def _arrived(
    pilot: Pilot, names: Sequence[str], place: Node, was: tuple[float, ...], named: Sequence[str], near: int
) -> bool:
    """Tell whether what has some names is now where it was dragged to."""
    for node in pilot.seen.nodes:
        if tuple(keys(node.text)) != tuple(names):
            continue
        if node.parent == place.id or place.id in set(pilot.page.holders(node)):
            return True
        level = pilot.page.level(node, list(named)) if named else NOWHERE
        if _is_over(node, was) or level < near:
            return True
    return False


async def upload(pilot: Pilot, frame: Frame) -> None:
    """Hand a file to the field for files, and see that it has it."""
    fields = usable(pilot.page, lambda node: node.role == "file")
    named = [hit.node for hit in find(pilot.page, frame.words, fields)] or fields
    if not fields or (len(fields) > 1 and named is fields):
        raise NotDone(
            f"it is not said which field: {pilot.named(fields)}" if fields else "there is no field for files"
        )
    node = named[0]
    dotted = [word for word in frame.words if re.search(r"\w\.\w", word.text)][:1]
    if not (file := said([word for word in frame.words if word.group >= 0] or dotted)):
        raise NotDone("it is not said which file", "Name the file")
    await pilot.do("upload", node.id, file)
    now = pilot.node(node.id)
    if now is None or file.rpartition("/")[2] not in now.value:
        raise NotDone(f"“{label(node)}” does not hold “{file}”")


async def sort(pilot: Pilot, frame: Frame) -> None:
    """Sort a table by a column, and see that its cells stand so."""
    words = [word for word in frame.words if word.group >= 0 or word.key not in ("order", "by")]
    column, way = _way(_behind_by(frame.words))
    down = any(word.key in _DOWN for word in (*way, *_way(words)[1]))
    heads = usable(pilot.page, lambda n: _is_head(n) or (pressed(n) and _heads(pilot, n)))
    hits = [hit for hit in find(pilot.page, column, heads) if not hit.left]
    if not hits and await sort_by_drag(pilot, down=down):
        return
    if not hits:
        raise NotDone(f"no column is called “{said(column)}”; there are {pilot.named(heads)}")
    head = one_of(pilot, column, hits)
    name = keys(label(head))
    for _ in range(3):
        cells = _column(pilot, name)
        clicked = pilot.moves[-1:] and pilot.moves[-1].name == "click"
        if clicked and len(cells) > 1 and cells == sorted(cells, key=amount, reverse=down):
            return
        live = meant(pilot, column, lambda n: pressed(n) and _heads(pilot, n)) or head
        await pilot.do("click", live.id)
    raise NotDone(f"the column “{said(column)}” is not sorted so")


def _way(order: Sequence[Word]) -> tuple[list[Word], list[Word]]:
    """Part “price, lowest first” into the column and the way it is sorted."""
    at = len(order)
    while at > 1 and order[at - 1].group < 0 and order[at - 1].key in _WAY:
        at -= 1
    return list(order[:at]), list(order[at:])


def _behind_by(order: Sequence[Word]) -> list[Word]:
    at = next((n for n, word in enumerate(order) if word.group < 0 and word.key == "by"), -1)
    return [word for word in order[at + 1 :] if not word.is_stop or word.group >= 0]


def _heads(pilot: Pilot, node: Node) -> bool:
    holders = (pilot.page.by_id.get(holder) for holder in pilot.page.holders(node))
    return any(one is not None and _is_head(one) for one in holders)


def _is_head(node: Node) -> bool:
    return node.role == "columnheader" or node.tag == "th"


def _column(pilot: Pilot, name: Sequence[str]) -> list[str]:
    """Return the texts of a column, from the top."""
    head = next((n for n in pilot.seen.nodes if _is_head(n) and keys(n.name or n.own) == tuple(name)), None)
    return [n.name or n.own for n in pilot.page.column(head)] if head is not None else []


async def leave(pilot: Pilot, frame: Frame) -> None:
    """Leave alone what an order says is to be left alone."""


async def wait(pilot: Pilot, frame: Frame) -> None:
    """Wait some seconds."""
    found = _SECONDS.fullmatch(said(frame.words))
    if found is None:
        raise NotDone("it is not said how many seconds to wait", "Say it, as “Wait 2 seconds”")
    await pilot.do("wait", "page", str(COUNTS.get(found[1] or "one", found[1])))


async def scroll(pilot: Pilot, frame: Frame) -> None:
    """Scroll the page or what is named in it to where is said."""
    said_ = {word.key for word in frame.words}
    if any(word.is_solid and word.key not in _ENDS for word in frame.words):
        part = meant(pilot, frame.words, lambda _: True)
        if part is None:
            raise missing(pilot, frame.words, lambda node: node.role == "heading", "part")
        await pilot.do("hover", part.id)
        return
    how = next(
        (one for one in ("bottom", "top", "up") if one in said_), "bottom" if "end" in said_ else "down"
    )
    inner = [
        node
        for node in pilot.seen.nodes
        if node.scrolls[1] and ("focused" in node.state or node.role in roles(frame.words))
    ]
    await pilot.do("scroll", inner[0].id if len(inner) == 1 else "page", how)


async def hover(pilot: Pilot, frame: Frame) -> None:
    """Hold the pointer over an element."""
    if alike := looked_for(pilot, frame.words):
        await pilot.do("hover", alike[0].id)
        return
    node = await locate(
        pilot, frame.words, lambda one: "disabled" not in one.state, kind="element", text=True
    )
    await pilot.do("hover", node.id)
