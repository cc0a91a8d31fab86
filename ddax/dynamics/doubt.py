"""Whether a step of thought is worth its price: what it may change, against what it is expected to cost.

Answers come from what was found and one synthesis of it. A plan, an extraction, a judgment, an argument, a
check, a lesson and a curious question are answers to doubt, and one rule holds for all of them:

    held  ⟺  change · stakes · worth ≥ tokens,  and change > 0

`change` is the chance that what is done next, or the answer, comes out otherwise; `stakes` the share of the
task that hangs on it; both in [0, 1]. `worth` are the tokens that one pays to turn a wrong answer into a
right one, and never more than are left. Leaves out where the numbers come from: they are the caller's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ddax.types import JsonDict

Ceremony = Literal["plan", "extract", "judge", "argue", "verify", "reflect", "curiosity"]
CHARACTERS = 4
"""Characters of a token, in most texts."""
FRAME = 600
"""Tokens of a call beside what it is told of: rules, instructions, the form of the reply, the reply."""


@dataclass(frozen=True)
class Doubt:
    """What one ceremony could change, and what it is expected to cost; `needed` ones have no alternative."""

    ceremony: Ceremony
    idea: str
    change: float
    stakes: float
    calls: int
    tokens: int
    worth: int
    needed: bool = False
    why: str = ""

    @property
    def gain(self) -> float:
        """Return the tokens that what it may change is worth.

        >>> Doubt("judge", "1.2", change=0.5, stakes=0.2, calls=1, tokens=900, worth=20_000).gain
        2000.0
        """
        return round(self.change * self.stakes * self.worth, 6)

    @property
    def held(self) -> bool:
        """Tell whether it is worth its price.

        >>> Doubt("judge", "1.2", change=0.5, stakes=0.2, calls=1, tokens=900, worth=20_000).held
        True
        >>> Doubt("judge", "1.2", change=0.1, stakes=0.2, calls=1, tokens=900, worth=20_000).held
        False
        >>> Doubt("verify", "1.2", change=0.0, stakes=1.0, calls=0, tokens=0, worth=20_000).held
        False
        """
        return self.needed or (self.change > 0 and self.gain >= self.tokens)

    def row(self) -> JsonDict:
        """Return it as plain JSON, with what was decided."""
        return {
            "ceremony": self.ceremony, "idea": self.idea, "change": round(self.change, 4),
            "stakes": round(self.stakes, 4), "gain": round(self.gain), "calls": self.calls,
            "tokens": self.tokens, "held": self.held, "needed": self.needed, "why": self.why,
        }  # fmt: skip


def expected_tokens(characters: int, calls: int, *, known_calls: int = 0, known_tokens: int = 0) -> int:
    """Return the tokens of so many calls, each over so many characters.

    The estimate by size counts as one call beside those that were measured: the first ceremony of a task is
    priced by its prompt, the tenth by the mean of the nine before it.

    >>> expected_tokens(4000, 1)
    1600
    >>> expected_tokens(4000, 2, known_calls=3, known_tokens=2400)
    2000
    >>> expected_tokens(4000, 0)
    0
    """
    by_size = characters / CHARACTERS + FRAME
    return round(calls * (by_size + known_tokens) / (1 + known_calls))


def by_order(open_ideas: int, at_once: int) -> float:
    """Return the chance that values change which ideas are done next: the share that is not done anyway.

    >>> by_order(8, 2)
    0.75
    >>> by_order(2, 4)
    0.0
    """
    return max(0.0, 1 - at_once / open_ideas) if open_ideas else 0.0


def by_nearness(value: float, boundary: float) -> float:
    """Return the chance that a second look lifts a value below a boundary over it: the nearer, the likelier.

    >>> by_nearness(0.4, 0.5)
    0.8
    >>> by_nearness(0.5, 0.5)
    0.0
    """
    return value / boundary if 0 <= value < boundary else 0.0


def by_cut(characters: int, room: int) -> float:
    """Return the share of a text that whoever is given so much room does not see.

    >>> by_cut(24_000, 6_000)
    0.75
    >>> by_cut(4_000, 6_000)
    0.0
    """
    return max(0.0, 1 - room / characters) if characters else 0.0
