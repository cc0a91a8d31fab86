"""The bridge for loops of others: what was expected and what came → a belief and an action.

Needs numpy only; the encoder is opened at the first call that gives no surprise. Leaves out the
effects: the caller's loop decides what EXPLORE, CONSOLIDATE, VERIFY and REST mean to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ddax.errors import UsageError
from ddax.metacognition.controller import Controller, EngineName, MoodState
from ddax.metacognition.matrices import ACTIONS, OBSERVATIONS, STATES
from ddax.metacognition.signals import SignalConverter
from ddax.types import EntailmentCheck

SurpriseOf = Callable[[str, str], float]
"""Return the surprise in [0, 1] of an outcome (second) where something was expected (first)."""


class Observed(NamedTuple):
    """The belief per state of mind, summing to 1, and the action chosen."""

    belief: dict[str, float]
    action: str


class Bridge:
    """Steer a loop: `belief, action = Bridge().observe(prediction=..., outcome=...)`.

    `mood` goes on from a stored `Bridge.mood`, which is plain JSON. `check` is the support check,
    `surprise_of` the measure of surprise; by default the ones ddax uses. Close it, or use it in
    `with`, where `engine` is "auto" or "pymdp".
    """

    def __init__(
        self,
        *,
        engine: EngineName = "numpy",
        mood: Mapping[str, Any] | None = None,
        check: EntailmentCheck | None = None,
        surprise_of: SurpriseOf | None = None,
        matrices: Path | None = None,
        policy_len: int = 3,
    ) -> None:
        self.controller = Controller(engine=engine, matrices=matrices, policy_len=policy_len)
        self.mood: MoodState = mood or self.controller.open_mood()  # type: ignore[assignment]
        self.reason = ""
        """Why the last observation was made, in words."""
        self._check, self._surprise_of = check, surprise_of

    def __enter__(self) -> Bridge:
        """Return the bridge itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """End the process of pymdp, if there is one."""
        self.controller.close()

    def observe(
        self,
        observation: str = "",
        *,
        prediction: str = "",
        outcome: str = "",
        confidence: float = 1.0,
        surprise: float | None = None,
        similarity: float | None = None,
    ) -> Observed:
        """Take in one outcome, or an `observation` by name, and choose an action.

        `confidence` in [0, 1] is that of the prediction, `surprise` in [0, 1] of the outcome (left
        out: measured), `similarity` in [0, 1] to the most similar earlier outcome. Raises
        `UsageError` where neither an observation nor prediction and outcome are given.
        """
        _within(confidence=confidence, surprise=surprise, similarity=similarity)
        likelihood = None
        if observation:
            self.reason = "named by the caller"
        else:
            if not (prediction.strip() and outcome.strip()):
                raise UsageError(
                    "There is nothing to observe.",
                    why="An outcome is observed beside what was expected, and one of the two is empty.",
                    mend=f"Give `prediction` and `outcome`, or an observation: {', '.join(OBSERVATIONS)}.",
                )
            surprise = self._surprise(prediction, outcome) if surprise is None else surprise
            signal = SignalConverter(self._support()).convert(
                prediction, outcome, confidence=confidence, epsilon=surprise, recent=self.mood["recent"],
                similarity=similarity,
            )  # fmt: skip
            observation, likelihood, self.reason = signal.observation, signal.likelihood, signal.reason
        felt = self.controller.observe(self.mood, observation, likelihood=likelihood, epsilon=surprise)
        self.mood = felt.mood
        return Observed(dict(zip(STATES, felt.mood["belief"], strict=True)), felt.action)

    @property
    def values(self) -> dict[str, float]:
        """Return the value of each action at the last observation (negative expected free energy, nats)."""
        return dict(zip(ACTIONS, self.mood["efe"], strict=True))

    def _support(self) -> EntailmentCheck:
        if self._check is None:
            from ddax.reasoning.entailment import open_check

            self._check = open_check()
        return self._check

    def _surprise(self, prediction: str, outcome: str) -> float:
        if self._surprise_of is None:
            self._surprise_of = _shipped_surprise()
        return self._surprise_of(prediction, outcome)


def _shipped_surprise() -> SurpriseOf:
    """Return the calibrated surprise of the shipped encoder."""
    from ddax.configs.calibration import load_calibration
    from ddax.dynamics.surprise import UNMEASURED, forecast_surprise
    from ddax.memory.embeddings import open_embedder

    embedder = open_embedder()
    scale = load_calibration(embedder.name, embedder.fingerprint, fallback=UNMEASURED)

    def surprise(prediction: str, outcome: str) -> float:
        expected, actual = embedder.embed([prediction, outcome])
        return forecast_surprise(expected, actual, scale)

    return surprise


def _within(**numbers: float | None) -> None:
    for name, value in numbers.items():
        if value is not None and not 0.0 <= value <= 1.0:
            raise UsageError(
                f"The {name} is {value!r}.",
                why="It goes from 0 to 1.",
                mend="Give a number between 0 and 1.",
            )
