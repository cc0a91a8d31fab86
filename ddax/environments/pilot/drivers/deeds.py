"""The driver of deeds: a control called by the verb of the order, with what it is done to and its fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.drivers.asking import NO, press_node
from ddax.environments.pilot.drivers.entering import enter_new, fill_fields
from ddax.environments.pilot.drivers.pressing import has_verb, named, open_
from ddax.environments.pilot.drivers.repeating import press_until
from ddax.environments.pilot.drivers.taking import taken
from ddax.environments.pilot.finding.locate import in_row, is_menu, locate, meant, missing, pressed
from ddax.environments.pilot.finding.match import BOXES, dialogs, label, met, runs, usable
from ddax.environments.pilot.finding.ranking import best_of
from ddax.environments.pilot.orders.clauses import said_parts
from ddax.environments.pilot.orders.frames import Frame
from ddax.environments.pilot.pilot import NotDone, Pilot
from ddax.environments.pilot.words import Word, as_words, has_phrase, key, keys, said

ROWS = frozenset({"listitem", "row", "treeitem", "article"})
SAME = {"remove": "delete", "delete": "remove", "log in": "sign in", "sign in": "log in",
        "buy": "book", "book": "buy"}  # fmt: skip
"""Verbs that pages say for one another."""
TAKES = frozenset({"delete", "remove", "archive", "discard"})
"""Deeds that take something away: the page has to show that it went."""
FINAL = frozenset("pay buy order book send submit delete remove subscribe apply publish post share".split())  # noqa: SIM905
"""Deeds that open no form: what goes with them has to be there before."""
TAKEN = frozenset({"order", "buy"})
"""Deeds on things that are taken from a list first."""
SENDS = frozenset({"submit", "send"})
"""Verbs that alone mean the form that was written into."""
AGREES = ("accept", "agree")
"""Verbs that mean a box where no button is called so."""
_FROM_TO = frozenset({"from", "to"})
MESSAGE = frozenset({"reply", "forward"})
"""Deeds on a message that stand in it alone."""


async def deed(pilot: Pilot, frame: Frame) -> None:
    """Do what a control says by its name: the verb of the order, with what it is done to."""
    verb = as_words(frame.verb)
    order = (*verb, *frame.words)
    if frame.until:
        await press_until(pilot, order, frame.until)
        return
    if frame.fields:
        await _with_fields(pilot, frame, order)
        return
    if frame.verb == "go back":
        await pilot.do("back", "page")
        return
    if (node := _sender(pilot, frame)) is not None:
        await press_node(pilot, node)
        return
    if frame.verb in AGREES and named(pilot, order, verb) is None:
        for words in (frame.words, *((Word("I", "i"), Word(one, one), *frame.words) for one in AGREES)):
            if met(pilot.page, words, lambda one: one.role in BOXES and "disabled" not in one.state):
                await pilot.drivers["tick"](pilot, replace(frame, act="tick", words=words))
                return
    parts = _shared_tail(frame.words)
    if frame.verb in TAKEN and taken(pilot, frame.words):
        parts = []
    if len(parts) > 1 and named(pilot, order, verb) is None:
        for part in parts:
            await _deed_to(pilot, (*verb, *part), verb, frame)
        return
    await _deed_to(pilot, order, verb, frame)


def _shared_tail(order: Sequence[Word]) -> list[tuple[Word, ...]]:
    """Part “A and B to the cart” into “A to the cart” and “B to the cart”."""
    parts = said_parts(order)
    if len(parts) < 2:
        return parts
    tail = tail_of(parts[-1], ("to", "from", "in"))
    return [*((*part, *tail) for part in parts[:-1]), parts[-1]]


def tail_of(part: Sequence[Word], places: Sequence[str]) -> tuple[Word, ...]:
    """Return what stands from a small word for a place on, and not first."""
    at = next((n for n, word in enumerate(part) if n and word.is_stop and word.key in places), len(part))
    return tuple(part[at:])


async def _deed_to(pilot: Pilot, order: Sequence[Word], verb: Sequence[Word], frame: Frame) -> None:
    if frame.verb in TAKEN and (rows := taken(pilot, frame.words)):
        for row in rows:
            await press_node(pilot, row)
        order, verb = verb, verb
    bare, count = _counted(pilot, order, len(verb))
    quoted = any(word.group >= 0 for word in order)
    if frame.verb in ("add", "create", "post") and quoted and not _stands(pilot, order):
        await enter_new(pilot, order, press_named)
        return
    node = await _doer(pilot, bare, verb, SAME.get(frame.verb, ""))
    for number in range(count):
        now = pilot.node(node.id)
        if now is None or label(now) != label(node):
            raise NotDone(f"“{label(node)}” was pressed {number} of {count} times, and is another thing then")
        await _press_seen(pilot, node, verb[0].key)


async def _doer(pilot: Pilot, order: Sequence[Word], verb: Sequence[Word], other: str) -> Node:
    """Return what does a deed: by its verb or another word for it, for all of it, in the menu of its row."""
    about = order[len(verb) :]
    same_ = (Word(other, other),)
    if (top := best_of(pilot, about, lambda one: pressed(one) and _does(one, verb, same_))) is not None:
        return top
    try:
        node = await locate(pilot, order, lambda one: pressed(one) and has_verb(one, verb))
    except NotDone:
        found = named(pilot, (*same_, *about), same_) if other else None
        if found is None:
            found = _for_all(pilot, order, verb) or await _in_menu(pilot, about, verb)
            if found is None:
                raise
            return found
        node = found
    _see_beside(pilot, node, about)
    return node


def _does(node: Node, verb: Sequence[Word], other: Sequence[Word]) -> bool:
    return has_verb(node, verb) or (bool(other[0].key) and has_verb(node, other))


def _counted(pilot: Pilot, order: Sequence[Word], at: int) -> tuple[Sequence[Word], int]:
    """Part how often something is done from an order: “two teapots”, “teapots twice”, “teapots 3 times”.

    A number that the page has together with the word behind it belongs to a name.
    """
    numbers = [word.counts for word in order]
    name = tuple(word.key for word in order[at : at + 2])
    if len(name) > 1 and numbers[at] and not pilot.page.saying(name):
        return (*order[:at], *order[at + 1 :]), numbers[at]
    if order[-1].key == "time" and len(order) > at + 2 and numbers[-2]:
        return order[:-2], numbers[-2]
    return (order[:-1], numbers[-1]) if order[-1].key in ("once", "twice") and numbers[-1] else (order, 1)


def _sender(pilot: Pilot, frame: Frame) -> Node | None:
    """Return the one button that sends the form written into last, where the order says no more than that."""
    last = pilot.node(pilot.field_id)
    bare = frame.verb in SENDS and all(word.is_stop or word.is_kind for word in frame.words)
    if not bare or last is None:
        return None
    own = [n for n in usable(pilot.page, pressed) if n.form[0] == last.form[0]]
    found = [n for n in own if keys(label(n)) == (frame.verb,)]
    found = found or [n for n in own if n.submits and not {*keys(label(n))} & {*NO}]
    return found[0] if len(found) == 1 else None


async def _press_seen(pilot: Pilot, node: Node, verb: str) -> None:
    """Press what does a deed; where the page shows nothing, that is told, and nothing was taken away."""
    told = len(pilot.notes)
    if await press_node(pilot, node) or len(pilot.notes) > told:
        return
    nothing = f"“{label(node)}” was pressed, and the page shows nothing new"
    if verb in TAKES:
        raise NotDone(nothing)
    pilot.notes.append(nothing)


def _see_beside(pilot: Pilot, node: Node, order: Sequence[Word]) -> None:
    """See that a control is not that of another row than an order names; it may stand in no row."""
    own = set(keys(label(node)))
    page = pilot.page
    for run in runs([word for word in order if word.key not in own], ()):
        phrase = [word.key for word in run]
        named = [
            one for one in page.seen.nodes if one.role in ROWS and has_phrase(page.words(one.id), phrase)
        ]
        held = {one.id for row in named for one in page.held(row.id)}
        if named and node.id not in held and page.level(node, phrase) == len(page.seen.nodes):
            raise NotDone(f"“{label(node)}” does not stand with “{said(run)}”")


def _for_all(pilot: Pilot, order: Sequence[Word], verb: Sequence[Word]) -> Node | None:
    """Return “Reject all” of the dialog about what an order rejects: one answer for all of it."""
    asks = dialogs(pilot.page)
    about = [word.key for word in order[len(verb) :] if not word.is_stop]
    if not asks or not about or not has_phrase(pilot.page.words(asks[-1].id), about):
        return None
    inside = {one.id for one in pilot.page.held(asks[-1].id)}
    wanted = (*(word.key for word in verb), "all")
    found = [n for n in usable(pilot.page, pressed) if n.id in inside and keys(label(n)) == wanted]
    return found[0] if len(found) == 1 else None


async def _in_menu(pilot: Pilot, about: Sequence[Word], verb: Sequence[Word]) -> Node | None:
    """Open the menu of the row that an order names, and return what is called by its verb there."""
    menu = in_row(pilot, about, lambda one: pressed(one) and is_menu(one))
    if menu is None:
        return None
    await press_node(pilot, menu)
    return named(pilot, verb, verb)


def _stands(pilot: Pilot, order: Sequence[Word]) -> bool:
    """Tell whether a quote of an order stands on the page already."""
    quoted = tuple(word.key for word in order if word.group >= 0)
    return any(keys(node.text) == quoted for node in pilot.seen.nodes)


async def press_named(pilot: Pilot, name: str, near: Node) -> bool:
    """Press the button of a field's form that is called so; tells whether there is one."""
    hits = met(pilot.page, [Word(name, key(name))], pressed)
    own = [hit.node for hit in hits if hit.node.form[0] == near.form[0]]
    if len(own) != 1:
        return False
    await press_node(pilot, own[0])
    return True


