"""What a node weighed before it asked a model: a log row, which the next decision seals into its entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ddax.graph.services import Session
from ddax.memory.records import DOUBTS

if TYPE_CHECKING:
    from ddax.reasoning.budget import Place

SEALS = frozenset({"select", "reflect"})
"""Nodes that seal what they weigh themselves."""


async def note_doubts(place: Place, state: Any, session: Session) -> None:
    """Log what a node weighed, once: a node that runs again behind the same decision weighs the same."""
    work = state.get("work", {})
    if place.doubts and work and place.node not in SEALS:
        own = sorted(place.doubts, key=lambda row: (str(row["ceremony"]), str(row["idea"])))
        after = decided(state)
        row = {
            "task": work["id"], "thread": work.get("thread", ""), "node": place.node, "step": place.step,
            "idea": place.idea, "doubts": own, **({"after": after} if after else {}),
        }  # fmt: skip
        key = f"{work['id']}:{place.step}:{place.node}:{place.idea}:{after}"
        await session.memory.log(DOUBTS, row, key=key)


def decided(state: Any) -> str:
    """Return the hash of the decision a node works by, of the state or of the packet of a leaf."""
    return str(state.get("after") or state.get("decision", {}).get("hash", ""))
