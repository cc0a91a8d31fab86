"""Who argues and who judges: roles are given by trust, the devil's advocate is drawn (agent-memory)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ddax.errors import UsageError
from ddax.reasoning.protocol import Reasoner

EXCLUSION = 0.2
"""Trust below which nobody takes part."""


@dataclass(frozen=True)
class Debater:
    """A participant: its name, its reasoner, and its trust in [0, 1] (0.6 is that of a newcomer)."""

    name: str
    reasoner: Reasoner
    trust: float = 0.6


@dataclass(frozen=True)
class Roles:
    """Who does what; one participant may hold several roles where there are few."""

    proponent: Debater
    opponent: Debater
    judges: tuple[Debater, ...]

    def names(self) -> Mapping[str, str]:
        """Return the name behind each role."""
        judges = ", ".join(judge.name for judge in self.judges)
        return {"proponent": self.proponent.name, "opponent": self.opponent.name, "judges": judges}


def assign_roles(debaters: Sequence[Debater], rng: np.random.Generator) -> Roles:
    """Draw the opponent by trust, let the most trusted of the others propose, and the rest judge.

    With two, the proponent judges; with one, it does everything. Nobody below `EXCLUSION` takes part,
    save that the most trusted one always stays. Raises `UsageError` where there is nobody.
    """
    if not debaters:
        raise UsageError("A debate needs a participant.", mend="Give at least one debater.")
    ranked = sorted(debaters, key=lambda d: (-d.trust, d.name))
    admitted = [d for d in ranked if d.trust >= EXCLUSION] or ranked[:1]
    opponent = devils_advocate(admitted, rng)
    others = [d for d in admitted if d is not opponent] or [opponent]
    return Roles(others[0], opponent, tuple(others[1:]) or (others[0],))


def devils_advocate(debaters: Sequence[Debater], rng: np.random.Generator) -> Debater:
    """Draw one participant with a chance in proportion to its trust; equal chances where all have none."""
    trust = np.array([max(0.0, d.trust) for d in debaters])
    chances = trust / trust.sum() if trust.sum() > 0 else None
    return debaters[int(rng.choice(len(debaters), p=chances))]
