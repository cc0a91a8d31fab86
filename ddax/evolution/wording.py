"""Says what a repair does: as a unified diff, and in words."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence

from ddax.evolution.operators import Edit

LINE = re.compile(r"[^\n]*\n|[^\n]+")
"""A line as those who apply a diff count them: a form feed or U+2028 ends none."""


def unified(old: Mapping[str, str], new: Mapping[str, str]) -> str:
    """Write the changes as one unified diff."""
    parts = []
    for path in sorted(new):
        before, after = LINE.findall(old.get(path, "")), LINE.findall(new[path])
        lines = difflib.unified_diff(before, after, f"a/{path}", f"b/{path}")
        parts += [
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
        ]
    return "".join(parts)


def explain(edits: Sequence[Edit], files: Mapping[str, str]) -> str:
    """Say in words what the edits do."""
    words = []
    for edit in edits:
        old = files[edit.path].encode()[edit.start : edit.end].decode(errors="replace").strip()
        new = " ".join(edit.text.split())
        what = f"replace `{' '.join(old.split())[:80]}` by `{new[:120]}`" if new else f"remove `{old[:80]}`"
        words.append(f"{edit.path} line {edit.line}: {what} ({edit.operator.replace('_', ' ')})")
    return "; ".join(words)
