"""The controller: from an observation to a belief and a cognitive action, with the mood as plain JSON.

It keeps no state of its own: the mood travels in the graph's state, so a resumed or forked run goes
on with the same mind. Both engines agree to the last digits and the stored numbers are rounded, so
it makes no difference which of them answered, nor when one took over from the other.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict, cast

import numpy as np

from ddax.errors import DdaxError, UsageError
from ddax.metacognition.matrices import ACTIONS, OBSERVATIONS, STATES, load_matrices
from ddax.metacognition.signals import WINDOW
from ddax.metacognition.twin import Engine, Thought, Twin
from ddax.types import Vector

if TYPE_CHECKING:
    from ddax.metacognition.child import Child

logger = logging.getLogger("ddax")
EngineName = Literal["auto", "pymdp", "numpy"]
DIGITS = 9
"""Digits kept of stored numbers; the engines differ by about 1e-15."""
WARM_AFTER = 16
"""Decisions of one process after which "auto" begins to load pymdp: a short run is over before that, and
pays nothing."""


class MoodState(TypedDict):
    """The mood as plain JSON; rows are in the order of STATES, ACTIONS and OBSERVATIONS.

    `prior` is the belief expected before the next observation, `belief` the one after the last;
    `efe` is the value per action (negative expected free energy of its best policy, in nats, higher
    is better); `recent` the latest surprises, oldest first; `actions` and `observations` count; `still`
    is how many times in a row it rested where nothing new had come.
    """

    prior: list[float]
    belief: list[float]
    state: str
    action: str
    observation: str
    efe: list[float]
    step: int
    recent: list[float]
    actions: dict[str, int]
    observations: dict[str, int]
    still: int


class Step(NamedTuple):
    """The new mood, the action chosen, and the value of each action."""

    mood: MoodState
    action: str
    terms: dict[str, float]


class Controller:
    """Choose cognitive actions by expected free energy.

    `engine`: "numpy" is the exact twin; "pymdp" loads pymdp now (seconds); "auto" answers with the
    twin until `warm_after` decisions are made, loads pymdp in a child process behind the run, and
    answers with it once it is there. `matrices` is a file of A, B, C and D, by default the shipped
    one. Raises `SettingsError` for malformed matrices and `DdaxError` where pymdp is asked for and
    missing.
    """

    def __init__(
        self,
        *,
        engine: EngineName = "auto",
        policy_len: int = 3,
        matrices: Path | None = None,
        warm_after: int = WARM_AFTER,
    ) -> None:
        self._path, self._matrices = matrices, load_matrices(matrices)
        self._policy_len, self._mode, self._warm_after = policy_len, engine, warm_after
        self.twin = Twin(self._matrices, policy_len=policy_len)
        self._engine: Engine = self._load_pymdp() if engine == "pymdp" else self.twin
        self._child: Child | None = None
        self._failure: DdaxError | None = None
        self._decisions = 0
        self._turn = Lock()  # threads of one session share the child and its pipe

    @property
    def engine(self) -> str:
        """Return the name of the engine that answers now."""
        return self._engine.name

    @property
    def live(self) -> Engine:
        """Return the engine that answers now."""
        return self._engine

    def warm(self) -> Child | None:
        """Begin to load pymdp in a child process, in "auto" only; returns the child."""
        if self._mode == "auto" and self._child is None and self._failure is None:
            from ddax.metacognition.child import Child

            try:
                self._child = Child(policy_len=self._policy_len, matrices=self._path)
            except (OSError, DdaxError) as error:
                self._back_to_the_twin(error)
        return self._child

    def close(self) -> None:
        """End the child process, if there is one."""
        if self._child is not None:
            self._child.close()
        self._child, self._engine = None, self.twin if self._mode == "auto" else self._engine

    def open_mood(self) -> MoodState:
        """Return the mood before the first observation: belief and prior are D."""
        D = _rounded(self._matrices.D)
        return MoodState(
            prior=D,
            belief=D,
            state=STATES[int(np.argmax(D))],
            action="",
            observation="",
            efe=[0.0] * len(ACTIONS),
            step=0,
            recent=[],
            actions=dict.fromkeys(ACTIONS, 0),
            observations=dict.fromkeys(OBSERVATIONS, 0),
            still=0,
        )

    def observe(
        self,
        mood: Mapping[str, Any],
        observation: str,
        *,
        likelihood: Sequence[float] | None = None,
        epsilon: float | None = None,
        step: int | None = None,
        stale: bool | None = None,
    ) -> Step:
        """Take in one observation and choose an action.

        `likelihood` `[4]` > 0 is further evidence per state (see `Signal`), `epsilon` the surprise
        to remember, `step` the step to note (else one more), `stale` whether nothing new has come
        (None: nothing was tried). An empty mood is opened first. Raises `UsageError` for an
        observation that is none of OBSERVATIONS.
        """
        if observation not in OBSERVATIONS:
            raise UsageError(
                f"{observation!r} is no observation.",
                why="Four things can be observed, and it is none of them.",
                mend=f"Give one of {', '.join(OBSERVATIONS)}.",
            )
        before = cast(MoodState, mood) if mood else self.open_mood()
        prior = _weighed(np.asarray(before["prior"], dtype=np.float64), likelihood)
        thought = self._think(prior, OBSERVATIONS.index(observation))
        action, values = ACTIONS[thought.action], _rounded(thought.values)
        recent = (
            before["recent"] if epsilon is None else [*before["recent"], round(epsilon, DIGITS)][-WINDOW:]
        )
        after = MoodState(
            prior=_rounded(thought.prior),
            belief=_rounded(thought.belief),
            state=STATES[int(np.argmax(thought.belief))],
            action=action,
            observation=observation,
            efe=values,
            step=before["step"] + 1 if step is None else step,
            recent=recent,
            actions={**before["actions"], action: before["actions"][action] + 1},
            observations={**before["observations"], observation: before["observations"][observation] + 1},
            still=_still(before, action, stale),
        )
        return Step(after, action, dict(zip(ACTIONS, values, strict=True)))

    def terms(self, mood: Mapping[str, Any]) -> list[list[float]]:
        """Return for each action of a mood its information and its preference `[4, 2]`, in nats."""
        belief = np.asarray(mood["belief"], dtype=np.float64)
        return [_rounded(row) for row in self.twin.terms(belief)]

    def _think(self, prior: Vector, observation: int) -> Thought:
        """Run one cycle on the engine of the moment; where the child is gone, on the twin."""
        with self._turn:
            return self._cycle(prior, observation)

    def _cycle(self, prior: Vector, observation: int) -> Thought:
        self._decisions += 1
        if self._decisions > self._warm_after:
            self.warm()
        try:
            if self._child is not None and self._child.ready():
                self._engine = self._child
            return self._engine.cycle(prior, observation)
        except DdaxError as error:
            if self._mode == "pymdp":
                raise
            self._back_to_the_twin(error)
            return self.twin.cycle(prior, observation)

    def _back_to_the_twin(self, error: OSError | DdaxError) -> None:
        self.close()
        self._failure = error if isinstance(error, DdaxError) else _not_started(error)
        logger.warning("the mood goes on without pymdp, with equal numbers: %s", self._failure)

    def _load_pymdp(self) -> Engine:
        from ddax.metacognition.pymdp_engine import PymdpEngine

        return cast(Engine, PymdpEngine(self._matrices, policy_len=self._policy_len))


def _still(before: MoodState, action: str, stale: bool | None) -> int:
    known = before.get("still", 0)
    if stale is None:
        return known
    return known + 1 if stale and action == "REST" else 0


def _weighed(prior: Vector, likelihood: Sequence[float] | None) -> Vector:
    """Weigh a prior by evidence per state and normalise it."""
    joint = prior if likelihood is None else prior * np.asarray(likelihood, dtype=np.float64)
    total = float(joint.sum())
    if not np.isfinite(total) or total <= 0 or (joint < 0).any() or joint.shape != (len(STATES),):
        raise UsageError(
            f"The prior {prior.tolist()} with the evidence {likelihood!r} is no belief.",
            why="Evidence is one positive number for each of the four states.",
            mend="Take the mood from Controller.open_mood and the evidence from SignalConverter.",
        )
    return np.asarray(joint / total, dtype=np.float64)


def _not_started(error: OSError) -> DdaxError:
    from ddax.metacognition.child import MEND

    return DdaxError("The process of pymdp cannot be started.", why=f"{error}.", mend=MEND)


def _rounded(values: Vector) -> list[float]:
    return [round(float(value), DIGITS) for value in values]
