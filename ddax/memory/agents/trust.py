"""How far an agent is to be trusted: pure arithmetic over tallies of what it did.

Two named formulas (agent-memory 4; docs/decisions/0009). `source` is the published one, clipped.
`corrected` goes by what was verified: dissents that were right, silence that was right, overrides
that stood; each share is shrunk towards a prior. Humans have a standing by the same events.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal

import numpy as np

Formula = Literal["source", "corrected"]

INITIAL_TRUST = 0.6
EXCLUDED_BELOW = 0.2
"""Trust below which nobody takes part in a debate."""
PROBATION_ROUNDS = 5
MAX_DEPTH = 2.0
PRIOR_IMPACT, PRIOR_DEPTH, PRIOR_UPHELD = 0.5, 2 / 3, 0.0
PRIOR_WEIGHT = 2.0
"""The priors count as this many events; with them a new agent, or a new human, stands at 0.6."""
WRONG_WEIGHT = 0.1
"""What a wrong dissent, or a silence that was wrong, weighs in the depth: the benchmark `trust` shows why."""


@dataclass(frozen=True)
class Tally:
    """Counts of events.

    Of the `dissents`, `impactful` ones changed the output; `verified` were shown right by what came
    later, `wrong` were shown wrong. `depth` sums the depths of all, `held` those of all but the wrong
    ones. `missed` and `agreed` count silence in a review that was later shown wrong or right.
    `settled` overrides are regretted or past their deadline; those not `regretted` stood. `approved`
    counts decisions that a human looked at and let pass.
    """

    dissents: int = 0
    impactful: int = 0
    verified: int = 0
    depth: float = 0.0
    overrides: int = 0
    settled: int = 0
    regretted: int = 0
    wrong: int = 0
    held: float = 0.0
    missed: int = 0
    agreed: int = 0
    approved: int = 0

    def __add__(self, other: Tally) -> Tally:
        """Add two tallies."""
        return Tally(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    @property
    def empty(self) -> bool:
        """Tell whether nothing was counted."""
        return not any((self.dissents, self.overrides, self.missed, self.agreed, self.approved))


def trust_source(tally: Tally) -> float:
    """Return 0.4·impact + 0.3·depth + 0.3·(1 − regret), clipped to [0, 1]; 0.6 before any event."""
    if tally.dissents == 0 and tally.overrides == 0:
        return INITIAL_TRUST
    impact = _ratio(tally.impactful, tally.dissents)
    depth = _ratio(tally.depth, tally.dissents)
    regret = _ratio(tally.regretted, tally.overrides)
    return _clip(0.4 * impact + 0.3 * depth + 0.3 * (1.0 - regret))


def trust_corrected(tally: Tally) -> float:
    """Return 0.4·impact + 0.3·depth/2 + 0.3·(1 − upheld) in [0, 1], each shrunk towards its prior.

    Impact is the mean of two shares: of faulty outputs reviewed, those dissented from, and of sound
    ones, those left in peace. So neither silence nor constant dissent moves it from ½ by itself.
    Depth is that of the dissents not shown wrong, so that it cannot stand in for being right. Upheld is
    the share of the decisions a human looked at that were overridden for good.
    """
    found = _shrunk(tally.verified, tally.verified + tally.missed, PRIOR_IMPACT)
    spared = _shrunk(tally.agreed, tally.agreed + tally.wrong, PRIOR_IMPACT)
    heard = tally.dissents - tally.wrong + WRONG_WEIGHT * (tally.wrong + tally.missed)
    depth = _shrunk(tally.held, heard, PRIOR_DEPTH)
    stood = tally.settled - tally.regretted
    upheld = _shrunk(stood, tally.settled + tally.approved, PRIOR_UPHELD)
    return _clip(0.2 * (found + spared) + 0.3 * depth / MAX_DEPTH + 0.3 * (1.0 - upheld))


def human_standing(tally: Tally) -> float:
    """Return the share of a human's settled overrides that stood, in [0, 1], shrunk towards 0.6."""
    return _shrunk(tally.settled - tally.regretted, tally.settled, INITIAL_TRUST)


def trust_of(tally: Tally, formula: Formula) -> float:
    """Return the trust by a named formula."""
    return trust_corrected(tally) if formula == "corrected" else trust_source(tally)


def draw(trust: Sequence[float], rounds: Sequence[float], rng: np.random.Generator) -> int:
    """Draw an index `[n ≥ 1]` with a chance in proportion to trust.

    Who is trusted below 0.2 or has fewer than 5 rounds stands back, unless nobody else is there: then
    those on probation come first, and the excluded last.
    """
    trusted = [k for k, value in enumerate(trust) if value >= EXCLUDED_BELOW]
    viable = [k for k in trusted if rounds[k] >= PROBATION_ROUNDS] or trusted or list(range(len(trust)))
    weights = np.array([max(0.0, trust[k]) for k in viable])
    chances = weights / weights.sum() if weights.sum() > 0 else None
    return viable[int(rng.choice(len(viable), p=chances))]


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _shrunk(part: float, whole: float, prior: float) -> float:
    return (part + prior * PRIOR_WEIGHT) / (whole + PRIOR_WEIGHT)


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))