async def _with_fields(pilot: Pilot, frame: Frame, order: Sequence[Word]) -> None:
    """Fill the fields an order names, opening their form first where it has to be, and send it."""
    verb = order[: len(frame.verb.split())] if frame.verb else ()
    if any(value is None and sum(not w.is_stop for w in words) < 2 for words, value in frame.fields):
        raise NotDone("it is not said what to write", "Put what is to be written in quotes")
    titles = {one for node in pilot.seen.nodes if node.role == "heading" for one in keys(node.text)}
    about = tuple(word for word in frame.words if word.key not in titles)
    if not await fill_fields(pilot, frame.fields, frame.tail, try_only=True):
        if not verb or frame.verb in FINAL:
            await fill_fields(pilot, frame.fields, frame.tail)
            return
        await _begin(pilot, frame, order, verb)
        await fill_fields(pilot, frame.fields, frame.tail)
    last = pilot.node(pilot.field_id)
    if not verb or _sent_next(pilot, last):
        return
    if {words[0].key for words, _ in frame.fields} >= _FROM_TO and named(pilot, order, verb) is None:
        await press_node(pilot, await locate(pilot, (Word("search", "search"),), pressed))
        await _deed_to(pilot, (*verb, *about), verb, frame)  # the form has said the rest of what it finds
        return
    node = _sends(pilot, frame) or named(pilot, order, verb) or named(pilot, verb, verb)
    if node is None or (last is not None and node.form[0] != last.form[0]):
        form = last.form[0] if last is not None else None
        submits = [n for n in usable(pilot.page, pressed) if n.submits and n.form[0] == form]
        node = submits[0] if len(submits) == 1 and has_verb(submits[0], verb) else node
    if node is None:
        raise missing(pilot, order, pressed, "button")
    await press_node(pilot, node)


