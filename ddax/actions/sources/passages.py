"""Passages of documents: what is scored, embedded and quoted from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from ddax.actions.sources.bm25 import Bm25, weighted_counts
from ddax.actions.sources.tokens import tokens
from ddax.text.chunks import chunks, sentences
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


class Passages(Sequence[Passage]):
    """Passages as rows of numbers, which are opened at once however many there are."""

    def __init__(self, rows: NDArray[np.int32]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.rows)

    @overload
    def __getitem__(self, number: int) -> Passage: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Passage]: ...
    def __getitem__(self, number: int | slice) -> Passage | Sequence[Passage]:
        """Return a passage by its number, or some of them."""
        found = self.rows[number].tolist()
        return [Passage(*row) for row in found] if isinstance(number, slice) else Passage(*found)


def cut(documents: Iterable[Document]) -> NDArray[np.int32]:
    """Cut documents into passages."""
    rows = [
        (number, piece.start, piece.end)
        for number, document in enumerate(documents)
        for piece in chunks(document.text)
    ]
    return np.array(rows, np.int32).reshape(len(rows), 3)


class Index:
    """The passages of documents in their order, with a lexical index over them.

    `rows` are passages that were cut before, `key` names what the index is kept under; a kept one is opened
    at the first search.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        folder: Path,
        rows: NDArray[np.int32] | None = None,
        key: str = "",
    ) -> None:
        self.documents = documents
        self.passages = Passages(cut(documents) if rows is None else rows)
        self._folder, self._key = folder, key
        self._lock = Lock()
        if rows is None:
            _ = self.bm25

    @cached_property
    def bm25(self) -> Bm25:
        """The lexical index, from the disk where it is kept."""
        with self._lock:
            return self.__dict__.get("bm25") or self._open(self._folder)

    def _open(self, folder: Path) -> Bm25:
        path = folder / f"bm25-{INDEX_VERSION}-{self._key or self._named()}.npz"
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

    def _named(self) -> str:
        key = hashlib.sha256(f"{INDEX_VERSION}".encode())
        for document in self.documents:
            key.update(document.doc_id.encode())
        return key.hexdigest()[:24]

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
