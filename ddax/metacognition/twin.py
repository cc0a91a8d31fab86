"""Expected free energy in numpy: the exact twin of one pymdp agent with one factor and one modality.

Equal to pymdp 1.0.4 (`fpi` inference, full policies, deterministic choice) to 1e-6; with one factor
its fixed-point iteration is Bayes' rule, so nothing is approximated here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ddax.types import Vector

if TYPE_CHECKING:
    from ddax.metacognition.matrices import Matrices

TIE = 1e-5
"""Policies whose scores differ by less count as equal and the first wins: the two engines compute in
different precision (64 and 32 bit), and must not part over the last digit."""


class Thought(NamedTuple):
    """Hold one cycle of perception and choice.

    `belief` `[4]` is after the observation, `action` an index, `prior` `[4]` what the action leads
    to, `values` `[4]` the value per action of its best policy (negative expected free energy in
    nats, higher is better).
    """

    belief: Vector
    action: int
    prior: Vector
    values: Vector


class Engine(Protocol):
    """What computes a cycle of perception and choice."""

    name: str

    def cycle(self, prior: Vector, observation: int) -> Thought:
        """Infer the state from a prior `[4]` and an observation's index, and choose an action."""
        ...


class Twin:
    """The exact numpy engine."""

    name = "numpy"

    def __init__(self, matrices: Matrices, *, policy_len: int = 3) -> None:
        self._m, self._len = matrices, policy_len
        # [actions, next, now], so that one matrix product moves a whole level of the policy tree.
        self._B = np.ascontiguousarray(np.moveaxis(matrices.B, 2, 0))
        self._ambiguity = -np.sum(_xlogx(matrices.A), axis=0)

    def cycle(self, prior: Vector, observation: int) -> Thought:
        """Infer the state from a prior `[4]` and an observation's index, and choose an action."""
        joint = self._m.A[observation] * prior
        belief = joint / joint.sum()
        values = self.values(belief)
        action = choose(values)
        return Thought(belief, action, self._B[action] @ belief, values)

    def values(self, belief: Vector) -> Vector:
        """Return for each first action the best value over all policies that begin with it `[4]`."""
        return np.asarray(self._policies(belief)[0].reshape(len(self._B), -1).max(axis=1), dtype=np.float64)

    def terms(self, belief: Vector) -> NDArray[np.float64]:
        """Return for each first action what its best policy is valued for: `[4, 2]`, in nats.

        The columns are the information expected about the state of mind (epistemic) and the
        preference for what would be observed (pragmatic); together they are the value.
        """
        value, information = self._policies(belief)
        best = value.reshape(len(self._B), -1).argmax(axis=1)
        rows = np.arange(len(self._B))
        known = information.reshape(len(self._B), -1)[rows, best]
        return np.stack([known, value.reshape(len(self._B), -1)[rows, best] - known], axis=1)

    def _policies(self, belief: Vector) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return value and information of every policy `[4^policy_len]`, in the order of their actions."""
        actions = len(self._B)
        states, value, known = belief[None, :], np.zeros(1), np.zeros(1)
        for _ in range(self._len):
            states = np.einsum("ats,ns->nat", self._B, states).reshape(-1, belief.size)
            seen = states @ self._m.A.T
            information = -_xlogx(seen).sum(axis=1) - states @ self._ambiguity
            value = np.repeat(value, actions) + information + seen @ self._m.C
            known = np.repeat(known, actions) + information
        return value, known


def choose(values: Vector) -> int:
    """Return the action of the highest value; the first of those within `TIE`.

    >>> choose(np.array([0.1, 0.7, 0.7]))
    1
    """
    return int(np.flatnonzero(values >= values.max() - TIE)[0])


def _xlogx(p: NDArray[np.float64]) -> NDArray[np.float64]:
    return p * np.log(np.maximum(p, 1e-300))
