"""Long reading cut by what bears on the question, never by where it stands.

What is cut away is noted in the log of the task, and stays in the memory, where another request finds it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ddax.graph.services import Session
from ddax.reasoning.budget import FREE
from ddax.reasoning.protocol import ExtractRequest, Reasoner
from ddax.reasoning.sourced import FIXED, TOLD, of_passages, sourced
from ddax.steps.findings.quick_road import CLAIMS, chosen
from ddax.types import Passage

NOTES = "notes"


async def fitted(
    passages: Sequence[Passage], question: str, session: Session, *, task: str, what: str
) -> tuple[Passage, ...]:
    """Return the passages that a model is given of what was read: all where they fit, else the best.

    They are put in order without a model. `what` names the request for the note, `task` is its id.
    """
    room, length = session.settings.models.passages, sum(len(passage.text) for passage in passages)
    if session.reasoner.name in FREE or length <= room:
        return tuple(passages)
    kept = chosen(passages, await best_first(passages, question, session.free), room)
    shown = sum(len(passage.text) for passage in kept)
    note = f"{what}: the model was given {shown:,} of {length:,} characters read, those that bear most on it"
    await session.memory.log(NOTES, {"task": task, "note": note}, key=f"{task}:fitted:{what}")
    return kept


async def best_first(passages: Sequence[Passage], question: str, free: Reasoner) -> list[str]:
    """Return the ids of the passages that bear on a question, best first, by a reading without a model."""
    request = ExtractRequest(question, question, tuple(passages), CLAIMS)
    request = sourced(request, task=TOLD, intent=TOLD, passages=of_passages(passages), others=FIXED)
    return [claim.citation.passage_id for claim in (await free.extract(request)).claims]
