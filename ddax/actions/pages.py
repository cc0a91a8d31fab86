"""What an action keeps of a page: its parts that bear on the task become observations."""

from __future__ import annotations

import re
from collections import Counter

from ddax.actions.protocol import ActionContext
from ddax.memory.chunks import Chunk, chunks
from ddax.memory.records import CUT
from ddax.types import Document, JsonDict, Record

_WORD = re.compile(r"\w+")
MAX_CHUNKS = 24
"""Chunks of one page that become observations; the whole page is kept beside them."""
ABOUT = 2000
"""Characters of the task that say what bears on it."""


def page_records(
    context: ActionContext, page: Document, *, about: str = "", kind: str = "page"
) -> tuple[Record, ...]:
    """Return the parts of a page that bear on a text, by default the task, each with its place in it."""
    pieces = relevant(chunks(page.text), about or context.task_text[:ABOUT], MAX_CHUNKS)
    return tuple(
        Record(
            "observation", piece.text, source=page.source, title=page.title, start=piece.start, end=piece.end,
            task=context.task, idea=context.idea, step=context.step, created=context.now,
            meta={**page.notes, "kind": kind, "page": page.doc_id, **front},
        )
        for piece, front in zip(pieces, _fronts(pieces), strict=True)
    )  # fmt: skip


def _fronts(pieces: list[Chunk]) -> list[JsonDict]:
    """Return what the first part says of the white space before it; the others stand at their places."""
    return [{CUT: piece.start} if k == 0 and piece.start else {} for k, piece in enumerate(pieces)]


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
