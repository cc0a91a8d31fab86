"""Makes a patch smaller: drops its changed regions one at a time while the tests still pass."""

from __future__ import annotations

import difflib
from collections.abc import Callable

Opcode = tuple[str, int, int, int, int]


def hunks(old: str, new: str) -> list[Opcode]:
    """List the changed regions between two texts, by lines."""
    matcher = difflib.SequenceMatcher(None, old.splitlines(True), new.splitlines(True), autojunk=False)
    return [op for op in matcher.get_opcodes() if op[0] != "equal"]


def rebuild(old: str, new: str, kept: list[Opcode]) -> str:
    """Apply only some of the changed regions."""
    before, after = old.splitlines(True), new.splitlines(True)
    lines: list[str] = []
    at = 0
    for _, i1, i2, j1, j2 in kept:
        lines += before[at:i1] + after[j1:j2]
        at = i2
    return "".join(lines + before[at:])


def minimise(old: str, new: str, passes: Callable[[str], bool]) -> str:
    """Return the smallest text found by dropping regions of the patch; `passes` says whether one will do."""
    kept = hunks(old, new)
    position = 0
    while position < len(kept) and len(kept) > 1:
        fewer = kept[:position] + kept[position + 1 :]
        if passes(rebuild(old, new, fewer)):
            kept = fewer
        else:
            position += 1
    return rebuild(old, new, kept)
