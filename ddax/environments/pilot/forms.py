"""Small forms by what a sentence says: search, log in, and a value that goes with one control."""

from __future__ import annotations

import re
from dataclasses import replace

from ddax.environments.browser.secrets import PLACEHOLDER
from ddax.environments.browser.seen import Node, PageSeen
from ddax.environments.pilot.agreeing import stay_signed_in
from ddax.environments.pilot.asked import asked_of, names_of
from ddax.environments.pilot.deeds import deed, fits
from ddax.environments.pilot.entries import add_entry
from ddax.environments.pilot.fields import fill, named_field, the_field, where_of
from ddax.environments.pilot.later import comes, missing
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.naming import named
from ddax.environments.pilot.orders import Order, read_orders
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import SUBMITS, click, press_node, press_whole, submit
from ddax.environments.pilot.repeats import asks_again, repeat_password
from ddax.environments.pilot.rows import words_of
from ddax.environments.pilot.several import deeds
from ddax.environments.pilot.suggest import is_search
from ddax.environments.pilot.switches import closed, is_on
from ddax.environments.pilot.values import STOP, akin, given, slots
from ddax.environments.pilot.words import BOXES, EMPTY, FIELD, KINDS, content, plain, tokens

_ADDRESS = re.compile(r"(?<![^\s@<>\"“”,;])[^\s@<>\"“”,;]++@[^\s@<>\"“”,;]+\.\w+")
_SECRET = re.compile(r"\bpassword:?\s+(?:is\s+|of\s+)?[\"“]?([^\s\",”]+)", re.IGNORECASE)
_NAME = re.compile(
    r"\b(?:(?:user\s?name|user|name|e-?mail(?:\s+address)?):?\s+(?:is\s+)?|as\s+)(?!user|name|e-?mail)[\"“]?([^\s\",”]+)",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"\.?\s*$|\.\s|,?\s+(?:and|then|into|in|as|for|on|to|press|click|tick|submit|log|sign|please)\b",
    re.IGNORECASE,
)
"""What may stand behind a password without quotes: the end, or what goes on with the order."""
_SEARCHES = ("search", "find", "go", "submit")
_VALUE = re.compile(r"\s*(?!(?:the|a|my|your)\b)(\S+)\s+(?:as|into|in)\b", re.IGNORECASE)
"""What is to be written, before the field."""


async def search(pilot: Pilot, order: Order) -> bool:
    """Fill a search form with what a sentence says for its fields, and send it."""
    before = pilot.seen
    fields = pilot.nodes(FIELD | {"combobox"})
    searches = [n for n in fields if is_search(n)]
    one = searches[0] if len(searches) == 1 else fields[0] if len(fields) == 1 else None
    behind = re.match(r"for\s+(.+)", order.text, re.IGNORECASE)
    if one is not None and (order.quotes or behind or one in fields[:1] == fields):
        value = order.quote or (behind[1] if behind else order.text)
        filled = await fill(pilot, one, value)
    elif order.quotes and fields:
        where = where_of(order, order.quote)
        named = the_field(pilot, where, fields, order.quote) if named_field(where) else fields[0]
        filled = named is not None and await fill(pilot, named, order.quote)
    else:
        filled = await _fill_said(pilot, order, [_said_of(n) for n in fields])
        if not filled:
            return await press_whole(pilot, order)
    if not filled:
        return False
    return _sends_next(pilot, order) or await _found(pilot, before)


async def _found(pilot: Pilot, before: PageSeen) -> bool:
    """Send a search by its button, else by the Enter key; a page that took rows away already needs neither.

    A button for something else, as Save, is none for it, also where the page has no other one.
    """
    controls = pilot.nodes({"button", "clickable", "link", "icon"})
    form = pilot.focus.form[0] if pilot.focus else ""
    own = [n for n in controls if form and n.form[0] == form and n.submits]
    free = [n for n in controls if n.form[0] in ("", form)]  # no button of another form
    sends = [n for n in own or free if _searches(n)] or own
    if len(sends) > 1:
        pilot.unclear(sends)
    if sends:
        return len(sends) == 1 and await press_node(pilot, sends[0])
    if _told(before) - _told(pilot.seen):
        return True
    return pilot.focus is not None and await pilot.do("press", pilot.focus.id, "Enter") == "changed"


