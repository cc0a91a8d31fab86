"""What makes a task one of code: a source folder that holds Python files and tests for them."""

from __future__ import annotations

import os
from pathlib import Path

from ddax.evolution.program.imports import python_files
from ddax.evolution.program.project import is_program, is_test


def find_code(sources: tuple[str, ...]) -> str:
    """Return the first source folder that has both code and tests, or "" where none has."""
    for source in sources:
        if "://" in source or not os.path.isdir(source):  # which a name too long for a file is not
            continue
        files = list(python_files(Path(source)))
        if any(map(is_test, files)) and any(map(is_program, files)):
            return str(Path(source))
    return ""
