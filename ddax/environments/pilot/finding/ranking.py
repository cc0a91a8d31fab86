"""The best of several: “the ticket with the shortest duration”, “the card with the greatest number”."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.finding.match import label, usable
from ddax.environments.pilot.pilot import NotDone, Pilot
from ddax.environments.pilot.words import KIND_WORDS, Word, keys, said

_LEAST = {"shortest": "time", "quickest": "time", "fastest": "time", "cheapest": "price", "lowest": "",
          "smallest": "", "least": "", "minimum": "", "fewest": "", "earliest": "clock"}  # fmt: skip
_MOST = {"longest": "time", "priciest": "price", "dearest": "price", "highest": "", "greatest": "",
         "largest": "", "biggest": "", "most": "", "maximum": "", "latest": "clock"}  # fmt: skip
_MEASURES = {"duration": "time", "time": "time", "price": "price", "cost": "price", "fare": "price",
             "expensive": "price", "number": "number", "value": "number"}  # fmt: skip
_SHAPES: dict[str, tuple[re.Pattern[str], Callable[[re.Match[str]], float]]] = {
    "time": (
        re.compile(r"\b(?:(\d{1,3}) ?(?:h|hrs?|hours?)\b)?[ ,]*(?:(\d{1,3}) ?(?:m|min|mins|minutes?)\b)?"),
        lambda found: 60 * float(found[1] or 0) + float(found[2] or 0),
    ),
    "price": (
        re.compile(r"[$€£¥] ?(\d[\d,]*(?:\.\d+)?)"), lambda found: float(found[1].replace(",", "")),
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
    rows = _measured(pilot, usable(pilot.page, accept), measure)
    about = [
        w for w in order if w.key not in (*ends, *_MEASURES) and not w.is_stop and w.key not in KIND_WORDS
    ]
    rows = _called(pilot, rows, about)
    if len(rows) < 2:
        raise NotDone(f"there are no several to tell “{said(order)}” by")
    end = min if ends[0] in _LEAST else max
    least = end(value for _, value in rows)
    found = [node for node, value in rows if value == least]
    if len(found) > 1:
        raise NotDone(f"{len(found)} are the “{ends[0]}”", "Say beside what it stands")
    return found[0]


def _called(
    pilot: Pilot, rows: Sequence[tuple[Node, float]], about: Sequence[Word]
) -> list[tuple[Node, float]]:
    """Return the rows that say what some rows say of what is asked for; the rest the page has to say.

    Raises NotDone where it does not: the cheapest cup is on no page of mugs.
    """
    own = [{*keys(label(node)), *keys(node.hints)} for node, _ in rows]
    telling = {word.key for word in about if any(word.key in said_ for said_ in own)}
    page = {key for node in pilot.page.seen.nodes for key in (*keys(label(node)), *keys(node.own))}
    if missing := [word for word in about if word.key not in telling | page]:
        raise NotDone(f"nothing here is called “{said(missing)}”")
    return [row for row, said_ in zip(rows, own, strict=True) if telling <= said_]


def _measured(pilot: Pilot, nodes: Sequence[Node], measure: str) -> list[tuple[Node, float]]:
    """Return the elements that stand in a row of their own with one such measure, each with it."""
    ids = {node.id for node in nodes}
    found: list[tuple[Node, float]] = []
    for node in nodes:
        for holder in (node.id, *pilot.page.holders(node)):
            held = pilot.page.held(holder) or [node]
            if len(ids.intersection(one.id for one in held)) > 1:
                break
            values = _values(held, measure)
            if values:
                found += [(node, values[0])] if len(values) == 1 else []
                break
    return found


def _values(held: Sequence[Node], measure: str) -> list[float]:
    """Return the measures that some elements say by themselves, each once."""
    shape, amount = _SHAPES[measure]
    texts = dict.fromkeys(one.own or one.name for one in held if one.own or len(held) == 1)
    return [amount(found) for text in texts for found in shape.finditer(text) if any(found.groups())]
