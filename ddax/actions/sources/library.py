"""The library of a run: search, read and follow titles over all its sources.

Candidates are chosen by words alone and their vectors are the same whether kept or made now, so a
result never depends on how many vectors are there already.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ddax.actions.sources.passages import Index
from ddax.actions.sources.shelf import Shelf
from ddax.actions.sources.skipping import Skipped
from ddax.actions.sources.titles import TitleIndex
from ddax.actions.sources.tokens import query_tokens
from ddax.actions.sources.web import SCHEMES, Pages, read_url
from ddax.errors import ActionError, UsageError
from ddax.memory.protocol import Embedder
from ddax.types import Document, Hit
from ddax.wording import amount

CANDIDATES = 100
"""Passages that a hybrid search takes from the lexical one and embeds."""
INTENT_WEIGHT = 0.5
"""Weight of a word of the intent beside one of the query."""
DENSE_SHARE = 0.5
"""Share of meaning in a hybrid score; both parts lie in [0, 1], and neither is trusted more."""
BATCH = 8
"""Passages embedded at once behind a run: small, so that a run need not wait for them at its end."""
LEAST_PRIORITY = 19
MODES = ("lexical", "dense", "hybrid")

Scores: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.intp]


class SourceLibrary:
    """Documents in memory with their indexes; made by `open_library`."""

    outside = False

    def __init__(
        self,
        specs: Sequence[str],
        held: Sequence[Document] | Shelf,
        *,
        embedder: Embedder,
        folder: Path,
        skipped: Sequence[Skipped] = (),
        allow_hosts: Sequence[str] = (),
        web: Pages | None = None,
        key: str = "",
    ) -> None:
        shelf = held if isinstance(held, Shelf) else None
        self.specs, self.skipped = tuple(specs), tuple(skipped)
        self.documents: Sequence[Document] = held.documents if isinstance(held, Shelf) else tuple(held)
        self._allow_hosts, self._web = tuple(allow_hosts), web
        self._embedder = embedder
        self._index = Index(self.documents, folder, None if shelf is None else shelf.passages, key)
        sources = [one.source for one in self.documents] if shelf is None else shelf.sources
        self._by_source: dict[str, list[int]] = {}
        for number, source in enumerate(sources):
            self._by_source.setdefault(source, []).append(number)

    def shelf(self) -> Shelf:
        """Return what this library is made of, to be kept."""
        sources = [one.source for one in self.documents]
        return Shelf(self.documents, sources, self._index.passages.rows, self.skipped)

    @cached_property
    def _titles(self) -> TitleIndex:
        return TitleIndex([document.title for document in self.documents])

    async def search(self, query: str, *, intent: str = "", k: int = 10, mode: str = "hybrid") -> list[Hit]:
        """Find the k best documents, each by its best passage; ties go by source.

        A lexical score is the share of the query's weight that is found, a dense one the cosine, a
        hybrid one their mean over the 100 passages that are lexically best. `dense` embeds all
        passages at its first use.
        """
        if mode not in MODES:
            raise UsageError(
                f"There is no search mode {mode!r}.",
                why="A search goes by words, by meaning, or by both.",
                mend=f"Use one of {', '.join(MODES)}.",
            )
        if k < 1 or not query.strip() or not self._index.passages:
            return []
        if mode == "dense":
            await self.warm()
        return await asyncio.to_thread(self._search, query, intent, k, mode)

    async def read(self, source: str) -> Document:
        """Return a whole document; an address that is not indexed is fetched; raises ActionError."""
        found = self._by_source.get(source) or self._by_source.get(source.rstrip("/"))
        if found:
            return self.documents[found[0]]
        if source.lower().startswith(SCHEMES):
            if self._web is not None:
                return await self._web.read(source)
            return await read_url(source, allow_hosts=self._allow_hosts)
        raise ActionError(
            f"There is no document {source!r}.", why=f"The sources are {self.describe()}.", kind="not_found"
        )

    async def mentioned(self, text: str, *, limit: int = 10) -> list[Hit]:
        """Find documents by titles in a text, in its order; one without its suffix scores 0.9."""
        return await asyncio.to_thread(self._mentioned, text, limit)

    def holds(self, source: str, text: str) -> bool | None:
        """Tell whether a source says a text now; None for what is none, False where its file is gone."""
        if found := self._by_source.get(source):  # modules have several documents of one source
            return any(text in self.documents[number].text for number in found)
        return False if any(_within(source, spec) for spec in self.specs) else None

    async def warm(self, limit: int | None = None) -> int:
        """Make the vectors of the first passages ahead and return their number; may be cancelled."""
        passages = self._index.passages[:limit]
        loop = asyncio.get_running_loop()
        behind = ThreadPoolExecutor(1, thread_name_prefix="ddax-fill", initializer=give_way)
        try:
            for i in range(0, len(passages), BATCH):
                texts = [self._index.embedded_text(passage) for passage in passages[i : i + BATCH]]
                await loop.run_in_executor(behind, self._embedder.embed, texts)
        finally:
            behind.shutdown(wait=False)
        return len(passages)

    def describe(self) -> str:
        """Say in one line what the sources are, how much they hold and what was left out."""
        if not self.specs:
            return "no sources"
        line = f"{', '.join(self.specs)} ({amount(len(self.documents), 'document')}"
        if self.skipped:
            reasons = Counter(item.reason.split(":")[0].split("(")[0].strip() for item in self.skipped)
            listed = ", ".join(f"{reason} ({count})" for reason, count in sorted(reasons.items()))
            line += f"; skipped {len(self.skipped)}: {listed}"
        return line + ")"

    def _search(self, query: str, intent: str, k: int, mode: str) -> list[Hit]:
        words = dict.fromkeys(query_tokens(intent), INTENT_WEIGHT) | dict.fromkeys(query_tokens(query), 1.0)
        lexical = self._index.bm25.scores(words)
        if mode == "lexical":
            chosen, scores = best(lexical, None), lexical
        else:
            chosen = np.arange(len(lexical)) if mode == "dense" else best(lexical, CANDIDATES)
            scores = self._fused(query, intent, lexical, chosen, 1.0 if mode == "dense" else DENSE_SHARE)
        return self._hits(chosen, scores, words, k)

    def _fused(self, query: str, intent: str, lexical: Scores, chosen: Places, share: float) -> Scores:
        """Mix the lexical scores of chosen passages with their cosines: `[n]`, zero elsewhere."""
        meant = query if not intent.strip() or intent in query else f"{query} {intent}"
        texts = [self._index.embedded_text(self._index.passages[i]) for i in chosen]
        aim = self._embedder.embed([meant])[0]
        scores = np.zeros_like(lexical)
        for i in range(0, len(texts), 1024):
            part = chosen[i : i + 1024]
            cosines = np.clip(self._embedder.embed(texts[i : i + 1024]) @ aim, 0.0, 1.0)
            scores[part] = share * cosines + (1 - share) * lexical[part]
        return scores

    def _hits(self, chosen: Places, scores: Scores, words: Mapping[str, float], k: int) -> list[Hit]:
        found: dict[int, int] = {}
        # Passages stand in the order of their sources, which a stable sort keeps among equals.
        for i in chosen[np.argsort(-scores[chosen], kind="stable")]:
            if len(found) == k or scores[i] <= 0:
                break
            found.setdefault(self._index.passages[i].document, int(i))
        return [self._hit(number, i, float(scores[i]), words) for number, i in found.items()]

    def _hit(self, number: int, passage: int, score: float, words: Mapping[str, float]) -> Hit:
        document = self.documents[number]
        snippet = self._index.snippet(self._index.passages[passage], words)
        return Hit(document.doc_id, document.source, document.title, snippet, min(max(score, 0.0), 1.0))

    def _mentioned(self, text: str, limit: int) -> list[Hit]:
        found: dict[int, Hit] = {}
        for mention in self._titles.mentions(text):
            if len(found) >= limit:
                break
            if mention.document not in found:
                document = self.documents[mention.document]
                snippet = document.text[:300].strip()
                score = 1.0 if mention.exact else 0.9
                found[mention.document] = Hit(
                    document.doc_id, document.source, document.title, snippet, score
                )
        return list(found.values())


def _within(source: str, spec: str) -> bool:
    """Tell whether a source lies in a folder that was named."""
    return "://" not in source and Path(spec) in Path(source).parents


def best(scores: Scores, limit: int | None) -> Places:
    """Return the places of the positive scores, best first, the earlier first among equals."""
    positive = np.flatnonzero(scores > 0)
    return positive[np.argsort(-scores[positive], kind="stable")][:limit]


def give_way() -> None:
    """Let this thread run only where no other wants the core; only Linux has priorities of threads."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LEAST_PRIORITY)
