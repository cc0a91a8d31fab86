"""The measured scale of surprise of each encoder, by its name and fingerprint (`calibration.yaml`)."""

from __future__ import annotations

from pathlib import Path

from ddax.configs.documents import read_document, shipped
from ddax.dynamics.surprise import Calibration
from ddax.errors import SettingsError


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
        mend="Measure it with ddax.dynamics.surprise.measure and add it to the file.",
    )
