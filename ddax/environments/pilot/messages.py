"""Lists of messages: find the one that is meant, and delete, star, answer or pass it on."""

from __future__ import annotations

import re

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.asked import asked_of
from ddax.environments.pilot.deeds import fits
from ddax.environments.pilot.orders import VERBS, Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import click, press_node
from ddax.environments.pilot.words import FIELD, TICKS, plain, tokens

KINDS: dict[str, frozenset[str]] = {
    "delete": frozenset({"delete", "trash", "remove", "erase", "discard", "bin"}),
    "star": frozenset({"star", "important", "favorite", "favourite", "flag"}),
    "reply": frozenset({"reply", "respond", "answer", "replying", "response", "back", "answered"}),
    "forward": frozenset({"forward", "send", "pass", "share", "forwarding", "give", "forwarded"}),
}
"""The words of each thing that is done with a message."""
SIGNS: dict[str, frozenset[str]] = {
    "delete": frozenset({"delete", "trash", "remove", "bin"}),
    "star": frozenset({"star", "important", "flag"}),
    "reply": frozenset({"reply", "respond"}),
    "forward": frozenset({"forward", "fwd"}),
}
"""The words its control goes by."""
MESSAGE_WORDS = frozenset({"email", "mail", "message", "inbox"})
"""Words of a task that may be about a message."""
_NAME = re.compile(r"\b[A-Z][a-zA-ZÀ-ÿ'-]*(?<!')")


def speaks_of_mail(pilot: Pilot) -> bool:
    """Tell whether a task is about a message, and its first order names no control in a row."""
    if not pilot.orders or not MESSAGE_WORDS & set(tokens(pilot.task)):
        return False
    first = pilot.orders[0]
    return first.word not in TICKS and not fits(pilot, asked_of(first))


async def message(pilot: Pilot, order: Order) -> bool:
    """Do with a message what a task says; False where the page is no list of messages."""
    kind = kind_of(pilot.task)
    sender, to = people(pilot)
    about = [sender] if sender else subject(pilot)
    if not kind or not about:
        return False
    rows = pilot.match.rows(about)
    if not rows or (len(rows) > 1 and not sender):
        return False
    row = rows[0]
    button = control(pilot, kind, row)
    own = {one.id: one for one in (control(pilot, kind, row) for row in rows) if one}
    if len(own) > 1:
        pilot.unclear(own.values())
        return False
    if button is None:
        await press_node(pilot, row)
        button = control(pilot, kind, None)
    if button is None:
        return False
    if await click(pilot, button) == "refused":
        return False
    if kind in ("reply", "forward"):
        return await write(pilot, kind, to, said(pilot))
    return True


def kind_of(task: str) -> str:
    """Return what a task wants done with a message."""
    words = set(tokens(re.sub(r"[\"“][^\"“”]*[\"”]", " ", task)))
    for kind in ("delete", "reply", "forward", "star"):
        if KINDS[kind] & words - {"mark", "back", "give"}:
            return kind
    return next((kind for kind in ("star", "reply", "forward") if KINDS[kind] & words), "")


def spoken_of(pilot: Pilot) -> int:
    """Return how many orders of a task are about its message: all up to the last that says what to do."""
    words = KINDS.get(kind_of(pilot.task), frozenset())
    said = [
        place for place, order in enumerate(pilot.orders, 1) if words & {order.word, *tokens(order.outside)}
    ]
    return said[-1] if said else len(pilot.orders)


def people(pilot: Pilot) -> tuple[str, str]:
    """Return whom the message is from, and whom it goes to."""
    task = re.sub(r"[\"“][^\"“”]*[\"”]", " ", pilot.task)
    names = [n for n in _NAME.findall(task) if n.casefold() not in VERBS and len(n) > 1]
    names = [n.removesuffix("'s") for n in names]
    shown = [n for n in dict.fromkeys(names) if pilot.match.rows([n])]
    to = re.search(r"\bto ([A-Z][\w'-]*)", task)
    goes = to[1] if to else ""
    give = re.search(r"\b(?:[Ss]end|[Gg]ive|[Ff]orward) ([A-Z][\w'-]*)(?! sent| wrote|'s)", task)
    goes = goes or (give[1] if give and len(set(names)) > 1 else "")
    senders = [n for n in shown if n != goes] or shown
    return (senders[0] if senders else ""), goes


def subject(pilot: Pilot) -> list[str]:
    """Return the words of what a message is about, where a task says that instead of whom it is from."""
    found = re.search(
        r"\b(?:about|titled|called|with the subject)\s++[\"“]?+(.+?)[\"”]?"
        r"(?:(?<!\s)\s+(?:to|and|saying)\b|[.,;]|$)",
        pilot.task,
    )
    return tokens(found[1]) if found else []


def said(pilot: Pilot) -> str:
    """Return what is to be written in a reply."""
    quoted = re.search(r"[\"“]([^\"“”\n]*)[\"”]", pilot.task)
    if quoted:
        return quoted[1]
    found = re.search(
        r"\b(?:saying|with|say|text|message|write|tell (?:him|her|them))[:,]?\s+(.+?)[.]?$", pilot.task
    )
    return found[1] if found else ""


def control(pilot: Pilot, kind: str, row: Node | None) -> Node | None:
    """Return the control of a kind: in a row, or anywhere the one that is called the shortest."""
    pool = [n for n in pilot.seen.nodes if n.role in ("icon", "button", "clickable", "link", "image", "text")]
    named = [n for n in pool if SIGNS[kind] & set(tokens(f"{n.hints} {n.name}")) and len(tokens(n.name)) <= 3]
    if row is None:  # a box around several controls has the words of all
        return min(named, key=lambda n: len(tokens(n.name)), default=None)
    top, bottom = row.box[1] - 12, row.box[1] + row.box[3] + 12
    same = [n for n in named if top <= n.box[1] + n.box[3] / 2 <= bottom]
    return min(same, key=lambda n: abs(n.box[1] - row.box[1]), default=None)


async def write(pilot: Pilot, kind: str, to: str, text: str) -> bool:
    """Write an answer, or whom a message is passed on to, and send it."""
    fields = pilot.nodes(FIELD)
    if kind == "forward":
        address = [
            n for n in fields if {"to", "recipient"} & set(tokens(f"{n.name} {n.before} {n.hints}"))
        ] or fields
        if not address or not to or await pilot.do("type", address[0].id, to) == "refused":
            return False
    else:
        body = [n for n in fields if n.tag == "textarea"] or fields
        if not body or await pilot.do("type", body[-1].id, text) == "refused":
            return False
    pool = [n for n in pilot.seen.nodes if n.role in ("icon", "button", "clickable", "link", "image", "text")]
    sends = [n for n in pool if plain(n.name) == "send" or "send" in tokens(n.hints)]
    return bool(sends) and await press_node(pilot, sends[-1])
