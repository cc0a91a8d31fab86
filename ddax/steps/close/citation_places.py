"""Where the citations of an answer stand: what their documents brought along beside the text."""

from __future__ import annotations

from ddax.actions.sources.formats.extract import METADATA
from ddax.graph.services import Session
from ddax.graph.state import Answer


async def placed(answer: Answer, session: Session) -> Answer:
    """Return an answer whose citations have the metadata of their documents, where there is any."""
    citations = answer.get("citations", [])
    asked = list(dict.fromkeys(str(c["passage_id"]) for c in citations))
    if not asked:
        return answer
    held = {row.id: row.meta[METADATA] for row in await session.memory.get(asked) if METADATA in row.meta}
    if not held:
        return answer
    told = [{**c, METADATA: held[c["passage_id"]]} if c["passage_id"] in held else c for c in citations]
    return Answer(**{**answer, "citations": told})
