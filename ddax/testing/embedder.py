"""The contract of an embedder: unit rows of one dimension, and one vector for a text wherever it stands."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ddax.memory.protocol import Embedder
from ddax.testing.contract import Contract, expect

TEXTS = ("The harbour of Vellin was built in 1712.", "A bread of rye.", "", " ", "été 港", "rye " * 2000)
BLANK = (2, 3)
"""Which of the texts hold nothing to embed."""
CLOSE = 1e-3
"""How far two vectors of one text may lie apart: a batch adds up in another order."""


class EmbedderContract(Contract):
    """What search and recall ask of every embedder; `make` opens one."""

    def make(self) -> Embedder:
        """Open an embedder."""
        raise NotImplementedError

    async def rule_it_has_a_name_and_a_fingerprint(self) -> None:
        embedder = self.make()
        expect(embedder.name, "an embedder has a name: messages tell it")
        expect(embedder.fingerprint, "vectors are kept by the fingerprint of what made them")
        same = self.make().fingerprint == embedder.fingerprint
        expect(same, "two of one kind have two fingerprints, so nothing that is kept fits the next run")

    async def rule_each_text_has_a_finite_row_of_32_bits(self) -> None:
        embedder = self.make()
        for texts in ((), TEXTS[:1], TEXTS):
            rows = embedder.embed(texts)
            expect(isinstance(rows, np.ndarray), f"embed() returns {type(rows).__name__}, not an array")
            shape = (len(texts), embedder.dim)
            expect(rows.shape == shape, f"{len(texts)} texts have the shape {rows.shape}, not {shape}")
            expect(rows.dtype == np.float32, f"rows are of {rows.dtype}, not float32")
            expect(np.isfinite(rows).all(), "a row holds a number that is not finite")

    async def rule_rows_have_unit_length_and_a_blank_text_has_none(self) -> None:
        lengths = np.linalg.norm(self.make().embed(TEXTS), axis=1)
        for at, length in enumerate(lengths):
            wanted = 0.0 if at in BLANK else 1.0
            told = f"the row of {TEXTS[at][:40]!r} has the length {length:.3f}, not {wanted:g}"
            expect(abs(length - wanted) <= CLOSE, told)

    async def rule_a_text_has_one_vector_wherever_it_stands(self) -> None:
        together = self.make().embed(TEXTS)
        for at, text in enumerate(TEXTS):
            apart = _distance(self.make().embed([text])[0], together[at])
            expect(apart <= CLOSE, f"{text[:40]!r} lies {apart:.3f} from itself in another batch")

    async def rule_what_is_alike_lies_nearer(self) -> None:
        rows = self.make().embed(["the harbour of Vellin", "harbour in Vellin", "a bread of rye"])
        near, far = float(rows[0] @ rows[1]), float(rows[0] @ rows[2])
        expect(near > far, f"texts of the same words have the cosine {near:.2f}, and others {far:.2f}")


def _distance(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    return float(np.linalg.norm(one - other))