def _searches(control: Node) -> bool:
    """Tell whether a control is called as what sends a search, or a picture without a name says so."""
    return plain(control.name) in _SEARCHES or (not control.name and "search" in tokens(control.hints))


def _told(seen: PageSeen) -> set[str]:
    """Return what a page says outside of its fields."""
    return {node.own or node.name for node in seen.nodes if node.role not in FIELD | {"combobox"}}


def _said_of(field: Node) -> str:
    """Return what a field is called, by the words behind it where none stand before it."""
    return (label_of(field) or field.after).strip(" :")


def _sends_next(pilot: Pilot, order: Order) -> bool:
    """Tell whether the next order presses what sends a form."""
    behind = pilot.behind[:1]
    names = [plain(content(later.quote or later.text)) for later in behind if later.verb == "press"]
    return any(later.verb == "submit" for later in behind) or any(name in SUBMITS for name in names)


async def _fill_said(pilot: Pilot, order: Order, labels: list[str]) -> bool:
    """Fill each field for which a sentence says something; nothing where a word of it is left over."""
    said = slots(order.text, labels)
    names, values = words_of(" ".join(said)), words_of(" ".join(said.values()))
    rest = set(words_of(order.text)) - set(values) - set(words_of(" ".join(STOP))) - EMPTY
    if not said or any(not any(akin(word, name) for name in names) for word in rest):
        return False
    for label in labels:
        if label in said:
            fields = pilot.nodes(FIELD | {"combobox"})
            now = next(n for n in fields if _said_of(n) == label)
            if not await fill(pilot, now, said[label]):
                return False
    return True


async def login(pilot: Pilot, order: Order) -> bool:
    """Log in with what the order says: into the fields for it, then send their form.

    An order to log out is none of it; one to sign up is where it says both a name and a password.
    """
    name, secret = _said(_NAME, order), _said(_SECRET, order)
    signs_up = words_of(f"{order.word} {order.text}")[:1] == ["signup"]
    if not (signs_up and name and secret) and words_of(f"{order.word} {order.text}")[:1] != ["login"]:
        return await give(pilot, order)
    if not name and not secret:
        return await deed(pilot, order)
    says_secret = "password" in tokens(order.outside)
    if not _login_fields(pilot, secret=not name) or (says_secret and not secret):
        return False
    for value in filter(None, (name, secret)):
        fields = _login_fields(pilot, secret=value is secret)
        if value is secret and signs_up and len(fields) == 2:
            fields = [n for n in fields if not asks_again(n)]  # which `repeat_password` fills
        if not fields and value is secret and await _next_step(pilot):
            await comes(pilot, lambda: bool(_login_fields(pilot, secret=True)))
            fields = _login_fields(pilot, secret=True)
            if not fields:
                missing(pilot, "password")
        if len(fields) != 1 or not await fill(pilot, fields[0], value):
            return False
        pilot.focus = pilot.seen.node(fields[0].id)
    if _sends_next(pilot, order):
        return await stay_signed_in(pilot, order)
    if (signs_up and not await repeat_password(pilot)) or not await stay_signed_in(pilot, order):
        return False
    known = {n.id for n in _login_fields(pilot, secret=True)}
    if not await submit(pilot):
        return False
    asked = [n for n in _login_fields(pilot, secret=True) if n.id not in known]
    if asked and not secret:
        pilot.misread("the page asks for a password", "Say the password too")
    return not asked or bool(secret)


def _login_fields(pilot: Pilot, *, secret: bool) -> list[Node]:
    """Return the fields for a password, or those for a name."""
    return [n for n in pilot.nodes(FIELD) if not is_search(n) and _is_secret(n) == secret]


