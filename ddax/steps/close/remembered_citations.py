"""Which quotes of an answer are of earlier tasks: told, since their sources were not read again."""

from __future__ import annotations

from collections.abc import Mapping

from ddax.graph.ports import Acts
from ddax.graph.services import Session
from ddax.graph.state import Answer, State
from ddax.steps.findings.gather import read_ids, read_pages
from ddax.types import JsonDict, Record


async def remembered(state: State, answer: Answer, session: Session) -> Answer:
    """Return an answer whose citations and nearest passages say where they are remembered alone.

    Those are of a source that this task has not read, and that is none of the sources of the run.
    """
    citations, shown = answer.get("citations", []), answer.get("nearest", [])
    known = set(read_ids(state))
    asked = [str(c["passage_id"]) for c in (*citations, *shown) if c["passage_id"] not in known]
    if not asked:
        return answer
    sources = {passage.source for passage in await read_pages(state, session)}
    rows = {row.id: row for row in await session.memory.get(asked) if row.source not in sources}
    told = Answer(**{**answer, "citations": [_marked(one, rows, session) for one in citations]})
    if shown:
        told["nearest"] = [_marked(one, rows, session) for one in shown]
    return told


def _marked(cited: JsonDict, rows: Mapping[str, Record], session: Acts) -> JsonDict:
    row = rows.get(str(cited["passage_id"]))
    held = row is None or session.library.holds(row.source, row.text)
    return cited if held else {**cited, "remembered": True}
