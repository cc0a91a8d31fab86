"""Vectors as rows of a float32 array: their type, their scaling, and the key a text's row is kept under."""

from __future__ import annotations

import hashlib
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Rows: TypeAlias = NDArray[np.float32]
"""Embeddings: `[n, dim]`, rows of unit length or zero."""


def unit_rows(rows: NDArray[Any]) -> Rows:
    """Scale rows to unit length, leaving zero rows: `[n, d]` float32."""
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Rows = (rows / np.where(norms > 0, norms, 1.0)).astype(np.float32)
    return scaled


def text_key(text: str) -> bytes:
    """Return the 16-byte key a text's vector is kept under."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
