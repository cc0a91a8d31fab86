"""Which citations of an answer are of earlier tasks: told, since their sources were not read again."""

from __future__ import annotations

from ddax.graph.ports import Acts
from ddax.graph.services import Session
from ddax.graph.state import Answer, State
from ddax.steps.findings.gather import read_ids, read_pages
from ddax.types import JsonDict, Record


async def remembered(state: State, answer: Answer, session: Session) -> Answer:
    """Return an answer whose citations say where they are remembered alone.

    Those are of a source that this task has not read, and that is none of the sources of the run.
    """
    citations = answer.get("citations", [])
    known = set(read_ids(state))
    asked = [str(c["passage_id"]) for c in citations if c["passage_id"] not in known]
    if not asked:
        return answer
    sources = {passage.source for passage in await read_pages(state, session)}
    rows = {row.id: row for row in await session.memory.get(asked) if row.source not in sources}
    marked = [_marked(citation, rows.get(str(citation["passage_id"])), session) for citation in citations]
    return Answer(**{**answer, "citations": marked})


def _marked(citation: JsonDict, row: Record | None, session: Acts) -> JsonDict:
    held = row is None or session.library.holds(row.source, row.text)
    return citation if held else {**citation, "remembered": True}
