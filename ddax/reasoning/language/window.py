"""How much one model takes: the tokens of its context, told or learned from what it refused.

Leaves out what of a request is cut (`room`, `cutting`) and that a request is asked again (`telling`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

DENSITY = 1 / 3
"""Tokens of a byte that are counted on until a server has told a larger share."""
DENSEST = 1.0
TEMPLATE = 50
"""Tokens that a server counts beside what was sent: its own template of a conversation."""
SMALLEST = 256
"""Tokens below which a number in a message is no window."""
NO_STATUS = 600
"""Numbers from which on one is no HTTP status."""
MARGIN = 1.15
"""By how much a share is raised where a server says that a request is too long, and not how long."""
CREDIBLE = 4
"""How many times longer than we count a request may be: a server that says more means something else."""
REPLY = 512
"""Tokens that a reply needs at least; in a small window an eighth of it."""
_N = r"(?<![\d,.])(\d[\d,]{1,11}\d)(?!\d)"
"""A number; one may begin only where no other goes on, so that a long row of digits is tried once."""
_WINDOW = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\s[<>]=?\s{{1,3}}{_N}",
        rf"\d ?/ ?{_N}",
        rf"n_ctx\W{{1,4}}{_N}",
        rf"\[1, {_N}\]",
        rf"(?<![a-z_])(?:maximum|max|limit|only|at most|up to|less than|allowed)(?![a-z_])[^\d.]{{0,60}}{_N}",
        rf"context[ _-]?(?:length|size|window|limit)[^\d.]{{0,30}}{_N}",
        rf"{_N}(?: tokens?| token)?,? (?:maximum|max|limit|context)(?![a-z_])",
        rf"limit\W{{1,3}}{_N}",
    )
)
"""How servers tell their window, the surest form first."""
_ASKED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_N} (?:tokens? )?(?:in (?:the|your) (?:messages?|prompt|input)|input tokens|of text input)",
        rf"(?:n_prompt_tokens|n_keep)\W{{1,4}}{_N}",
        rf"{_N} \+ \d",
    )
)
"""How servers tell the length of what they were sent."""
_OVER = re.compile(rf"(?:exceed|over|beyond)[^\d.]{{0,60}} by {_N}")
_NUMBER = re.compile(_N)


class Told(NamedTuple):
    """What a refusal tells in tokens: the window, and what was sent; 0 where it does not."""

    window: int = 0
    sent: int = 0


def told_in(words: str, sent: int) -> Told:
    """Read a refusal, in small letters; `sent` is what we count the request as."""
    if over := _first((_OVER,), words):
        return Told(max(0, sent - over))
    numbers = [n for n in map(_read, _NUMBER.findall(words)) if n >= SMALLEST]
    window = _first(_WINDOW, words) or _least_of(numbers)
    asked = next(iter(_all(_ASKED, words)), 0) or max(numbers, default=0)
    return Told(window, asked if asked != window else 0) if window else Told()


def _least_of(numbers: list[int]) -> int:
    """Return the number that may be a window beside what was sent, where none is named as such; 0: none."""
    different = sorted({n for n in numbers if n >= NO_STATUS})
    return different[-2] if len(different) > 1 else 0


def _first(patterns: Iterable[re.Pattern[str]], words: str) -> int:
    return next((n for n in _all(patterns, words) if n >= SMALLEST), 0)


def _all(patterns: Iterable[re.Pattern[str]], words: str) -> Iterator[int]:
    for pattern in patterns:
        yield from map(_read, pattern.findall(words))


def _read(number: str) -> int:
    return int(number.replace(",", ""))


@dataclass
class Window:
    """The window of a model as far as it is known (0: not at all), and how many tokens its texts have."""

    tokens: int = 0
    density: float = DENSITY

    def count(self, size: int) -> int:
        """Return the tokens of so many bytes, not below the truth as far as it is known."""
        return int(size * self.density) + TEMPLATE

    def counted(self, tokens: int, size: int) -> None:
        """Learn from a count of the provider's how dense its tokens are."""
        if size and tokens > TEMPLATE:
            self.density = min(DENSEST, max(self.density, (tokens - TEMPLATE) / size))

    def learn(self, words: str, size: int) -> bool:
        """Learn from the refusal of a request of so many bytes; say whether it told of a window.

        Where no number is told the window is taken for half of what was sent.
        """
        ours = self.count(size)
        told = told_in(words, ours)
        window = told.window or ours // 2
        if window < SMALLEST or ours * CREDIBLE < window:
            return False
        self.tokens = min(window, self.tokens or window)
        if told.sent <= ours * CREDIBLE:
            self.counted(told.sent, size)
        if not told.sent and ours <= window:
            self.density = min(DENSEST, window * MARGIN / size)
        return True


def least(window: int) -> int:
    """Return the tokens of a window that are kept for a reply in any case."""
    return min(REPLY, window // 8)


def overran(error: BaseException, share: float) -> None:
    """Note on an error that a request was too long, and the share of it that fits."""
    error.__dict__["fits"] = share


def share_of(error: BaseException) -> float:
    """Return the share of a request that fits; 0 where it was not its length that failed."""
    noted = error.__dict__.get("fits", 0.0)
    return noted if isinstance(noted, float) else 0.0
