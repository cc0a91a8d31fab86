"""The twin against pymdp itself."""

import importlib.util
import warnings

import numpy as np
import pytest

from benchmarks.controller import _loaded_by_a_run
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
        assert auto.engine == "pymdp"
    finally:
        auto.close()
    assert auto.engine == "numpy"


def test_pymdps_own_learning_takes_in_the_runs_and_forecasts_unseen_ones_better(pymdp_engine):
    from ddax.metacognition.learning import episodes, judge, learn, split

    m, controller, rng = load_matrices(), Controller(engine="numpy"), np.random.default_rng(0)
    world, rows = m.A.copy(), []
    world[:, 1] = (0.02, 0.60, 0.02, 0.36)  # a confident mind that is seldom confirmed
    for task in range(30):
        state, mood = rng.choice(4, p=m.D), controller.open_mood()
        for step in range(20):
            mood, action, _ = controller.observe(mood, OBSERVATIONS[rng.choice(4, p=world[:, state])])
            rows.append({
                "task": f"t{task}", "step": step, "observation": mood["observation"],
                "belief": mood["belief"], "action": action,
            })  # fmt: skip
            state = rng.choice(4, p=m.B[:, state, ACTIONS.index(action)])
    seen, held = split(episodes(rows))
    learned = learn(m, seen)
    judged = judge(m, learned, held)
    assert judged.trouble == "" and judged.after > judged.before
    assert learned.A[1, 1] > m.A[1, 1] + 0.02 and np.allclose(learned.B.sum(axis=0), 1)
    assert (learned.C == m.C).all() and (learned.D == m.D).all()


PAGES = {
    "tower": "The Corvane Tower is a lookout tower in Belmark. Ilse Maran designed it in 1931.",
    "maran": "Ilse Maran was an architect. She was born in the city of Trondby and died in 1970.",
    "trondby": "Trondby is a port city in the north. Its harbour was built in 1712.",
}


async def digest_of_a_run(place, engine, swap_at=None):
    """Return the digest of the DAG, the moods and the engine at the end of one run."""
    from ddax import Context, open_agent
    from ddax.configs.settings import Mood
    from ddax.graph.services import Parts
    from ddax.ideas import dag
    from ddax.memory.embeddings import HashEmbedder

    pages = place / "pages"
    pages.mkdir(exist_ok=True)
    for name, text in PAGES.items():
        (pages / f"{name}.md").write_text(text)
    context, felt = Context(sources=(str(pages),), mood=Mood(engine=engine)), []
    parts = Parts(embedder=HashEmbedder())
    async with open_agent(context, home=place / engine, parts=parts, clock=lambda: 1e9) as agent:
        session = await agent.services.session(context)

        def watch(event):
            if event["node"] == "metacognition":
                felt.append(event["data"]["mood"])
                if len(felt) == swap_at:
                    assert session.controller.warm().wait(120)

        await agent.run(
            "In which city was the architect of the Corvane Tower born?", thread="t", on_event=watch
        )
        state = await agent.state("t")
        return dag.digest(state["ideas"]), felt, session.controller.engine


async def test_a_swap_in_mid_run_changes_no_dag(tmp_path):
    alone = await digest_of_a_run(tmp_path, "numpy")
    swapped = await digest_of_a_run(tmp_path, "auto", swap_at=2)
    assert swapped[2] == "pymdp" and alone[2] == "numpy" and len(alone[1]) > 3
    assert swapped[:2] == alone[:2]


@pytest.mark.long
def test_a_run_loads_nothing_of_pymdp():
    assert _loaded_by_a_run() == 0
