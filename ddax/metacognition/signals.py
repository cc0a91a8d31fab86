"""Turn a forecast and what came into an observation for the controller, with novelty and progress.

HIGH_SURPRISE comes from the calibrated surprise; CONTRADICTION and CONFIRMATION from a support check.
A check that is unsure says nothing: its doubt is not surprise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ddax.metacognition.matrices import STATES
from ddax.types import Entailment, EntailmentCheck

CERTAIN = 0.5
"""Confidence of the support check below which its word does not count."""
WINDOW = 6
"""The latest surprises, which the mood remembers: over them learning progress is measured."""
STUCK_PROGRESS = 0.05
"""Progress up to which nothing is learned: the surprise of one outcome in other words varies as much."""
MASTERED = 0.15
"""Mean surprise below which there is nothing left to learn: calm is no standstill."""
REPETITION_FACTOR = 2.0
STUCK_FACTOR = 3.0
"""How much more likely repetition makes BORED, and effort without progress STAGNANT."""


@dataclass(frozen=True)
class Signal:
    """An observation and what else was noticed.

    `novelty` in [0, 1] is None where nobody compared; `progress` in [−1, 1] is the fall of surprise,
    None until there is enough to compare; `likelihood` `[4]` is their evidence per state of mind, by
    which BORED (repetition) and STAGNANT (no progress despite effort) are told apart.
    """

    observation: str
    novelty: float | None
    progress: float | None
    likelihood: tuple[float, ...]
    reason: str


@dataclass(frozen=True)
class SignalConverter:
    """Convert outcomes into observations (metacognitive-bridge, Signal Converter)."""

    check: EntailmentCheck
    surprise_threshold: float = 0.5
    confirmation_confidence: float = 0.8

    def convert(
        self,
        prediction: str,
        outcome: str,
        *,
        confidence: float,
        epsilon: float,
        recent: Sequence[float] = (),
        similarity: float | None = None,
    ) -> Signal:
        """Name the observation of one outcome.

        `confidence` in [0, 1] is that of the forecast, `epsilon` its calibrated surprise; `recent`
        are the surprises before it, oldest first; `similarity` in [0, 1] is to the most similar
        earlier outcome.
        """
        observation, reason = self._observe(self.check(prediction, outcome), confidence, epsilon)
        novelty = None if similarity is None else min(1.0, max(0.0, 1.0 - similarity))
        progress = learning_progress([*recent, epsilon])
        effort = [*recent, epsilon][-WINDOW:]
        return Signal(observation, novelty, progress, _likelihood(novelty, progress, effort), reason)

    def _observe(self, check: Entailment, confidence: float, epsilon: float) -> tuple[str, str]:
        if check.relation == "contradiction" and check.confidence >= CERTAIN:
            return "CONTRADICTION", f"the outcome contradicts the forecast ({check.confidence:.2f})"
        sure = confidence > self.confirmation_confidence and check.confidence >= CERTAIN
        if check.relation == "entailment" and sure:
            return "CONFIRMATION", f"the outcome confirms a forecast held with {confidence:.2f}"
        if epsilon > self.surprise_threshold:
            return "HIGH_SURPRISE", f"surprise {epsilon:.2f} is above {self.surprise_threshold:.2f}"
        return "LOW_SURPRISE", f"surprise {epsilon:.2f} is not above {self.surprise_threshold:.2f}"


def learning_progress(surprises: Sequence[float]) -> float | None:
    """Return how far surprise fell, from the older to the newer half of the last `WINDOW`; in [−1, 1]."""
    window = list(surprises)[-WINDOW:]
    if len(window) < WINDOW:
        return None
    half = WINDOW // 2
    return sum(window[:half]) / half - sum(window[half:]) / half


def _likelihood(novelty: float | None, progress: float | None, effort: Sequence[float]) -> tuple[float, ...]:
    """Return the evidence per state, in the order of STATES; all 1 where nothing was noticed.

    In calm, repetition bores. Where surprise stays, the same again is no confusion, which is about
    the new: it is a standstill.
    """
    factor = dict.fromkeys(STATES, 1.0)
    struggling = sum(effort) / len(effort) > MASTERED
    if novelty is not None:
        repeated = REPETITION_FACTOR ** (1.0 - 2.0 * novelty)
        if struggling:
            factor["STAGNANT"], factor["CONFUSED"] = repeated, 1.0 / repeated
        else:
            factor["BORED"] = repeated
    if progress is not None and progress <= STUCK_PROGRESS and struggling:
        factor["STAGNANT"] *= STUCK_FACTOR
    return tuple(factor[state] for state in STATES)
