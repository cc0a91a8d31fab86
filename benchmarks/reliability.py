"""Writes what the batteries of attacks found into one file, `benchmarks/results/reliability.json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "results" / "reliability.json"


def record(battery: str, rows: Any) -> None:
    """Put the rows of one battery into the file and leave the others as they are."""
    known = json.loads(FILE.read_text("utf-8")) if FILE.is_file() else {}
    known[battery] = rows
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", "utf-8")
