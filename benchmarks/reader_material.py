"""What the scorer of the answers without a model is trained on: questions, what was read, what is right.

Questions over real collections are read as the graph reads them; the paragraphs of encyclopaedias, two-hop
questions, small documents and made chains are read from a shelf that is searched by words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.hotpot import normal

if TYPE_CHECKING:
    from ddax.reasoning.embedded.candidates import Candidate
    from ddax.types import Passage

EVERY = 16
"""Of the questions over paragraphs every so many are asked: a paragraph has nine."""
READ = 5
"""Documents that are read for a question."""


@dataclass(frozen=True)
class Asked:
    """A question with what was read for it; `right` says 1, 0 or -1 (unsure) of a candidate."""

    kind: str
    group: str
    question: str
    passages: tuple[Passage, ...]
    answerable: bool
    right: Callable[[Candidate], int]


def said(candidate: Candidate) -> str:
    """Return what a claim of a candidate says."""
    told = " ".join(f"{i.sentence.passage.title} {i.sentence.told}" for i in candidate.lines)
    return f" {normal(f'{candidate.short} {told}')} "


def passages_of(source: str, title: str, text: str, question: str, *, most: int = 6) -> list[Passage]:
    """Return the parts of a document that bear most on a question, as a visit keeps them."""
    from ddax.actions.pages import relevant
    from ddax.text.chunks import chunks
    from ddax.types import Passage

    pieces = relevant(chunks(text), question, most)
    return [Passage(f"{source}:{p.start}", source, title, p.text, p.start, p.end) for p in pieces]


class Shelf:
    """Documents that are searched by words, and followed by the titles they name."""

    def __init__(self, documents: Sequence[tuple[str, str]]) -> None:
        from ddax.actions.sources.bm25 import Bm25, weighted_counts
        from ddax.actions.sources.titles import TitleIndex
        from ddax.actions.sources.tokens import tokens

        self.documents = list(documents)
        rows = (weighted_counts(tokens(text), tokens(title), title_weight=2) for title, text in documents)
        self._index, self._titles = Bm25.build(rows), TitleIndex([title for title, _ in documents])

    def read(
        self, question: str, *, hidden: frozenset[int] = frozenset(), follow: bool
    ) -> tuple[Passage, ...]:
        """Return what would be read for a question: the best two documents, what they name, the next."""
        from ddax.actions.sources.tokens import query_tokens

        scores = self._index.scores(dict.fromkeys(query_tokens(question), 1.0))
        order = [int(k) for k in np.argsort(-scores, kind="stable") if int(k) not in hidden]
        named = (
            [m.document for k in order[:2] for m in self._titles.mentions(self.documents[k][1])]
            if follow
            else []
        )
        kept = [k for k in named if k not in hidden and k not in order[:2]][:2]
        chosen = list(dict.fromkeys([*order[:2], *kept, *order[2:]]))[:READ]
        return tuple(p for k in chosen for p in passages_of(f"{k}.md", *self.documents[k], question))


def squad(path: Path) -> Iterator[Asked]:
    """Yield questions over paragraphs, half of them with no answer there."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    documents = list(dict.fromkeys((row["title"], row["context"]) for row in rows))
    shelf = Shelf(documents)
    for row in rows[::EVERY]:
        gold = f"{documents.index((row['title'], row['context']))}.md"
        yield Asked(
            "squad", row["title"], row["question"], shelf.read(row["question"], follow=False),
            bool(row["answers"]), _in_span(gold, row["starts"], row["answers"]),
        )  # fmt: skip


def _in_span(gold: str, starts: Sequence[int], answers: Sequence[str]) -> Callable[[Candidate], int]:
    def right(candidate: Candidate) -> int:
        line = candidate.lines[0].sentence
        if line.passage.source == gold:
            return int(any(line.start <= start < line.end for start in starts))
        return -int(any(f" {normal(answer)} " in said(candidate) for answer in answers))

    return right


def hotpot(path: Path) -> Iterator[Asked]:
    """Yield two-hop questions with the paragraphs that answer them, and without."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    pool = {p["title"]: "".join(p["sentences"]) for row in rows for p in row["paragraphs"]}
    documents = list(pool.items())
    shelf = Shelf(documents)
    for number, row in enumerate(rows):
        titles = {title for title, _ in row["supporting"]}
        hidden = frozenset(k for k, (title, _) in enumerate(documents) if title in titles)
        for away in (False, True):
            read = shelf.read(row["question"], hidden=hidden if away else frozenset(), follow=True)
            yield Asked(
                "hotpot", f"{number}", row["question"], read, not away, _in_titles(row["answer"], titles)
            )


def _in_titles(answer: str, titles: set[str]) -> Callable[[Candidate], int]:
    def right(candidate: Candidate) -> int:
        holds = f" {normal(answer)} " in said(candidate)
        return int(holds) if candidate.lines[0].sentence.passage.title in titles else -int(holds)

    return right


_TIME_OR_PLACE = re.compile(
    r"(?:when|where)(?= (?:did|does|do|was|were|is|are|has|have|had)\b)", re.IGNORECASE
)


def without_reason(made: Iterable[Asked]) -> Iterator[Asked]:
    """Yield what is asked, and where a time or a place is asked for once more for a reason: none is given."""
    for asked in made:
        yield asked
        if _TIME_OR_PLACE.match(asked.question):
            why = _TIME_OR_PLACE.sub("Why", asked.question, count=1)
            yield Asked("why", asked.group, why, asked.passages, False, lambda _: 0)


def cases(path: Path) -> Iterator[Asked]:
    """Yield questions over small documents, with the quote that answers or none."""
    from ddax.types import Passage

    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        read = tuple(
            Passage(f"{source}:{start}", source, title, text, start, start + len(text))
            for source, title, text, start in row["documents"]
        )
        group = sha256("".join(text for *_, text, _ in row["documents"]).encode()).hexdigest()[:8]
        yield Asked("cases", group, row["question"], read, bool(row["quotes"]), _of_case(row))


def _of_case(row: dict[str, Any]) -> Callable[[Candidate], int]:
    quotes, short = [tuple(quote) for quote in row["quotes"]], row["short"]

    def right(candidate: Candidate) -> int:
        places = {(i.sentence.passage.source, i.sentence.text) for i in candidate.lines}
        if not quotes:
            return 0
        if candidate.op and candidate.short and short:
            return int(normal(candidate.short) == normal(short))
        if places & set(quotes[:1]):
            return 1
        if not places & set(quotes):
            return 0
        plain = not short or short in ("yes", "no") or short == candidate.lines[0].sentence.passage.title
        return 1 if plain or f" {normal(short)} " in said(candidate) else -1

    return right
