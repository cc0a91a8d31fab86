"""The score: presets, invariance, shape."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.dynamics.score import (
    PRESETS,
    Known,
    all_misaligned,
    cosines,
    normalised,
    ranking,
    robust_child,
    score_terms,
    weights_of,
)
from ddax.dynamics.state import unit_rows
from ddax.errors import SettingsError

seeds = st.integers(0, 100_000)


def world(seed, n=7, d=6):
    rng = np.random.default_rng(seed)
    return {
        "F": rng.standard_normal(d),
        "D": unit_rows(rng.standard_normal((n, d))),
        "Q": rng.random(n),
        "N": rng.integers(0, 5, n).astype(float),
        "P": normalised(rng.random(n)),
        "tabu": rng.random(n),
    }


def scored(w, *, rho=0.3, c=1.2, preset="hybrid", total_n=None):
    total = float(w["N"].sum()) if total_n is None else total_n
    return score_terms(
        w["F"],
        w["D"],
        Known(w["Q"], w["N"], w["P"], total, w["tabu"]),
        rho=rho,
        c=c,
        weights=weights_of(preset),
    )


@given(seeds, st.floats(0, 1), st.floats(0, 5))
def test_puct_is_puct(seed, rho, c):
    w = world(seed)
    total = sum(w["N"])
    by_hand = [w["Q"][a] + c * w["P"][a] * np.sqrt(total) / (1 + w["N"][a]) for a in range(7)]
    assert scored(w, rho=rho, c=c, preset="puct").total.tolist() == pytest.approx(by_hand, abs=1e-12)


@given(seeds, st.floats(0, 1))
def test_dda_x_is_the_source_formula(seed, rho):
    w = world(seed)
    F, total = w["F"], w["N"].sum()
    for a, score in enumerate(scored(w, rho=rho, c=1.0, preset="dda-x").total):
        cosine = F @ w["D"][a] / np.linalg.norm(F)
        assert score == pytest.approx(cosine + w["P"][a] * np.sqrt(total) / (1 + w["N"][a]) * (1 - rho))
    fresh = {**w, "N": np.zeros(7)}
    assert np.allclose(scored(fresh, rho=rho, c=1.0, preset="dda-x").exploration, (1 - rho) * w["P"])


@given(seeds, st.sampled_from(sorted(PRESETS)))
def test_terms_add_up(seed, preset):
    terms = scored(world(seed), preset=preset)
    assert np.allclose(terms.total, terms.alignment + terms.value + terms.exploration - terms.tabu)
    assert (np.abs(terms.cosine) <= 1).all()


@given(seeds, st.sampled_from(["dda-x", "hybrid", "flat"]))
def test_full_rigidity_is_greedy_on_alignment_and_value(seed, preset):
    w, weights = world(seed), PRESETS[preset]
    w["tabu"] = np.zeros(7)
    greedy = weights.w_a * cosines(w["F"], w["D"]) + weights.w_q * w["Q"]
    assert scored(w, rho=1.0, preset=preset).total.tolist() == pytest.approx(greedy.tolist())


@given(seeds)
def test_scores_do_not_depend_on_the_axes_of_the_state_space(seed):
    w = world(seed)
    rotation, _ = np.linalg.qr(np.random.default_rng(seed + 1).standard_normal((6, 6)))
    turned = {**w, "F": rotation @ w["F"], "D": w["D"] @ rotation.T}
    assert np.allclose(scored(w).total, scored(turned).total)


def test_rigidity_damps_exploration_only():
    w = world(3)
    open_mind, stiff = scored(w, rho=0.0), scored(w, rho=0.8)
    assert np.allclose(stiff.exploration, 0.2 * open_mind.exploration)
    assert np.allclose(stiff.alignment, open_mind.alignment) and np.allclose(stiff.tabu, w["tabu"])


def test_a_thousand_candidates_are_scored_in_one_quick_call():
    w = world(1, n=1000, d=64)
    scored(w)
    best = min(_timed(lambda: scored(w)) for _ in range(5))
    assert len(scored(w).total) == 1000 and best < 0.02


def _timed(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def test_no_pull_and_no_direction_mean_no_alignment():
    D = np.stack([np.zeros(3), np.eye(3)[0]])
    assert cosines(np.zeros(3), D).tolist() == [0, 0]
    assert cosines(np.eye(3)[0], D).tolist() == [0, 1]


def test_no_candidates_are_no_scores():
    empty = score_terms(
        np.ones(3), np.zeros((0, 3)), Known(np.zeros(0), np.zeros(0), np.zeros(0), 0), rho=0, c=1,
        weights=PRESETS["hybrid"],
    )  # fmt: skip
    assert ranking(empty) == [] and not all_misaligned(empty, 0)


def test_ranking_breaks_ties_by_prior_then_order():
    w = world(0, n=4)
    w |= {"D": np.zeros((4, 6)), "Q": np.full(4, 0.5), "N": np.zeros(4), "tabu": np.zeros(4)}
    w["P"] = np.array([0.2, 0.3, 0.3, 0.2])
    assert ranking(scored(w, preset="puct", total_n=0)) == [1, 2, 0, 3]


def test_robust_child_is_the_most_visited():
    assert robust_child(np.array([1, 3, 3]), np.array([0.9, 0.1, 0.4])) == 2
    with pytest.raises(ValueError, match="no candidate"):
        robust_child(np.zeros(0), np.zeros(0))


def test_misaligned_means_every_score_is_too_low():
    w = world(0)
    assert all_misaligned(scored(w), 100.0) and not all_misaligned(scored(w), -100.0)


def test_weights_can_be_overridden_and_unknown_presets_are_refused():
    assert weights_of("hybrid", w_a=0.25).w_a == 0.25 and weights_of("puct").w_a == 0
    with pytest.raises(SettingsError, match="hybrid"):
        weights_of("uct")


@given(st.lists(st.floats(-1, 10), max_size=6))
def test_priors_sum_to_one(raw):
    P = normalised(np.array(raw))
    assert (P >= 0).all() and (not raw or P.sum() == pytest.approx(1))
