"""Who argues and who judges: roles are given by trust, the devil's advocate is drawn (agent-memory)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ddax.errors import UsageError
from ddax.memory.agents.agent_store import Standing, canonical
from ddax.memory.agents.trust import EXCLUDED_BELOW, INITIAL_TRUST, PROBATION_ROUNDS, draw
from ddax.reasoning.protocol import Reasoner


@dataclass(frozen=True)
class Debater:
    """A participant: its name, its reasoner, its trust in [0, 1], and the rounds it has taken part in."""

    name: str
    reasoner: Reasoner
    trust: float = INITIAL_TRUST
    rounds: int = PROBATION_ROUNDS


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


def assign_roles(
    debaters: Sequence[Debater], rng: np.random.Generator, fixed: Mapping[str, str] | None = None
) -> Roles:
    """Give out the roles that are not fixed by name: draw the opponent, propose by trust, let the rest judge.

    With two, the proponent judges; with one, it does everything. An open role goes to somebody without a
    fixed one, where there is somebody, and the opponent judges only where nobody else is there. Nobody
    below `EXCLUDED_BELOW` takes part, save that the most trusted one always stays. Raises `UsageError` where
    there is nobody.
    """
    if not debaters:
        raise UsageError(
            "A debate needs a participant.", why="Nobody is left to speak.", mend="Give at least one debater."
        )
    ranked = sorted(debaters, key=lambda d: (-d.trust, d.name))
    admitted = [d for d in ranked if d.trust >= EXCLUDED_BELOW] or ranked[:1]

    def of(*roles: str) -> list[Debater]:
        return [d for d in admitted if (fixed or {}).get(d.name, "any") in roles]

    opponent = next(iter(of("opponent")), None) or devils_advocate(
        of("any") or of("proponent") or admitted, rng
    )
    others = [d for d in (*of("any"), *of("judge"), *admitted) if d is not opponent] or [opponent]
    named = of("proponent")
    proponent = next((d for d in named if d is not opponent), None) or next(iter(named), None) or others[0]
    judges = [d for d in of("judge") if d is not opponent] or [
        d for d in of("any") if d not in (opponent, proponent)
    ]
    rest = proponent if proponent is not opponent else others[0]
    return Roles(proponent, opponent, tuple(judges) or (rest,))


def devils_advocate(debaters: Sequence[Debater], rng: np.random.Generator) -> Debater:
    """Draw one participant with a chance in proportion to its trust; equal chances where all have none.

    Who is on probation stands back, unless nobody else is there.
    """
    return debaters[draw([d.trust for d in debaters], [d.rounds for d in debaters], rng)]


def seated(debaters: Sequence[Debater], standing: Mapping[str, Standing]) -> list[Debater]:
    """Return the participants as they stood when the task opened; who is not known is a newcomer."""
    newcomer = Standing(trust=INITIAL_TRUST, rounds=0, role="")
    known = [(d, standing.get(canonical(d.name), newcomer)) for d in debaters]
    return [replace(d, trust=it["trust"], rounds=it["rounds"]) for d, it in known]
