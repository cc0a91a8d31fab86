"""The memory protocol: put, get and recall rows of two types; and the embedder it rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ddax.types import Document, JsonDict, MemoryType, Record


class Embedder(Protocol):
    """Turn texts into unit vectors; deterministic for one `fingerprint`."""

    name: str
    fingerprint: str
    dim: int

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts: `[n, dim]` float32, rows of unit length (a zero row for an empty text)."""
        ...


@dataclass(frozen=True)
class RecallQuery:
    """What to recall for an idea.

    `now` is the opening of the task in seconds since the epoch: ages count from it. Visible are rows
    of this `task` written in a step before `before_step`, and rows of other tasks committed before
    `now`, whatever time they say they were created at. Superseded rows are left out; with `as_of`
    (seconds since the epoch) the rows are recalled that were held to be true at that time.
    `n_thoughts` and `m_observations` bound the hits, `budget` their characters together.
    `trust` has the factor of each writer as it stood at the opening, and whom it does not name counts
    1; without it the store asks how the writer stands now.
    """

    text: str
    task: str
    before_step: int
    now: float
    n_thoughts: int = 5
    m_observations: int = 5
    budget: int = 6000
    min_score: float = 0.2
    as_of: float | None = None
    trust: Mapping[str, float] | None = None


@dataclass(frozen=True)
class MemoryHit:
    """A recalled row with the factors of its score.

    score = similarity · recency · (1 + λ_ε·ε) · trust (dda-x 2.1; docs/memory.md).
    """

    record: Record
    score: float
    similarity: float
    recency: float
    salience: float
    trust: float

    def explain(self) -> str:
        """Say how the score came about."""
        return (
            f"{self.score:.3f} = similarity {self.similarity:.3f} · recency {self.recency:.3f} "
            f"· surprise {self.salience:.3f} · trust {self.trust:.3f}"
        )


class Found(NamedTuple):
    """A row of a log found by meaning: its values and its similarity in [-1, 1]."""

    row: JsonDict
    similarity: float


@dataclass(frozen=True)
class Relation:
    """Two rows that cannot both hold now: the newer one contradicts or supersedes the older.

    `at` is since when (seconds since the epoch); `task` and `step` say where it was met, `confidence`
    in [0, 1] how sure the check was. `committed` is stamped by the store.
    """

    kind: Literal["contradicts", "supersedes"]
    newer: str
    older: str
    confidence: float = 1.0
    task: str = ""
    step: int = 0
    at: float = 0.0
    committed: float = 0.0


MANY = 100_000
"""More rows than one task writes into a log."""
FORGOTTEN = "forgotten"
"""The reason of the tombstone of a row that a human removed: its page goes with the last row of it."""


@dataclass(frozen=True)
class Tombstone:
    """What is left of a row that is gone: all but its text, why it went, and into which row.

    `digest` is the SHA-256 of its text, `near` what its near-exact duplicates have in common, "" in stones
    of older releases; `buried` is in seconds since the epoch.
    """

    id: str
    reason: str
    into: str = ""
    memory_type: str = ""
    title: str = ""
    source: str = ""
    task: str = ""
    idea: str = ""
    created: float = 0.0
    buried: float = 0.0
    digest: str = ""
    near: str = ""


class Kept(NamedTuple):
    """A row as it is kept: its place in the order of writing, when it was committed, its vector."""

    seq: int
    record: Record
    committed: float
    vector: NDArray[np.float32]


class LogRow(NamedTuple):
    """A row of a log as it is kept: its place in the order of writing, the log, its values."""

    seq: int
    table: str
    row: JsonDict


@dataclass(frozen=True)
class Blots:
    """What is to be overwritten or taken away so that nothing of a text is left.

    `rows` are log rows with their new values, `gone` the places of those that go, `pages` whole pages
    and `stones` tombstones with the words that are left of them.
    """

    rows: tuple[LogRow, ...] = ()
    gone: tuple[int, ...] = ()
    pages: tuple[Document, ...] = ()
    stones: tuple[Tombstone, ...] = ()


@dataclass(frozen=True)
class Tally:
    """How many of each there are: rows by type, logs by name, refusals by reason, and so on."""

    rows: dict[str, int]
    logs: dict[str, int]
    refusals: dict[str, int]
    relations: dict[str, int]
    tombstones: dict[str, int]
    pages: int


