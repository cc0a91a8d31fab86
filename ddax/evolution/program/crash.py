"""Reads a Python traceback: which error, through which lines of the project, and how to bring it back."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from ddax.errors import SourceError
from ddax.evolution.program.project import is_test

_FRAME = re.compile(r'^\s*File "([^"]+)", line (\d+)(?:, in (\S(?:.*\S)?))?\s*$')
_PYTEST = re.compile(r"^(\S+\.py):(\d+): (?:in (\S+)|([A-Z]\w*(?:Error|Exception|Interrupt)?))")
_LAST = re.compile(
    r"^(?:E\s+)?([A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Iteration|Exit|Warning))(?::\s?(.*))?$"
)


@dataclass(frozen=True)
class Frame:
    """One line of a traceback; `function` is "<module>" at the top of a file."""

    path: Path
    line: int
    function: str


@dataclass(frozen=True)
class Crash:
    """An error and the project's frames that led to it, the outermost first."""

    error: str
    message: str
    frames: tuple[Frame, ...]

    @property
    def test(self) -> Path | None:
        """Return the test file that it passed through, if any."""
        return next((f.path for f in self.frames if is_test(f.path)), None)

    @property
    def script(self) -> Path | None:
        """Return the file that was run as a script, if the error came from its top."""
        first = self.frames[0]
        return first.path if first.function == "<module>" else None


def read_traceback(text: str, *, cwd: Path) -> Crash:
    """Read the last traceback of a text; raises SourceError where there is none of existing files."""
    parts = re.split(r"^Traceback \(most recent call last\):\s*$", text, flags=re.MULTILINE)
    lines = parts[-1].splitlines()
    frames: list[Frame] = []
    error = message = ""
    for line in lines:
        if found := _FRAME.match(line):
            _add(frames, cwd, found[1], found[2], found[3] or "<module>")
        elif found := _PYTEST.match(line):
            _add(frames, cwd, found[1], found[2], found[3] or "")
        elif found := _LAST.match(line.strip()):
            error, message = found[1].rsplit(".", 1)[-1], (found[2] or "").strip()
    if not frames:
        raise SourceError(
            "The traceback names no file that is here.",
            why=f'Looked for lines like: File "NAME.py", line 3, in f; relative names begin at {cwd}.',
            mend="Give the whole traceback as Python printed it.",
        )
    return Crash(error, message, tuple(frames))


def _add(frames: list[Frame], cwd: Path, name: str, line: str, function: str) -> None:
    path = Path(os.path.abspath(cwd / name))
    foreign = "site-packages" in path.parts or f"{os.sep}lib{os.sep}python" in str(path)
    if path.is_file() and path.suffix == ".py" and not foreign:
        frames.append(Frame(path, int(line), function))
