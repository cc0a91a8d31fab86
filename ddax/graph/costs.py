"""What model calls cost, beyond the sums in the state: a log row for each node that asked a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ddax.graph.services import Session

if TYPE_CHECKING:
    from ddax.graph.state import Update
    from ddax.reasoning.budget import Place

CALLS = "calls"
"""The log of what each request to a model cost."""


async def note_calls(place: Place, state: Any, session: Session) -> None:
    """Log what each request of a node cost; the state keeps only the sums."""
    work = state.get("work", {})
    if place.calls and work:
        thread = work.get("thread", "")
        row = {"task": work["id"], "thread": thread, "node": place.node, "step": place.step}
        key = f"{work['id']}:{place.node}:{place.step}:{place.idea}"
        await session.memory.log(CALLS, {**row, "calls": place.calls}, key=key)


def by_node(name: str, update: Update) -> Update:
    """Add what a node spent on a model under its own name to the usage."""
    usage = update.get("usage")
    if not isinstance(usage, dict) or not usage.get("model_calls"):
        return update
    own = {f"{name}.{key}": usage.get(key) for key in ("model_calls", "tokens", "usd")}
    return {**update, "usage": {**usage, **own}}
