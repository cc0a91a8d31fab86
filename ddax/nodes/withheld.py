"""What the write gate kept out of what a task read: told with an answer that was not found."""

from __future__ import annotations

from ddax.graph.services import Session
from ddax.graph.state import Answer
from ddax.memory.gate import REFUSALS
from ddax.memory.protocol import FORGOTTEN
from ddax.nodes.gather import MANY
from ddax.wording import amount


async def withheld(answer: Answer, task: str, session: Session) -> Answer:
    """Return an answer that was not found with how many passages of the sources were kept out of it.

    Nothing is told of what they said.
    """
    if answer.get("found"):
        return answer
    forgotten, ordering = [await _passages(session, task, why) for why in (FORGOTTEN, "instructions")]
    parts = [amount(forgotten, "forgotten passage")] if forgotten else []
    parts += [f"orders to the reader in {amount(ordering, 'passage')}"] if ordering else []
    if not parts:
        return answer
    return Answer(**{**answer, "text": f"{answer.get('text', '')} Kept out: {', '.join(parts)}.".strip()})


async def _passages(session: Session, task: str, reason: str) -> int:
    """Count the passages of sources that a task met and that were not stored for a reason, each once."""
    rows = await session.memory.rows(REFUSALS, task=task, reason=reason, limit=MANY)
    return len({(row["source"], row["digest"]) for row in rows if row["source"]})
