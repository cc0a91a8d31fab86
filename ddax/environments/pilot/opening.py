"""Open one of several by a control that is called the same for all, as “Read more” below each article."""

from __future__ import annotations

from ddax.environments.browser.seen import ACTED_ON
from ddax.environments.pilot.deeds import in_rows
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.pressing import click
from ddax.environments.pilot.rows import words_of
from ddax.environments.pilot.words import EMPTY, KINDS, plain

_OPENS = frozenset(
    ["view", "open", "details", "view details", "show", "show details", "more", "read more", "read",
     "see more", "show more", "learn more", "more info", "more details", "continue reading"]
)  # fmt: skip
"""How a control is called that opens what its row or card is about."""
_VERBS = frozenset({"open", "view", "show", "see", "read", "more", "detail", "go"})


async def open_in_row(pilot: Pilot, order: Order) -> bool | None:
    """Press what opens the only row that says what an order names; None where a control is called so."""
    rest = set(words_of(f"{order.word} {order.text}")) - EMPTY - KINDS - _VERBS
    controls = [n for n in pilot.nodes({"button", "link", "clickable"}) if plain(n.name) in _OPENS]
    if not rest or not controls or any(rest <= set(words_of(n.name)) for n in pilot.nodes(ACTED_ON)):
        return None
    found = in_rows(pilot, controls, rest)
    if len(found) > 1:
        pilot.unclear(row.control for row in found)
    return await click(pilot, found[0].control) != "refused" if len(found) == 1 else None
