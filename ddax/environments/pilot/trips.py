"""Forms for a way from one place to another: “Book the cheapest flight from Leeds to Bergen on May 3”."""

from __future__ import annotations

import re

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.best import press_best
from ddax.environments.pilot.dates import find_date, without_date
from ddax.environments.pilot.fields import fill, is_dated
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import click, press_node
from ddax.environments.pilot.rows import words_of
from ddax.environments.pilot.suggest import suggests, take
from ddax.environments.pilot.switches import is_on
from ddax.environments.pilot.words import EMPTY, FIELD, plain, tokens

_TRIP = re.compile(
    r"\bfrom:?\s++(?P<start>.{1,200}?),?(?<!\s)\s+to:?\s++(?P<end>.{1,200}?)(?:,?(?<!\s)\s+(?:on|for)\s+(?P<day>[^,]*\d.*?))?$",
    re.IGNORECASE,
)
_STARTS = frozenset({"from", "origin", "start", "departing", "leaving"})
_ENDS = frozenset({"to", "destination", "arriving", "going"})
"""Words with which the labels of the two fields begin."""
_SEARCHES = frozenset({"search", "find"})


async def trip(pilot: Pilot, order: Order) -> bool | None:
    """Fill a form for a trip, send it, and book the one that is meant; None where there is no such form."""
    said = _TRIP.search(order.text.strip(" ."))
    start, end = (_field(pilot, words) for words in (_STARTS, _ENDS))
    if said is None or start is None or end is None:
        return None
    if rest := set(words_of(without_date(said["day"] or ""))) - EMPTY:
        pilot.misread(f"no field is known for “{' '.join(sorted(rest))}”", "Say it as an order of its own")
        return False
    if not await _choose_kind(pilot, order.text[: said.start()]):
        return False
    for node, value in ((start, said["start"]), (end, said["end"])):
        if not await _place(pilot, node, value):
            return False
    if not await _on_day(pilot, said["day"] or ""):
        return False
    sends = [n for n in pilot.nodes({"button"}) if set(words_of(n.name)[:1]) & _SEARCHES]
    if len(sends) != 1 or not await press_node(pilot, sends[0]):
        return False
    if order.verb in ("search", "find"):
        return True
    best = await press_best(pilot, order)
    if best is None:
        pilot.misread("it is not said which one to book", "Say “the cheapest”, or search first")
    return bool(best)


async def _choose_kind(pilot: Pilot, text: str) -> bool:
    """Choose what an order says of the trip, as “one-way”, where the page offers it."""
    said = f" {' '.join(tokens(text.replace('-', ' ')))} "
    labels = [(n, " ".join(tokens(label_of(n).replace("-", " ")))) for n in pilot.nodes({"radio"})]
    meant = [n for n, label in labels if label and f" {label} " in said and not is_on(n)]
    return "refused" not in [await click(pilot, node) for node in meant]


def _field(pilot: Pilot, words: frozenset[str]) -> Node | None:
    """Return the only field whose label begins with one of some words."""
    pool = pilot.nodes(FIELD | {"combobox"})
    found = [n for n in pool if set(tokens(label_of(n) or n.sample)[:1]) & words and not is_dated(n)]
    return found[0] if len(found) == 1 else None


async def _place(pilot: Pilot, node: Node, value: str) -> bool:
    """Write a place, and take what is suggested for it: by its name, or by what stands in brackets behind."""
    wanted = plain(value)

    def fits(name: str) -> bool:
        low = name.casefold()
        return plain(name) == wanted or low.startswith(f"{wanted} (") or f"({wanted})" in low

    if node.tag == "select" or not suggests(node):
        return await fill(pilot, node, value)
    return await take(pilot, node, value, fits, asked=True) == "taken"


async def _on_day(pilot: Pilot, day: str) -> bool:
    """Choose the day, where an order says one: of several fields for one in the first, of the way there."""
    dated = [n for n in pilot.nodes(FIELD) if is_dated(n)]
    if not day:
        return True
    found = find_date(day)
    return found is not None and bool(dated) and await fill(pilot, dated[0], found.isoformat())
