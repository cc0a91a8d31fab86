"""Learn A and B from logged runs, by pymdp's own learning of Dirichlet counts, and judge the result.

What is learned is held against runs it has not seen before anything uses it: the log-likelihood of
their observations must rise, and the controller must still steer. Leaves out where versions are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ddax.errors import DdaxError, SettingsError, UsageError
from ddax.memory.records import HANDED_ON
from ddax.metacognition.matrices import ACTIONS, OBSERVATIONS, Matrices, check
from ddax.metacognition.twin import Twin

STRENGTH = 100.0
"""Counts that the matrices in use stand for, per column: so many observations weigh as much as they do."""
HELD_OUT = 3
"""Every so many-th run is kept for the judgement."""
MIN_RUNS = 6
"""Runs below which there is nothing to learn from and to judge by."""
WANDER, MIN_BITS = 300, 0.5
"""Random observations over which every action must occur, and the information they must carry about it."""


@dataclass(frozen=True)
class Episode:
    """One logged run: the observation, the belief after it `[4]` and the action of each step.

    `before` is the belief `[4]` and the action that a fork or a follow-up went on from; None where a run
    began with D.
    """

    observations: tuple[int, ...]
    beliefs: tuple[tuple[float, ...], ...]
    actions: tuple[int, ...]
    before: tuple[tuple[float, ...], int] | None = None


@dataclass(frozen=True)
class Judgement:
    """What held-out runs say: mean log-likelihood of an observation before and after, in nats.

    `bits` is the information between observation and action over random observations; `trouble`
    says why the matrices must not be used, and is empty where they may.
    """

    runs: int
    observations: int
    before: float
    after: float
    bits: float
    trouble: str

    def row(self) -> dict[str, Any]:
        """Return it as plain JSON."""
        return {
            "held_out_runs": self.runs, "held_out_observations": self.observations,
            "log_likelihood_before": round(self.before, 6), "log_likelihood_after": round(self.after, 6),
            "bits": round(self.bits, 4),
        }  # fmt: skip


def episodes(rows: Iterable[Mapping[str, Any]]) -> list[Episode]:
    """Group the log of moods into runs, in the order they began; a run of one step teaches nothing.

    Of a fork the steps from the fork on count: those before it are in the run it left.
    """
    own: dict[str, list[Mapping[str, Any]]] = {}
    handed: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        (handed if row.get(HANDED_ON) else own).setdefault(str(row["task"]), []).append(row)
    found, last = list[Episode](), dict[str, Mapping[str, Any]]()
    for task, steps in own.items():
        steps.sort(key=_step)
        thread = str(steps[0].get("thread", task))
        before = max(handed.get(task, ()), key=_step, default=last.get(thread))
        last[thread] = steps[-1]
        if len(steps) > 1:
            found.append(_episode(steps, before))
    return found


def _step(row: Mapping[str, Any]) -> int:
    return int(row["step"])


def _episode(steps: Sequence[Mapping[str, Any]], before: Mapping[str, Any] | None) -> Episode:
    return Episode(
        tuple(OBSERVATIONS.index(row["observation"]) for row in steps),
        tuple(map(_belief, steps)),
        tuple(ACTIONS.index(row["action"]) for row in steps),
        None if before is None else (_belief(before), ACTIONS.index(before["action"])),
    )


def _belief(row: Mapping[str, Any]) -> tuple[float, ...]:
    return tuple(map(float, row["belief"]))


def split(found: Sequence[Episode]) -> tuple[list[Episode], list[Episode]]:
    """Return the runs to learn from and those to judge by; raises `UsageError` where they are too few."""
    if len(found) < MIN_RUNS:
        raise UsageError(
            f"logged runs with more than one decision: {len(found)}.",
            why=f"Learning and judging need {MIN_RUNS}.",
            mend="Run more tasks in this namespace first.",
        )
    held = [run for k, run in enumerate(found) if k % HELD_OUT == HELD_OUT - 1]
    return [run for k, run in enumerate(found) if k % HELD_OUT != HELD_OUT - 1], held


def learn(matrices: Matrices, runs: Sequence[Episode], *, strength: float = STRENGTH) -> Matrices:
    """Return the matrices whose A and B have taken in the runs; C and D stay.

    `strength` > 0 counts stand behind each column as it is. Raises `DdaxError` without pymdp.
    """
    try:
        import jax
        import jax.numpy as jnp
        from pymdp.agent import Agent
    except ImportError as error:
        raise DdaxError(
            "pymdp cannot be imported.", why=f"{error}.", mend="Install inferactively-pymdp."
        ) from error
    with jax.enable_x64(True):
        agent: Any = Agent(
            A=[jnp.asarray(matrices.A)], B=[jnp.asarray(matrices.B)], C=[jnp.asarray(matrices.C)],
            D=[jnp.asarray(matrices.D)], pA=[jnp.asarray(matrices.A * strength)],
            pB=[jnp.asarray(matrices.B * strength)], learn_A=True, learn_B=True, policy_len=1,
        )  # fmt: skip
        for run in runs:
            beliefs = [jnp.asarray(run.beliefs)[None]]
            agent = agent.infer_parameters(
                beliefs,
                [jnp.asarray(run.observations)[None]],
                jnp.asarray(run.actions)[None, :, None],
                beliefs_B=beliefs,
            )
        A, B = np.asarray(agent.A[0][0]), np.asarray(agent.B[0][0])
    return Matrices(_columns(A), _columns(B), matrices.C, matrices.D)


def judge(before: Matrices, after: Matrices, held: Sequence[Episode]) -> Judgement:
    """Hold learned matrices against runs they have not seen, and against what a controller must do."""
    old, new = log_likelihood(before, held), log_likelihood(after, held)
    bits, actions = wander(after)
    trouble = ""
    try:
        check(after, where="the learned matrices")
    except SettingsError as error:
        trouble = str(error)
    if len(actions) < len(ACTIONS):
        trouble = trouble or f"over random observations only {', '.join(actions)} are chosen"
    if bits < MIN_BITS:
        trouble = trouble or f"observations carry {bits:.2f} bit about the action, {MIN_BITS} are needed"
    if new <= old:
        trouble = trouble or "unseen runs are forecast no better than before"
    return Judgement(len(held), sum(len(r.observations) for r in held), old, new, bits, trouble)


def log_likelihood(matrices: Matrices, runs: Sequence[Episode]) -> float:
    """Return the mean log-likelihood of an observation given those before it, in nats."""
    total, count = 0.0, 0
    for run in runs:
        prior = matrices.D
        if run.before is not None:
            belief, action = run.before
            prior = matrices.B[:, :, action] @ np.array(belief)
        for observation, action in zip(run.observations, run.actions, strict=True):
            joint = matrices.A[observation] * prior
            total += float(np.log(joint.sum()))
            count += 1
            prior = matrices.B[:, :, action] @ (joint / joint.sum())
    return total / count


def wander(matrices: Matrices, *, n: int = WANDER, seed: int = 0) -> tuple[float, tuple[str, ...]]:
    """Return the mutual information of observation and action in bit, and the actions that occur.

    Over n uniformly random observations, from the first prior on.
    """
    engine, prior = Twin(matrices), matrices.D
    joint: NDArray[np.float64] = np.zeros((len(OBSERVATIONS), len(ACTIONS)))
    for observation in np.random.default_rng(seed).integers(0, len(OBSERVATIONS), n):
        thought = engine.cycle(prior, int(observation))
        joint[observation, thought.action] += 1.0 / n
        prior = thought.prior
    return mutual_information(joint), tuple(a for k, a in enumerate(ACTIONS) if joint[:, k].any())


def mutual_information(joint: NDArray[np.float64]) -> float:
    """Return the mutual information of a joint distribution `[n, m]`, in bit."""
    product = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    seen = joint > 0
    return float((joint[seen] * np.log2(joint[seen] / product[seen])).sum())


def _columns(matrix: NDArray[Any]) -> NDArray[np.float64]:
    """Return a matrix whose columns sum to 1 to the last digit kept in a file."""
    values: NDArray[np.float64] = np.array(matrix, dtype=np.float64)
    values /= values.sum(axis=0, keepdims=True)
    return values
