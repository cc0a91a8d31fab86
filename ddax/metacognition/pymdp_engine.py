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
        belief, action, next_prior, values = self._cycle(prior, observation)
        return Thought(
            np.asarray(belief, dtype=np.float64),
            int(action),
            np.asarray(next_prior, dtype=np.float64),
            np.asarray(values, dtype=np.float64),
        )


def _compile(matrices: Matrices, policy_len: int) -> Any:
    try:
        import equinox as eqx
        import jax
        import jax.numpy as jnp
        from pymdp.agent import Agent
    except ImportError as error:
        raise DdaxError(
            "pymdp cannot be imported.",
            why=f"{error}.",
            mend="Install inferactively-pymdp (pymdp is another package), or set mood.engine: numpy.",
        ) from error

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

    @eqx.filter_jit
    def step(agent: Any, prior: Any, observation: Any) -> Any:
        qs = agent.infer_states([observation], empirical_prior=[prior])
        _, negative_efe = agent.infer_policies(qs)
        values = negative_efe[0].reshape(matrices.B.shape[2], -1).max(axis=1)
        # pymdp's own choice is the best whole policy; the first within TIE is taken, as in the twin.
        action = jnp.argmax(values >= values.max() - TIE)
        nxt = agent.update_empirical_prior(action.reshape(1, 1), qs)
        return qs[0][0, -1], action, nxt[0][0], values

    def cycle(prior: Vector, observation: int) -> Any:
        with jax.enable_x64(True):
            return step(agent, double(prior)[None], jnp.asarray([observation]))

    return cycle
