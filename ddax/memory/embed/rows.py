"""Vectors as rows of a float32 array: type, scaling, the key of a text's row, and what fails there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ddax.errors import DdaxError, ReasonerError

Rows: TypeAlias = NDArray[np.float32]
"""Embeddings: `[n, dim]`, rows of unit length or zero."""


def unit_rows(rows: NDArray[Any]) -> Rows:
    """Scale rows to unit length, leaving zero rows: `[n, d]` float32."""
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Rows = (rows / np.where(norms > 0, norms, 1.0)).astype(np.float32)
    return scaled


@contextmanager
def embedder_errors(name: str, mend: str) -> Iterator[None]:
    """Map whatever the library of an embedder raises under this block to `ReasonerError`."""
    try:
        yield
    except DdaxError:
        raise
    except Exception as exc:  # the libraries share no base class of errors
        raise ReasonerError(
            f"The embedder {name!r} failed.", why=str(exc) or type(exc).__name__, mend=mend
        ) from exc


def text_key(text: str) -> bytes:
    """Return the 16-byte key a text's vector is kept under."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
