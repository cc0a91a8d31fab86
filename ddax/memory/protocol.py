"""The memory protocol: put, get and recall rows of two types; and the embedder it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

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
    of this `task` written in a step before `before_step`, and rows of other tasks created before
    `now`. `n_thoughts` and `m_observations` bound the hits, `budget` their characters together.
    """

    text: str
    task: str
    before_step: int
    now: float
    n_thoughts: int = 5
    m_observations: int = 5
    budget: int = 6000
    min_score: float = 0.2


@dataclass(frozen=True)
class MemoryHit:
    """A recalled row with the factors of its score.

    score = similarity · recency · (1 + λ_ε·ε) · trust (dda-x 2.1; DESIGN section 6).
    """

    record: Record
    score: float
    similarity: float
    recency: float
    salience: float
    trust: float


class Memory(Protocol):
    """The memory split: internal thoughts and observations of one namespace.

    Every method raises `ddax.errors.StorageError` where the disk fails. `put` is idempotent: the
    same content has the same id and the first row stays.
    """

    namespace: str

    async def put(self, records: Sequence[Record]) -> list[str]:
        """Store rows and return their ids, in order; an acknowledged row survives a kill."""
        ...

    async def get(self, ids: Sequence[str]) -> list[Record]:
        """Return the rows that exist, in the order asked for."""
        ...

    async def recall(self, query: RecallQuery) -> list[MemoryHit]:
        """Return the best visible rows, thoughts then observations, each best first."""
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

    async def rows(self, table: str, *, limit: int = 1000, **equals: Any) -> list[JsonDict]:
        """Return rows of a log, oldest first, filtered by top-level values of the row."""
        ...

    async def lessons(
        self, text: str, *, kind: str, now: float, k: int = 2, minimum: float = 0.25
    ) -> list[str]:
        """Recall reflections by similarity · (1 + λ_ε·ε), without recency (dda-x 8.5)."""
        ...

    async def count(self, memory_type: MemoryType) -> int:
        """Count the rows of one type."""
        ...

    async def close(self) -> None:
        """Flush and release the directory."""
        ...
