"""The twin against pymdp itself."""

import importlib.util
import warnings

import numpy as np
import pytest

from ddax.metacognition.controller import Controller
from ddax.metacognition.matrices import ACTIONS, OBSERVATIONS, load_matrices
from ddax.metacognition.twin import Twin

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(
        importlib.util.find_spec("pymdp") is None, reason="inferactively-pymdp is not installed"
    ),
]


@pytest.fixture(scope="module")
def pymdp_engine():
    from ddax.metacognition.pymdp_engine import PymdpEngine

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the warnings of foreign imports are not ours to mend
        return PymdpEngine(load_matrices())


@pytest.mark.parametrize("seed", range(50))
def test_both_engines_think_alike(pymdp_engine, seed):
    rng, twin = np.random.default_rng(seed), Twin(load_matrices())
    theirs = ours = rng.dirichlet(np.ones(4))
    for o in rng.integers(0, 4, 20):
        a, b = pymdp_engine.cycle(theirs, int(o)), twin.cycle(ours, int(o))
        assert a.action == b.action
        for x, y in ((a.belief, b.belief), (a.prior, b.prior), (a.values, b.values)):
            assert np.abs(x - y).max() <= 1e-6
        theirs, ours = a.prior, b.prior


def test_the_choice_is_the_one_pymdp_itself_makes(pymdp_engine):
    import equinox as eqx
    import jax.numpy as jnp
    from pymdp.agent import Agent

    m = load_matrices()
    agent = Agent(
        A=[jnp.array(m.A)], B=[jnp.array(m.B)], C=[jnp.array(m.C)], D=[jnp.array(m.D)], policy_len=3
    )

    @eqx.filter_jit
    def own(prior, o):
        qs = agent.infer_states([o], empirical_prior=[prior])
        return agent.sample_action(agent.infer_policies(qs)[0])

    prior = m.D
    for o in np.random.default_rng(1).integers(0, 4, 50):
        thought = pymdp_engine.cycle(prior, int(o))
        assert (
            int(own(jnp.array(prior, dtype=jnp.float32)[None], jnp.array([int(o)]))[0, 0]) == thought.action
        )
        prior = thought.prior


def test_auto_changes_engine_without_changing_the_mood():
    twin, auto = Controller(engine="numpy"), Controller(engine="auto", warm_after=20)
    mood = twin.open_mood()
    rng = np.random.default_rng(3)
    try:
        for step in range(200):
            if step == 100:
                assert auto.warm().wait(120)
            observation = OBSERVATIONS[rng.integers(0, 4)]
            expected, got = twin.observe(mood, observation), auto.observe(mood, observation)
            assert expected == got and got.action in ACTIONS
            mood = got.mood
        assert auto.warm_failure is None and auto.engine == "pymdp"
    finally:
        auto.close()
    assert auto.engine == "numpy"
