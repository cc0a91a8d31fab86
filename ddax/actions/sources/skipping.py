"""What a source holds and was not read: why, how that is told, and how it is mended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from typing_extensions import TypedDict

from ddax.wording import amount

NAMED = 10
"""Names that are kept of those skipped for one reason."""
TOLD = 1
"""Names that a line tells of those skipped for one reason."""
KINDS = 8
"""Reasons that are kept apart; what was skipped for further ones is counted together."""
CLOSED, UNREAD, EMPTY = "it cannot be opened", "it cannot be read", "it holds no text"
LINK, NOWHERE = "a link that leads outside of the folder", "a link that leads nowhere"
UNKNOWN, UNTEXT = "not a kind of text that is known", "binary or unreadable"
DAMAGED, LOCKED, PICTURES = "it is damaged", "it is encrypted", "it is a PDF without a text layer"
LARGER, NO_FILE = "larger than", "not a regular file"
GITIGNORED = "left out by a .gitignore"
NEEDS = "it needs the extra 'office'"
MENDS = {
    NEEDS: "to have office files read: pip install 'ddax[office]'",
    CLOSED: "make readable what is closed, and ask again",
    UNREAD: "save as text what cannot be read",
    DAMAGED: "save what is damaged once more in the program that it is of, or take a copy that opens there",
    LOCKED: "save without a password what is encrypted",
    PICTURES: "let a program for text recognition (OCR) add to such a PDF what its pictures say",
    UNTEXT: "save as text what is binary",
    LARGER: "split what is too large",
    LINK: "name what a link leads to as a source",
    NOWHERE: "mend the link",
    GITIGNORED: "name a file or folder itself that a .gitignore leaves out",
    UNKNOWN: "save it as text, or name a file itself that is text under another ending",
}
"""How each kind of reason is mended, the gravest loss first; the others leave nothing to do."""


class Skipped(NamedTuple):
    """A file or folder below a source that was not read."""

    source: str
    reason: str


class SkippedRow(TypedDict):
    """What was skipped for one reason: how many, and the first of them by name."""

    reason: str
    count: int
    sources: list[str]


def skipped_of(library: object) -> tuple[Skipped, ...]:
    """Return what a library has skipped; one of the caller's own need not know of it."""
    return tuple(getattr(library, "skipped", ()))


def rows_of(skipped: Sequence[Skipped]) -> list[SkippedRow]:
    """Group what was skipped by its reason, the gravest first, then the most frequent."""
    by_reason: dict[str, list[str]] = defaultdict(list)
    for item in skipped:
        by_reason[item.reason].append(item.source)
    rows = [
        SkippedRow(reason=reason, count=len(names), sources=sorted(names)[:NAMED])
        for reason, names in by_reason.items()
    ]
    rows.sort(key=lambda row: (_gravity(row["reason"]), -row["count"], row["reason"]))
    rest = rows[KINDS:]
    if not rest:
        return rows
    names = [name for row in rest for name in row["sources"]]
    count = sum(row["count"] for row in rest)
    return [*rows[:KINDS], SkippedRow(reason="other reasons", count=count, sources=names[:NAMED])]


def lost(rows: Sequence[SkippedRow]) -> list[SkippedRow]:
    """Leave out files in which nothing could have been read, and those that their owner leaves out."""
    return [row for row in rows if row["reason"] not in (EMPTY, GITIGNORED)]


def reasons_told(rows: Sequence[SkippedRow]) -> str:
    """Say in one sentence what was not read and why, without a point; "" where nothing was skipped."""
    return "; ".join(f"{_names(row)}: {row['reason']}" for row in rows)


def mend(rows: Sequence[SkippedRow]) -> str:
    """Say how to have read what was not; "" where nothing can be done."""
    ways = [way for kind, way in MENDS.items() if any(row["reason"].startswith(kind) for row in rows)]
    said = "; ".join(ways)
    return f"{said[:1].upper()}{said[1:]}." if said else ""


def note(skipped: Sequence[SkippedRow]) -> str:
    """Say in one line what was not read, why, and how to mend it; "" where nothing was lost."""
    rows = lost(skipped)
    count = sum(row["count"] for row in rows)
    if not rows:
        return ""
    what = f"{amount(count, 'file or folder', 'files or folders')} of the sources not read"
    return f"{what}: {reasons_told(rows)}. {mend(rows)}".strip()


def _gravity(reason: str) -> int:
    kinds = [place for place, kind in enumerate(MENDS) if reason.startswith(kind)]
    return kinds[0] if kinds else len(MENDS)


def _names(row: SkippedRow) -> str:
    shown = ", ".join(repr(name) for name in row["sources"][:TOLD])
    more = row["count"] - min(TOLD, len(row["sources"]))
    return f"{shown} and {more:,} more" if more else shown
