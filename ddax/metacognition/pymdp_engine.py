"""The controller's cycle on pymdp (`inferactively-pymdp`): the one file that imports it.

Importing and compiling take seconds, so both happen when an engine is built, never at import. The
whole cycle runs under one jit, in 64-bit floats, so that it agrees with the twin to the last digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ddax.errors import DdaxError
from ddax.metacognition.matrices import Matrices
from ddax.metacognition.twin import TIE, Thought
from ddax.types import Vector


class PymdpEngine:
    """Run the cycle on `pymdp.agent.Agent`; compiled when built, about 10 s. Raises `DdaxError`."""

    name = "pymdp"

    def __init__(self, matrices: Matrices, *, policy_len: int = 3) -> None:
        self._cycle = _compile(matrices, policy_len)
        self.cycle(matrices.D, 0)

    def cycle(self, prior: Vector, observation: int) -> Thought:
        """Infer the state from a prior `[4]` and an observation's index, and choose an action."""
        found = self._cycle(prior, observation)
        states = len(prior)
        return Thought(found[:states], int(found[-1]), found[states : 2 * states], found[2 * states : -1])


def _compile(matrices: Matrices, policy_len: int) -> Any:
    try:
        import jax
        import jax.numpy as jnp
        from pymdp.agent import Agent
    except ImportError as error:
        raise DdaxError(
            "pymdp cannot be imported.",
            why=f"{error}.",
            mend="Install inferactively-pymdp (pymdp is another package), or set mood.engine: numpy.",
        ) from error

    states = matrices.B.shape[0]

    def double(array: Any) -> Any:
        return jnp.asarray(array, dtype=jnp.float64)

    with jax.enable_x64(True):
        agent = Agent(
            A=[double(matrices.A)],
            B=[double(matrices.B)],
            C=[double(matrices.C)],
            D=[double(matrices.D)],
            policy_len=policy_len,
        )

    def step(prior: Any, observation: Any) -> Any:
        qs: Any = agent.infer_states([observation[None]], empirical_prior=[prior[None]])
        _, negative_efe = agent.infer_policies(qs)
        values = negative_efe[0].reshape(matrices.B.shape[2], -1).max(axis=1)
        # pymdp's own choice is the best whole policy; the first within TIE is taken, as in the twin.
        action = jnp.argmax(values >= values.max() - TIE)
        nxt = agent.update_empirical_prior(action.reshape(1, 1), qs)
        # One array, because each one that is handed back costs a tenth of the cycle.
        return jnp.concatenate([qs[0][0, -1], nxt[0][0], values, action[None].astype(jnp.float64)])

    with jax.enable_x64(True):
        # Compiled ahead: the agent is a constant of the program, and nothing is traced or hashed at a call.
        compiled = jax.jit(step).lower(np.zeros(states), np.int64(0)).compile()

    def cycle(prior: Vector, observation: int) -> Vector:
        with jax.enable_x64(True):
            return np.asarray(compiled(np.asarray(prior, np.float64), np.int64(observation)))

    return cycle
