"""How far an agent is to be trusted: pure arithmetic over tallies of its dissents and overrides.

Two named formulas (agent-memory 4; DESIGN section 6). `source` is the published one, clipped.
`corrected` counts an override against the agent only where it stood, and shrinks towards a prior.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Literal

import numpy as np

from ddax.errors import UsageError

Formula = Literal["source", "corrected"]

INITIAL_TRUST = 0.6
EXCLUDED_BELOW = 0.2
PROBATION_ROUNDS = 5
MAX_DEPTH = 2.0
NEUTRAL_NOVELTY = 0.5
"""Novelty of a first dissent: there is nothing to compare it with, for or against."""
PRIOR_IMPACT, PRIOR_DEPTH, PRIOR_UPHELD = 0.5, 2 / 3, 0.0
PRIOR_WEIGHT = 2.0
"""The priors count as this many events; with them a new agent stands at 0.6."""

_WORDS_OF_FULL_LENGTH = 50
_PER_CITATION, _MAX_CITATION_BONUS = 0.2, 0.5


@dataclass(frozen=True)
class Tally:
    """Counts of events: `verified` dissents changed the output and it was then verified better.

    `settled` overrides are regretted or past their deadline; of these, those not `regretted` stood.
    `depth` is the sum of the depths of the dissents.
    """

    dissents: int = 0
    impactful: int = 0
    verified: int = 0
    depth: float = 0.0
    overrides: int = 0
    settled: int = 0
    regretted: int = 0

    def __add__(self, other: Tally) -> Tally:
        """Add two tallies."""
        return Tally(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    @property
    def empty(self) -> bool:
        """Tell whether nothing was counted."""
        return self.dissents == 0 and self.overrides == 0


def trust_source(tally: Tally) -> float:
    """Return 0.4·impact + 0.3·depth + 0.3·(1 − regret), clipped to [0, 1]; 0.6 before any event."""
    if tally.empty:
        return INITIAL_TRUST
    impact = _ratio(tally.impactful, tally.dissents)
    depth = _ratio(tally.depth, tally.dissents)
    regret = _ratio(tally.regretted, tally.overrides)
    return _clip(0.4 * impact + 0.3 * depth + 0.3 * (1.0 - regret))


def trust_corrected(tally: Tally) -> float:
    """Return 0.4·impact + 0.3·depth/2 + 0.3·(1 − upheld) in [0, 1], each shrunk towards its prior."""
    impact = _shrunk(tally.verified, tally.dissents, PRIOR_IMPACT)
    depth = _shrunk(tally.depth, tally.dissents, PRIOR_DEPTH)
    upheld = _shrunk(tally.settled - tally.regretted, tally.settled, PRIOR_UPHELD)
    return _clip(0.4 * impact + 0.3 * depth / MAX_DEPTH + 0.3 * (1.0 - upheld))


def trust_of(tally: Tally, formula: Formula) -> float:
    """Return the trust by a named formula."""
    return trust_corrected(tally) if formula == "corrected" else trust_source(tally)


def dissent_depth(text: str, citations: Sequence[str], *, novelty: float | None, supported: bool) -> float:
    """Return the depth of a dissent in [0, 2]: length, distinct citations and novelty.

    It is 0 where no citation passed the support check; `novelty` is None for a first dissent.
    """
    if not supported:
        return 0.0
    length = min(len(text.split()) / _WORDS_OF_FULL_LENGTH, 1.0)
    bonus = min(len(set(citations)) * _PER_CITATION, _MAX_CITATION_BONUS)
    return min(length + bonus + (NEUTRAL_NOVELTY if novelty is None else _clip(novelty)), MAX_DEPTH)


def novelty_of(vector: np.ndarray, earlier: Iterable[np.ndarray]) -> float | None:
    """Return 1 − the largest cosine to earlier dissents, in [0, 1]; None where there are none."""
    cosines = [float(np.dot(vector, other)) for other in earlier]
    return _clip(1.0 - max(cosines)) if cosines else None


def draw_devils_advocate(agents: Sequence[Mapping[str, object]], rng: np.random.Generator) -> str:
    """Draw the name of an agent with a chance in proportion to its trust.

    Agents below 0.2 or with fewer than 5 rounds stand back, unless nobody else is there.
    """
    if not agents:
        raise UsageError("A devil's advocate cannot be drawn from nobody.", mend="Give at least one agent.")
    viable = [agent for agent in agents if _may_serve(agent)] or list(agents)
    weights = np.array([_number(agent, "trust_score", INITIAL_TRUST) for agent in viable])
    chances = weights / weights.sum() if weights.sum() > 0 else None
    return str(viable[int(rng.choice(len(viable), p=chances))]["agent_name"])


def _may_serve(agent: Mapping[str, object]) -> bool:
    return (
        _number(agent, "trust_score", INITIAL_TRUST) >= EXCLUDED_BELOW
        and _number(agent, "rounds_participated", 0.0) >= PROBATION_ROUNDS
    )


def _number(agent: Mapping[str, object], key: str, default: float) -> float:
    value = agent.get(key, default)
    return float(value) if isinstance(value, int | float) else default


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _shrunk(part: float, whole: float, prior: float) -> float:
    return (part + prior * PRIOR_WEIGHT) / (whole + PRIOR_WEIGHT)


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))
