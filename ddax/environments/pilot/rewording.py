"""Orders in other words: “Switch the language to Deutsch”, “Use the slider to set …”, “Read more about …”."""

from __future__ import annotations

import re
from dataclasses import replace

from ddax.environments.pilot.labelled import labelled
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.orders import Order, read_orders
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.rows import words_of
from ddax.environments.pilot.words import EMPTY, FIELD, KINDS, plain

_SWITCHED = re.compile(r"(?>(?:(?P<what>.+?)(?<!\s)\s+)?to\s+)(?P<to>.+)", re.IGNORECASE)
_USED = re.compile(r"(?>(?P<tool>.+?)(?<!\s)\s+to\s+(?=\w+\s))(?P<rest>\w++\s.+)", re.IGNORECASE)
_OTHERWISE = tuple(
    (re.compile(form, re.IGNORECASE), word, verb)
    for form, word, verb in (
        (r"mark\s++(?P<what>.{1,200}?)(?<!\s)\s+as\s+(?:done|completed?|finished)", "tick", "choose"),
        (r"mark\s++(?P<what>.{1,200}?)(?<!\s)\s+as\s+(?:not\s+done|undone|open)", "untick", "uncheck"),
        (r"(?:up|down)grade\s+(?:me\s+)?to\s+(?P<what>.+)", "choose", "choose"),
        (r"(?:take|reserve)\s+(?P<what>(?:the\s+)?seats?\s+.+)", "choose", "choose"),
    )
)
"""What is said otherwise of boxes and of what is chosen, with the word and the kind of order that it is."""
_ON = re.compile(
    r"(?:go|move|proceed|continue)\s+(?:on|ahead|forward|to\s+the\s+next\s+(?:step|page))", re.IGNORECASE
)
_LEADS = frozenset({"next", "continue", "next step", "go on", "proceed"})
_ITS = re.compile(r"(?:its|the|their)\s+(?:whole\s+)?name(?P<rest>\s+(?:in|into|to|as)\s.+)?", re.IGNORECASE)
_OFF = re.compile(r"off\s+(?=\S)", re.IGNORECASE)
_MORE = re.compile(r"more\b(?:\s+(?:about|on|of))?\s*", re.IGNORECASE)


def reworded(pilot: Pilot, order: Order) -> Order:
    """Return an order that says what is to be done to the page; the same where it does already."""
    if other := _said_otherwise(pilot, order) or _its_name(pilot, order):
        return other
    if order.word in ("tick", "check") and (off := _OFF.match(order.outside)):
        return replace(order, text=order.text[off.end() :], outside=order.outside[off.end() :])
    if order.word == "switch" and order.verb == "find":
        return _switched(pilot, order)
    if order.word == "use" and (used := _USED.fullmatch(order.text.strip(" ."))) and not order.quotes:
        inner = read_orders(used["rest"])
        return inner[0] if len(inner) == 1 and inner[0].verb not in ("goal", "use") else order
    if order.word == "read" and (more := _MORE.match(order.outside)) and order.outside[more.end() :]:
        end = more.end()
        return replace(order, verb="press", word="open", text=order.text[end:], outside=order.outside[end:])
    return order


def _said_otherwise(pilot: Pilot, order: Order) -> Order | None:
    """Return “Tick Buy milk” for “Mark Buy milk as done”, and the like; None where a control says it so."""
    text = f"{order.word} {order.text}".strip(" .")
    for form, word, verb in _OTHERWISE:
        said = form.fullmatch(text)
        names = [words_of(n.name)[:1] for n in pilot.nodes({"button", "link", "menuitem", "clickable"})]
        if said and [words_of(text)[0]] not in names:
            what = said["what"]
            outside = "_" * len(what) if order.quotes == (what,) else what
            return replace(order, verb=verb, word=word, text=what, outside=outside)
    return _gone_on(pilot, order)


def _its_name(pilot: Pilot, order: Order) -> Order | None:
    """Return an order that says the name that it calls “its name”, by the order before; else None."""
    said = _ITS.fullmatch(order.text.strip(" ."))
    if order.verb != "enter" or said is None or pilot.place < 2 or order.quotes:
        return None
    before = pilot.orders[pilot.place - 2]
    things = [
        word for word in before.text.split() if words_of(word) and words_of(word)[0] not in EMPTY | KINDS
    ]
    name = before.quote or " ".join(things)
    shown = any(name and name in (n.own or n.name) for n in pilot.seen.nodes)
    rest = said["rest"] or ""
    return replace(order, text=name + rest, outside="_" * len(name) + rest, quotes=(name,)) if shown else None


def _gone_on(pilot: Pilot, order: Order) -> Order | None:
    """Return an order to press the only control that leads on, for “Go on”."""
    leads = [n for n in pilot.nodes({"button", "link"}) if plain(n.name) in _LEADS]
    if _ON.fullmatch(f"{order.word} {order.text}".strip(" .")) is None or len(leads) != 1:
        return None
    return replace(order, verb="press", word="click", text=leads[0].name, outside=leads[0].name)


def _switched(pilot: Pilot, order: Order) -> Order:
    """Return an order to set a field that is called so, else to press what is switched to."""
    said = _SWITCHED.fullmatch(order.outside.strip(" ."))
    if said is None:
        return order
    start = said.start("to")
    to = replace(order, word="set", text=order.text[start:], outside=order.outside[start:])
    if offered := labelled(pilot, to):
        node, option = offered
        text = f"{label_of(node)} to {option}"
        return replace(to, verb="enter", text=text, outside=text, quotes=())
    named = set(words_of(said["what"] or "")) - EMPTY
    fields = pilot.nodes(FIELD | {"combobox", "listbox"})
    if named and any(named <= set(words_of(label_of(node))) for node in fields):
        return replace(order, verb="enter", word="set")
    return replace(to, verb="press", word="click")
