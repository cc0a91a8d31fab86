"""What a task did not get to read or to search: told with its answer."""

from __future__ import annotations

from ddax.actions.sources.skipping import lost, reasons_told
from ddax.actions.unsearched import UNSEARCHED
from ddax.environments.actions import REFUSED_PAGES, UNENDED_PAGES
from ddax.graph.ports import Remembers
from ddax.graph.services import Session
from ddax.graph.state import Answer, Work
from ddax.memory.gate.write_gate import REFUSALS
from ddax.memory.protocol import FORGOTTEN, MANY
from ddax.wording import amount, sentence


async def withheld(answer: Answer, work: Work, session: Session) -> Answer:
    """Return an answer that was not found with what of the sources was not read for it.

    That are passages that were kept out, of which nothing is told that they said, pages that did not end or
    were refused, and files and folders that were skipped.
    """
    if answer.get("found"):
        return answer
    task = work["id"]
    forgotten, ordering = [await _passages(session, task, why) for why in (FORGOTTEN, "instructions")]
    parts = [amount(forgotten, "forgotten passage")] if forgotten else []
    parts += [f"orders to the reader in {amount(ordering, 'passage')}"] if ordering else []
    pages = len(await session.memory.rows(UNENDED_PAGES, task=task, limit=MANY))
    told = [f"Kept out: {', '.join(parts)}."] if parts else []
    told += [f"{amount(pages, 'page')} had not ended when read: there may be more."] if pages else []
    refused = await session.memory.rows(REFUSED_PAGES, task=task, limit=MANY)
    told += [sentence(f"{row['why']}: {row['source']}.") for row in refused]
    skipped = lost(work.get("skipped", []))
    told += [f"Not read: {reasons_told(skipped)}."] if skipped else []
    if not told:
        return answer
    return Answer(**{**answer, "text": " ".join([answer.get("text", ""), *told]).strip()})


async def with_unsearched(answer: Answer, work: Work, session: Remembers) -> Answer:
    """Return an answer with a note for each that could not be searched, found or not."""
    rows = await session.memory.rows(UNSEARCHED, task=work["id"], limit=MANY)
    if not rows:
        return answer
    told = dict.fromkeys(f"{row['said'].rstrip('.')}. Only the others were searched." for row in rows)
    return Answer(**{**answer, "notes": [*answer.get("notes", []), *told]})


def noted(answer: Answer, *notes: str) -> Answer:
    """Return an answer with more notes; empty ones are none."""
    told = [note for note in notes if note]
    return Answer(**{**answer, "notes": [*answer.get("notes", []), *told]}) if told else answer


async def _passages(session: Remembers, task: str, reason: str) -> int:
    """Count the passages of sources that a task met and that were not stored for a reason, each once."""
    rows = await session.memory.rows(REFUSALS, task=task, reason=reason, limit=MANY)
    return len({(row["source"], row["digest"]) for row in rows if row["source"]})
