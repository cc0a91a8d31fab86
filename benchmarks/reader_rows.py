"""The candidates of a question as the scorer sees them: one row of signs for each, and which are right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchmarks.reader_material import Asked

if TYPE_CHECKING:
    from ddax.memory.embed.likeness import Vectors


@dataclass(frozen=True)
class Rows:
    """The candidates of one question: their signs `[n, signs]` and labels `[n]`."""

    kind: str
    group: str
    question: str
    answerable: bool
    signs: NDArray[np.float64]
    labels: NDArray[np.int64]


def rows_of(asked: Asked, vectors: Vectors) -> Rows:
    """Return the candidates of a question with their labels."""
    from ddax.reasoning.embedded import features
    from ddax.reasoning.embedded.candidates import candidates
    from ddax.text.question import analyse

    found = candidates(analyse(asked.question), asked.passages, vectors)
    signs = np.array([one.signs for one in found]).reshape(len(found), len(features.NAMES))
    labels = np.array([asked.right(one) for one in found], dtype=np.int64)
    return Rows(asked.kind, asked.group, asked.question, asked.answerable, signs, labels)
