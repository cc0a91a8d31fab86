"""What model calls cost, beyond the sums in the state: a log row each time a node asked a model."""

from __future__ import annotations

from secrets import token_hex
from typing import TYPE_CHECKING, Any

from ddax.graph.services import Session

if TYPE_CHECKING:
    from ddax.graph.state import Update
    from ddax.reasoning.budget import Place

CALLS = "calls"
"""The log of what each request to a model cost."""


async def note_calls(place: Place, state: Any, session: Session) -> None:
    """Log what each request of a node cost; the state keeps only the sums.

    A node that was stopped and runs again has paid twice, and has a row for each time.
    """
    work = state.get("work", {})
    if place.calls and work:
        row = {
            "task": work["id"], "node": place.node, "step": place.step, "idea": place.idea,
            "thread": work.get("thread", ""), "calls": place.calls,
        }  # fmt: skip
        # A key of its own each time: to ask the log how often this node ran before costs every leaf a trip.
        await session.memory.log(CALLS, row, key=token_hex(8))


def by_node(name: str, update: Update) -> Update:
    """Add what a node spent on a model under its own name to the usage."""
    usage = update.get("usage")
    if not isinstance(usage, dict) or not (usage.get("model_calls") or usage.get("saved_calls")):
        return update
    keys = ("model_calls", "tokens", "usd") if usage.get("model_calls") else ()
    saved = [key for key in ("saved_calls", "saved_tokens") if usage.get(key)]
    own = {f"{name}.{key}": usage.get(key) for key in (*keys, *saved)}
    return {**update, "usage": {**usage, **own}}
