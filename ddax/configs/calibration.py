"""The measured scale of surprise of each encoder, by its name and fingerprint: `calibration.yaml`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ddax.configs.documents import read_document, shipped
from ddax.dynamics.surprise import Calibration, measure
from ddax.errors import SettingsError

MIN_PAIRS = 20


def load_calibration(
    name: str, fingerprint: str, *, fallback: Calibration | None = None, path: Path | None = None
) -> Calibration:
    """Return the constants of an encoder; for an unmeasured one `fallback`, and without it an error.

    `ddax.dynamics.surprise.UNMEASURED` is a stated fallback. Raises `SettingsError`.
    """
    document = read_document(path or shipped("calibration.yaml"))
    rows = document.values.get("encoders") or []
    for row in rows:
        if row["name"] == name and row["fingerprint"] == fingerprint:
            return Calibration(float(row["d_match"]), float(row["d_unrelated"]))
    if fallback is not None:
        return fallback
    raise SettingsError(
        f"The scale of surprise is not known for the encoder {name!r} ({fingerprint!r}).",
        why=f"{document.path.name} knows {', '.join(str(row['name']) for row in rows) or 'none'}.",
        mend="Measure it with ddax.configs.calibration.measure_encoder and add it to the file.",
    )


def measure_encoder(
    embed: Callable[[Sequence[str]], NDArray[np.float32]], *, path: Path | None = None
) -> Calibration:
    """Measure the scale of an encoder on the shipped pairs (`calibration_pairs.yaml`).

    `embed` maps n texts to `[n, dim]`. Every forecast is unrelated to the outcomes of all other
    lines. Raises `SettingsError` where the file holds no pairs.
    """
    document = read_document(path or shipped("calibration_pairs.yaml"))
    pairs = document.values.get("pairs") or []
    if len(pairs) < MIN_PAIRS:
        raise SettingsError(
            f"{document.where('pairs')}: {len(pairs)} pairs are too few.",
            why="The scale would be a matter of chance.",
            mend=f"Give at least {MIN_PAIRS}.",
        )
    expected = np.asarray(embed([str(first) for first, _ in pairs]))
    actual = np.asarray(embed([str(second) for _, second in pairs]))
    n = len(pairs)
    here, there = np.array([(i, j) for i in range(n) for j in range(n) if i != j]).T
    return measure((expected, actual), (expected[here], actual[there]))
