"""An embedder that cannot take a run down: what it gives is checked, and a failure means no likeness.

A text without a vector has the zero vector: it is like nothing, so search and recall go by words alone.
Nothing that failed is kept in a cache.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np

from ddax.memory.embed.rows import Rows
from ddax.memory.protocol import Embedder


class CheckedEmbedder:
    """Pass texts on; where the answer is no finite `[n, dim]`, say so once and give zero vectors.

    `failures` counts the calls that gave nothing usable.
    """

    def __init__(self, inner: Embedder) -> None:
        self.name, self.fingerprint, self.dim = inner.name, inner.fingerprint, inner.dim
        self.failures = 0
        self._inner = inner

    def embed(self, texts: Sequence[str]) -> Rows:
        try:
            rows = np.asarray(self._inner.embed(texts), np.float32)
        # Whatever leaves a library is foreign, and words find texts without it.
        except Exception as error:
            return self._nothing(texts, str(error) or type(error).__name__)
        if rows.shape != (len(texts), self.dim):
            return self._nothing(texts, f"it gave {rows.shape}, not {(len(texts), self.dim)}")
        sound = np.asarray(np.isfinite(rows).all(axis=1))
        if sound.all():
            return rows
        self._nothing(texts, "it gave numbers that are not finite")
        return np.where(sound[:, None], rows, np.float32(0))

    def _nothing(self, texts: Sequence[str], why: str) -> Rows:
        self.failures += 1
        if self.failures == 1:
            log = logging.getLogger("ddax")
            log.warning("the embedder %s failed; texts are found by words alone: %s", self.name, why)
        return np.zeros((len(texts), self.dim), np.float32)