async def _next_step(pilot: Pilot) -> bool:
    """Go on to the password, where a page asks for the name alone first."""
    form = pilot.focus.form[0] if pilot.focus else ""
    leads = [n for n in pilot.nodes({"button"}) if plain(n.name) in ("next", "continue")]
    leads = [n for n in leads if n.form[0] == form]
    return len(leads) == 1 and await click(pilot, leads[0]) != "refused"


def _said(pattern: re.Pattern[str], order: Order) -> str:
    """Return what an order says behind a word: a quote to the letter, else a word without a last point."""
    found = pattern.search(order.outside)
    if found is None:
        return ""
    said = order.text[slice(*found.span(1))]
    return said if said in order.quotes else said.rstrip(".")


def says_secret(task: str) -> bool:
    """Tell whether a task says a password to log in with or to write, and not by the name of a secret."""
    return any(_secret_of(one) and not PLACEHOLDER.search(one.text) for one in read_orders(task))


def is_cut(task: str) -> bool:
    """Tell whether nobody can say where a password ends that stands without quotes."""
    found = [(_secret_of(order), order.quotes) for order in read_orders(task)]
    bare = [one for one, quotes in found if one and one not in quotes and not PLACEHOLDER.search(one)]
    return any(one[-1] in ";,!?:" or not _has_end(task, one) for one in bare)


def _has_end(task: str, said: str) -> bool:
    return any(_ENDS.match(task, at.end()) for at in re.finditer(rf"(?<!\w){re.escape(said)}", task))


def _secret_of(order: Order) -> str:
    """Return the password that an order says; empty for none."""
    if order.verb == "login":
        return _said(_SECRET, order)
    if order.verb != "enter" or "password" not in tokens(order.outside):
        return ""
    field, behind = given(order), _VALUE.match(order.outside)
    said = (order.quote, field[1] if field else "", behind[1] if behind else "", _said(_SECRET, order))
    return next(filter(None, said), "")


def _is_secret(node: Node) -> bool:
    return node.type == "password" or "password" in words_of(label_of(node))


async def give(pilot: Pilot, order: Order) -> bool:
    """Write the value of an order into the one field that goes with the control it names, and press that.

    So “Invite ada@example.org” or “Apply the voucher code SPRING10”; an order without such a value is a deed.
    """
    if tokens(f"{order.word} {order.text}")[:1] in (["accept"], ["agree"], ["allow"]):
        return await _agree(pilot, order)
    if several := given_each(order):
        for one in several:
            if not await give(pilot, one):
                return False
        return True
    value = _value(pilot, order)
    control = _control(pilot, order, value[1]) if value else None
    field = _field_of(pilot, control, value[0]) if value and control else None
    if value is None or control is None or (field is None and named(order)[1]):
        entered = await add_entry(pilot, order)
        return entered if entered is not None else await deeds(pilot, order)
    if field is None or not await fill(pilot, field, value[1]):
        return False
    now = pilot.seen.node(control.id)
    return now is not None and await press_node(pilot, now)


async def _agree(pilot: Pilot, order: Order) -> bool:
    """Tick the only box that says what an order agrees to, else press what is called so."""
    said, opened = set(words_of(order.text)) - EMPTY, set[str]()
    boxes = _said_by(pilot, said)
    while not boxes and said and not fits(pilot, asked_of(order)) and (door := closed(pilot, opened)):
        opened.add(door.id)
        if await click(pilot, door) == "refused":
            break
        boxes = _said_by(pilot, said)
    if len(boxes) != 1:
        return await deed(pilot, order)
    pilot.settled |= is_on(boxes[0])
    if not is_on(boxes[0]) and await click(pilot, boxes[0]) == "refused":
        return False
    after = pilot.seen.node(boxes[0].id)
    return after is None or is_on(after)


