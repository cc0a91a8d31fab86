"""What an action keeps of a page: its parts that bear on the task become observations."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from functools import partial

from ddax.actions.protocol import ActionContext
from ddax.memory.gate.write_gate import only_orders
from ddax.memory.records import CUT, FENCED, LARGE
from ddax.text.chunks import Chunk, chunks, fences, is_fenced
from ddax.types import Document, JsonDict, Record
from ddax.wording import gist

_WORD = re.compile(r"\w+")
MAX_CHUNKS = 24
"""Chunks of one page that become observations, and among which its opening is looked for.

The whole page is kept beside them.
"""
ABOUT = 2000
"""Characters of the task that say what bears on it."""


async def cut_page(
    context: ActionContext, page: Document, *, about: str = "", kind: str = "page"
) -> tuple[Record, ...]:
    """Return what `page_records` does; a large page does not hold up the leaves beside it."""
    cut = partial(page_records, context, page, about=about, kind=kind)
    return await asyncio.to_thread(cut) if len(page.text) > LARGE else cut()


def page_records(
    context: ActionContext, page: Document, *, about: str = "", kind: str = "page"
) -> tuple[Record, ...]:
    """Return the parts of a page that bear on a text, by default the task, each with its place in it."""
    parts, edges = chunks(page.text), fences(page.text)
    opening = _opening(parts)
    pieces = relevant(parts, about or gist(context.task_text, ABOUT), MAX_CHUNKS, opening=opening)
    return tuple(
        Record(
            "observation", piece.text, source=page.source, title=page.title, start=piece.start, end=piece.end,
            task=context.task, idea=context.idea, step=context.step, created=context.now,
            meta={**page.notes, "kind": kind, "page": page.doc_id, **_front(piece, parts[opening]),
                  **({FENCED: True} if is_fenced(edges, piece.start) else {})},
        )
        for piece in pieces
    )  # fmt: skip


def _opening(parts: list[Chunk]) -> int:
    """Return the number of the part that opens a page: the first that holds more than orders to its reader.

    The gate keeps no orders, and who writes some above a text must not take its opening away.
    """
    return next((k for k, part in enumerate(parts[:MAX_CHUNKS]) if not only_orders(part.text)), 0)


def _front(piece: Chunk, opening: Chunk) -> JsonDict:
    """Return what the part that opens a page says of what is left out before it."""
    return {CUT: piece.start} if piece is opening and piece.start else {}


def relevant(pieces: list[Chunk], query: str, limit: int, *, opening: int = 0) -> list[Chunk]:
    """Keep the chunks that share the rarest words with the query, in the order of the page.

    The first chunk and the one that opens the page always stay: they say what the page is about. A word
    counts 1/(chunks it is in).
    """
    if len(pieces) <= limit:
        return pieces
    words = set(_WORD.findall(query.casefold()))
    held = [words & set(_WORD.findall(piece.text.casefold())) for piece in pieces]
    spread = Counter(word for found in held for word in found)
    weight = [sum(1 / spread[word] for word in found) for found in held]
    fixed = {0, opening}
    others = (k for k in range(len(pieces)) if k not in fixed)
    best = sorted(others, key=lambda k: (-weight[k], k))[: limit - len(fixed)]
    return [pieces[k] for k in sorted([*fixed, *best])]
