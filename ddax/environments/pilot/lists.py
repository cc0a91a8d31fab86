"""Lists that are put in order by dragging: an item to a place, up or down, beside another, or all sorted."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import SURE
from ddax.environments.pilot.words import NUMBERS, content, numbers, ordinal, plain, tokens

SIGNS = frozenset({"sortable", "draggable", "drag", "handle"})
"""Words of attributes by which what can be dragged is known."""
OVERSHOOTS = (0.3, 0.0, 0.55)
"""How far past the middle of the other an item is dragged, by its size: lists make room here or there."""
_SPOT = (
    r"(?:top|upper|bottom|lower|cent(?:er|re)|middle)[ -](?:left|right|cent(?:er|re)|middle)"
    r"(?:\s+corner)?|cent(?:er|re)|middle"
)
"""A place in a grid, by its row and its column."""
_TO_PLACE = re.compile(
    rf"^(?P<name>.+?)(?<!\s)\s+(?:in)?to\s+(?:the\s+)?(?:very\s+)?(?P<place>{_SPOT}|top|bottom|start|beginning|end|front|back"
    r"|(?:position|place|spot|number)\s+\d+|[\w-]+\s+(?:position|place|spot))\b(?!\s+(?:box|container)\b)",
    re.IGNORECASE,
)
_BY = re.compile(
    r"^(?P<name>.+?)(?<!\s)\s+(?:one\s+(?:position|place|row|step)\s+)?(?P<way>up|down|left|right)"
    r"(?:wards?)?(?:\s+(?:by\s+)?(?P<count>\w+)(?:\s+(?:positions?|places?|rows?|steps?|spots?))?)?$",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"(?>^(?P<name>.+?)(?<!\s)\s+(?:to\s+)?(?:right\s+|directly\s+|just\s+)?"
    r"(?P<way>above|below|before|after|under)\s+)(?P<other>.+)$",
    re.IGNORECASE,
)
_FIRST, _LAST = frozenset({"top", "start", "beginning", "front"}), frozenset({"bottom", "end", "back"})


async def move_in_list(pilot: Pilot, order: Order) -> bool | None:
    """Drag an item of a list to where an order says; None where none of that is said."""
    text = order.text.strip(" .")
    for form in (_TO_PLACE, _BY, _BESIDE):
        said = form.match(text)
        found = _item(pilot, said["name"]) if said else None
        if said and found:
            item, line = found
            at = _meant(pilot, said.groupdict(), item, line)
            return at is not None and await put(pilot, item, at, line)
    return None


def _item(pilot: Pilot, name: str) -> tuple[Node, list[Node]] | None:
    """Return the only item of a list that goes by a name, with all items of that list."""
    wanted = content(name) or plain(name)
    for line in lines(pilot):
        sure = [one.node for one in pilot.match.rank(wanted, among=line) if one.score >= SURE]
        whole = [node for node in sure if plain(node.name or node.own) == plain(wanted)]
        if len(whole or sure) == 1:
            return (whole or sure)[0], line
    return None


def lines(pilot: Pilot) -> list[list[Node]]:
    """Return the groups of elements of one kind beside each other that can be dragged, as they are read."""
    groups: dict[tuple[str, str, str], list[Node]] = {}
    for node in pilot.seen.nodes:
        if node.drags or SIGNS & set(tokens(node.hints)):
            groups.setdefault((node.parent, node.role, node.tag), []).append(node)
    return [sorted(group, key=_as_read) for group in groups.values() if len(group) > 1]


def _as_read(node: Node) -> tuple[float, float]:
    return round(node.box[1] / 4), node.box[0]


def _meant(pilot: Pilot, said: dict[str, str | None], item: Node, line: Sequence[Node]) -> Node | None:
    """Return the item whose place is meant; None where there is no such place."""
    if place := said.get("place"):
        words = set(tokens(place))
        if re.fullmatch(_SPOT, place, re.IGNORECASE):
            return _in_grid(tokens(place), line)
        counted = ordinal(place) or next(iter(map(int, numbers(place))), 0)
        at = -1 if words & _LAST else 1 if words & _FIRST else counted
        return line[-1] if at == -1 else line[at - 1] if 0 < at <= len(line) else None
    way = (said["way"] or "").casefold()
    if other := said.get("other"):
        return _beside(pilot, item, line, other, below=way in ("below", "after", "under"))
    count = said.get("count") or "one"
    steps = NUMBERS.get(count.casefold(), int(count) if count.isdecimal() else 0)
    across = way in ("left", "right")
    row = [node for node in line if abs(node.box[1 if across else 0] - item.box[1 if across else 0]) < 4]
    at = row.index(item) + (steps if way in ("down", "right") else -steps)
    return row[at] if steps and 0 <= at < len(row) else None


def _in_grid(words: Sequence[str], line: Sequence[Node]) -> Node | None:
    """Return the item at a place of a grid; None where the items stand in none, or it has no middle."""
    rows: dict[int, list[Node]] = {}
    for node in line:
        rows.setdefault(round(node.box[1] / 4), []).append(node)
    lengths = {len(row) for row in rows.values()}
    if len(rows) < 2 or len(lengths) > 1 or lengths == {1}:
        return None
    spots = [word for word in words if word != "corner"]
    down, across = (_spot(word, count) for word, count in zip(
        (spots[0], spots[-1]), (len(rows), *lengths), strict=True
    ))  # fmt: skip
    return None if down is None or across is None else list(rows.values())[down][across]


def _spot(word: str, count: int) -> int | None:
    """Return the index a word means among so many rows or columns."""
    if word in ("top", "upper", "left"):
        return 0
    if word in ("bottom", "lower", "right"):
        return count - 1
    return count // 2 if count % 2 else None


def _beside(pilot: Pilot, item: Node, line: Sequence[Node], name: str, *, below: bool) -> Node | None:
    """Return the item whose place is right before or behind that of another, once the one is taken out."""
    left = [node for node in line if node.id != item.id]
    sure = [one.node for one in pilot.match.rank(content(name) or name, among=left) if one.score >= SURE]
    return line[left.index(sure[0]) + below] if sure else None


async def put(pilot: Pilot, item: Node, at: Node, line: Sequence[Node]) -> bool:
    """Drag an item to the place of another of its list, and see that it stands there."""
    place, key = list(line).index(at), _key(item)
    for overshoot in OVERSHOOTS:
        now = _again(pilot, key, len(line))
        if now is None:
            return False
        here = next(node for node in now if _key(node) == key)
        if now.index(here) == place:
            pilot.settled |= not pilot.moves
            return True
        by = [_way(here, now[place], axis, overshoot) for axis in (0, 1)]
        if await pilot.do("drag", here.id, f"{by[0]:.0f},{by[1]:.0f}") == "refused":
            return False
    now = _again(pilot, key, len(line))
    return now is not None and _key(now[place]) == key


def _way(item: Node, at: Node, axis: int, overshoot: float) -> float:
    """Return the pixels from the middle of an item to that of another and past it, along an axis."""
    way = at.box[axis] + at.box[axis + 2] / 2 - item.box[axis] - item.box[axis + 2] / 2
    return way + overshoot * item.box[axis + 2] * ((way > 2) - (way < -2))


def _key(node: Node) -> str:
    return plain(node.name or node.own) or node.id


def _again(pilot: Pilot, key: str, count: int) -> list[Node] | None:
    """Return the list an item is in as it is now; None where it is no longer there as it was."""
    found = [line for line in lines(pilot) if len(line) == count and key in map(_key, line)]
    return found[0] if len(found) == 1 else None


async def sort_list(pilot: Pilot, *, down: bool) -> bool | None:
    """Put the only list of a page that can be dragged in order; None where there is none, or several."""
    found = lines(pilot)
    keys = [_key(node) for node in found[0]] if len(found) == 1 else []
    if len(set(keys)) < max(2, len(keys)):
        return None
    counted = [numbers(key) for key in keys]
    as_number = all(len(one) == 1 for one in counted)
    wanted = sorted(keys, key=(lambda key: numbers(key)[0]) if as_number else str.casefold, reverse=down)
    for place, key in enumerate(wanted):
        now = _again(pilot, key, len(keys))
        here = next((node for node in now or () if _key(node) == key), None)
        if now is None or here is None or not await put(pilot, here, now[place], now):
            return False
    return True
