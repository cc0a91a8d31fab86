"""Passages of documents: what is scored, embedded and quoted from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ddax.actions.sources.bm25 import Bm25, weighted_counts
from ddax.actions.sources.tokens import tokens
from ddax.memory.chunks import chunks, sentences
from ddax.types import Document

TITLE_WEIGHT = 2
"""A term of the title counts as so many of the text, in every passage of the document."""
SNIPPET_CHARS = 320
INDEX_VERSION = 2


class Passage(NamedTuple):
    """A chunk of the document with this number."""

    document: int
    start: int
    end: int


class Index:
    """The passages of documents in their order, with a lexical index over them."""

    def __init__(self, documents: Sequence[Document], folder: Path) -> None:
        self.documents = documents
        self.passages = [
            Passage(number, piece.start, piece.end)
            for number, document in enumerate(documents)
            for piece in chunks(document.text)
        ]
        self.bm25 = self._open(folder)

    def _open(self, folder: Path) -> Bm25:
        key = hashlib.sha256(f"{INDEX_VERSION}".encode())
        for document in self.documents:
            key.update(document.doc_id.encode())
        path = folder / f"bm25-{key.hexdigest()[:24]}.npz"
        bm25 = Bm25.load(path)
        if bm25 is None or bm25.size != len(self.passages):
            bm25 = Bm25.build(
                weighted_counts(
                    tokens(self.text(passage)),
                    tokens(self.documents[passage.document].title),
                    title_weight=TITLE_WEIGHT,
                )
                for passage in self.passages
            )
            bm25.save(path)
        return bm25

    def text(self, passage: Passage) -> str:
        """Return a passage, verbatim."""
        return self.documents[passage.document].text[passage.start : passage.end]

    def embedded_text(self, passage: Passage) -> str:
        """Return what is embedded for a passage: its title goes first, once."""
        text, title = self.text(passage), self.documents[passage.document].title
        return text if text[: len(title) + 8].lstrip("# ").startswith(title) else f"{title}\n{text}"

    def snippet(self, passage: Passage, query: Mapping[str, float]) -> str:
        """Quote the sentence of a passage that holds most of the query, and more while it stays short."""
        text = self.text(passage)
        spans = sentences(text)
        held = [
            sum(query[t] * self.bm25.idf(t) for t in set(tokens(text[s.start : s.end])) & query.keys())
            for s in spans
        ]
        first = last = max(range(len(spans)), key=lambda i: (held[i], -i), default=0)
        while last + 1 < len(spans) and spans[last + 1].end - spans[first].start <= SNIPPET_CHARS:
            last += 1
        return text[spans[first].start : spans[last].end] if spans else text
