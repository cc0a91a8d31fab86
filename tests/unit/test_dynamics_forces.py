"""Forces, motion and both critical gains."""

from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddax.configs.identities import known_identities, load_identity
from ddax.dynamics.forces import (
    balance,
    directions,
    identity_force,
    mind_forces,
    no_candidates,
    preferences,
    receive,
    reflection_force,
    truth_force,
)
from ddax.dynamics.stability import contraction, critical_gains, m_crit_identity, m_crit_stable
from ddax.dynamics.state import Place, open_mind, place, unit, unit_rows

DIM = 12
seeds = st.integers(0, 10_000)


def points(seed, n):
    return unit_rows(np.random.default_rng(seed).standard_normal((n, DIM)))


def mind_of(profile="task_focused", seed=0, **changes):
    x_star, x = points(seed, 2)
    return {**open_mind(load_identity(profile), x_star=x_star, x=x), **changes}


def test_forces_follow_their_formulas():
    x, x_star, i, i_prev = points(1, 4)
    assert np.allclose(identity_force(x, x_star, gamma=2.0), 2 * (x_star - x))
    assert np.allclose(truth_force(x, i, i_prev), i + 0.3 * (i - i_prev) - x)
    assert np.allclose(truth_force(x, i, None), i - x)
    assert not truth_force(x, None, None).any()
    D, Q = directions(points(2, 3), x), np.array([0.1, 0.9, 0.4])
    weights = np.exp(2 * (0.7 * Q + 0.3 * (D @ (x_star - x))))
    assert np.allclose(preferences(D, Q, x_star - x), weights / weights.sum())
    assert np.allclose(reflection_force(D, Q, x_star - x), weights / weights.sum() @ D)
    found = balance(Place(x, x_star, i, i_prev), D, Q, gamma=2.0, m=0.5, k=0.3)
    assert np.allclose(found.F, found.F_id + 0.5 * (found.F_T + found.F_R))
    assert np.allclose(found.delta_x, 0.3 * found.F)


def test_a_direction_points_from_x_to_the_expected_outcome():
    x, target = points(3, 2)
    (d_hat, none) = directions(np.stack([target, x]), x)
    assert np.allclose(d_hat, unit(target - x)) and not none.any()


@given(seeds, st.integers(1, 9))
def test_the_reflection_force_is_at_most_one_long(seed, n):
    x, x_star = points(seed, 2)
    D = directions(points(seed + 1, n), x)
    assert np.linalg.norm(reflection_force(D, np.linspace(0, 1, n), x_star - x)) <= 1 + 1e-12


def test_without_candidates_only_identity_and_truth_pull():
    found = mind_forces(mind_of(), *no_candidates(DIM))
    assert not found.F_R.any() and found.F_id.any()


@given(seeds)
def test_x_stands_still_at_full_rigidity(seed):
    mind = mind_of("exploratory", seed, rho=1.0)
    after = receive(mind, points(seed + 5, 1)[0], *no_candidates(DIM))
    assert after["x"] == mind["x"] and after["delta_x"] == 0 and after["i"]


def test_an_outcome_moves_x_towards_it_and_is_remembered():
    mind = mind_of(m=5.0, gamma=0.1, k_base=0.1)
    outcome, second = points(9, 2)
    after = receive(mind, outcome, *no_candidates(DIM))
    before_gap, after_gap = (np.linalg.norm(place(state).x - outcome) for state in (mind, after))
    assert after_gap < before_gap
    assert after["raw_surprise"] > 0 and len(after["force_norms"]) == 3
    again = receive(after, second, *no_candidates(DIM))
    assert again["i_prev"] == after["i"] != again["i"]


def test_teleport_sets_x_to_the_outcome():
    outcome = points(9, 1)[0]
    after = receive(mind_of(), outcome, *no_candidates(DIM), teleport=True)
    assert np.allclose(place(after).x, outcome, atol=1e-7)


def run(x, x_star, target, *, gamma, m, k, steps=400):
    for _ in range(steps):
        x = x + k * (gamma * (x_star - x) + m * (target - x))
    return x


@settings(max_examples=60)
@given(seeds, st.floats(0.05, 1), st.floats(0, 3), st.floats(0.5, 1.5))
def test_the_stable_gain_agrees_with_simulation(seed, k, gamma, ratio):
    critical = m_crit_stable(k, gamma)
    m = critical * ratio
    if m < 0 or abs(ratio - 1) < 0.02 or not abs(1 - contraction(k, gamma=gamma, m=m)) > 1e-3:
        return
    x, x_star, target = points(seed, 3)
    rest = (gamma * x_star + m * target) / (gamma + m)
    factor = contraction(k, gamma=gamma, m=m)
    gap = np.linalg.norm(run(x, x_star, target, gamma=gamma, m=m, k=k, steps=10) - rest)
    assert gap == pytest.approx(factor**10 * np.linalg.norm(x - rest), rel=1e-6, abs=1e-9)
    assert (factor < 1) == (m < critical)


def test_the_stable_gain_separates_settling_from_blowing_up():
    x, x_star, target = points(4, 3)
    critical = m_crit_stable(0.5, 1.0)
    assert critical == 3.0
    settled = run(x, x_star, target, gamma=1.0, m=0.95 * critical, k=0.5)
    assert np.allclose(settled, (x_star + 2.85 * target) / 3.85, atol=1e-6)
    assert np.linalg.norm(run(x, x_star, target, gamma=1.0, m=1.05 * critical, k=0.5)) > 1e6
    assert m_crit_stable(0.0, 1.0) == inf


@given(seeds, st.floats(0.1, 3), st.floats(0.5, 1.5))
def test_identity_outweighs_the_outside_below_its_gain(seed, gamma, ratio):
    x, x_star, outside = points(seed, 3)
    if abs(ratio - 1) < 1e-6:
        return
    m = ratio * m_crit_identity(x, x_star, gamma=gamma, outside=outside)
    identity_rules = np.linalg.norm(gamma * (x_star - x)) > np.linalg.norm(m * outside)
    assert identity_rules == (ratio < 1)


@pytest.mark.parametrize("profile", known_identities())
def test_every_profile_is_stable_and_stiffer_is_more_stable(profile):
    gains = []
    for rho in (0.0, 0.5, 0.9):
        mind = receive(mind_of(profile, rho=rho), points(8, 1)[0], *no_candidates(DIM))
        mind["protect"] = True
        gains.append(critical_gains(mind, mind_forces(mind, *no_candidates(DIM))).stable)
        assert mind["m"] < gains[-1], "also with γ doubled in protect"
    assert gains == sorted(gains)
