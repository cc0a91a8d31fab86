"""Words for people: what hangs on a number, and how a sentence begins."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

NOT_INSTALLED = "No module named"
"""What Python says of a module that is not there."""
NO_END = "it did not end"
"""What is said of code whose steps or seconds were used up."""
NO_END_OF_ITSELF = "it did not end by itself: no line of this code was running"
"""What is said of a test that loops or waits by itself."""
UNCOLLECTED = "it cannot be collected"
"""What is said of a test that is not there to be run, for the reason that follows."""
REMEMBERED = ", remembered from an earlier task"
"""What is said behind a citation whose source was not read again."""
NOT_DONE = "This was not done:"
"""How the answer to an order begins that was not carried out."""


def amount(count: int, one: str, many: str = "") -> str:
    """Return a count with its noun: `1 page`, `2 pages`; `many` where an s is not all that is added."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def counted(count: int, one: str, many: str = "") -> str:
    """Return a small count in words with its noun: `three documents`."""
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    said = words[count] if 0 <= count < len(words) else f"{count:,}"
    return f"{said} {one if count == 1 else many or one + 's'}"


def listed(names: Sequence[str]) -> str:
    """Return names as a list in a sentence: `a, b and c`."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else ""


def gist(text: str, most: int) -> str:
    """Return a text, or of a long one its beginning and its end: what is asked stands at either."""
    if len(text) <= most:
        return text
    half = (most - 3) // 2
    head, tail = text[:half].rpartition(" ")[0] or text[:half], text[-half:].partition(" ")[2] or text[-half:]
    return f"{head} … {tail}"


def span(seconds: float) -> str:
    """Return a time to wait in its largest unit, rounded up: `90 s`, `12 min`, `24 h`."""
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds > 2 * size:
            return f"{ceil(seconds / size):,} {unit}"
    return f"{ceil(seconds)} s"


def sentence(text: str) -> str:
    """Return a text that begins with a capital, but for a name, a path or a command."""
    word = text.split(" ", 1)[0].rstrip(":,")
    return text[:1].upper() + text[1:] if word.isalpha() and word not in ("ddax", "pip", "pytest") else text
