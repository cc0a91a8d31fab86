"""BM25 over passages in plain numpy: a sparse matrix of finished term weights, kept as one npz file.

Written here because `bm25s` imports jax where that is installed, which takes seconds.
"""

from __future__ import annotations

import os
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ddax.errors import StorageError

K1, B = 1.2, 0.75
"""Saturation and length normalisation as in Robertson and Zaragoza (2009)."""
KEPT_FILES = 8


class Bm25:
    """Score passages against weighted query terms.

    The weight of a term t in passage p is idf(t)·tf/(tf + k1(1 − b + b·|p|/avg)), with
    idf = ln(1 + (n − df + ½)/(df + ½)); tf saturates at 1, so that Σ idf is the most a query can reach.
    """

    def __init__(self, terms: list[str], arrays: Mapping[str, NDArray[Any]]) -> None:
        self._ids = {term: number for number, term in enumerate(terms)}
        self._terms = terms
        self._starts, self._passages = arrays["starts"], arrays["passages"]
        self._weights, self._idf = arrays["weights"], arrays["idf"]
        self.size = int(arrays["size"])

    @classmethod
    def build(cls, passages: Iterable[Mapping[str, int]]) -> Bm25:
        """Index passages given as term counts."""
        ids: dict[str, int] = {}
        terms: list[int] = []
        counts: list[int] = []
        sizes: list[int] = []
        for passage in passages:
            terms.extend(ids.setdefault(term, len(ids)) for term in passage)
            counts.extend(passage.values())
            sizes.append(len(passage))
        return cls(
            list(ids), matrix(np.array(terms, np.int32), np.array(counts, np.float32), sizes, len(ids))
        )

    def idf(self, term: str) -> float:
        """Return how telling a term is; a term never seen counts as the rarest."""
        number = self._ids.get(term)
        return float(np.log(1 + (self.size + 0.5) / 0.5)) if number is None else float(self._idf[number])

    def scores(self, query: Mapping[str, float]) -> NDArray[np.float64]:
        """Return the share in [0, 1] of the query's weight that each passage holds: `[n]`."""
        total = sum(weight * self.idf(term) for term, weight in query.items())
        found = np.zeros(self.size)
        for term, weight in query.items():
            number = self._ids.get(term)
            if number is not None:
                part = slice(self._starts[number], self._starts[number + 1])
                found[self._passages[part]] += weight * self._weights[part]
        return found / total if total > 0 else found

    def save(self, path: Path) -> None:
        """Write the index in one step and drop the oldest beyond KEPT_FILES; raises StorageError."""
        arrays: dict[str, Any] = {
            "starts": self._starts, "passages": self._passages, "weights": self._weights,
            "idf": self._idf, "size": self.size,
            "terms": np.frombuffer("\n".join(self._terms).encode(), np.uint8),
        }  # fmt: skip
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
                np.savez(file, **arrays)
            os.replace(file.name, path)
            for stale in sorted(path.parent.glob("bm25-*.npz"), key=_age)[:-KEPT_FILES]:
                stale.unlink(missing_ok=True)
        except OSError as exc:
            raise StorageError(
                f"Cannot write the index {str(path)!r}.",
                why=str(exc),
                mend="Free space or give write permission, or set DDAX_HOME elsewhere.",
            ) from exc

    @classmethod
    def load(cls, path: Path) -> Bm25 | None:
        """Read an index, or return None where there is none that can be read."""
        try:
            with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
                arrays = {name: file[name] for name in ("starts", "passages", "weights", "idf", "size")}
                joined = file["terms"].tobytes().decode()
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            # A cache that was cut off is built again.
            return None
        return cls(joined.split("\n") if joined else [], arrays)


def matrix(
    terms: NDArray[np.int32], counts: NDArray[np.float32], sizes: list[int], vocabulary: int
) -> dict[str, NDArray[Any]]:
    """Turn (passage, term, count) triples into term columns of finished weights."""
    rows = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    lengths = np.bincount(rows, weights=counts, minlength=len(sizes))
    mean = float(lengths.mean()) if len(sizes) and lengths.any() else 1.0
    df = np.bincount(terms, minlength=vocabulary)
    idf = np.log(1 + (len(sizes) - df + 0.5) / (df + 0.5))
    weights = idf[terms] * counts / (counts + K1 * (1 - B + B * lengths[rows] / mean))
    order = np.argsort(terms, kind="stable")
    starts = np.concatenate([[0], np.cumsum(df)]).astype(np.int64)
    return {
        "starts": starts, "passages": rows[order], "weights": weights[order].astype(np.float32),
        "idf": idf, "size": np.array(len(sizes)),
    }  # fmt: skip


def weighted_counts(text: Iterable[str], title: Iterable[str], *, title_weight: int) -> Counter[str]:
    """Count the terms of a passage, those of its title `title_weight` times."""
    counts = Counter(text)
    for token in title:
        counts[token] += title_weight
    return counts


def _age(path: Path) -> int:
    """Return when a file was written; 0 for one that another process has just dropped."""
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return 0
