"""How much one model takes: the tokens of its context, told or learned from what it refused.

The window is the server's and holds for the process; how dense a text is is the text's, and holds for its
request alone: what was asked before changes no prompt. Leaves out what of a request is cut (`language.room`,
`language.cutting`) and that a request is asked again (`language.telling`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

DENSITY = 1 / 3
"""Tokens of a byte that are counted on until a server has told a larger share."""
DENSEST = 1.0
TEMPLATE = 50
"""Tokens that a server counts beside what was sent: its own template of a conversation."""
SMALLEST = 256
"""Tokens below which a number in a message is no window."""
MARGIN = 1.15
"""By how much a share is raised where a server says that a request is too long, and not how long."""
CREDIBLE = 4
"""How many times longer than we count a request may be: a server that says more means something else."""
REPLY = 512
"""Tokens that a reply needs at least; in a small window an eighth of it."""
_OTHER = (
    r"[kmgt]i?b|bytes?|char(?:acter)?s?|m?s|secs?|seconds?|minutes?|%|requests?|messages?|images?"
    r"|(?:completion|output|new) tokens|(?:tokens )?in the (?:completion|output)"
)
"""What is no token of a request."""
_N = rf"(?<![\d,.])(\d[\d,]{{1,11}}\d)(?!,?\d|[ _]?(?:{_OTHER})(?![a-z]))"
"""A number; one may begin only where no other goes on, so that a long row of digits is tried once."""
_ADDRESS = re.compile(r"https?://\S{1,300}")
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
        rf"{_N} (?:tokens? )?in (?:the|your) (?:messages?|prompt|input)",
        rf"{_N} (?:tokens? )?(?:input tokens|`inputs`|of text input)",
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
    words = _ADDRESS.sub(" ", words)
    if over := _first((_OVER,), words):
        return Told(max(0, sent - over))
    window = _first(_WINDOW, words)
    asked = next(iter(_all(_ASKED, words)), 0) or max(map(_read, _NUMBER.findall(words)), default=0)
    return Told(window, asked if asked != window else 0) if window else Told()


def _first(patterns: Iterable[re.Pattern[str]], words: str) -> int:
    return next((n for n in _all(patterns, words) if n >= SMALLEST), 0)


def _all(patterns: Iterable[re.Pattern[str]], words: str) -> Iterator[int]:
    for pattern in patterns:
        yield from map(_read, pattern.findall(words))


def _read(number: str) -> int:
    return int(number.replace(",", ""))


@dataclass(frozen=True)
class Measure:
    """How long one request is taken to be: the tokens of a byte, and those it may have (0: not known)."""

    window: int = 0
    density: float = DENSITY

    def count(self, size: int) -> int:
        """Return the tokens of so many bytes, not below the truth as far as it is known."""
        return int(size * self.density) + TEMPLATE

    def counted(self, tokens: int, size: int) -> Measure:
        """Return the measure by a count of the provider's, of the same text."""
        if not size or tokens <= TEMPLATE:
            return self
        return replace(self, density=min(DENSEST, max(self.density, (tokens - TEMPLATE) / size)))

    def refused(self, told: Told, size: int) -> Measure | None:
        """Return the measure after a refusal of so many bytes; None where it cannot be about their length.

        Where no number is told, the request may be half as long.
        """
        ours = self.count(size)
        window = told.window or ours // 2
        if window < SMALLEST or ours * CREDIBLE < window:
            return None
        found = replace(self, window=narrower(window, self.window))
        if told.sent:
            return found.counted(told.sent, size) if told.sent <= ours * CREDIBLE else found
        return replace(found, density=min(DENSEST, window * MARGIN / size)) if ours <= window else found


def narrower(*windows: int) -> int:
    """Return the least of some windows, of those that are known; 0: of none."""
    return min(filter(None, windows), default=0)


def least(window: int) -> int:
    """Return the tokens of a window that are kept for a reply in any case."""
    return min(REPLY, window // 8)


def overran(error: BaseException, share: float, measure: Measure) -> None:
    """Note on an error that a request was too long: the share of it that fits, and how it is measured."""
    error.__dict__["fits"] = share, measure


def fits(error: BaseException) -> tuple[float, Measure]:
    """Return what was noted on an error; a share of 0 where it was not the length that failed."""
    noted: tuple[float, Measure] = error.__dict__.get("fits", (0.0, Measure()))
    return noted
