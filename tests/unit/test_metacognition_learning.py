"""Learning from logged runs: what is taken, how it is judged, and the mood as series."""

from dataclasses import replace

import numpy as np
import pytest

from ddax.configs.settings import Recall
from ddax.errors import UsageError
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.fake import DictMemory
from ddax.metacognition.controller import Controller
from ddax.metacognition.learning import Episode, episodes, judge, log_likelihood, split, wander
from ddax.metacognition.matrices import ACTIONS, OBSERVATIONS, STATES, Matrices, load_matrices
from ddax.metacognition.series import series

MATRICES = load_matrices()


def logged(runs=6, steps=5, seed=0):
    controller, rng, rows = Controller(engine="numpy"), np.random.default_rng(seed), []
    for run in range(runs):
        mood = controller.open_mood()
        for step in range(steps):
            mood, action, _ = controller.observe(mood, OBSERVATIONS[rng.integers(0, 4)])
            rows.append({
                "task": f"t{run}", "step": step, "idea": "0.1", "observation": mood["observation"],
                "belief": mood["belief"], "action": action, "efe": mood["efe"], "reason": "so it is",
                "terms": controller.terms(mood), "epsilon": 0.1, "novelty": None, "progress": None,
            })  # fmt: skip
    return rows


def test_runs_are_put_in_order_and_short_ones_left_out():
    rows = [*reversed(logged(2, 3)), {**logged(1, 1)[0], "task": "short"}]
    found = episodes(rows)
    assert len(found) == 2 and {len(e.observations) for e in found} == {3}
    first = sorted((r for r in rows if r["task"] == "t1"), key=lambda r: r["step"])
    assert found[0].observations == tuple(OBSERVATIONS.index(r["observation"]) for r in first)
    assert found[0].beliefs[0] == tuple(first[0]["belief"])


async def test_what_a_fork_has_from_the_run_it_left_counts_once():
    memory = DictMemory("n", HashEmbedder(), lambda: 1000.0, Recall())
    for row in logged(1, 4):
        await memory.log("moods", row, key=f"{row['task']}:{row['step']}")
    await memory.upkeep.branch("t0", "fork", step=1, before=2000.0)
    for row in logged(1, 4, seed=1)[2:]:
        await memory.log("moods", {**row, "task": "fork"}, key=f"fork:{row['step']}")
    assert len(await memory.rows("moods", task="fork")) == 4
    assert [len(run.observations) for run in episodes(await memory.rows("moods"))] == [4, 2]


async def test_a_fork_is_judged_from_the_belief_it_was_forked_with():
    memory, rows = DictMemory("n", HashEmbedder(), lambda: 1000.0, Recall()), logged(1, 4)
    for row in rows:
        await memory.log("moods", row, key=f"{row['task']}:{row['step']}")
    await memory.upkeep.branch("t0", "fork", step=1, before=2000.0)
    for row in rows[2:]:
        await memory.log("moods", {**row, "task": "fork"}, key=f"fork:{row['step']}")
    whole, fork = episodes(await memory.rows("moods"))
    assert whole.before is None and fork.before == (whole.beliefs[1], whole.actions[1])
    prior = MATRICES.B[:, :, fork.before[1]] @ np.array(fork.before[0])
    first = log_likelihood(
        MATRICES, [replace(fork, observations=fork.observations[:1], actions=fork.actions[:1])]
    )
    assert first == pytest.approx(np.log(MATRICES.A[fork.observations[0]] @ prior))


def test_a_follow_up_goes_on_from_the_task_before_it_and_another_thread_does_not():
    rows = [{**row, "thread": "other" if row["task"] == "t1" else "mine"} for row in logged(3, 3)]
    first, other, following = episodes(rows)
    assert first.before is None and other.before is None
    assert following.before == (first.beliefs[-1], first.actions[-1])


def test_every_third_run_is_kept_for_the_judgement():
    found = episodes(logged(9))
    learned, held = split(found)
    assert held == found[2::3] and len(learned) == 6 and not set(held) & set(learned)
    with pytest.raises(UsageError, match="decision: 5"):
        split(found[:5])


def test_the_likelihood_is_that_of_the_model():
    run = Episode((0, 3), ((0.25,) * 4,) * 2, (2, 1))
    first = MATRICES.A[0] @ MATRICES.D
    belief = MATRICES.A[0] * MATRICES.D / first
    second = MATRICES.A[3] @ MATRICES.B[:, :, 2] @ belief
    assert log_likelihood(MATRICES, [run]) == pytest.approx((np.log(first) + np.log(second)) / 2)


@pytest.mark.parametrize(
    ("after", "trouble"),
    [
        (MATRICES, "no better"),
        (Matrices(np.full((4, 4), 0.25), MATRICES.B, MATRICES.C, MATRICES.D), "chosen in no state"),
        (
            Matrices(MATRICES.A, np.repeat(MATRICES.B[:, :, :1], 4, axis=2), MATRICES.C, MATRICES.D),
            "no state",
        ),
    ],
)
def test_what_does_not_steer_or_forecast_better_is_refused(after, trouble):
    assert trouble in judge(MATRICES, after, episodes(logged())[:3]).trouble


def test_better_forecasts_are_let_through():
    held = [Episode((3, 3, 3, 3), ((0.25,) * 4,) * 4, (1, 1, 1, 1))] * 3
    A = MATRICES.A.copy()
    A[:, 1] = (0.04, 0.24, 0.03, 0.69)
    judged = judge(MATRICES, Matrices(A, MATRICES.B, MATRICES.C, MATRICES.D), held)
    assert judged.trouble == "" and judged.after > judged.before and judged.row()["held_out_runs"] == 3


def test_random_observations_reach_every_action():
    bits, actions = wander(MATRICES)
    assert set(actions) == set(ACTIONS) and bits >= 0.5


def test_series_are_columns_of_equal_length():
    rows = logged(2, 3)
    found = series(rows)
    assert set(found["belief"]) == set(STATES) and set(found["value"]) == set(ACTIONS)
    flat = [*found["belief"].values(), *found["value"].values(), found["step"], found["reason"]]
    assert {len(column) for column in flat} == {6}
    for action in ACTIONS:
        sums = np.array(found["information"][action]) + np.array(found["preference"][action])
        assert np.allclose(sums, found["value"][action], atol=1e-8)
    assert series([])["belief"] == {state: [] for state in STATES}
