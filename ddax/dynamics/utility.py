"""ACT-R utility with a tabu on repeated actions: U = P·G − C − penalty·count + noise.

The history is one task's; it is a value that is passed in and returned, never kept here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from numpy.random import Generator

from ddax.ideas.calls import action_key

FORGOTTEN = 1e-3
"""Counts below are dropped."""


@dataclass(frozen=True)
class Tabu:
    """How often each (action, arguments) was tried in one task; `decay` in (0, 1] applies per step."""

    decay: float = 0.9
    counts: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0 < self.decay <= 1:
            raise ValueError(f"the decay must lie in (0, 1], not {self.decay!r}")

    def count(self, name: str, args: Mapping[str, Any]) -> float:
        """Return the decayed number of tries."""
        return self.counts.get(action_key(name, args), 0.0)

    def record(self, name: str, args: Mapping[str, Any]) -> Tabu:
        """Return the history with one more try."""
        key = action_key(name, args)
        return replace(self, counts={**self.counts, key: self.counts.get(key, 0.0) + 1.0})

    def step(self) -> Tabu:
        """Return the history one step later."""
        faded = {key: value * self.decay for key, value in self.counts.items()}
        return replace(self, counts={key: value for key, value in faded.items() if value >= FORGOTTEN})


@dataclass(frozen=True)
class Option:
    """An action that may be taken: success chance `P` in [0, 1] and cost `C` in the units of G."""

    name: str
    args: Mapping[str, Any]
    P: float
    C: float


@dataclass(frozen=True)
class Utility:
    """The utility of an option with each of its terms, for the decision record."""

    option: Option
    value: float
    gain: float
    cost: float
    tabu: float
    noise: float


def utility(option: Option, tabu: Tabu, *, G: float, penalty: float = 2.0, noise: float = 0.0) -> Utility:
    """Return U = P·G − C − penalty·count + noise of one option (evolution, phase 1.2)."""
    gain, held = option.P * G, penalty * tabu.count(option.name, option.args)
    return Utility(option, gain - option.C - held + noise, gain, option.C, held, noise)


def resolve(
    options: Sequence[Option],
    tabu: Tabu,
    *,
    rng: Generator,
    G: float = 10.0,
    penalty: float = 2.0,
    noise: float = 0.1,
) -> list[Utility]:
    """Rank options by utility, best first; `noise` ≥ 0 is the scale of a logistic draw from `rng`."""
    draws = rng.logistic(0.0, noise, len(options)) if noise > 0 else [0.0] * len(options)
    ranked = [
        utility(o, tabu, G=G, penalty=penalty, noise=float(n)) for o, n in zip(options, draws, strict=True)
    ]
    return sorted(ranked, key=lambda u: -u.value)


def learned_chance(successes: float, failures: float, *, prior: float = 0.5, strength: float = 2.0) -> float:
    """Return P from past solutions: the mean of a Beta with the given prior mean and strength."""
    if successes < 0 or failures < 0 or not 0 <= prior <= 1 or strength <= 0:
        raise ValueError("counts must be ≥ 0, the prior in [0, 1], its strength positive")
    return (successes + prior * strength) / (successes + failures + strength)
