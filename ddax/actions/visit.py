"""The action `visit`: read one document whole, keep it, and note what it mentions.

The page is kept by content hash; the chunks that bear on the intent become observations. Titles of
other documents named in the page are returned as hits: what the first finding names can be visited
next.
"""

from __future__ import annotations

import re
from collections import Counter

from pydantic import BaseModel, ConfigDict, Field

from ddax.actions.protocol import ActionContext, ActionResult, Library
from ddax.actions.registry import action
from ddax.errors import ActionError
from ddax.memory.chunks import Chunk, chunks
from ddax.types import Document, Record

_WORD = re.compile(r"\w+")
MAX_CHUNKS = 24
"""Chunks of one page that become observations; the whole page is kept beside them."""


class VisitArguments(BaseModel):
    """The document to read, by path or URI."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str = Field(min_length=1)
    intent: str = ""


def at_home(library: Library, arguments: VisitArguments) -> bool:
    """Tell whether a document is among the sources, so that nobody outside is asked for it."""
    remote = arguments.source.lower().startswith(("http://", "https://"))
    return not remote or arguments.source in library.specs


@action(effect="reads", inside=at_home)
async def visit(context: ActionContext, arguments: VisitArguments) -> ActionResult:
    """Read one document and keep what bears on the intent."""
    page = await context.library.read(arguments.source)
    if not page.text.strip():
        raise ActionError(f"{arguments.source!r} holds no text.", kind="empty")
    mentioned = await context.library.mentioned(page.text)
    hits = tuple(hit for hit in mentioned if hit.source != page.source)
    summary = f"{page.title}: {' '.join(page.text.split())[:200]}"
    return ActionResult(
        summary,
        records=_records(context, page, arguments.intent),
        pages=(page,),
        sources=(page.source,),
        hits=hits,
    )


def _records(context: ActionContext, page: Document, intent: str) -> tuple[Record, ...]:
    kept = relevant(chunks(page.text), f"{context.task_text[:2000]} {intent}", MAX_CHUNKS)
    return tuple(
        Record(
            "observation",
            piece.text,
            source=page.source,
            title=page.title,
            start=piece.start,
            end=piece.end,
            task=context.task,
            idea=context.idea,
            step=context.step,
            created=context.now,
            meta={**page.notes, "kind": "page", "page": page.doc_id},
        )
        for piece in kept
    )


def relevant(pieces: list[Chunk], query: str, limit: int) -> list[Chunk]:
    """Keep the chunks that share the rarest words with the query, in the order of the page.

    The first chunk always stays: it says what the page is about. A word counts 1/(chunks it is in).
    """
    if len(pieces) <= limit:
        return pieces
    words = set(_WORD.findall(query.casefold()))
    held = [words & set(_WORD.findall(piece.text.casefold())) for piece in pieces]
    spread = Counter(word for found in held for word in found)
    weight = [sum(1 / spread[word] for word in found) for found in held]
    best = sorted(range(1, len(pieces)), key=lambda k: (-weight[k], k))[: limit - 1]
    return [pieces[k] for k in sorted([0, *best])]
