"""Rows that an index is yet to take, searched exactly: it takes many at once for the price of few."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ddax.memory.scoring import Floats


class FreshRows:
    """Unit vectors by id; one thread at a time."""

    def __init__(self) -> None:
        self._vectors: dict[str, Floats] = {}
        self._stacked: Floats | None = None

    def __len__(self) -> int:
        """Return how many rows wait."""
        return len(self._vectors)

    def add(self, pairs: Iterable[tuple[str, Floats]]) -> None:
        """Take rows; taking one twice changes nothing."""
        self._vectors.update(pairs)
        self._stacked = None

    def remove(self, ids: Iterable[str]) -> None:
        """Forget rows; ids that are not there change nothing."""
        for row_id in ids:
            self._vectors.pop(row_id, None)
        self._stacked = None

    def pairs(self) -> list[tuple[str, Floats]]:
        """Return the rows, oldest first."""
        return list(self._vectors.items())

    def distances(self, vectors: Sequence[Floats]) -> list[dict[str, float]]:
        """Return for each vector the cosine distance of every row, by id."""
        if not self._vectors:
            return [{} for _ in vectors]
        if self._stacked is None:
            self._stacked = np.stack(list(self._vectors.values()))
        found = 1.0 - np.stack(vectors) @ self._stacked.T
        return [dict(zip(self._vectors, row, strict=True)) for row in found.tolist()]
