"""Calibration: maps are monotone, worth having only where they help, and the same after a resume."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.debate.calibration import CalibrationMap, brier, ece, fit_isotonic, fit_map, fit_temperature
from ddax.debate.outcomes import JudgeStore, outcome_rows
from ddax.errors import StateError

unit = st.floats(0, 1)
pairs = st.lists(st.tuples(unit, st.sampled_from([0.0, 1.0])), min_size=2, max_size=60)


def overconfident(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Values of a judge that doubles every logit, and outcomes drawn by the true chances."""
    rng = np.random.default_rng(seed)
    logit = rng.normal(0.0, 1.2, n)
    truth = (rng.random(n) < 1 / (1 + np.exp(-logit))).astype(float)
    return 1 / (1 + np.exp(-2.5 * logit - 0.8)), truth


@pytest.mark.parametrize("seed", range(5))
def test_calibration_halves_the_error_on_fresh_values(seed: int) -> None:
    x, y = overconfident(400, seed)
    held, truth = overconfident(2000, seed + 100)
    fitted = fit_map(list(x), list(y))
    assert ece(fitted.many(held), truth) <= ece(held, truth) / 2
    assert brier(fitted.many(held), truth) < brier(held, truth)


@given(pairs)
def test_every_map_is_monotone_and_stays_in_the_unit_interval(rows: list[tuple[float, float]]) -> None:
    x, y = np.array(rows).T
    grid = np.linspace(0, 1, 41)
    for fitted in (fit_temperature(x, y), fit_isotonic(x, y), fit_map(list(x), list(y))):
        found = fitted.many(grid)
        assert found.min() >= 0 and found.max() <= 1
        assert (np.diff(found) >= -1e-9).all()
        assert CalibrationMap.of(fitted.row()) == fitted


def isotonic(x: np.ndarray, y: np.ndarray) -> dict[float, float]:
    """The monotone fit of least squares at each value, by the max-min formula over means of runs."""
    places = sorted(set(x.tolist()))
    runs = [
        [float(y[(x >= low) & (x <= high)].mean()) if low <= high else 2.0 for high in places]
        for low in places
    ]
    return {
        place: max(min(runs[a][b] for b in range(k, len(places))) for a in range(k + 1))
        for k, place in enumerate(places)
    }


tied = st.sampled_from([0.0, 0.2, 0.5, 0.55, 0.8, 1.0]) | unit.map(lambda value: round(value, 6))
ties = st.lists(st.tuples(tied, st.sampled_from([0.0, 1.0])), min_size=1, max_size=40)


@given(ties)
def test_the_isotonic_map_is_the_monotone_fit_drawn_towards_the_mean(rows: list[tuple[float, float]]) -> None:
    x, y = np.array(rows).T
    fitted, fit, last = fit_isotonic(x, y), isotonic(x, y), 0.0
    for place, level in fit.items():
        block = np.array([abs(fit[value] - level) < 1e-9 for value in x.tolist()])
        last = max(last, (y[block].sum() + 2 * y.mean()) / (block.sum() + 2))
        assert fitted(place) == pytest.approx(last, abs=2e-6)


@given(ties, st.randoms(use_true_random=False))
def test_the_isotonic_map_does_not_depend_on_the_order_of_rows(
    rows: list[tuple[float, float]], chance: random.Random
) -> None:
    mixed = chance.sample(rows, len(rows))
    assert fit_isotonic(*np.array(mixed).T) == fit_isotonic(*np.array(rows).T)


def test_a_judge_that_says_one_value_gets_the_share_that_was_right() -> None:
    x, y = np.full(40, 0.8), np.r_[np.zeros(30), np.ones(10)]
    assert fit_isotonic(x, y)(0.8) == pytest.approx(0.25)


def test_few_outcomes_or_outcomes_all_alike_change_nothing() -> None:
    assert fit_map([0.9] * 29, [0.0] * 14 + [1.0] * 15).kind == "identity"
    assert fit_map([0.9] * 100, [1.0] * 100).kind == "identity"


def test_a_judge_that_is_right_as_it_is_stays_as_it_is() -> None:
    rng = np.random.default_rng(0)
    x = rng.random(600)
    y = (rng.random(600) < x).astype(float)
    fitted = fit_map(list(x), list(y))
    assert np.abs(fitted.many(np.linspace(0.1, 0.9, 9)) - np.linspace(0.1, 0.9, 9)).max() < 0.12


def test_errors_are_what_they_are_defined_as() -> None:
    assert ece([0.95] * 10, [1.0] * 5 + [0.0] * 5) == pytest.approx(0.45)
    assert brier([0.5, 1.0], [1.0, 1.0]) == pytest.approx(0.125)
    assert ece([], []) == brier([], []) == 0.0


def test_a_task_sees_what_was_there_before_it_opened(tmp_path: Path) -> None:
    now = [100.0]
    store = JudgeStore(tmp_path / "judges", clock=lambda: now[0])
    x, y = overconfident(80, 1)
    rows = [("m", f"t1:{i}", float(v), float(o)) for i, (v, o) in enumerate(zip(x, y, strict=True))]
    assert store.add("t1", rows) == 80 and store.add("t1", rows) == 0
    now[0] = 200.0
    before = store.maps(before=150.0)
    store.add("t2", [("m", f"t2:{i}", 0.9, 0.0) for i in range(80)])
    assert store.maps(before=150.0) == before and before["m"].kind != "identity"
    assert store.maps(before=300.0) != before and store.maps(before=50.0)["m"].kind == "identity"


def test_a_wrong_answer_turns_its_values_into_failures(tmp_path: Path) -> None:
    store = JudgeStore(tmp_path, clock=lambda: 1.0)
    store.add("t1", [("m", "t1:0", 0.9, 1.0)])
    store.add("t2", [("m", "t2:0", 0.9, 1.0)])
    assert store.wrong("t1") == 1
    assert [row["outcome"] for row in store.rows("m")] == [0.0, 1.0]


def test_a_foreign_file_is_refused(tmp_path: Path) -> None:
    store = JudgeStore(tmp_path, clock=lambda: 1.0)
    store.add("t", [("m", "k", 0.5, 1.0)])
    file = next(tmp_path.glob("judge-*.json"))
    file.write_text('{"schema": 99}', encoding="utf-8")
    with pytest.raises(StateError, match="move the file aside"):
        store.rows("m")


def test_outcomes_follow_what_the_answer_cites() -> None:
    debates = [
        {"task": "t", "idea": "0.1", "step": 2, "raw": {"arbiter": 0.7}, "models": {"arbiter": "m"}},
        {"task": "t", "idea": "0.2", "step": 3, "raw": {"arbiter": 0.4}, "models": {"arbiter": "m"}},
        {"task": "t", "idea": "0.3", "step": 3},
    ]
    evidence = {"0.1": ["p1"], "0.2": ["p2"]}
    found = outcome_rows(debates, evidence, frozenset({"p1"}), found=True)
    assert found == [("m", "t:0.1:2:arbiter", 0.7, 1.0), ("m", "t:0.2:3:arbiter", 0.4, 0.0)]
    assert [row[3] for row in outcome_rows(debates, evidence, frozenset({"p1"}), found=False)] == [0.0, 0.0]
