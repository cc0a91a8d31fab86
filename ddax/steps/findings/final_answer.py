"""The answer of a run: the last synthesis, with what carries each of its statements."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ddax.debate.carried import short_unsupported
from ddax.debate.support import CARRIED, Means, Support, supports
from ddax.graph.services import Session
from ddax.graph.state import Answer, State
from ddax.memory.embed.likeness import Vectors
from ddax.reasoning.budget import FREE
from ddax.reasoning.protocol import Stated, Synthesis
from ddax.reasoning.reports import body_of
from ddax.steps.findings.from_knowledge import all_own
from ddax.steps.findings.gather import citation_row, whole_text
from ddax.types import Citation

TOLD = 80
"""Characters of a statement that a note tells."""
NAMED = 3
"""Statements that a note names."""
ALL_OWN = "No source was read for this: it is what the model knows itself."


def form_of(session: Session) -> Mapping[str, Any] | None:
    """Return the schema the answer is to have; None for a text."""
    output = session.settings.output
    return output if isinstance(output, Mapping) else None


def answer_of(reply: Synthesis) -> Answer:
    """Turn the final synthesis into the answer of the run."""
    answer = Answer(
        text=reply.text, short=reply.short, found=reply.found, support=reply.support,
        citations=[citation_row(c) for c in reply.citations],
    )  # fmt: skip
    if reply.notes:
        answer["notes"] = [*reply.notes]
    if reply.data:
        answer["data"] = dict(reply.data)
    if reply.nearest and not reply.found:
        answer["nearest"] = [asdict(one) for one in reply.nearest]
    return answer


async def supported(
    answer: Answer, state: State, session: Session, *, stated: Sequence[Stated] = ()
) -> Answer:
    """Say of each statement of an answer what carries it, beside the text.

    The report of what was done in a world needs no quote; a model that says so does.
    """
    if not answer["found"] or (session.world is not None and session.reasoner.name in FREE):
        return answer
    means = Means(
        session.check,
        Vectors(session.embedder).likeness,
        await whole_text(session, state["work"]["id"]) or state["work"]["text"],
        session.settings.debate.support,
        own=await all_own(state, session),
    )
    citations = [Citation(**row) for row in answer["citations"]]
    text = body_of(answer["text"]) if session.settings.output == "report" else answer["text"]
    found = await asyncio.to_thread(supports, text, citations, means, stated=stated)
    return _with_spans(answer, found)


def _with_spans(answer: Answer, found: Sequence[Support]) -> Answer:
    text, quotes = answer["text"], [str(row["quote"]) for row in answer["citations"]]
    carried = [one.citations[0] if one.status in CARRIED and one.citations else 0 for one in found]
    lines = [(text[one.start : one.end], number) for one, number in zip(found, carried, strict=True)]
    bare = short_unsupported(answer.get("short", ""), lines, quotes)
    told = Answer(
        **{**answer, "carried": carried, "short_unsupported": bare, "spans": [one.row() for one in found]}
    )
    notes = [*answer.get("notes", []), *_own(text, found)]
    if notes:
        told["notes"] = notes
    return told


def _own(text: str, found: Sequence[Support]) -> list[str]:
    """Say which part of an answer does not come from the sources, in one line; none where all does."""
    own = [text[one.start : one.end] for one in found if one.status == "knowledge"]
    if not own:
        return []
    if len(own) == len(found):
        return [ALL_OWN]
    named = "; ".join(f"“{_cut(piece)}”" for piece in own[:NAMED])
    more = f" and {len(own) - NAMED} more" if len(own) > NAMED else ""
    return [f"Not from the sources, but what the model knows itself: {named}{more}."]


def _cut(piece: str) -> str:
    line = " ".join(piece.split()).rstrip(".")
    return line if len(line) <= TOLD else f"{line[: TOLD - 1].rstrip()}…"
