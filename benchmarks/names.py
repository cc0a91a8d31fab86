"""Names of towns and people that no corpus knows, for cases that cannot be answered by heart."""

from __future__ import annotations

import numpy as np

SYLLABLES = (
    "bel", "cor", "dra", "fen", "gal", "hol", "jor", "kel",
    "lun", "mar", "nor", "ost", "pel", "ras", "tor",
)  # fmt: skip


def invented(rng: np.random.Generator) -> str:
    """Return a name of three different syllables."""
    return "".join(SYLLABLES[int(k)] for k in rng.choice(len(SYLLABLES), 3, replace=False)).capitalize()