def _said_by(pilot: Pilot, said: set[str]) -> list[Node]:
    """Return the boxes that say all of some words."""
    return [n for n in pilot.nodes({"checkbox"}) if said and said <= set(words_of(label_of(n) or n.after))]


def given_each(order: Order) -> list[Order]:
    """Return an order for each of several quotes or addresses side by side; none for one."""
    values = list(order.quotes) or [one.rstrip(".") for one in _ADDRESS.findall(order.text)]
    if len(values) < 2:
        return []
    joined = r"(?:\s*,\s*(?:and\s+)?|\s+and\s+)".join(rf"[\"“']?{re.escape(one)}[\"”']?" for one in values)
    found = re.search(joined, order.text)
    if found is None:
        return []
    head, tail = order.text[: found.start()], order.text[found.end() :]
    quoted = bool(order.quotes)
    return [
        replace(
            order, text=f"{head}{one}{tail}", quotes=(one,) if quoted else (),
            outside=f"{head}{'_' * len(one) if quoted else one}{tail}",
        )
        for one in values
    ]  # fmt: skip


def _value(pilot: Pilot, order: Order) -> tuple[str, str] | None:
    """Return the field an order names, empty for none, and the value it gives: a quote or an address."""
    if order.quotes:
        return (_field_before(pilot, order), order.quote) if len(order.quotes) == 1 else None
    addresses = _ADDRESS.findall(order.text)
    if addresses:
        return ("", addresses[0].rstrip(".")) if len(addresses) == 1 else None
    for node in pilot.nodes(FIELD):
        name = label_of(node).strip(" :")
        found = (
            re.search(rf"\b{re.escape(name)}\s+(\S+)$", order.text.rstrip("."), re.IGNORECASE)
            if name
            else None
        )
        if found:
            return name, found[1]
    return None


def _field_before(pilot: Pilot, order: Order) -> str:
    """Return the label of the field that stands right before a quote, as in “with the title “Tea””."""
    names = (label_of(node).strip(" :") for node in pilot.nodes(FIELD))
    said = [name for name in names if name and re.search(rf"(?i)\b{re.escape(name)}:?\s+_+", order.outside)]
    return max(said, key=len, default="")


def _control(pilot: Pilot, order: Order, value: str) -> Node | None:
    """Return the only control whose words an order says, where nothing else is left over that it says."""
    asked = asked_of(order)
    said = set(asked.words) - set(words_of(value))
    buttons = [n for n in pilot.nodes({"button", "link", "clickable"}) if n.name]
    fits = [n for n in buttons if asked.verb in names_of(n, "") and names_of(n, "") <= said]
    if len(fits) != 1:
        return None
    field = _field_of(pilot, fits[0], "")
    boxes = {plain(label_of(n) or n.after) for n in pilot.nodes(BOXES)}  # what they say is to be ticked
    said_by = [n for n in pilot.seen.nodes if n.role in ("heading", "label", "text") or n == field]
    near = [n for n in said_by if plain(n.name or n.own) not in boxes]
    shown = {word for n in near for word in words_of(f"{n.name} {n.before} {n.hints}")}
    return fits[0] if not said - names_of(fits[0], "") - shown - EMPTY - KINDS else None


def _field_of(pilot: Pilot, control: Node, name: str) -> Node | None:
    """Return the field that a control takes: the only one of its form, else the last empty one before it."""
    nodes = list(pilot.seen.nodes)
    fields = [n for n in pilot.nodes(FIELD) if "readonly" not in n.state and n.type != "password"]
    if name:
        fields = [n for n in fields if plain(label_of(n)) == plain(name)]
    if control.form[0]:
        own = [n for n in fields if n.form[0] == control.form[0]]
        return own[0] if len(own) == 1 else None
    place = nodes.index(control)
    before = [n for n in fields if nodes.index(n) < place and not n.form[0]]
    return before[-1] if before and place - nodes.index(before[-1]) <= 4 else None
