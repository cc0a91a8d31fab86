"""Several fields of a form at once by their labels: “Fill in the form: name Ann Lee, city Oslo”."""

from __future__ import annotations

import re

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.fields import fill
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.rows import words_of, words_of_name
from ddax.environments.pilot.words import EMPTY, FIELD

_FORM = re.compile(
    r"(?:fill|complete|enter|give|provide)\s+(?:(?:in|out)\s+)?(?:(?:the|this|my)\s+)?(?:\w+\s+)?"
    r"(?:form|address|details|data|information)(?:\s+(?:in|out))?"
    r"(?:\s+with\b|\s*:)\s*(?P<rest>.+)",
    re.IGNORECASE,
)
_LABELLED = re.compile(r"(?P<label>[^:_]{2,40}):\s+(?P<value>\S.*)")
_MOST = 3
"""Words of a label at most, where nothing parts it from its value."""


async def fill_form(pilot: Pilot, order: Order) -> bool | None:
    """Fill the fields that an order names, each with what stands behind its label; None where it names none.

    Nothing is written where one of them is not known.
    """
    parts = [] if order.quotes else _parts(pilot, f"{order.word} {order.text}".strip(" ."))
    if not parts:
        return None
    for node, value in parts:
        now = pilot.seen.node(node.id)
        if now is None or not await fill(pilot, now, value):
            return False
    return True


def _parts(pilot: Pilot, text: str) -> list[tuple[Node, str]]:
    """Return each field that a text names with its value; none where a part of it names no single field."""
    form, labelled = _FORM.fullmatch(text), _LABELLED.fullmatch(text)
    if form:
        found = [_named(pilot, part) for part in re.split(r"(?:(?<!\s)\s+)?,\s*(?:and\s+)?", form["rest"])]
    elif labelled and (node := _field(pilot, labelled["label"])):
        found = [(node, labelled["value"])]
    else:
        return []
    known = [one for one in found if one is not None]
    return known if len({node.id for node, _ in known}) == len(found) else []


def _named(pilot: Pilot, part: str) -> tuple[Node, str] | None:
    """Return the field whose label begins a part, and the words behind it."""
    words = re.sub(r"^(?:the|my)\s+", "", part, flags=re.IGNORECASE).split()
    for size in range(min(_MOST, len(words) - 1), 0, -1):
        node = _field(pilot, " ".join(words[:size]).strip(":"))
        if node is not None:
            return node, re.sub(r"^(?:is|as)\s+", "", " ".join(words[size:]))
    return None


def _field(pilot: Pilot, label: str) -> Node | None:
    """Return the only field whose label has all words of a name."""
    said = set(words_of(label)) - EMPTY
    pool = [n for n in pilot.nodes(FIELD | {"combobox"}) if "readonly" not in n.state]
    found = [n for n in pool if said and said <= set(words_of_name(label_of(n) or n.sample))]
    return found[0] if len(found) == 1 else None