def _sent_next(pilot: Pilot, last: Node | None) -> bool:
    """Tell whether the next order sends the form that was filled, or answers what sends it."""
    following = pilot.following
    if following is None or last is None or following.act not in ("press", "deed", "dialog"):
        return False
    verb = as_words(following.verb) if following.act != "press" else ()
    node = named(pilot, (*verb, *following.words), verb or following.words)
    return node is not None and node.form[0] == last.form[0] and (node.submits or not node.form[0])


def _sends(pilot: Pilot, frame: Frame) -> Node | None:
    """Return what sends a message that was written: its “Reply” only opens the field."""
    return meant(pilot, (Word("send", "send"),), pressed) if frame.verb in MESSAGE else None


async def _begin(pilot: Pilot, frame: Frame, order: Sequence[Word], verb: Sequence[Word]) -> None:
    """Press what leads to the fields; a message is opened for it where its list has no such button."""
    try:
        node = await locate(pilot, order, lambda one: pressed(one) and has_verb(one, verb))
    except NotDone:
        about = [word for word in frame.words if not word.is_stop]
        if frame.verb not in MESSAGE or not about:
            raise
        await open_(pilot, Frame("open", frame.said, "", tuple(about)))
        node = await locate(pilot, verb, pressed, text=True)
    await press_node(pilot, node)
