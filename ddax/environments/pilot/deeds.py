"""The driver of deeds: a control called by the verb of the order, with what it is done to and its fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.clauses import said_parts
from ddax.environments.pilot.entering import enter_new, fill_fields
from ddax.environments.pilot.frames import Frame
from ddax.environments.pilot.locate import locate, meant, missing, pressed
from ddax.environments.pilot.match import find, label, runs, usable
from ddax.environments.pilot.pilot import NotDone, Pilot
from ddax.environments.pilot.pressing import NO, has_verb, named, open_, press_node
from ddax.environments.pilot.repeating import press_until
from ddax.environments.pilot.words import COUNTS, Word, has_phrase, key, keys, said

ROWS = frozenset({"listitem", "row", "treeitem", "article"})
SAME = {"remove": "delete", "delete": "remove", "log in": "sign in", "sign in": "log in"}
"""Verbs that pages say for one another."""
FINAL = frozenset("pay buy order book send submit delete remove subscribe apply publish post share".split())  # noqa: SIM905
"""Deeds that open no form: what goes with them has to be there before."""
MESSAGE = frozenset({"reply", "forward"})
"""Deeds on a message that stand in it alone."""


async def deed(pilot: Pilot, frame: Frame) -> None:
    """Do what a control says by its name: the verb of the order, with what it is done to."""
    verb = tuple(Word(word, key(word)) for word in frame.verb.split())
    order = (*verb, *frame.words)
    if frame.until:
        await press_until(pilot, frame, order, frame.until)
        return
    if frame.fields:
        await _with_fields(pilot, frame, order)
        return
    if frame.verb == "go back":
        await pilot.do("back", "page")
        return
    parts = _shared_tail(frame.words)
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
    last = parts[-1]
    at = next(
        (n for n, word in enumerate(last) if word.is_stop and word.key in ("to", "from", "in") and n),
        len(last),
    )
    return [*((*part, *last[at:]) for part in parts[:-1]), last]


async def _deed_to(pilot: Pilot, order: Sequence[Word], verb: Sequence[Word], frame: Frame) -> None:
    counted = [word for word in order if word.group < 0 and word.key in COUNTS]
    bare = [word for word in order if word not in counted]
    quoted = any(word.group >= 0 for word in order)
    if frame.verb in ("add", "create", "post") and quoted and not _stands(pilot, order):
        await enter_new(pilot, order, press_named)
        return
    try:
        node = await locate(pilot, bare, lambda one: pressed(one) and has_verb(one, verb))
    except NotDone:
        other = SAME.get(frame.verb, "")
        if other and named(pilot, (Word(other, other), *frame.words), (Word(other, other),)) is not None:
            await _deed_to(
                pilot, (Word(other, other), *frame.words), (Word(other, other),), replace(frame, verb="")
            )
            return
        whole = _for_all(pilot, bare, verb)
        if whole is None:
            raise
        node = whole
    _see_beside(pilot, node, frame.words)
    for _ in range(COUNTS[counted[0].key] if counted else 1):
        await press_node(pilot, node)
    _see_unasked(pilot, node)


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


def _see_unasked(pilot: Pilot, node: Node) -> None:
    """See that a deed is not left waiting for an answer that the order does not give."""
    asks = [one for one in pilot.fresh() if one.role in ("dialog", "alertdialog")]
    if not asks or pilot.behind or pilot.page.by_id.get(node.id) in pilot.page.held(asks[-1].id):
        return
    inside = {one.id for one in pilot.page.held(asks[-1].id)}
    answers = [n for n in pilot.seen.nodes if n.id in inside and pressed(n)]
    if any(" ".join(keys(label(one))) in NO for one in answers):
        about = pilot.cut(asks[-1].name or "a question", 80)
        there = pilot.named(answers)
        raise NotDone(f"the page asks “{about}” and the order does not say what to answer; there are {there}",
                      "Say it, as “… and confirm”")  # fmt: skip


def _for_all(pilot: Pilot, order: Sequence[Word], verb: Sequence[Word]) -> Node | None:
    """Return “Reject all” of the dialog about what an order rejects: one answer for all of it."""
    asks = [node for node in pilot.seen.nodes if node.role in ("dialog", "alertdialog")]
    about = [word.key for word in order[len(verb) :] if not word.is_stop]
    if not asks or not about or not has_phrase(pilot.page.words(asks[-1].id), about):
        return None
    inside = {one.id for one in pilot.page.held(asks[-1].id)}
    wanted = (*(word.key for word in verb), "all")
    found = [n for n in usable(pilot.page, pressed) if n.id in inside and keys(label(n)) == wanted]
    return found[0] if len(found) == 1 else None


def _stands(pilot: Pilot, order: Sequence[Word]) -> bool:
    """Tell whether a quote of an order stands on the page already."""
    quoted = tuple(word.key for word in order if word.group >= 0)
    return any(keys(node.own or node.name) == quoted for node in pilot.seen.nodes)


async def press_named(pilot: Pilot, name: str, near: Node) -> bool:
    """Press the button of a field's form that is called so; tells whether there is one."""
    hits = find(pilot.page, [Word(name, key(name))], usable(pilot.page, pressed))
    own = [hit.node for hit in hits if hit.node.form[0] == near.form[0] and not hit.left]
    if len(own) != 1:
        return False
    await press_node(pilot, own[0])
    return True


async def _with_fields(pilot: Pilot, frame: Frame, order: Sequence[Word]) -> None:
    """Fill the fields an order names, opening their form first where it has to be, and send it."""
    verb = order[: len(frame.verb.split())] if frame.verb else ()
    if any(value is None and sum(not w.is_stop for w in words) < 2 for words, value in frame.fields):
        raise NotDone("it is not said what to write", "Put what is to be written in quotes")
    if not await fill_fields(pilot, frame.fields, frame.tail, try_only=True):
        if not verb or frame.verb in FINAL:
            await fill_fields(pilot, frame.fields, frame.tail)
            return
        await _begin(pilot, frame, order, verb)
        await fill_fields(pilot, frame.fields, frame.tail)
    last = pilot.node(pilot.field_id)
    if not verb or _sent_next(pilot, last):
        return
    node = _sends(pilot, frame) or named(pilot, order, verb) or named(pilot, verb, verb)
    if node is None or (last is not None and node.form[0] != last.form[0]):
        submits = [
            n
            for n in usable(pilot.page, pressed)
            if n.submits and last is not None and n.form[0] == last.form[0]
        ]
        node = submits[0] if len(submits) == 1 and has_verb(submits[0], verb) else node
    if node is None:
        raise missing(pilot, order, pressed, "button")
    await press_node(pilot, node)


def _sent_next(pilot: Pilot, last: Node | None) -> bool:
    """Tell whether the next order sends the form that was filled, or answers what sends it."""
    following = pilot.behind[0] if pilot.behind else None
    if following is None or last is None or following.act not in ("press", "deed", "dialog"):
        return False
    verb = tuple(Word(one, key(one)) for one in following.verb.split()) if following.act != "press" else ()
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
