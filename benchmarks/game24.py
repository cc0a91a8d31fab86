"""The Game of 24 as a search: states, a scripted proposer, and a noisy scorer of known quality.

A state is the sorted numbers that are left; a step puts two of them together. The proposer knows no
solution: it prefers whole numbers, as people do. The scorer knows whether 24 can still be reached and
says so through noise, the same noise for the same state, so that all searches of a puzzle face one scorer.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from hashlib import sha256
from math import erf
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

State: TypeAlias = tuple[Fraction, ...]
GOAL = Fraction(24)
HIGH, LOW = 0.7, 0.3
"""What the scorer means to say of a state from which 24 can be reached, and of any other."""
PREFERRED, OTHER = 1.0, 0.2
"""Weights of a step to a whole number from 0 to 100, and of any other step."""


class Step(NamedTuple):
    """A possible step: the state it leads to, and the proposer's weight."""

    state: State
    weight: float


def read_puzzles(path: Path) -> list[State]:
    """Read the puzzles in the order of the file (easy ones first)."""
    with path.open(encoding="utf-8", newline="") as file:
        return [tuple(sorted(map(Fraction, row["Puzzles"].split()))) for row in csv.DictReader(file)]


@cache
def steps(state: State) -> tuple[Step, ...]:
    """Return every state one step away, once each, in a fixed order."""
    found: dict[State, float] = {}
    for i in range(len(state)):
        for j in range(i + 1, len(state)):
            rest = [n for k, n in enumerate(state) if k not in (i, j)]
            for made in _results(state[i], state[j]):
                weight = PREFERRED if made.denominator == 1 and 0 <= made <= 100 else OTHER
                after = tuple(sorted([*rest, made]))
                found[after] = max(weight, found.get(after, 0.0))
    return tuple(Step(after, found[after]) for after in sorted(found))


def _results(a: Fraction, b: Fraction) -> list[Fraction]:
    made = [a + b, a - b, b - a, a * b]
    if b:
        made.append(a / b)
    if a:
        made.append(b / a)
    return made


@cache
def reachable(state: State) -> bool:
    """Tell whether 24 can be made of all numbers of a state."""
    if len(state) == 1:
        return state[0] == GOAL
    return any(reachable(step.state) for step in steps(state))


def quality(noise: float) -> float:
    """Return the scorer's quality: how often it ranks a good state above a bad one (before clipping)."""
    return 0.5 * (1 + erf((HIGH - LOW) / noise / 2))


@dataclass
class Scorer:
    """Score states; `calls` counts the different states scored. The last number is checked exactly."""

    noise: float
    seed: int
    calls: int = 0
    _known: dict[State, float] = field(default_factory=dict)

    def score(self, state: State) -> float:
        """Return a value in [0, 1]; the same state has the same value."""
        if state not in self._known:
            self.calls += 1
            self._known[state] = self._fresh(state)
        return self._known[state]

    def _fresh(self, state: State) -> float:
        if len(state) == 1:
            return float(state[0] == GOAL)
        name = f"{self.seed}/{' '.join(map(str, state))}".encode()
        rng = np.random.default_rng(int.from_bytes(sha256(name).digest()[:8], "big"))
        meant = HIGH if reachable(state) else LOW
        return float(np.clip(meant + self.noise * rng.standard_normal(), 0.0, 1.0))


def propose(left: Sequence[Step], n: int, rng: np.random.Generator) -> list[int]:
    """Draw up to n of the steps that are left, without repetition, by their weights; return their places."""
    weights = np.array([step.weight for step in left])
    size = min(n, len(left))
    return [int(k) for k in rng.choice(len(left), size, replace=False, p=weights / weights.sum())]


def words(state: State) -> str:
    """Say a state as the expected outcome of a step is said."""
    return f"left are the numbers {', '.join(map(str, state))}"
