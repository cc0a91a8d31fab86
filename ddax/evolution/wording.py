"""Says what a repair does: as a unified diff, and in words."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ddax.evolution.minimise import hunks
from ddax.evolution.operators import Edit

LINE = re.compile(r"[^\n]*\n|[^\n]+")
"""A line as those who apply a diff count them: a form feed or U+2028 ends none."""
LINES = re.compile(rb"[^\n]*\n|[^\n]+")
"""The same of bytes."""
BREAK = " ⏎ "
"""Stands for a line break in what is quoted."""
QUOTED = 120
"""Characters that are quoted of a text at most."""


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


@dataclass(frozen=True)
class Change:
    """The bytes `start`..`end` of a file as it was, and what stands there now; `how` names the edits."""

    start: int
    end: int
    text: bytes
    how: tuple[str, ...] = ()

    def trimmed(self, source: bytes) -> Change:
        """Leave the whole lines out that stand at its ends before as after."""
        before, after = LINES.findall(source[self.start : self.end]), LINES.findall(self.text)
        most = min(len(before), len(after))
        head = next((i for i in range(most) if before[i] != after[i]), most)
        tail = next((i for i in range(most - head) if before[-1 - i] != after[-1 - i]), most - head)
        start = self.start + sum(map(len, before[:head]))
        end = self.end - sum(map(len, before[len(before) - tail :]))
        return replace(self, start=start, end=end, text=b"".join(after[head : len(after) - tail]))


def applied(changes: Iterable[Change], source: bytes) -> bytes:
    """Return a text with changes that lie apart in it and stand in order."""
    parts, at = [], 0
    for one in changes:
        parts += [source[at : one.start], one.text]
        at = one.end
    return b"".join([*parts, source[at:]])


def changes_of(edits: Iterable[Edit], source: bytes) -> list[Change]:
    """Turn edits that were made one after the other into changes of the text before the first."""
    changes: list[Change] = []
    for edit in edits:
        now = applied(changes, source)
        new = Change(edit.start, edit.end, edit.text.encode(), (edit.operator,)).trimmed(now)
        changes = [one.trimmed(source) for one in _joined(changes, new, now)]
    return [one for one in changes if one.start < one.end or one.text]


def _joined(changes: Sequence[Change], new: Change, now: bytes) -> list[Change]:
    """Add a change of the text as it is `now`; those that it meets become one with it."""
    before, met, after = list[Change](), list[Change](), list[Change]()
    start, end, grown, ahead = new.start, new.end, 0, 0
    for one in changes:
        first, last = one.start + grown, one.start + grown + len(one.text)
        if after or (first >= new.end and last > new.start):
            after.append(one)
            continue
        grown += len(one.text) - (one.end - one.start)
        if last <= new.start:
            before.append(one)
            ahead = grown
        else:
            met.append(one)
            start, end = min(start, first), max(end, last)
    text = now[start : new.start] + new.text + now[new.end : end]
    how = tuple(name for one in met for name in one.how) + new.how
    return [*before, Change(start - ahead, end - grown, text, how), *after]


def by_lines(old: str, new: str) -> list[Change]:
    """Return what differs between two texts, by lines."""
    before, after = old.splitlines(True), new.splitlines(True)
    sizes = [len("".join(before[:i]).encode()) for i in range(len(before) + 1)]
    return [
        Change(sizes[i1], sizes[i2], "".join(after[j1:j2]).encode()) for _, i1, i2, j1, j2 in hunks(old, new)
    ]


def explain(edits: Sequence[Edit], files: Mapping[str, str], new: Mapping[str, str]) -> str:
    """Say in words what a patch does: the edits that made `new` of `files`, each on the text of the last.

    What was dropped of them later is not told, and each text is quoted from where it stands.
    """
    words = []
    for path in dict.fromkeys(edit.path for edit in edits):
        source, wanted = files[path].encode(), new[path].encode()
        changes = changes_of((edit for edit in edits if edit.path == path), source)
        kept = next(
            (some for some in (changes, *([one] for one in changes)) if applied(some, source) == wanted),
            None,
        )
        told = by_lines(files[path], new[path]) if kept is None else kept
        words += [f"{path} {_told(one, source)}" for one in told]
    return "; ".join(words)


def _told(change: Change, source: bytes) -> str:
    old, new = quoted(source[change.start : change.end]), quoted(change.text)
    what = f"replace {old} by {new}" if old and new else f"remove {old}" if old else f"put in {new}"
    how = ", ".join(name.replace("_", " ") for name in change.how)
    line = source[: change.start].count(b"\n") + 1
    return f"line {line}: {what}" + (f" ({how})" if how else "")


def quoted(text: bytes) -> str:
    """Quote a piece of a program in one line, its line breaks shown; "" where there is nothing in it."""
    lines = (line.strip() for line in text.decode(errors="replace").splitlines())
    line = BREAK.join(line for line in lines if line)
    return f"`{line if len(line) <= QUOTED else line[: QUOTED - 1] + '…'}`" if line else ""
