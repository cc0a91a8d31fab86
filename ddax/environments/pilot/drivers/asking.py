"""Drivers for what a page asks and shows over itself: answer it, close it; a press that leaves it is none."""

from __future__ import annotations

from collections.abc import Sequence

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.finding.locate import meant, missing, one_of, pressed
from ddax.environments.pilot.finding.match import FIELDS, dialogs, find, label, met, names, usable
from ddax.environments.pilot.orders.frames import Frame
from ddax.environments.pilot.pilot import NotDone, Pilot
from ddax.environments.pilot.words import Word, as_words, key, keys, said

YES = ("yes", "ok", "okay", "confirm", "accept", "agree", "i'm sure")
NO = ("no", "cancel", "dismiss", "close", "decline", "not now")
SHUT = ("close", "×", "✕", "x", "dismiss")


async def press_node(pilot: Pilot, node: Node) -> bool:
    """Press an element; tells whether the page shows a change. What it asks then has to be answered next."""
    changed = await pilot.do("click", node.id)
    _see_unasked(pilot, node)
    return changed


def _see_unasked(pilot: Pilot, node: Node) -> None:
    """See that a press does not leave a question that no order behind it answers."""
    asks = [one for one in pilot.fresh() if one.role in ("dialog", "alertdialog")]
    inside = pilot.page.held(asks[-1].id) if asks else []
    answers = [one for one in inside if pressed(one) and one.id != node.id]
    noes = [one for one in answers if {*NO} - {"close"} & {" ".join(keys(label(one)))}]
    if not 0 < len(noes) < len(answers) or any(one.role in FIELDS for one in inside) or _next(pilot, answers):
        return
    about = pilot.cut(asks[-1].name or "a question", 80)
    there = pilot.named(answers)
    raise NotDone(f"the page asks “{about}” and the order does not say what to answer; there are {there}",
                  "Say it, as “… and confirm”")  # fmt: skip


def _next(pilot: Pilot, answers: Sequence[Node]) -> bool:
    """Tell whether the next order is one of some answers."""
    following = pilot.following
    if following is None or following.act in ("dialog", "close", "key"):
        return following is not None
    verb = as_words(following.verb)
    orders = (following.words, [*verb, *following.words])
    return any(not hit.left for order in orders for hit in find(pilot.page, order, answers))


async def close(pilot: Pilot, frame: Frame) -> None:
    """Close what is called so: by its own control, or by that of a dialog that closes it."""
    order = frame.words
    whole = (Word(frame.verb, key(frame.verb)), *order)
    node = meant(pilot, whole, pressed)
    if node is not None and frame.verb in [key(name) for name in keys(label(node))]:
        await press_node(pilot, node)
        return
    hits = met(pilot.page, order, lambda n: "expanded" in n.state)
    node = one_of(pilot, order, hits) if hits else _shut(pilot, order)
    if node is None:
        raise missing(pilot, order, pressed, "control to close it")
    await press_node(pilot, node)
    now = pilot.node(node.id)
    if now is not None and label(now) == label(node) and now.state >= node.state & {"expanded"}:
        raise NotDone(f"“{label(node)}” was pressed, and “{said(order)}” did not close")


def _shut(pilot: Pilot, order: Sequence[Word]) -> Node | None:
    """Return what closes what an order names: a control in it, or in the only dialog."""
    asks = dialogs(pilot.page)
    inside = {one.id for one in (pilot.page.held(asks[0].id) if len(asks) == 1 else pilot.seen.nodes)}
    whole = (Word("close", "close"), *order)
    hits = met(pilot.page, whole, lambda n: pressed(n) and n.id in inside and bool(called(n) & {*SHUT}))
    return one_of(pilot, order, hits) if hits else None


def called(node: Node) -> set[str]:
    """Return the names of an element in their plain form."""
    return {" ".join(keys(name)) or name for name in names(node)}


async def dialog(pilot: Pilot, frame: Frame) -> None:
    """Answer what the page asks, as the order says."""
    if pilot.seen.dialog:
        text = " ".join(word.text for word in frame.to if word.group >= 0) if pilot.seen.prompts else ""
        asked = pilot.cut(pilot.seen.dialog, 120)
        await pilot.answer(frame.on, text)
        pilot.notes.append(f"the page asked “{asked}”, which was {'accepted' if frame.on else 'dismissed'}")
        return
    if any(note.startswith("the page said:") for note in pilot.notes[pilot.told :]) and not frame.to:
        return  # an alert has one answer, and got it
    boxes = dialogs(pilot.page)
    asking = pilot.page.held(boxes[-1].id) if boxes else pilot.fresh() if pilot.moves else []
    inside = {one.id for one in asking}
    verb = (Word(frame.verb, key(frame.verb)),)
    words = frame.to or verb
    buttons = usable(pilot.page, lambda n: pressed(n) and n.id in inside)
    hits = met(pilot.page, words, lambda n: pressed(n) and n.id in inside)
    answers = YES if frame.on else NO
    found = [node for node in buttons if " ".join(keys(label(node))) in answers]
    node = one_of(pilot, words, hits) if hits else None
    if node is None and not frame.to:
        node = found[0] if len(found) == 1 else None if boxes else meant(pilot, verb, pressed)
    if node is None:
        raise NotDone(f"the page asked nothing that is answered with one “{said(words)}”")
    await press_node(pilot, node)
