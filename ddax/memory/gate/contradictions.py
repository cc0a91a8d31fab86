"""Which stored rows say the opposite of a new one, and which of those it cites say it of each other.

Rows that are read in one step do not see each other, so that a resumed run stores what the undisturbed
one stored: it is the conclusion from them, written later, that shows where they differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from ddax.memory.gate.statement_pairs import comparable, statements
from ddax.memory.protocol import Relation
from ddax.types import EntailmentCheck, Record

MAX_CHECKS = 6
"""Support checks one write may ask for: each may cost a model."""
SURE = 0.5
"""Confidence from which on a contradiction is kept."""


def contradictions(
    record: Record, near: Sequence[Record], cited: Sequence[Record], check: EntailmentCheck
) -> list[Relation]:
    """Return the relations a new row brings, `newer` empty where it is the row itself.

    The newer of one source supersedes; all others contradict. A sentence that a cited row says too is
    not held against the other rows it cites: then these differ, not the conclusion.
    """
    found: list[Relation] = []
    known = {row.id for row in cited}
    quoted = [_plain(row.text) for row in cited]
    mine = _stated(record)
    own = [text for text in mine if not any(_untitled(text, cited) in quote for quote in quoted)]
    asked = _Asked(check)
    for old in near:
        confidence = asked.differ(_stated(old), own if old.id in known else mine)
        if confidence is not None:
            found.append(_relation(record, old, confidence, by=record, newer=""))
    for one, other in combinations(sorted(cited, key=_began), 2):
        confidence = asked.differ(_stated(one), _stated(other))
        if confidence is not None:
            found.append(_relation(other, one, confidence, by=record, newer=other.id))
    return found


def superseded(record: Record, near: Sequence[Record], text: str) -> tuple[Relation, ...]:
    """Return the relations to rows of an earlier version of a page that do not stand in its `text` now."""
    page = record.meta.get("page")
    gone = [
        row
        for row in near
        if row.source == record.source and row.meta.get("page", page) != page and row.text not in text
    ]
    return tuple(
        Relation("supersedes", "", row.id, task=record.task, step=record.step, at=_began(record))
        for row in gone
    )


class _Asked:
    """Ask the support check, at most `MAX_CHECKS` times."""

    def __init__(self, check: EntailmentCheck) -> None:
        self._check, self._left = check, MAX_CHECKS

    def differ(self, old: Sequence[str], new: Sequence[str]) -> float | None:
        """Return how sure it is that two of the statements contradict each other; None where none do."""
        for premise, hypothesis in _pairs(old, new):
            if self._left == 0:
                return None
            self._left -= 1
            ruled = self._check(premise, hypothesis)
            if ruled.relation == "contradiction" and ruled.confidence >= SURE:
                return ruled.confidence
        return None


def _pairs(old: Iterable[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    return ((one, other) for one in old for other in new if comparable(one, other))


def _stated(record: Record) -> list[str]:
    """Return what a row states: a list of what a search found, torn from its pages, states nothing."""
    return [] if record.meta.get("kind") == "search" else statements(record.text)


def _untitled(text: str, cited: Sequence[Record]) -> str:
    """Return a sentence without the title that a conclusion puts before what it quotes."""
    head, colon, rest = text.partition(": ")
    return _plain(rest if colon and head in {row.title for row in cited} else text)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold().strip(" .")


def _began(record: Record) -> float:
    return record.valid_from or record.created


def _relation(new: Record, old: Record, confidence: float, *, by: Record, newer: str) -> Relation:
    replaced = bool(new.source) and new.source == old.source and _began(new) > _began(old)
    return Relation(
        "supersedes" if replaced else "contradicts", newer, old.id, confidence,
        task=by.task, step=by.step, at=_began(new),
    )  # fmt: skip
