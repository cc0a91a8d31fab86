"""Two fields for the ends of one range: “from 3 May 2027 to 7 May 2027”, “the price from 20 to 50”."""

from __future__ import annotations

import re
from dataclasses import replace

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.dates import find_date, without_date
from ddax.environments.pilot.deeds import deed
from ddax.environments.pilot.fields import fill, is_dated
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.rows import words_of, words_of_name
from ddax.environments.pilot.steppers import count_of
from ddax.environments.pilot.words import EMPTY, FIELD, NUMBERS, amount, tokens, written

_RANGE = re.compile(
    r"\b(?:from|between)\s++(?P<first>.{1,200}?)(?<!\s)\s+(?:to|until|till|through|and)\s++(?P<last>.{1,200}?)"
    r"(?:,?(?<!\s)\s+and\s+(?P<then>[a-z]+))?$",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(
    rf"\b(?:for|with)\s+(?P<count>\d+|{'|'.join(NUMBERS)})\s+(?P<what>[a-z]+)", re.IGNORECASE
)
FIRST = frozenset(
    """from start begin min minimum arrival checkin check-in after since lowest first pick-up pickup
    depart departing outbound""".split()  # noqa: SIM905
)
LAST = frozenset(
    """to end until max maximum departure checkout check-out before return highest last drop-off
    inbound""".split()  # noqa: SIM905
)
"""Words of the labels of the two fields."""
_SETS = frozenset({"set", "change", "enter", "choose", "select", "pick"})


async def set_range(pilot: Pilot, order: Order) -> bool | None:
    """Fill the two fields of a range and press what the order says then; None where it says no range.

    So it is where the page has no field for either end, or several.
    """
    said = None if order.quotes else _RANGE.search(order.text.strip(" ."))
    ends = _ends(said["first"], said["last"]) if said else None
    dated = ends is not None and find_date(ends[0]) is not None
    first, last = (_field(pilot, words, dated=dated) for words in (FIRST, LAST))
    if said is None or ends is None or first is None or last is None:
        return None
    head = order.text[: said.start()].strip()
    number, head, rest = _number(pilot, head, without_date(said["last"]) if dated else "")
    if set(words_of(rest)) - EMPTY:  # what is sent without it is another thing than was asked for
        pilot.misread(f"no field is known for “{rest}”", "Say it as an order of its own")
        return False
    for node, value in (*number, (first, ends[0]), (last, ends[1])):
        if not await fill(pilot, node, value):
            return False
    if said["then"]:
        return await deed(pilot, replace(order, word=said["then"], text="", outside=""))
    if order.word in _SETS:
        return True
    word = "search" if order.word == "find" else order.word
    return await deed(pilot, replace(order, word=word, text=head, outside=head))


def _number(pilot: Pilot, head: str, rest: str) -> tuple[list[tuple[Node, str]], str, str]:
    """Return the field for how many an order says before or behind a range, and both texts without that."""
    for text in (rest, head):
        said = _HOW_MANY.search(text)
        fields = [n for n in pilot.nodes(FIELD | {"combobox"}) if said and _counts(n, said["what"])]
        if said and len(fields) == 1:
            left = f"{text[: said.start()]} {text[said.end() :]}".strip()
            value = str(count_of([said["count"].casefold()]))
            return [(fields[0], value)], left if text is head else head, left if text is rest else rest
    return [], head, rest


def _counts(field: Node, what: str) -> bool:
    return set(words_of(what)) <= set(words_of_name(label_of(field)))


def _ends(first: str, last: str) -> tuple[str, str] | None:
    """Return both ends as they are written into fields; None where they are neither dates nor numbers."""
    days = find_date(first), find_date(last)
    if days[0] and days[1]:
        return days[0].isoformat(), days[1].isoformat()
    counts = [amount(one.strip(" $€£")) for one in (first, last)]
    if counts[0] is None or counts[1] is None:
        return None
    return written(counts[0]), written(counts[1])


def _field(pilot: Pilot, words: frozenset[str], *, dated: bool) -> Node | None:
    """Return the only field for an end of a range, of the kind of what is to be written."""
    pool = [n for n in pilot.nodes(FIELD) if is_dated(n) == dated and "readonly" not in n.state]
    labels = [label_of(n) or n.sample for n in pool]
    said = [{*tokens(label), "".join(tokens(label.replace("-", " ")))} for label in labels]
    found = [n for n, own in zip(pool, said, strict=True) if own & words]
    return found[0] if len(found) == 1 else None
