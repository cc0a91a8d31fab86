"""Drivers that write: values, dates, searches, new entries; each is checked by what the field holds."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from ddax.environments.browser.secrets import PLACEHOLDER
from ddax.environments.browser.seen import Node
from ddax.environments.pilot.drivers.asking import called
from ddax.environments.pilot.drivers.calendar import pick_day
from ddax.environments.pilot.drivers.ranges import bring
from ddax.environments.pilot.drivers.selecting import pick_in
from ddax.environments.pilot.drivers.sharing import shared_out
from ddax.environments.pilot.finding.locate import in_row, locate, meant, missing, one_of, pressed, written
from ddax.environments.pilot.finding.match import FIELDS, find, label, usable
from ddax.environments.pilot.finding.reading import beside, looked_up
from ddax.environments.pilot.finding.values import same_value
from ddax.environments.pilot.orders.dates import (
    as_shown,
    find_date,
    find_month,
    find_time,
    no_day,
    shows_form,
)
from ddax.environments.pilot.orders.frames import Frame, Value
from ddax.environments.pilot.orders.grammar import SECRET
from ddax.environments.pilot.pilot import NotDone, Pilot
from ddax.environments.pilot.words import NAMED, Word, as_words, has_phrase, keys, nth, ordinal, said

TEXT = frozenset({"textbox", "searchbox", "spinbutton", "combobox"})
SECRETS = SECRET | {"secret"}
ANY_FIELD = frozenset({"answer", "response", "editor", "search", "left", "right", "only", "empty"})
"""Words that say which field is meant where there is one alone."""
EVERY = frozenset({"both", "all", "each", "every"})
ALSO: dict[str, tuple[str, ...]] = {
    "username": ("user name", "user", "login", "email"), "email": ("e-mail", "email address"),
    "birthday": ("date of birth",), "text": ("message", "text"),
    "date": ("day", "datepicker", "departure date"),
    "recipient": ("to", "forward to", "send to"),
}  # fmt: skip
"""Other names that forms give one and the same field."""
_BY_LABELS = re.compile(
    r"the values? (?:that |which )?(?:corresponds?|belongs?|goes|go) (?:with|to)"
    r" (?:each|every) (?:label|field|name)",
    re.IGNORECASE,
)
PressNamed = Callable[[Pilot, str, Node], Awaitable[bool]]


async def write(pilot: Pilot, frame: Frame) -> None:
    """Write a value into the field that is named, or into the only one."""
    value = frame.value
    if value is None:
        raise NotDone("it is not said what to write", "Put what is to be written in quotes")
    if pilot.seen.dialog and pilot.seen.prompts:
        await pilot.answer(True, value.text)
        return
    if _BY_LABELS.fullmatch(value.text):
        await _by_labels(pilot)
        return
    value = looked_up(pilot, value)
    fields = usable(pilot.page, lambda node: written(node) and node.role in TEXT)
    every = any(word.key in EVERY for word in frame.words if word.group < 0)
    if every and not _called_all(pilot, frame, fields):
        about = [w.key for w in frame.words if w.key not in EVERY and w.is_solid]
        fields = [node for node in fields if {*about} <= {*keys(label(node))}]
        if not fields:
            raise missing(pilot, frame.words, written, "field")
        if any(word.key == "both" for word in frame.words) and len(fields) != 2:
            raise NotDone(f"there are {len(fields)} fields, and not two")
        for node in fields:
            await fill(pilot, node, value)
        return
    await fill(pilot, await field_of(pilot, frame.words), value)


def _called_all(pilot: Pilot, frame: Frame, fields: Sequence[Node]) -> bool:
    """Tell whether a field is called by the very word for several, as “All notes”."""
    hits = find(pilot.page, frame.words, fields)
    return any(frame.words[at].key in EVERY for hit in hits if not hit.left for at in hit.used)


async def _by_labels(pilot: Pilot) -> None:
    """Write into each field what stands beside its name in a table."""
    fields = usable(pilot.page, lambda node: written(node) and node.role in TEXT)
    for node, text in [(node, beside(pilot, keys(label(node)))) for node in fields]:
        await fill(pilot, node, Value(text, True))


async def field_of(pilot: Pilot, order: Sequence[Word], *, links: bool = False) -> Node:
    """Return the field that some words name; the only one where they name none."""
    solid = [word for word in order if word.is_solid and not ordinal([word])]
    if (only := _by_tag(pilot, solid, order)) is not None:
        return only
    if all(word.key in ANY_FIELD for word in solid) and not meant(pilot, order, written):
        fields = usable(pilot.page, lambda node: node.role in TEXT and "disabled" not in node.state)
        if (chosen := nth(fields, ordinal(order))) is not None:
            return chosen
        for left in (fields, [node for node in fields if not node.value]):
            if len(left) == 1:
                return left[0]
    if (found := _called_so(pilot, order) or (in_row(pilot, order, written) if solid else None)) is not None:
        return found
    try:
        return await locate(pilot, order, written, kind="field", links=links)
    except NotDone:
        if (found := _called_so(pilot, order)) is not None:
            return found  # it was opened on the way, and has another name
        fields = usable(
            pilot.page, lambda node: node.role in ("textbox", "searchbox") and "disabled" not in node.state
        )
        shown = {one for node in fields for one in keys(label(node))}
        if len(fields) == 1 and not shown - {"textbox", "searchbox"}:
            return fields[0]  # it has no name, and there is no other one
        raise


def _called_so(pilot: Pilot, order: Sequence[Word]) -> Node | None:
    """Return the field that some words name, or other words for the same."""
    found = (meant(pilot, other, written) for other in (order, *_also(order)))
    return next((node for node in found if node is not None), None)


def _by_tag(pilot: Pilot, solid: Sequence[Word], order: Sequence[Word]) -> Node | None:
    """Return the only field of one line, or the only text area, where the words say no more than that."""
    tags = {word.key for word in order if word.group < 0} & {"input", "textarea"}
    if solid or len(tags) != 1 or ordinal(order):
        return None
    fields = usable(pilot.page, lambda node: node.role in TEXT and node.tag in tags)
    return fields[0] if len(fields) == 1 else None


def _also(order: Sequence[Word]) -> list[tuple[Word, ...]]:
    found = []
    for at, word in enumerate(order):
        for other in ALSO.get(word.key, ()):
            other_words = as_words(other, NAMED if other == "to" else -1)
            found.append((*order[:at], *other_words, *order[at + 1 :]))
    return found


async def fill(pilot: Pilot, node: Node, value: Value) -> None:
    """Bring a field to a value by the way of its kind, and see that it holds it."""
    _whole(node, value)
    pilot.field_id = node.id
    text = value.text
    _within(node, text)
    if node.tag == "select" or (
        node.role in ("combobox", "listbox") and node.tag != "input" and node.tag != "textarea"
    ):
        await pick_in(pilot, node, keys(text), text)
    elif node.role == "slider" or (node.role == "spinbutton" and node.tag != "input"):
        await bring(pilot, node, text)
    elif wrong := no_day(text) if _takes_day(node) else "":
        raise NotDone(f"there is no {wrong}")
    elif node.type in ("date", "time", "month", "datetime-local") or (_takes_day(node) and find_date(text)):
        await _fill_day(pilot, node, text)
    elif node.role == "combobox" or "suggests" in node.state:
        await _fill_suggesting(pilot, node, value)
    elif node.role == "spinbutton" and not await _typed(pilot, node, text):
        await bring(pilot, node, text)
    elif node.role == "spinbutton":
        return
    elif node.type == "color" and not re.fullmatch(r"#[0-9a-f]{6}", text, re.IGNORECASE):
        raise NotDone(f"“{text}” is no colour as the field takes it", "Say it as #rrggbb")
    else:
        await put(pilot, node, text)


def _takes_day(node: Node) -> bool:
    said_so = "date" in keys(f"{label(node)} {node.sample}") or shows_form(node.sample)
    return said_so or "readonly" in node.state


def _whole(node: Node, value: Value) -> None:
    """See that a secret is taken whole: without quotes nobody can say where one ends."""
    secret = node.type == "password" or SECRETS & set(keys(label(node)))
    if not secret or value.exact or PLACEHOLDER.fullmatch(value.text):
        return
    if " " in value.text.strip() or value.tail not in ("", ".") or not value.text.isalnum():
        raise NotDone("it is not certain where the password ends", "Put the password in quotes")


def _within(node: Node, text: str) -> None:
    """See that a number is one that a field takes, before it is written."""
    if not node.bounds or not re.fullmatch(r"-?\d+(?:\.\d+)?", text) or node.role == "slider":
        return
    low, high = (float(bound) if bound else None for bound in (*node.bounds, "", "")[:2])
    if (low is None or float(text) >= low) and (high is None or float(text) <= high):
        return
    ends = f"from {low:g} to {high:g}" if low is not None and high is not None else ""
    ends = ends or (f"up to {high:g}" if high is not None else f"from {low:g} on")
    raise NotDone(f"“{label(node)}” takes a number {ends}", f"Give a number {ends}")


async def put(pilot: Pilot, node: Node, text: str) -> None:
    """Write into a field and see that it holds what was written; what it holds already is not written."""
    if node.type != "password" and text and (node.whole or node.value) == text:
        pilot.settled = True
        return
    await pilot.do("type", node.id, text)
    now = pilot.node(node.id)
    if now is None or not holds(now, text):
        raise NotDone(f"“{label(node)}” does not hold what was written")


def holds(node: Node, text: str) -> bool:
    """Tell whether a field holds a text; of a secret only its length is seen."""
    if PLACEHOLDER.search(text):
        return bool(node.value)
    if node.type == "password":
        return len(node.value) == len(text)
    return any(same_value(text, held) for held in (node.whole or node.value, node.value))


async def _fill_day(pilot: Pilot, node: Node, text: str) -> None:
    """Write a day or a time in the form of its field; a field that takes none is filled by its calendar."""
    day, time = find_date(text), find_time(text)
    if node.type == "time" and time:
        await put(pilot, node, time)
        return
    if node.type == "month" and (month := find_month(text)):
        await put(pilot, node, f"{month[0]:04}-{month[1]:02}")
        return
    if day is None or node.type in ("time", "month"):
        raise NotDone(
            f"“{text}” is no {node.type or 'date'} as “{label(node)}” takes it", "Say it in numbers"
        )
    if node.type in ("date", "datetime-local"):
        await put(pilot, node, day.isoformat() + (f"T{time or '00:00'}" if node.type != "date" else ""))
        return
    if "readonly" in node.state or not await _typed(pilot, node, as_shown(day, node.sample) or text):
        await pick_day(pilot, node, day)


async def _typed(pilot: Pilot, node: Node, text: str) -> bool:
    try:
        await put(pilot, node, text)
    except NotDone:
        return False
    return True


async def _fill_suggesting(pilot: Pilot, node: Node, value: Value) -> None:
    """Write into a field that suggests, and take the suggestion that is the same to the letter."""
    await pilot.do("type", node.id, value.text)
    wanted = keys(value.text)
    options = [n for n in pilot.seen.nodes if n.role == "option" and n.parent != ""]
    if not options and "suggests" in node.state:
        options = await _late(pilot)
    same = [n for n in options if keys(n.name or n.own) == wanted]
    if not same and not value.exact:
        longer = [n for n in options if has_phrase(keys(n.name or n.own), wanted)]
        same = longer if len(longer) == 1 else []
    following = pilot.following
    if same:
        await pilot.do("click", same[0].id)
    elif node.role == "combobox" and node.options and value.text not in node.options:
        raise NotDone(f"“{label(node)}” has no “{value.text}”")
    elif options == [] and node.role == "combobox" and "suggests" in node.state:
        raise NotDone(f"“{label(node)}” has no “{pilot.cut(value.text, 60)}”")
    elif options and not (following and following.act in ("choose", "press", "key")):
        raise NotDone(f"“{label(node)}” suggests {pilot.named(options)} and no “{pilot.cut(value.text, 60)}”")
    now = pilot.node(node.id)
    taken = now is not None and (holds(now, value.text) or (same and has_phrase(keys(now.value), wanted)))
    if not taken:
        raise NotDone(f"“{label(node)}” does not hold what was written")


async def _late(pilot: Pilot) -> list[Node]:
    """Return what a field offers in a list that may open late."""
    offered = _listed(pilot)
    if not offered:
        await pilot.do("wait", "page", "0.5")
        offered = _listed(pilot)
    return [node for node in offered if not any(one.parent == node.id for one in offered)]


def _listed(pilot: Pilot) -> list[Node]:
    return [node for node in pilot.fresh() if node.role in ("menuitem", "clickable", "listitem")]


async def fill_fields(
    pilot: Pilot,
    parts: Sequence[tuple[tuple[Word, ...], Value | None]],
    tail: str = "",
    *,
    try_only: bool = False,
) -> bool:
    """Fill fields that are named with their values side by side; False where one is not there yet."""
    found: list[tuple[Node, Value]] = []
    for order, value in parts:
        pair = await _split(pilot, order, value, try_only=try_only)
        if pair is None:
            return False
        found.append(pair)
    if found and not found[-1][1].exact:
        found[-1] = (found[-1][0], replace(found[-1][1], tail=tail))
    for node, value in found:
        _whole(node, value)  # before the first is written
    for node, value in found:
        await fill(pilot, node, value)
    return True


async def _split(
    pilot: Pilot, order: Sequence[Word], value: Value | None, *, try_only: bool
) -> tuple[Node, Value] | None:
    """Part “email ann@example.org” where the name of a field ends."""
    for size in range(len(order) if value else len(order) - 1, 0, -1):
        for other in (order[:size], *_also(order[:size])):
            node = meant(pilot, other, written)
            if node is not None and any(not word.is_stop for word in other):
                rest = order[size:]
                return node, value or Value(said(rest), False)
    if try_only:
        return None
    if value and all(word.is_stop or word.is_kind for word in order):
        return await field_of(pilot, order), value  # “the text”: the only field there is
    raise missing(pilot, order, written, "field")


async def search(pilot: Pilot, frame: Frame) -> None:
    """Write into the field that searches, and send it; the page has to answer."""
    fields = usable(pilot.page, lambda node: node.role in TEXT and "disabled" not in node.state)
    own = [
        node for node in fields if node.role == "searchbox" or "search" in keys(f"{label(node)} {node.hints}")
    ]
    order, place = _place_of(pilot, frame.words)
    own = [place] if place is not None else own or fields
    if len(own) != 1:
        all_ = usable(pilot.page, lambda node: written(node) and node.role != "slider")
        shared = shared_out(pilot, frame.words, all_)
        if not shared:
            raise NotDone("it is not clear which field searches", "Name the field")
        for node, text in shared:
            await fill(pilot, node, Value(text, True))
        await _send(pilot, shared[-1][0])
        return
    await put(pilot, own[0], said(order))
    pilot.field_id = own[0].id
    await _send(pilot, own[0])


def _place_of(pilot: Pilot, order: Sequence[Word]) -> tuple[Sequence[Word], Node | None]:
    """Part “V in the F field” into the value and the field, where one is called so."""
    at = next((n for n in range(len(order) - 1, 0, -1) if order[n].group < 0 and order[n].key == "in"), 0)
    node = meant(pilot, order[at + 1 :], written) if at else None
    return (order[:at], node) if node is not None else (order, None)


async def _send(pilot: Pilot, field: Node) -> None:
    """Send what was written for a search, if not the next order does; the page has to answer."""
    sends = _sends(pilot, field)
    following = pilot.following
    if following and following.act == "press":
        ids = {one.id for one in sends}
        if meant(pilot, following.words, lambda node: node.id in ids):
            return
    once = len(sends) == 1
    changed = await (pilot.do("click", sends[0].id) if once else pilot.do("press", field.id, "Enter"))
    if not changed:
        raise NotDone("the search was sent, and the page shows nothing new")


def _sends(pilot: Pilot, field: Node) -> list[Node]:
    """Return what sends a search: a button of that name, or that of the form."""
    buttons = usable(pilot.page, lambda node: pressed(node) and node.role in ("button", "clickable"))
    buttons = [node for node in buttons if node.form[0] == field.form[0]]
    named = [node for node in buttons if {"search", "find", "go"} & set(" ".join(called(node)).split())]
    bare = [node for node in buttons if called(node) & {"submit", "show result"}]
    return named or [node for node in buttons if node.submits] or bare


async def enter_new(pilot: Pilot, order: Sequence[Word], press_named: PressNamed) -> None:
    """Add an entry to a list: write it into the field for new ones, send it, and see it in the list."""
    text = said(word for word in order if word.group >= 0)
    fields = usable(
        pilot.page, lambda node: node.role in ("textbox", "searchbox") and "disabled" not in node.state
    )
    hits = find(pilot.page, [w for w in order if w.group < 0], fields)
    node = fields[0] if len(fields) == 1 else one_of(pilot, order, hits) if hits else None
    if node is None:
        raise NotDone("it is not clear which field takes a new entry", "Name the field")
    await put(pilot, node, text)
    pilot.field_id = node.id
    if not await press_named(pilot, order[0].text, node):
        await pilot.do("press", node.id, "Enter")
    there = [one for one in pilot.seen.nodes if one.role not in FIELDS and keys(one.text) == keys(text)]
    if not there:
        raise NotDone(f"“{pilot.cut(text, 60)}” is not in the list now")
