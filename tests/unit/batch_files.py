"""Files of tasks for the tests of a batch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def written(tmp_path: Path, *lines: Any) -> Path:
    """Write a task a line, and return the file; a text stands as it is."""
    file = tmp_path / "tasks.jsonl"
    file.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return file
