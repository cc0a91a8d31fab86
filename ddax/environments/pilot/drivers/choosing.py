"""Drivers that choose and tick: options, radios, menus, boxes, switches; each is checked by its state."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.drivers.asking import press_node
from ddax.environments.pilot.drivers.deeds import deed, tail_of
from ddax.environments.pilot.drivers.entering import field_of, fill
from ddax.environments.pilot.drivers.ranges import bring
from ddax.environments.pilot.drivers.selecting import pick_in
from ddax.environments.pilot.finding.locate import in_row, locate, meant, one_of, pressed, unfolded, written
from ddax.environments.pilot.finding.looks import COLOURS, looked_for
from ddax.environments.pilot.finding.match import BOXES, Hit, find, label, runs, usable
from ddax.environments.pilot.orders.clauses import said_parts
from ddax.environments.pilot.orders.dates import find_date, month_of
from ddax.environments.pilot.orders.frames import Frame, Value
from ddax.environments.pilot.pilot import NotDone, Pilot
from ddax.environments.pilot.words import Word, as_words, key, keys, said

PICKED = frozenset(
    {"option", "radio", "menuitem", "menuitemradio", "menuitemcheckbox", "checkbox", "switch", "treeitem"}
)
NONE = frozenset({"nothing", "none"})
CLOSES = frozenset({"option", "menuitemradio", "menuitemcheckbox"})
"""What may go with its press, as the list that holds it closes."""
TICKED = frozenset({"checkbox", "switch", "menuitemcheckbox", "radio"})


async def choose(pilot: Pilot, frame: Frame) -> None:
    """Choose what is named: an option where it stands, or in the list that is named with it."""
    order = frame.words
    if await _none(pilot, order):
        return
    if ">" in said(order) and any(">" in word.text for word in order):
        await _path(pilot, order)
        return
    if alike := looked_for(pilot, order):
        for node in alike:
            await press_node(pilot, node)
        return
    parts = said_parts(order)
    apart = len(parts) > 1 and all(_named_in(pilot, part) for part in parts)
    if not apart and await choose_words(pilot, order):
        return
    if len(parts) > 1:
        tail = tail_of(parts[-1], ("in", "from", "as", "for", "on"))
        chosen: list[str] = []
        for part in parts:
            if not await choose_words(
                pilot, (*part, *tail) if part is not parts[-1] else part, keep=tuple(chosen)
            ):
                await _by_name(pilot, part)
            chosen.append(said(part))
        return
    await _by_name(pilot, order)


async def set_(pilot: Pilot, frame: Frame) -> None:
    """Set a field, a box or a list to a value."""
    assert frame.value is not None
    if (several := _LIST.fullmatch(frame.value.text)) and {w.key for w in frame.words} & {
        "slider",
        "spinner",
    }:
        await _set_each(pilot, several[1].split(","))
        return
    try:
        node = await field_of(pilot, frame.words, links=True)
    except NotDone as why:
        value = as_words(frame.value.text, 0)
        if not await choose_words(pilot, (*value, *frame.words)):
            raise why from None
        return
    await fill(pilot, node, frame.value)


async def _set_each(pilot: Pilot, values: Sequence[str]) -> None:
    """Bring the sliders of a page to as many numbers, in their order."""
    nodes = usable(pilot.page, lambda node: node.role in ("slider", "spinbutton", "handle"))
    if len(nodes) != len(values):
        raise NotDone(f"there are {len(nodes)} sliders for {len(values)} numbers")
    for node, value in zip(nodes, values, strict=True):
        await _to_number(pilot, node, value.strip())


async def _to_number(pilot: Pilot, node: Node, number: str) -> None:
    await (fill(pilot, node, Value(number, True)) if written(node) else bring(pilot, node, number))


async def _none(pilot: Pilot, order: Sequence[Word]) -> bool:
    """Leave no box on where the order says “nothing”, of those that its other words name; False otherwise."""
    solid = [word for word in order if not word.is_stop]
    if not solid or solid[0].group >= 0 or solid[0].key not in NONE:
        return False
    if any(
        keys(label(node)) == (solid[0].key,)
        for node in [*usable(pilot.page, lambda one: one.role in PICKED), *_options(pilot)]
    ):
        return False  # it is called so
    boxes = usable(pilot.page, lambda node: node.role in ("checkbox", "switch"))
    if any(not word.is_kind for word in solid[1:]):
        boxes = [hit.node for hit in find(pilot.page, solid[1:], boxes) if not hit.left]
    if not boxes:
        raise NotDone(f"there are no boxes for “{said(order)}”")
    for node in boxes:
        await bring_to(pilot, node, on=False)
    return True


def _named_in(pilot: Pilot, part: Sequence[Word]) -> bool:
    """Tell whether a part of a list names something to choose by itself."""
    nodes = [*usable(pilot.page, lambda node: node.role in PICKED or _tickable(node)), *_options(pilot)]
    return any(not hit.left for hit in find(pilot.page, part, nodes))


async def _by_name(pilot: Pilot, order: Sequence[Word]) -> None:
    """Press what is called so, where it is no option of a list."""
    node = await locate(
        pilot, order, lambda one: one.role in PICKED or pressed(one), kind="option", text=True
    )
    await _pick(pilot, node)


async def choose_words(pilot: Pilot, order: Sequence[Word], *, keep: Sequence[str] = ()) -> bool:
    """Choose what some words say: a day, a number, an option; False where nothing is called so."""
    if await _measured(pilot, order):
        return True
    shown = usable(pilot.page, lambda node: node.role in PICKED and "disabled" not in node.state)
    every = [*shown, *_options(pilot)]
    found = [hit for hit in find(pilot.page, order, every) if not hit.left]
    hits = [hit for hit in found if not _of_another(order, hit, every)]
    if found and not hits:
        raise NotDone(f"no option is called “{said(order)}”; there are {pilot.named(every)}")
    if hits:
        await _pick(pilot, one_of(pilot, order, hits), keep)
        return True
    return await _in_list(pilot, order)


def _of_another(order: Sequence[Word], hit: Hit, every: Sequence[Node]) -> bool:
    """Tell whether a word that a hit leaves is one of another option’s name: “extra” of “extra large”."""
    left = {word.key for at, word in enumerate(order) if at not in hit.used and word.is_solid}
    own = keys(label(hit.node))
    return any(
        left & set(keys(label(node))) and keys(label(node)) != own for node in every if node is not hit.node
    )


async def _measured(pilot: Pilot, order: Sequence[Word]) -> bool:
    """Bring a slider, a spinner or a field for a day to what is said."""
    text = said(order)
    numbers = re.findall(r"(?<![\w.,])-?\d+(?:,\d{3})*(?:\.\d+)?(?![\w/]|[.,]\d)", text)
    kinds = {word.key for word in order}
    if numbers and kinds & {"slider", "spinner"}:
        if len(numbers) > 1:
            raise NotDone(f"there are {len(numbers)} numbers in “{text}”, and not one")
        roles = {"slider"} if "slider" in kinds else {"spinbutton"}
        fields = usable(pilot.page, lambda node: node.role in roles)
        fields = fields or usable(pilot.page, lambda node: node.role in ("slider", "spinbutton", "handle"))
        if len(fields) == 1:
            await _to_number(pilot, fields[0], numbers[0])
            return True
        if not fields and (holds := _handles(pilot)):
            await bring(pilot, holds[0], numbers[0])
            return True
    if (colour := _colour(pilot, order)) is not None:
        await fill(pilot, *colour)
        await pilot.do("leave", colour[0].id)
        return True
    day = find_date(text)
    if day is None:
        return False
    rest = [word for word in order if not _DAY.fullmatch(word.key) and not month_of(word.key)]
    fields = usable(pilot.page, _takes_day)
    alone = len(fields) == 1 and not _says(rest)
    node = fields[0] if alone else meant(pilot, rest, _takes_day) if rest else None
    if node is None:
        return False
    await fill(pilot, node, Value(day.isoformat() if node.type == "date" else text_of(text, rest), False))
    return True


def _colour(pilot: Pilot, order: Sequence[Word]) -> tuple[Node, Value] | None:
    """Return the only field that holds a colour, and the one that is named as it takes it."""
    named = [word.key for word in order if word.key in COLOURS]
    about = {word.key for word in order} & {"color", "colour", "picker", "colorpicker"}
    fields = usable(pilot.page, lambda n: n.type == "color" or bool(_HEX.fullmatch(n.value) and written(n)))
    if len(named) != 1 or not about or len(fields) != 1:
        return None
    sign = "#" if fields[0].type == "color" or fields[0].value.startswith("#") else ""
    return fields[0], Value(f"{sign}{COLOURS[named[0]]}", True)


_HEX = re.compile(r"#?[0-9a-f]{6}", re.IGNORECASE)
_LIST = re.compile(r"(?:the )?(?:\w+ )?[\[(](-?\d+(?:\.\d+)?(?:, ?-?\d+(?:\.\d+)?){1,20})[\])]")
_DAY = re.compile(r"\d{1,4}(?:st|nd|rd|th)?(?:[./-]\d+)*")
_CALENDAR = frozenset({"date", "day", "calendar", "picker", "datepicker"})


def _says(rest: Sequence[Word]) -> bool:
    return any(word.is_solid and word.key not in _CALENDAR for word in rest)


def text_of(text: str, rest: Sequence[Word]) -> str:
    """Return a text without some of its words."""
    left = [word.text for word in rest]
    return " ".join(word for word in text.split() if word not in left)


def _takes_day(node: Node) -> bool:
    return written(node) and ("date" in keys(f"{label(node)} {node.hints}") or node.type == "date")


def _handles(pilot: Pilot) -> list[Node]:
    """Return the one handle of a slider that says of itself no more than its class."""
    found = [n for n in pilot.seen.nodes if n.role in ("clickable", "icon") and "handle" in n.hints]
    return found if len(found) == 1 else []


def _options(pilot: Pilot) -> list[Node]:
    """Return the options of selects as elements of their own."""
    bare = {"role": "option", "sample": "", "before": "", "after": "", "hints": "select"}
    return [
        replace(node, name=option, value=option, **bare)  # type: ignore[arg-type]  # all are texts
        for node in pilot.seen.nodes
        if node.tag == "select" and "disabled" not in node.state
        for option in node.options
    ]


async def _pick(pilot: Pilot, node: Node, keep: Sequence[str] = ()) -> None:
    """Take an option or a box, and see that it is taken."""
    if node.hints == "select" and node.tag == "select":
        held = pilot.node(node.id)
        several = (
            "|".join(dict.fromkeys([*keep, node.name])) if held and "multiple" in held.state else node.name
        )
        await pilot.do("select", node.id, several)
        now = pilot.node(node.id)
        if now is not None and keys(node.name) and not set(keys(node.name)) <= set(keys(now.value)):
            raise NotDone(f"“{node.name}” is not chosen")
        return
    if node.role in BOXES or node.role == "option":
        await bring_to(pilot, node, on=True)
        return
    await press_node(pilot, node)


async def _in_list(pilot: Pilot, order: Sequence[Word]) -> bool:
    """Choose in a closed list that some words name what the others say."""
    lists = usable(pilot.page, lambda n: _is_list(n) and "disabled" not in n.state)
    hits = [hit for hit in find(pilot.page, order, lists) if hit.left]
    hits = [hit for hit in hits if hit.left in runs(order, hit.used)]  # one thing is chosen, not two
    if not hits:
        return False
    node = one_of(pilot, order, hits)
    left = next(hit.left for hit in hits if hit.node is node)
    await pick_in(pilot, node, tuple(word.key for word in left), said(left))
    return True


def _is_list(node: Node) -> bool:
    return node.role in ("combobox", "listbox") or ("collapsed" in node.state and node.role == "button")


async def _path(pilot: Pilot, order: Sequence[Word]) -> None:
    """Go down a menu step by step: “File > New > Letter”."""
    steps = [part.strip() for part in said(order).split(">")]
    for number, step in enumerate(steps):
        found = as_words(step, number)
        node = await locate(pilot, found, lambda n: n.role in PICKED or pressed(n), kind="entry", text=True)
        if number < len(steps) - 1:
            known = {one.id for one in pilot.seen.nodes}
            await pilot.do("hover", node.id)
            if known >= {one.id for one in pilot.seen.nodes} and not await unfolded(pilot):
                await press_node(pilot, node)
        else:
            await press_node(pilot, node)


async def tick(pilot: Pilot, frame: Frame) -> None:
    """Bring boxes and switches to what is said."""
    if frame.on and await _none(pilot, frame.words):
        return
    for part in _named_boxes(pilot, frame):
        node = meant(pilot, part, _tickable)
        if node is None:
            whole = (Word(frame.verb, key(frame.verb)), *frame.words)
            if frame.verb in ("check", "mark", "enable", "disable") and meant(pilot, whole, pressed):
                await deed(pilot, replace(frame, act="deed"))
                return
            node = in_row(pilot, part, _tickable) or await locate(pilot, part, _tickable, kind="box")
        await bring_to(pilot, node, on=frame.on)


def _named_boxes(pilot: Pilot, frame: Frame) -> list[tuple[Word, ...]]:
    parts = said_parts(frame.words)
    if len(parts) > 1 and all(_named_in(pilot, part) for part in parts):
        return parts
    try:
        return [frame.words] if meant(pilot, frame.words, _tickable) is not None else parts
    except NotDone:
        return parts


def _tickable(node: Node) -> bool:
    toggles = node.role == "button" and ("pressed" in node.state or "toggle" in node.hints)
    return (node.role in TICKED or toggles) and "disabled" not in node.state


async def bring_to(pilot: Pilot, node: Node, *, on: bool) -> None:
    """Press a box until its state is the one that is wanted; at most twice, as one of three states needs."""
    for press in range(2):
        now = pilot.node(node.id)
        if now is None and press and node.role in CLOSES:
            return
        if now is None:
            raise NotDone(f"“{label(node)}” went, and it is not seen whether it is {'on' if on else 'off'}")
        if is_on(now) == on and "mixed" not in now.state:
            pilot.settled |= not press
            return
        await press_node(pilot, now)
    now = pilot.node(node.id)
    if now is not None and is_on(now) != on:
        raise NotDone(f"“{label(node)}” was pressed, and is {'not ' if on else ''}on")


def is_on(node: Node) -> bool:
    """Tell whether a box, a switch or an option is on."""
    return bool(node.state & {"checked", "selected", "pressed"})
