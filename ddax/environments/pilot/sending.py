"""A form filled and sent by one order: “Register with the name Ann Lee and the email ann@x.org”."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.fields import fill
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import press_node, submit
from ddax.environments.pilot.repeats import asks_again, repeat_password
from ddax.environments.pilot.rows import words_of, words_of_name
from ddax.environments.pilot.words import EMPTY, FIELD, KINDS

_PARTS = re.compile(
    r"(?:(?<!\s)\s+)?,\s*(?:and\s+)?(?:with\s+)?|(?<!\s)\s+(?:and|with|using|under)\s+", re.IGNORECASE
)
_ARTICLE = re.compile(r"(?:the|an?|my|your)\s+", re.IGNORECASE)
_IS = re.compile(r"\s*(?::|\b(?:is|of)\b)?\s*", re.IGNORECASE)
SENDING = frozenset({"goal", "deed", "message", "login", "order", "buy", "submit"})
"""Kinds of orders that may send a form."""
_MOST = 3
"""Words of a label at most."""
_PASSWORD = re.compile(
    r"(?:change|update|set)\s+(?:the\s+|my\s+)?password\s+from\s+(?P<old>\S+)\s+to\s+(?P<new>\S+)",
    re.IGNORECASE,
)
_FOR = re.compile(r"(?<!\s)\s+for\s+(?=[\"“„']?_+[\"”“']?\s*$)", re.IGNORECASE)
"""What stands before the name of a person in quotes at the end."""
_AS = re.compile(r"(?:sign\s+up|register|join)\s+as\s+(?=\S+\s*$)", re.IGNORECASE)
"""What stands before the name that one signs up by."""
_OPTIONAL = re.compile(r"\boptional\b", re.IGNORECASE)
_SIGNS_UP, _NEW_ACCOUNT = frozenset({"register", "signup", "join"}), frozenset({"new", "account"})
"""Words that mean the same where a page speaks of it, and those of “Create an account”."""
_OLD = frozenset({"current", "old", "existing", "previous", "present"})


@dataclass(frozen=True)
class _Filled:
    """What an order says for one field."""

    node: Node
    value: str


async def send_form(pilot: Pilot, order: Order) -> bool | None:
    """Fill the fields that an order names, each with the value behind its label, and send their form.

    None where a part of the order names no single field, or where what it is about is nowhere on the page.
    """
    if order.verb not in SENDING:
        return None
    filled = values_said(pilot, order)
    if len(filled) < 2 or len({one.node.form[0] for one in filled}) > 1:
        return None
    if left := left_empty(pilot, filled[0].node.form[0], {one.node.id for one in filled}):
        pilot.misread(f"the form also asks for “{pilot.cut(label_of(left), 60)}”", "Say this too")
        return False
    for one in filled:
        now = pilot.seen.node(one.node.id)
        if now is None or not await fill(pilot, now, one.value):
            return False
        pilot.focus = pilot.seen.node(one.node.id)
    return await repeat_password(pilot) and await _send(pilot, order)


async def _send(pilot: Pilot, order: Order) -> bool:
    """Press the only button that bears the verb of an order, as “Pay now”, else what sends the form."""
    verb = words_of(f"{order.word} {order.text}")[:1]
    bears = [n for n in pilot.nodes({"button"}) if words_of(n.name)[:1] == verb]
    return await press_node(pilot, bears[0]) if len(bears) == 1 else await submit(pilot)


async def choose_each(pilot: Pilot, order: Order) -> bool | None:
    """Fill each field of an order to choose, as “Pick the stylist Mia and the day 3 May”; else None."""
    if order.verb != "choose" or order.quotes:
        return None
    parts = [_field_said(pilot, part, part) for part in _PARTS.split(order.text.strip(" ."))]
    filled = [one for one in parts if one is not None]
    if len(parts) < 2 or len(filled) < len(parts):
        return None
    for one in filled:
        now = pilot.seen.node(one.node.id)
        if now is None or not await fill(pilot, now, one.value):
            return False
    return True


async def change_password(pilot: Pilot, order: Order) -> bool | None:
    """Write the old password and the new one where a page asks for both, and send their form."""
    said = _PASSWORD.fullmatch(f"{order.word} {order.text}".strip(" ."))
    if said is None:
        return None
    secret = [n for n in pilot.nodes(FIELD) if n.type == "password"]
    old = [n for n in secret if _OLD & set(words_of(label_of(n)))]
    new = [n for n in secret if n not in old and not asks_again(n)]
    if len(old) != 1 or len(new) != 1:
        return None
    for node, value in ((old[0], said["old"]), (new[0], said["new"])):
        if not await fill(pilot, node, value):
            return False
    again = [n for n in pilot.nodes(FIELD) if n.type == "password" and asks_again(n)]
    if len(again) == 1 and not await fill(pilot, again[0], said["new"]):
        return False
    pilot.focus = pilot.seen.node(new[0].id)
    return await submit(pilot)


def left_empty(pilot: Pilot, form: str, said: Collection[str]) -> Node | None:
    """Return a field of the same form that an order leaves empty where it must not be; None for none."""
    own = [n for n in pilot.nodes(FIELD) if n.form[0] == form and not asks_again(n)]
    marked = any("required" in n.state for n in own)
    needed = (n for n in own if "required" in n.state or not (marked or _OPTIONAL.search(label_of(n))))
    return next((n for n in needed if n.id not in said and not n.value and n.role != "searchbox"), None)


def values_said(pilot: Pilot, order: Order) -> list[_Filled]:
    """Return the fields and values that an order says; none where a word of it is about something else."""
    lead = len(order.word) + 1 if order.word else 0
    text, outside = f"{order.word} {order.text}".strip(), f"{order.word} {order.outside}".strip()
    if len(text) != len(outside) or lead > len(text):
        return []
    places, at = list[tuple[int, int]](), 0
    for found in _PARTS.finditer(outside):
        places.append((at, found.start()))
        at = found.end()
    places.append((at, len(outside.rstrip(" ."))))
    (start, end), *rest = places
    head = _headed(pilot, text[start:end], outside[start:end])
    filled = [_field_said(pilot, text[a:b], outside[a:b]) for a, b in rest]
    known = [one for one in filled if one is not None]
    whole = len(known) == len(rest) and len({one.node.id for one in known}) == len(known)
    return [*head[1], *known] if whole and head[0] <= _told(pilot) else []


def _headed(pilot: Pilot, text: str, outside: str) -> tuple[set[str], list[_Filled]]:
    """Return the words of the first part of an order, and what it says for a field by a quote."""
    _, _, rest = outside.partition(" ")
    lead, person = len(outside) - len(rest), _FOR.search(outside)
    filled = _field_said(pilot, text[lead:], rest) if "_" in rest else None
    if signs := _AS.match(outside):
        name, lead = _named(pilot, "username") or _named(pilot, "name"), signs.end()
        filled = _Filled(name, text[lead:].strip(" \"“”„'")) if name else None
    if person and (name := _named(pilot, "name")):
        lead, filled = person.start(), _Filled(name, text[person.end() :].strip(" \"“”„'"))
    words = set(words_of(text[:lead] if filled else text)) - EMPTY - KINDS
    return words, [filled] if filled else []


def _told(pilot: Pilot) -> set[str]:
    """Return what a page says in its title, its headings and on what sends a form."""
    said = [n.name or n.own for n in pilot.seen.nodes if n.role == "heading" or n.submits]
    said += [n.name for n in pilot.nodes({"button"})]
    words = set(words_of(" ".join([pilot.seen.title, *said])))
    return words | _SIGNS_UP if words & _SIGNS_UP or words >= _NEW_ACCOUNT else words


def _field_said(pilot: Pilot, text: str, outside: str) -> _Filled | None:
    """Return the only field whose label begins a text, with what stands behind it: a quote whole."""
    article = _ARTICLE.match(outside)
    at = article.end() if article else 0
    words = list(re.finditer(r"[^\s_]+", outside[at:]))
    for size in range(min(_MOST, len(words)), 0, -1):
        end = at + words[size - 1].end()
        node = _named(pilot, outside[at:end].strip(" :"))
        behind = _IS.match(outside, end)
        value = text[behind.end() if behind else end :].strip(" \"“”„'")
        if node is not None and value:
            return _Filled(node, value)
    return None


def _named(pilot: Pilot, label: str) -> Node | None:
    """Return the only field whose label has all words of a name, but for one that asks again."""
    said = set(words_of(label)) - EMPTY
    pool = [n for n in pilot.nodes(FIELD | {"combobox"}) if "readonly" not in n.state and not asks_again(n)]
    found = [n for n in pool if said and said <= set(words_of_name(label_of(n) or n.sample))]
    return found[0] if len(found) == 1 else None
