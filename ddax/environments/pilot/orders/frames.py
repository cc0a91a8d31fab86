"""What an order is made of: frames, one for each thing to do."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal, TypeAlias

from ddax.environments.pilot.words import Word

Act: TypeAlias = Literal[
    "press", "open", "close", "write", "set", "choose", "tick", "drag", "key", "upload", "search", "sort",
    "dialog", "tell", "deed", "mark", "wait", "scroll", "hover", "leave", "read",
]  # fmt: skip
"""What a driver does; `deed` is a control called by the verb of the order, `leave` what is not to be done,
`read` what is kept for an order behind it."""


@dataclass(frozen=True)
class Value:
    """A value to put in; `exact` says that it stood in quotes, `tail` is the sign that ended it otherwise."""

    text: str
    exact: bool
    tail: str = ""


@dataclass(frozen=True)
class Until:
    """What a page has to show for a press not to be made again: a text, or a number of a kind."""

    said: str = ""
    text: str = ""
    above: float = -inf
    below: float = inf
    least: float = -inf
    most: float = inf
    parity: int | None = None
    of: str = ""
    """What the number is of, where it is to be waited for, as the price."""

    def met(self, number: float) -> bool:
        """Tell whether a number is one that is wanted."""
        kind = self.parity is None or number % 2 == self.parity
        return kind and self.above < number < self.below and self.least <= number <= self.most


@dataclass(frozen=True)
class Frame:
    """One thing to do: the act, the words that say to what, values, and the order as it was said.

    `on` is what a tick or a switch is to be, what a dialog is to be answered. `others` says that all but what
    the words name is dragged. `fields` are parts that name a field and its value side by side.
    """

    act: Act
    said: str
    verb: str = ""
    words: tuple[Word, ...] = ()
    value: Value | None = None
    to: tuple[Word, ...] = ()
    fields: tuple[tuple[tuple[Word, ...], Value | None], ...] = ()
    on: bool = True
    others: bool = False
    count: int = 1
    tail: str = ""
    """The sign that its clause ended with."""
    until: Until | None = None


@dataclass(frozen=True)
class Reading:
    """A task read: its frames, or what of it was not understood."""

    frames: tuple[Frame, ...] = ()
    unread: str = ""
