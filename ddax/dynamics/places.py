"""Where texts lie in the state space: one matrix that grows by a row for each new text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ddax.types import Vector

Matrix = NDArray[np.float64]


class Places:
    """Vectors `[dim]` by text; asking for many at once costs one gathering of rows."""

    def __init__(self) -> None:
        self._row: dict[str, int] = {}
        self._vectors: Matrix = np.zeros((0, 0))

    def __len__(self) -> int:
        """Return how many texts have a place."""
        return len(self._row)

    def without(self, texts: Sequence[str]) -> list[str]:
        """Return the texts that have no place yet, each once."""
        return [text for text in dict.fromkeys(texts) if text not in self._row]

    def add(self, texts: Sequence[str], vectors: Sequence[Vector]) -> None:
        """Give texts their places `[dim]`; one that has a place keeps it, with its vector of now."""
        for text, vector in zip(texts, vectors, strict=True):
            row = self._row.setdefault(text, len(self._row))
            if row >= len(self._vectors):
                grown = np.zeros((2 * row + 64, vector.size))
                grown[:row] = self._vectors[:row].reshape(row, vector.size)
                self._vectors = grown
            self._vectors[row] = vector

    def clear(self) -> None:
        """Forget every place."""
        self._row.clear()

    def of(self, texts: Sequence[str]) -> Matrix:
        """Return the vectors `[n, dim]` of texts that have a place."""
        found = self._vectors[[self._row[text] for text in texts]]
        found.flags.writeable = False
        return found
