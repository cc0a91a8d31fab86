"""Rigidity and protect, for every profile."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.configs.identities import known_identities, load_identity
from ddax.dynamics.rigidity import (
    CALM_OUTCOMES,
    enter_protect,
    gamma_now,
    is_due,
    k_eff,
    leave_protect,
    mark_asked,
    mark_conservative,
    next_rho,
    observe,
    sigmoid,
)
from ddax.dynamics.state import open_mind
from ddax.dynamics.surprise import hybrid_surprise

PROFILES = known_identities()
unit_float = st.floats(0, 1)


def mind_of(profile, **changes):
    import numpy as np

    x = np.eye(8)[0]
    return {**open_mind(load_identity(profile), x_star=x, x=x), **changes}


def test_there_are_four_profiles():
    assert PROFILES == ["cautious", "exploratory", "task_focused", "traumatized"]


@given(st.floats(-800, 800))
def test_the_sigmoid_never_overflows(z):
    assert 0 <= sigmoid(z) <= 1
    assert sigmoid(z) + sigmoid(-z) == pytest.approx(1)


@given(st.sampled_from(PROFILES), unit_float, st.lists(st.tuples(unit_float, unit_float), max_size=60))
def test_rho_stays_in_the_unit_interval_and_protect_is_consistent(profile, rho, world):
    mind = mind_of(profile, rho=rho)
    for epsilon, td in world:
        mind = observe(mind, epsilon=epsilon, surprise=hybrid_surprise(epsilon, td))
        assert 0 <= mind["rho"] <= 1
        assert mind["protect"] or not mind["asked"]
        assert gamma_now(mind) == mind["gamma"] * (2 if mind["protect"] else 1)


@pytest.mark.parametrize("profile", PROFILES)
def test_rho_falls_in_calm_and_rises_under_surprise(profile):
    mind = mind_of(profile, rho=0.5)
    calm, alarm, even = (observe(mind, epsilon=e, surprise=e)["rho"] for e in (0.0, 1.0, mind["epsilon_0"]))
    assert calm < 0.5 < alarm
    assert even == pytest.approx(0.5)


@given(st.sampled_from(PROFILES), unit_float, unit_float, unit_float)
def test_more_surprise_never_means_less_rigidity(profile, rho, a, b):
    mind = mind_of(profile)
    low, high = (
        next_rho(rho, e, epsilon_0=mind["epsilon_0"], alpha=mind["alpha"], s=mind["s"])
        for e in sorted((a, b))
    )
    assert low <= high


@pytest.mark.parametrize("profile", PROFILES)
def test_protect_is_entered_after_so_many_maximal_surprises_and_left_after_calm(profile):
    mind = mind_of(profile)
    for count in range(1, mind["protect_after"] + 1):
        assert not mind["protect"]
        mind = observe(mind, epsilon=1.0, surprise=1.0)
        assert mind["hot"] == count
    assert mind["protect"] and is_due(mind) and mind["entries"] == 1 and mind["protect_after"] <= 3
    mind = mark_asked(mind)
    assert not is_due(mind)
    mind = observe(mind, epsilon=0.0, surprise=0.0)
    assert mind["protect"], "one calm outcome is not calm yet"
    steps = 1
    while mind["protect"]:
        mind, steps = observe(mind, epsilon=0.0, surprise=0.0), steps + 1
        assert steps <= 10
    assert mind["entries"] == 1 and not mind["asked"]


def test_high_rigidity_alone_enters_protect_and_is_left_only_once_it_has_fallen():
    mind = mind_of("traumatized", rho=0.65)
    mind = observe(mind, epsilon=0.5, surprise=0.5)
    assert mind["rho"] > 0.7 and mind["hot"] == 0 and mind["protect"]
    trail = []
    while mind["protect"]:
        mind = observe(mind, epsilon=0.0, surprise=0.0)
        trail.append(mind["rho"])
    assert trail[-1] < 0.6 and all(rho >= 0.6 for rho in trail[1:-1])


def test_an_answer_ends_protect_and_rigidity_does_not_reopen_it_at_once():
    mind = observe(mind_of("traumatized", rho=0.9), epsilon=1.0, surprise=1.0)
    assert mind["protect"]
    mind = leave_protect(mark_asked(mind))
    assert not mind["protect"] and mind["rho"] > 0.7 and not mind["armed"]
    mind = observe(mind, epsilon=0.3, surprise=0.3)
    assert not mind["protect"], "the same rigidity may not ask twice"
    again = observe(mind, epsilon=1.0, surprise=1.0)
    assert again["protect"] and again["entries"] == 2, "a new surprise may"
    while not mind["armed"]:
        mind = observe(mind, epsilon=0.0, surprise=0.0)
    assert mind["rho"] < 0.6


def test_protect_does_not_chatter_around_its_threshold():
    mind, switches = mind_of("traumatized", rho=0.69), 0
    for step in range(100):
        epsilon = 0.2 if step % 2 else 0.05
        after = observe(mind, epsilon=epsilon, surprise=epsilon)
        switches += after["protect"] != mind["protect"]
        mind = after
    assert switches <= 2


def changes(before, after):
    """Return what differs between two minds, which have the same keys."""
    assert set(before) == set(after)
    return {key: value for key, value in after.items() if value != before[key]}


THREATENED = {"rho": 0.9, "protect": True, "above": True, "asked": True, "armed": False, "hot": 3, "calm": 4}
CALMED = {"protect": False, "above": False, "asked": False, "hot": 0, "calm": 0}


@pytest.mark.parametrize(
    ("step", "start", "changed"),
    [
        (leave_protect, THREATENED, CALMED),
        (leave_protect, {"protect": True, "armed": False, "rho": 0.5}, {"protect": False, "armed": True}),
        (mark_conservative, {"conservative": 1}, {"asked": True, "conservative": 2}),
        (
            enter_protect,
            {"rho": 0.71, "armed": True, "asked": True, "calm": 2, "entries": 1},
            {"protect": True, "above": True, "armed": False, "asked": False, "calm": 0, "entries": 2},
        ),
        (enter_protect, {"rho": 0.7, "armed": True}, {"protect": True, "armed": False, "entries": 1}),
    ],
)
def test_a_step_of_protect_changes_this_and_nothing_else(step, start, changed):
    mind = mind_of("traumatized", protect_threshold=0.7, **start)
    assert changes(mind, step(mind)) == changed


@pytest.mark.parametrize(
    ("above", "rho", "calm", "left", "above_after"),
    [
        (False, 0.5, CALM_OUTCOMES, True, False),
        (False, 0.5, CALM_OUTCOMES - 1, False, False),
        (False, 0.65, CALM_OUTCOMES, True, False),
        (False, 0.7, CALM_OUTCOMES, True, False),
        (False, 0.71, CALM_OUTCOMES, False, True),
        (True, 0.65, CALM_OUTCOMES, False, True),
        (True, 0.59, CALM_OUTCOMES, True, False),
    ],
)
def test_protect_is_left_in_calm_and_once_a_high_rigidity_has_settled(above, rho, calm, left, above_after):
    still = {"alpha": 0.0, "protect_threshold": 0.7, "protect": True, "above": above, "rho": rho}
    after = observe(mind_of("cautious", **still, calm=calm - 1), epsilon=0.0, surprise=0.0)
    assert (after["protect"], after["above"], after["rho"]) == (not left, above_after, rho)


def test_protect_may_be_entered_by_choice_only_once():
    mind = enter_protect(mind_of("exploratory"))
    assert mind["protect"] and enter_protect(mind) is mind


def test_openness_vanishes_at_full_rigidity():
    assert k_eff(0.7, 1.0) == 0 and k_eff(0.7, 0.0) == 0.7
