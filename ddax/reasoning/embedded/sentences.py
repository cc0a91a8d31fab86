"""The sentences of passages, with their offsets in the document, and which of them bear on a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ddax.memory.chunks import sentences
from ddax.reasoning.embedded.text import bare_title
from ddax.types import Citation, Passage

MAX_SENTENCES = 400
"""Sentences weighed at once; beyond it the passages with the highest score come first."""


@dataclass(frozen=True)
class Sentence:
    """A verbatim sentence of a passage; `start` and `end` are its offsets in the document."""

    text: str
    start: int
    passage: Passage
    place: int

    @property
    def end(self) -> int:
        """Return the offset behind the last character."""
        return self.start + len(self.text)

    @property
    def titled(self) -> str:
        """Return the sentence with the title of its document in front, as an encoder should see it."""
        return f"{bare_title(self.passage.title)}: {self.text}" if self.passage.title else self.text

    def citation(self) -> Citation:
        """Return the quote of this sentence."""
        passage = self.passage
        return Citation(passage.id, passage.source, passage.title, self.text, self.start, self.end)


def split(passages: Sequence[Passage], *, limit: int = MAX_SENTENCES) -> list[Sentence]:
    """Cut passages into sentences; a sentence standing in two passages of a document comes once."""
    found: list[Sentence] = []
    seen: set[tuple[str, str]] = set()
    for passage in passages:
        for place, span in enumerate(sentences(passage.text)):
            text = passage.text[span.start : span.end]
            if text.strip() and (passage.source, text) not in seen:
                seen.add((passage.source, text))
                found.append(Sentence(text, passage.start + span.start, passage, place))
            if len(found) == limit:
                return found
    return found
