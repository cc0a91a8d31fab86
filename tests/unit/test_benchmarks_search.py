"""The parts of the search benchmarks: the game, the scorer, our search, paired intervals, pictures."""

from __future__ import annotations

import importlib.util
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from benchmarks import plots
from benchmarks.game24 import GOAL, Scorer, propose, quality, reachable, read_puzzles, steps
from benchmarks.game24_searches import Ours
from benchmarks.lookahead_world import ACCOUNTS, PAID, live, world
from benchmarks.pairs import cohens_d, over_seeds, paired
from benchmarks.selection_speed import dag_of, engine_selections, tree_steps
from ddax.actions.sources import open_library
from ddax.dynamics.score import PRESETS
from ddax.dynamics.tree import Policy
from ddax.ideas import dag
from ddax.memory.embeddings import HashEmbedder


def state(*numbers: int) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, numbers))


def test_the_game_knows_what_can_be_solved(tmp_path: Path) -> None:
    file = tmp_path / "p.csv"
    file.write_text("Rank,Puzzles\n1,1 1 4 6\n2,1 1 1 1\n", encoding="utf-8")
    good, bad = read_puzzles(file)
    assert reachable(good) and not reachable(bad)
    assert reachable(state(3, 3, 8, 8)), "8/(3-8/3) needs fractions"
    assert {len(step.state) for step in steps(good)} == {3}


def test_the_scorer_says_the_same_of_the_same_state_and_counts_it_once() -> None:
    first, second = Scorer(0.3, seed=4), Scorer(0.3, seed=4)
    values = [first.score(s.state) for s in steps(state(1, 4, 6, 9)) for _ in range(2)]
    assert values[::2] == values[1::2] == [second.score(s.state) for s in steps(state(1, 4, 6, 9))]
    assert first.calls == len(values) // 2
    assert first.score((GOAL,)) == 1.0 and first.score(state(23)) == 0.0


def test_the_stated_quality_is_the_scorers() -> None:
    noise, rng = 0.3, np.random.default_rng(0)
    good, bad = 0.7 + noise * rng.standard_normal(20_000), 0.3 + noise * rng.standard_normal(20_000)
    assert quality(noise) == pytest.approx(float((good > bad).mean()), abs=0.01)


def test_proposals_are_not_repeated_and_prefer_whole_numbers() -> None:
    left = steps(state(3, 5, 7))
    drawn = propose(left, len(left) + 5, np.random.default_rng(0))
    assert sorted(drawn) == list(range(len(left)))
    first = [left[propose(left, 1, np.random.default_rng(k))[0]].weight for k in range(60)]
    share = sum(step.weight == 1.0 for step in left) / len(left)
    assert np.mean(np.array(first) == 1.0) > share


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_our_search_keeps_its_budget_and_finds_what_a_sure_scorer_shows(preset: str) -> None:
    sure = Scorer(0.01, seed=1)
    solved = Ours(Policy(PRESETS[preset], wider=False)).solve(state(1, 1, 4, 6), sure, 200, seed=1)
    assert sure.calls <= 200
    assert solved or preset == "dda-x", "it leaves values aside"
    poor = Scorer(0.6, seed=1)
    assert not Ours(Policy(PRESETS[preset])).solve(state(1, 1, 1, 1), poor, 15, seed=1)
    assert poor.calls <= 15


def test_intervals_widen_with_the_number_of_comparisons() -> None:
    rng = np.random.default_rng(3)
    ours, theirs = rng.random(80).tolist(), rng.random(80).tolist()
    one, six = paired(ours, theirs), paired(ours, theirs, comparisons=6)
    assert one.value == six.value == pytest.approx(np.mean(ours) - np.mean(theirs))
    assert six.low < one.low < one.value < one.high < six.high
    assert over_seeds([[0.0, 1.0], [1.0, 1.0]]) == [0.5, 1.0]


def test_effect_sizes() -> None:
    assert cohens_d([1.0, 2.0, 3.0], [2.0, 3.0, 4.0]) == pytest.approx(-1.0)
    assert cohens_d([1.0, 1.0], [1.0, 1.0]) == 0.0
    assert cohens_d([2.0, 2.0], [1.0, 1.0]) == float("inf")


def test_the_speed_benchmark_builds_a_sound_dag_and_selects_in_it() -> None:
    ideas = dag_of(120, seed=1)
    dag.check(ideas)
    assert 100 <= len(ideas) <= 140
    assert dag.runnable_leaves(ideas, "0")
    engine_selections(60, 0)(2)
    tree_steps(60, 0)(5)


def test_a_picture_is_written_twice_or_said_to_be_missing(tmp_path: Path) -> None:
    series = [plots.Series("a", [1, 2], [0.1, 0.2], [0.0, 0.1], [0.2, 0.3])]
    pictures = [plots.Picture("t", "x", "y", series, marks=[("here", 1.5)]),
                plots.Picture("t", "x", "y", series, "bar")]  # fmt: skip
    said = plots.write("p", pictures, folder=tmp_path)
    if importlib.util.find_spec("matplotlib") and importlib.util.find_spec("plotly"):
        assert (tmp_path / "p.png").stat().st_size > 1000
        assert "plotly" in (tmp_path / "p.html").read_text(encoding="utf-8")[:5_000_000]
    else:
        assert said.startswith("no plots")


def test_the_forecaster_of_the_world_with_bills_is_as_good_as_it_is_told_to_be() -> None:
    sure = [world(seed, 1.0) for seed in range(200)]
    doubtful = [world(seed, 0.7) for seed in range(200)]
    assert [w.brings for w in sure] == [w.brings for w in doubtful], "the same worlds for every forecaster"
    assert all(w.brings == w.foreseen and [*w.brings.values()].count(PAID) == 1 for w in sure)
    right = [w.brings[name] == w.foreseen[name] for w in doubtful for name in ACCOUNTS]
    assert np.mean(right) == pytest.approx(0.7, abs=0.04)


@pytest.mark.parametrize(("rollouts", "harm", "paid"), [(12, 0, True), (0, 3, True)])
async def test_lookahead_keeps_the_engine_from_what_it_foresees(
    tmp_path: Path, rollouts: int, harm: int, paid: bool
) -> None:
    embedder, here = HashEmbedder(), world(0, 1.0)
    (tmp_path / "bill.md").write_text("A bill is paid once.", encoding="utf-8")
    library = await open_library([str(tmp_path / "bill.md")], embedder=embedder, cache_dir=tmp_path / "cache")
    lived = await live(
        here, tmp_path / "home", rollouts=rollouts, embedder=embedder, library=library, number=0
    )
    assert (lived.harm, lived.solved) == (harm, paid)
    assert (len(here.paid) == len(ACCOUNTS)) == (rollouts == 0)
