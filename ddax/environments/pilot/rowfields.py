"""Fields in rows and cards: “Set the status of ticket 106 to Closed”, “Assign ticket 104 to Ana”."""

from __future__ import annotations

import re

from ddax.environments.browser.seen import ACTED_ON, Node
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.rows import above_of, holders_of, inside, node_words, own_groups, words_of
from ddax.environments.pilot.words import EMPTY, FIELD, KINDS, plain

_SETS = re.compile(
    r"(?:please\s+)?(?P<verb>assign|reassign|move|mark|set|change|switch)\s++(?>(?P<what>.+?)(?<!\s)\s+(?:to|as)\s+)(?P<value>.+)",
    re.IGNORECASE,
)
_MADE = re.compile(
    r"(?:make\s++(?P<who>.+?)(?<!\s)\s+(?:an?|the)|(?:promote|demote)\s++(?P<whom>.+?)(?<!\s)\s+to)\s+(?P<what>\w+)",
    re.IGNORECASE,
)
_ROWS = frozenset({"row", "listitem", "article", "group", "treeitem"})
_ASSIGNS = frozenset({"assign", "reassign"})
_HEADS = frozenset({"columnheader", "cell", "gridcell"})


def in_row(pilot: Pilot, order: Order) -> tuple[Node, str] | None:
    """Return the only field of a row that an order names by its label or by what it offers, and the value.

    Every word has to be met: by the label or the head of the column, in the row, or in the headings of the
    page; a row has to be named, and one field alone to be left.
    """
    said = _SETS.fullmatch(f"{order.word} {order.text}".strip(" ."))
    words = set(words_of(said["what"])) - EMPTY if said else set[str]()
    fields = [n for n in pilot.nodes(FIELD | {"combobox"}) if "readonly" not in n.state]
    assigns = said is not None and said["verb"].casefold() in _ASSIGNS
    called = words - KINDS if assigns else words
    whole = [n for n in fields if set(words_of(label_of(n))) - EMPTY == called]
    if said is None or whole:
        sure = said and len(whole) == 1 and _offers(whole[0], _value(said))
        sure = sure and (assigns or len(words) > 1)
        return (whole[0], _value(said)) if said and sure else None
    heads = {word for n in pilot.seen.nodes if n.role == "heading" for word in words_of(n.name)}
    heads |= set(words_of(pilot.seen.title))
    value, found = _value(said), list[Node]()
    for field in fields:
        row, own = _row_words(pilot, field), _names(pilot, field)
        if words & row and words - own <= row | heads and (words & own - row or _offers(field, value)):
            found.append(field)
    named = [n for n in found if words & _names(pilot, n) - _row_words(pilot, n)] or found
    if len(named) > 1:
        pilot.unclear(named)
    return (named[0], value) if len(named) == 1 else None


def made(pilot: Pilot, order: Order) -> tuple[Node, str] | None:
    """Return the only list of a row that offers what somebody is made: “Make Bo Marr an admin”."""
    said = _MADE.fullmatch(f"{order.word} {order.text}".strip(" ."))
    words = set(words_of(said["who"] or said["whom"])) - EMPTY if said else set[str]()
    if said is None or not words:
        return None
    lists = [n for n in pilot.nodes({"combobox"}) if _offers(n, said["what"])]
    found = [n for n in lists if words <= _row_words(pilot, n) | _names(pilot, n)]
    return (found[0], said["what"]) if len(found) == 1 else None


def _value(said: re.Match[str]) -> str:
    return str(said["value"]).strip("\"“”' ")


def _offers(field: Node, value: str) -> bool:
    return field.tag == "select" and plain(value) in map(plain, field.options)


def _row_words(pilot: Pilot, field: Node) -> set[str]:
    """Return the words of the row that a field stands in, but for what can be chosen or pressed there."""
    roles = {n.id: n.role for n in pilot.seen.nodes}
    above = above_of(field, {n.id: n.parent for n in pilot.seen.nodes})
    group = next((one for one in above if roles.get(one) in _ROWS), "")
    parts = inside(pilot.seen, group) if group else ()
    holds = {group, *(n.parent for n in parts if n.role in ACTED_ON)}
    if not group:
        return _card_words(pilot, field)
    read = node_words(n for n in parts if n.role not in ACTED_ON and n.id not in holds)
    return read | {word for n in parts if n.id in holds for word in words_of(n.own)}


def _card_words(pilot: Pilot, field: Node) -> set[str]:
    """Return the words of the card that a field stands in beside others of its kind and name."""
    kin = [n for n in pilot.nodes({field.role}) if n.tag == field.tag]
    groups = own_groups(kin, holders_of(pilot.seen))
    own = groups[kin.index(field)] if len(kin) > 1 and all(groups) else []
    parts = inside(pilot.seen, own[-1]) if own else ()
    return node_words(n for n in parts if n.role not in ACTED_ON | {"label"})


def _names(pilot: Pilot, field: Node) -> set[str]:
    """Return the words a field is called by: those of its label and of the head of its column."""
    middle = field.box[0] + field.box[2] / 2
    column = [
        n for n in pilot.seen.nodes
        if n.role in _HEADS and n.box[0] <= middle <= n.box[0] + n.box[2] and n.box[1] < field.box[1]
    ]  # fmt: skip
    head = min(column, key=lambda n: n.box[1], default=None)
    of_column = words_of(head.name or head.own) if head and head.role == "columnheader" else []
    return (set(words_of(label_of(field))) | set(of_column)) - EMPTY
