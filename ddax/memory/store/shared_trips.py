"""What leaves that act together ask of a namespace, or log in it: for each trip to the record one answer.

Everything here is done on the record's thread. Leaves that ask at the same moment ask about the same
rows, so these are read once, by one statement, and shared: records are frozen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ddax.memory.protocol import RecallQuery
from ddax.memory.records import moment
from ddax.memory.scoring import Candidate, Floats
from ddax.memory.store.sqlite import Asked, Logged, RecordStore
from ddax.types import JsonDict, MemoryType, Record

Ids = Sequence[str]


class Seen(NamedTuple):
    """A question for rows with their vectors, as a task saw them."""

    ids: Ids
    task: str


class Near(NamedTuple):
    """A question for the k rows of a type nearest to a vector, of those that a query may see."""

    kind: MemoryType
    query: RecallQuery
    vector: Floats
    k: int

    def group(self) -> tuple[object, ...]:
        """Return what those share that look at the same rows."""
        return self.kind, self.query.task, self.query.before_step, self.query.now, self.query.as_of, self.k


class Questions:
    """Answer several questions of one kind at once; each gets what it would get alone."""

    def __init__(self, record: RecordStore, ns: str, *, clock: Callable[[], float]) -> None:
        self._record, self._ns, self._clock = record, ns, clock

    def log(self, rows: Sequence[Logged]) -> Sequence[None]:
        """Append rows to logs."""
        self._record.log(self._ns, rows, committed=moment(self._clock()))
        return [None] * len(rows)

    def rows(self, asked: Sequence[Asked]) -> Sequence[list[JsonDict]]:
        """Return rows of logs."""
        return self._record.answers(self._ns, asked)

    def records(self, asked: Sequence[Ids]) -> Sequence[list[Record]]:
        """Return the rows that exist, in the order asked for."""
        found = {record.id: record for record in self._record.records(self._ns, each_once(asked))}
        return [[found[row_id] for row_id in ids if row_id in found] for ids in asked]

    def known(self, asked: Sequence[Ids]) -> Sequence[set[str]]:
        """Return which near-duplicate keys are stored."""
        found = self._record.known(self._ns, each_once(asked))
        return [found.intersection(near) for near in asked]

    def candidates(self, asked: Sequence[Seen]) -> Sequence[list[Candidate]]:
        """Return the rows that exist with their vectors."""
        found: dict[str, dict[str, Candidate]] = {}
        for task in {question.task for question in asked}:
            ids = each_once(question.ids for question in asked if question.task == task)
            rows = self._record.candidates(self._ns, ids, task)
            found[task] = {candidate.record.id: candidate for candidate in rows}
        return [[found[task][row_id] for row_id in ids if row_id in found[task]] for ids, task in asked]

    def nearest(self, asked: Sequence[Near]) -> Sequence[list[str]]:
        """Return the ids of the nearest rows by exact search, looking at each row once."""
        groups: dict[tuple[object, ...], list[int]] = {}
        for number, question in enumerate(asked):
            groups.setdefault(question.group(), []).append(number)
        found: dict[int, list[str]] = {}
        for numbers in groups.values():
            kind, query, _, k = asked[numbers[0]]
            vectors = [asked[number].vector for number in numbers]
            found |= zip(numbers, self._record.nearest(self._ns, kind, vectors, query, k=k), strict=True)
        return [found[number] for number in range(len(asked))]


def each_once(asked: Iterable[Ids]) -> list[str]:
    """Return the ids of all questions, each once."""
    return list(dict.fromkeys(row_id for ids in asked for row_id in ids))
