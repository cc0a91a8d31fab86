"""Embeddings with a bounded cache: the same sentence is asked for again at every expansion."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ddax.memory.protocol import Embedder

MAX_CACHED = 4096
"""Texts kept, about 6 MB at 384 dimensions."""
MAX_CHARS = 1500
"""Characters of a text that are embedded; a sentence encoder reads no further."""

FITTED_WITH = "minilm"
"""The embedder on whose cosines the weights of the support check were fitted."""


class Vectors:
    """Embed texts once each; safe to call from several threads."""

    def __init__(self, embedder: Embedder, *, size: int = MAX_CACHED) -> None:
        self._embedder, self._size, self._lock = embedder, size, Lock()
        self._kept: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    @property
    def fitted(self) -> bool:
        """Whether this is the embedder whose cosines the support check was fitted on."""
        return self._embedder.name == FITTED_WITH

    def of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors `[n, dim]` in the order of the texts."""
        cut = [text[:MAX_CHARS] for text in texts]
        if not cut:
            return np.zeros((0, self._embedder.dim), dtype=np.float32)
        with self._lock:
            known = {text: self._kept[text] for text in cut if text in self._kept}
        missing = [text for text in dict.fromkeys(cut) if text not in known]
        if missing:
            known.update(zip(missing, self._embedder.embed(missing), strict=True))
        self._keep(cut, known)
        return np.stack([known[text] for text in cut])

    def likeness(self, left: str, right: Sequence[str]) -> NDArray[np.float32]:
        """Return the cosine of one text with each of the others: `[n]`."""
        vectors: NDArray[np.float32] = self.of([left, *right])
        product: NDArray[np.float32] = vectors[1:] @ vectors[0]
        return product

    def _keep(self, texts: Sequence[str], known: dict[str, NDArray[np.float32]]) -> None:
        with self._lock:
            for text in texts:
                self._kept[text] = known[text]
                self._kept.move_to_end(text)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
