"""Text that is safe to print: what pages and models wrote must not steer the terminal.

Leaves out layout. JSON keeps every character, the dangerous ones as escapes, so quotes stay verbatim.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from typing import Any

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|\x1b[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC, DCS and other strings
    r"|\x9b[0-?]*[ -/]*[@-~]"
    r"|\x1b[ -/]*[0-~]?"
)
# C0 and C1 controls, bidirectional marks and overrides, invisible operators, tags, selectors, surrogates.
# The joiners U+200C and U+200D stay: Persian, Indic scripts and emoji need them.
_UNSAFE = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e01ef"
)
_UNSAFE_RE = re.compile(f"[{_UNSAFE}]")
_ASTRAL = 0x10000
_HANGING = re.compile(
    r"\s*(?:[-*+•] +|\[\d+\] +|\d{1,3}[.)] +|(?:In short|Note|Question|Options|Follow up): )?"
)
"""What a line begins with that its continuation is indented by."""
_WORD = re.compile(r"\S+\s*|^\s+")


def clean(text: object, limit: int = 0) -> str:
    """Return text as one safe line: no control characters, single spaces, at most `limit` characters."""
    line = " ".join(clean_block(text).split())
    return shorten(line, limit) if limit else line


def clean_block(text: object) -> str:
    """Return text without escape sequences and control characters, with its line breaks."""
    plain = _ESCAPES.sub("", str(text).replace("\r\n", "\n").replace("\r", "\n"))
    return _UNSAFE_RE.sub("", plain)


def shorten(line: str, limit: int) -> str:
    """Cut a line to `limit` characters, with an ellipsis where something is missing."""
    return line if len(line) <= limit else line[: max(limit - 1, 0)].rstrip() + "…"


def columns() -> int:
    """Return how wide the terminal is, and 200 where nobody looks at one."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 200


def folded(lines: Iterable[str]) -> Iterator[str]:
    """Return lines that fit the terminal, each broken between words; nothing changes where nobody looks.

    Code and tables stay as they are.
    """
    width, fenced = columns(), False
    for block in lines:
        for line in block.split("\n") if sys.stdout.isatty() else [block]:
            fence = line.lstrip().startswith(("```", "~~~"))
            fenced = fenced != fence
            whole = fenced or fence or line.lstrip().startswith("|") or not sys.stdout.isatty()
            yield from [line] if whole else fold(line, width)


def fold(line: str, width: int) -> list[str]:
    """Break a line between its words; what follows is indented as what the line begins with.

    A word that is too long, as an address, stays whole; one without blanks, as in Chinese, is cut.
    """
    from rich.cells import cell_len

    if cell_len(line) <= width:
        return [line]
    mark = _HANGING.match(line)
    lead = mark.group() if mark and len(mark.group()) < width // 2 else ""
    rows, row = list[str](), lead
    for word in _pieces(line[len(lead) :], width - len(lead)):
        if row.strip() and row != lead and cell_len(row) + cell_len(word.rstrip()) > width:
            rows.append(row.rstrip())
            row = " " * len(lead)
        row += word
    return [*rows, row.rstrip()]


def _pieces(text: str, room: int) -> Iterator[str]:
    """Return the words of a text with the blanks behind them; of a long one of wide signs its parts."""
    from rich.cells import cell_len, chop_cells

    for word in _WORD.findall(text):
        if cell_len(word.rstrip()) > room and cell_len(word) > len(word):
            yield from chop_cells(word, room)
        else:
            yield word


def speaks_utf8(stream: Any) -> bool:
    """Say whether a stream can take every character."""
    return (getattr(stream, "encoding", None) or "").lower().replace("-", "") == "utf8"


def dump_json(value: Any, *, ascii_only: bool = False, indent: int | None = 2) -> str:
    """Return JSON that is lossless and safe to show: unsafe characters stand as escapes."""
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent, default=str, allow_nan=False)
    return _UNSAFE_RE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    """Write a character as JSON escapes: two of them beyond the basic plane."""
    code = ord(match.group())
    if code < _ASTRAL:
        return f"\\u{code:04x}"
    high, low = divmod(code - _ASTRAL, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
