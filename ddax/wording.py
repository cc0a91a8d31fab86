"""Words for people that hang on a number."""

from __future__ import annotations


def amount(count: int, one: str, many: str = "") -> str:
    """Return a count with its noun: `1 page`, `2 pages`; `many` where an s is not all that is added."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
