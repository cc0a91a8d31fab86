"""The best of several: “the ticket with the shortest duration”, “the card with the greatest number”."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.finding.match import BOXES, OPTIONS, label, usable
from ddax.environments.pilot.pilot import NotDone, Pilot
from ddax.environments.pilot.words import KIND_WORDS, Word, keys, said
from ddax.text.units import PRICE, quantity

_LEAST = {"shortest": "time", "quickest": "time", "fastest": "time", "cheapest": "price", "lowest": "",
          "smallest": "", "least": "", "minimum": "", "fewest": "", "earliest": "clock"}  # fmt: skip
_MOST = {"longest": "time", "priciest": "price", "dearest": "price", "highest": "", "greatest": "",
         "largest": "", "biggest": "", "most": "", "maximum": "", "latest": "clock"}  # fmt: skip
_MEASURES = {"duration": "time", "time": "time", "price": "price", "cost": "price", "fare": "price",
             "expensive": "price", "number": "number", "value": "number"}  # fmt: skip
_COMMA = re.compile(r",(?=\d\d\D*$)")
_SHAPES: dict[str, tuple[re.Pattern[str], Callable[[re.Match[str]], float]]] = {
    "time": (
        re.compile(r"\b(?:(\d{1,3}) ?(?:h|hrs?|hours?)\b)?[ ,]*(?:(\d{1,3}) ?(?:m|min|mins|minutes?)\b)?"),
        lambda found: 60 * float(found[1] or 0) + float(found[2] or 0),
    ),
    "clock": (
        re.compile(r"\b(\d{1,2}):(\d{2})(?: ?([ap])m)?", re.IGNORECASE),
        lambda found: 60 * (int(found[1]) % 12 + 12 * ((found[3] or "").lower() == "p")
                            if found[3] else int(found[1])) + int(found[2]),
    ),
    "number": (re.compile(r"(?<![\w.])(-?\d+(?:\.\d+)?)(?![\w.])"), lambda found: float(found[1])),
}  # fmt: skip
"""What each measure looks like, and what it comes to."""


def best_of(pilot: Pilot, order: Sequence[Word], accept: Callable[[Node], bool]) -> Node | None:
    """Return what has the least or the most of what an order says; None where it asks for no such thing."""
    ends = [word.key for word in order if word.group < 0 and word.key in {**_LEAST, **_MOST}]
    if len(ends) != 1:
        return None
    named = {**_LEAST, **_MOST}[ends[0]]
    said_ = [_MEASURES[word.key] for word in order if word.group < 0 and word.key in _MEASURES]
    measure = named or (said_[0] if said_ else "")
    if not measure or (said_ and {*said_, measure} != {measure}):
        return None
    measured = _measured(pilot, usable(pilot.page, accept), measure)
    about = [
        w for w in order if w.key not in (*ends, *_MEASURES) and not w.is_stop and w.key not in KIND_WORDS
    ]
    if len(measured) < 2:
        raise NotDone(f"{len(measured)} with a {measure} are here to tell “{said(order)}” by")
    rows = _called(pilot, measured, about)
    end = min if ends[0] in _LEAST else max
    least = end(value for _, value in rows)
    found = [node for node, value in rows if value == least]
    if len(found) > 1:
        raise NotDone(f"{len(found)} are the “{ends[0]}”", "Say beside what it stands")
    return found[0]


@dataclass(frozen=True)
class _Row:
    """An element, the one measure of what it stands in, and the words there."""

    node: Node
    kind: str
    value: float
    words: frozenset[str]


def _called(pilot: Pilot, rows: Sequence[_Row], about: Sequence[Word]) -> list[tuple[Node, float]]:
    """Return the rows that say what some rows say of what is asked for; the rest the page has to say.

    Raises NotDone where it does not (the cheapest cup is on no page of mugs), and where rows are not of one
    kind, as prices in two currencies.
    """
    telling = {word.key for word in about if any(word.key in row.words for row in rows)}
    so = [n for n in pilot.seen.nodes if n.role not in BOXES | OPTIONS or n.state & {"checked", "selected"}]
    page = {key for node in so for key in (*keys(label(node)), *keys(node.own))}
    if rows and (missing := [word for word in about if word.key not in telling | page]):
        raise NotDone(f"nothing here is called “{said(missing)}”")
    found = [row for row in rows if telling <= row.words]
    if rows and not found:
        raise NotDone(f"no one of them is “{said(about)}”")
    if len(kinds := sorted({row.kind for row in found})) > 1:
        raise NotDone(f"{' and '.join(kinds)} cannot be held against each other")
    return [(row.node, row.value) for row in found]


def _measured(pilot: Pilot, nodes: Sequence[Node], measure: str) -> list[_Row]:
    """Return the elements that stand in a row of their own with one such measure, each with it."""
    ids = {node.id for node in nodes}
    found: list[_Row] = []
    for node in nodes:
        for holder in (node.id, *pilot.page.holders(node)):
            held = pilot.page.held(holder) or [node]
            if len(ids.intersection(one.id for one in held)) > 1:
                break
            if values := _values(held, measure):
                texts = (text for one in (node, *held) for text in (label(one), one.own, one.hints))
                words = frozenset(key for text in texts for key in keys(text))
                one = values[0] if len(values) == 1 else (f"several of a {measure} in one row", 0.0)
                found.append(_Row(node, *one, words))
                break
    return found


def _values(held: Sequence[Node], measure: str) -> list[tuple[str, float]]:
    """Return the measures that some elements say by themselves, each once, with what they are counted in."""
    texts = dict.fromkeys(one.text for one in held if one.own or len(held) == 1)
    if measure == "price":
        return [_price(found[0].strip(".,")) for text in texts for found in PRICE.finditer(text)]
    shape, amount = _SHAPES[measure]
    return [
        (measure, amount(found)) for text in texts for found in shape.finditer(text) if any(found.groups())
    ]


def _price(text: str) -> tuple[str, float]:
    """Read a price, also with a comma before its cents; raises NotDone for one that cannot be read."""
    price = quantity(_COMMA.sub(".", text.replace(".", "")) if _COMMA.search(text) else text)
    if price is None:
        raise NotDone(f"“{text}” is no price that can be read")
    return price
