"""What model calls cost, beyond the sums in the state: a log row for each node that asked a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ddax.configs.settings import Context
from ddax.graph.services import Services, Session
from ddax.nodes.gather import MANY
from ddax.types import JsonDict

if TYPE_CHECKING:
    from ddax.graph.runs import RunInfo
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


async def cost_rows(services: Services, info: RunInfo, default: Context) -> list[JsonDict]:
    """Return the log of a thread, oldest first; neither its key nor its sources are needed."""
    context = Context.model_validate(info.context) if info.context else default
    bare = context.model_copy(update={"model": "embedded", "replay": "", "record": "", "sources": ()})
    memory = (await services.session(bare)).memory
    return await memory.rows(CALLS, thread=info.thread_id, limit=MANY)