class Upkeep(Protocol):
    """What keeps a memory clean: relations, tombstones, and a walk over every row."""

    async def relate(self, relations: Sequence[Relation]) -> None:
        """Store relations; one of the same kind between the same rows stays as it was."""
        ...

    async def relations(self, ids: Sequence[str] | None = None) -> list[Relation]:
        """Return the relations of some rows, or all of them, oldest first."""
        ...

    async def bury(self, ids: Sequence[str], reason: str, *, into: str = "") -> int:
        """Replace rows by tombstones, and return how many there were; atomic.

        With the reason `FORGOTTEN` the pages of a source go too when no row of it is left.
        """
        ...

    async def tombstones(self, ids: Sequence[str] | None = None) -> list[Tombstone]:
        """Return the tombstones of these ids and near-duplicate keys, or all of them, oldest first."""
        ...

    async def restore(self, stones: Sequence[Tombstone]) -> int:
        """Keep tombstones of a copy of this namespace; return how many are new.

        One of a row that is there, or that has a tombstone, is left out; atomic.
        """
        ...

    async def scan(self, *, after: int = 0, limit: int = 1000) -> list[Kept]:
        """Return rows in the order they were written, from behind `after`."""
        ...

    async def branch(self, task: str, into: str, *, step: int, before: float) -> int:
        """Let another task see what a task had seen and logged up to a step and a moment.

        `before` is in seconds since the epoch. The ledger of decisions stays with whose it is. Returns
        how many log rows the other task got; doing it again changes nothing.
        """
        ...

    async def pages(self, source: str) -> list[Document]:
        """Return the stored pages of a source, oldest first."""
        ...

    async def resolve(self, prefix: str) -> list[str]:
        """Return the ids, of rows and of tombstones, that begin with a prefix; at most 20."""
        ...

    async def logs(self, *, after: int = 0, limit: int = 1000) -> list[LogRow]:
        """Return the rows of every log in the order they were written, from behind `after`."""
        ...

    async def blot(self, blots: Blots) -> None:
        """Overwrite and take away what is named, at once; atomic."""
        ...

    async def wipe(self) -> None:
        """Leave no byte of what was taken away in the files of the record."""
        ...

    async def tally(self) -> Tally:
        """Count what there is."""
        ...


class Memory(Protocol):
    """The memory split: internal thoughts and observations of one namespace.

    Every method raises `ddax.errors.StorageError` where the disk fails. `put` is idempotent: the
    same content has the same id and the first row stays.
    """

    namespace: str

    @property
    def upkeep(self) -> Upkeep:
        """What keeps this namespace clean."""
        ...

    async def put(self, records: Sequence[Record]) -> list[str]:
        """Store rows and return their ids, in order; an acknowledged row survives a kill."""
        ...

    async def get(self, ids: Sequence[str]) -> list[Record]:
        """Return the rows that exist, in the order asked for."""
        ...

    async def recall(self, query: RecallQuery) -> list[MemoryHit]:
        """Return the best visible rows, thoughts then observations, each best first."""
        ...

    async def similar(self, texts: Sequence[str], query: RecallQuery, *, k: int = 5) -> list[list[MemoryHit]]:
        """Return for each text the k visible rows nearest to it, of both types, by similarity alone.

        Of the query only the task, the step, `now` and `as_of` count.
        """
        ...

    async def put_page(self, document: Document) -> str:
        """Store a whole page by content hash and return the hash."""
        ...

    async def get_page(self, page_hash: str) -> Document | None:
        """Return a stored page."""
        ...

    async def log(self, table: str, row: JsonDict, *, key: str) -> None:
        """Append a row to a named log (ledger, decision, reflection, rule, trace); idempotent by key."""
        ...

    async def rows(
        self, table: str, *, limit: int = 1000, committed_before: float = ..., **equals: Any
    ) -> list[JsonDict]:
        """Return rows of a log, oldest first, filtered by top-level values of the row.

        With `committed_before` (seconds since the epoch) only rows written before it.
        """
        ...

    async def find(
        self, table: str, text: str, *, now: float, k: int = 5, minimum: float = 0.25
    ) -> list[Found]:
        """Return the k rows of the log `reflections` or `rules` nearest to a text, best first.

        Only rows committed before `now` count.
        """
        ...

    async def lessons(
        self, text: str, *, kind: str, now: float, k: int = 2, minimum: float = 0.25
    ) -> list[str]:
        """Recall reflections by similarity · (1 + λ_ε·ε), without recency (dda-x 8.5).

        Only those committed before `now` count.
        """
        ...

    async def count(self, memory_type: MemoryType) -> int:
        """Count the rows of one type."""
        ...

    async def close(self) -> None:
        """Flush and release the directory."""
        ...
