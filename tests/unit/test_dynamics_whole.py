"""The mathematics of the mind by hand: whole records worked out on paper, refusals told whole, and bounds."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pytest

from ddax.configs.identities import load_identity
from ddax.dynamics.doubt import Doubt, by_cut, by_nearness, by_order, expected_tokens
from ddax.dynamics.forces import balance, receive
from ddax.dynamics.places import Places
from ddax.dynamics.pressure import Impasse, PressureWeights, ambiguity_of, impasse_of, pressure, trigger
from ddax.dynamics.prune import Cut, Twin, beyond_beam, near_duplicates, weak
from ddax.dynamics.question import leanings
from ddax.dynamics.rigidity import is_due, leave_protect, observe, sigmoid
from ddax.dynamics.score import (
    PRESETS,
    Known,
    Terms,
    Weights,
    all_misaligned,
    normalised,
    robust_child,
    terms_of,
    weights_of,
)
from ddax.dynamics.stability import CriticalGains, m_crit_identity, m_crit_stable, reported
from ddax.dynamics.state import (
    Place,
    attractor,
    decode_vector,
    encode_vector,
    new_attractor,
    open_mind,
    projection,
    unit,
)
from ddax.dynamics.surprise import Calibration, measure
from ddax.dynamics.tree import ROOT_NODE, Policy, Tree
from ddax.dynamics.utility import FORGOTTEN, Option, Tabu, Utility, learned_chance, resolve, utility
from ddax.dynamics.widen import Outcomes
from ddax.errors import SettingsError, StateError

X = np.array([1.0, 0.0])
UP = np.array([0.0, 1.0])


def mind_of(**changes: Any) -> Any:
    return {**open_mind(load_identity("cautious"), x_star=X, x=X), **changes}


def told(call: Any, *arguments: Any, **named: Any) -> tuple[str, str, str]:
    with pytest.raises((SettingsError, StateError)) as caught:
        call(*arguments, **named)
    return caught.value.what, caught.value.why, caught.value.mend


def test_one_outcome_changes_this_of_a_mind_and_nothing_else() -> None:
    calm = {"rho": 0.4, "alpha": 0.0, "epsilon_0": 0.3, "epsilon_protect": 0.8, "protect_after": 3}
    for epsilon, hot, quiet in ((0.29, 0, 5), (0.3, 0, 0), (0.8, 0, 0), (0.81, 2, 0)):
        mind = mind_of(**calm, hot=1, calm=4, outcomes=6, protect_threshold=0.7)
        after = observe(mind, epsilon=epsilon, surprise=0.25)
        wanted = {"epsilon": epsilon, "surprise": 0.25, "outcomes": 7, "hot": hot, "calm": quiet}
        assert after == {**mind, **wanted}
    third = observe(mind_of(**calm, hot=2, outcomes=0), epsilon=0.9, surprise=0.9)
    assert third["protect"] and (third["hot"], third["outcomes"], third["entries"]) == (3, 1, 1)


@pytest.mark.parametrize(
    ("rho", "armed", "protect", "armed_after"),
    [(0.7, True, False, True), (0.71, True, True, False), (0.71, False, False, False),
     (0.6, False, False, False), (0.59, False, False, True)],
)  # fmt: skip
def test_rigidity_enters_above_its_threshold_once_it_had_settled(
    rho: float, armed: bool, protect: bool, armed_after: bool
) -> None:
    mind = mind_of(rho=rho, alpha=0.0, armed=armed, protect_threshold=0.7)
    after = observe(mind, epsilon=0.0, surprise=0.0)
    assert (after["protect"], after["armed"], is_due(after)) == (protect, armed_after, protect)
    assert not is_due({**after, "asked": True}) and not leave_protect(after)["protect"]


def test_the_sigmoid_is_what_it_is_defined_as() -> None:
    assert [sigmoid(z) for z in (0.0, 2.0, -2.0)] == pytest.approx([0.5, 0.880797, 0.119203], abs=1e-6)


@pytest.mark.parametrize(
    ("utilities", "close"),
    [([], 0.0), ([1.0], 0.0), ([3.0, 2.5, 1.0], 0.75), ([1.0, 2.5, 3.0], 0.75), ([1.0, -1.0], 0.0),
     ([-1.0, -2.0, -5.0], 0.75), ([0.0, 0.0], 1.0), ([2.0, 2.0, 0.0], 1.0)],
)  # fmt: skip
def test_how_close_the_two_best_are_in_the_range_of_all(utilities: list[float], close: float) -> None:
    assert ambiguity_of(utilities) == pytest.approx(close)


@pytest.mark.parametrize(
    ("utilities", "impasse"),
    [([0.5, 1.0], Impasse.TIE), ([1.0, 0.49], None), ([1.0], None), ([0.0, 1.0, 0.75], Impasse.TIE)],
)
def test_options_are_equal_up_to_the_tolerance(utilities: list[float], impasse: Impasse | None) -> None:
    assert impasse_of(utilities, changed=True, tolerance=0.5) is impasse
    assert impasse_of(utilities, changed=False, tolerance=0.5) is Impasse.NO_CHANGE
    assert impasse_of([1.0, 0.99999], changed=True) is None


def test_evolution_begins_at_the_threshold_or_after_so_many_impasses() -> None:
    none, tie = Impasse.NO_CHANGE, Impasse.TIE
    assert not trigger(0.5, [none] * 2, persist=3) and trigger(0.5, [none] * 3, persist=3)
    assert trigger(0.5, [tie, none, none]) and not trigger(0.5, [none, none, tie])
    assert trigger(0.5, [], threshold=0.5) and not trigger(0.49, [], threshold=0.5)


@pytest.mark.parametrize(
    ("part", "full", "at"),
    [("depth", 6.0, "depth"), ("time", 300.0, "seconds"), ("impasses", 3.0, "impasses")],
)
def test_each_part_of_pressure_is_its_share_of_full(part: str, full: float, at: str) -> None:
    weights = PressureWeights(**{**dict.fromkeys(("depth", "time", "impasses", "ambiguity"), 0.0), part: 0.5})
    none: dict[str, Any] = {"depth": 0, "seconds": 0.0, "impasses": 0, "ambiguity": 0.0}
    found = [pressure(**{**none, at: full * share}, weights=weights) for share in (-1, 0, 1 / 3, 1, 2)]
    assert found == pytest.approx([0.0, 0.0, 1 / 3, 1.0, 1.0])
    mixed = pressure(depth=3, seconds=0.0, impasses=3, ambiguity=0.5, weights=PressureWeights())
    assert mixed == pytest.approx(0.3 / 2 + 0.3 + 0.2 / 2)


def test_weights_of_pressure_that_make_no_sense_are_refused_whole() -> None:
    for name in ("depth", "time", "impasses", "ambiguity"):
        with pytest.raises(ValueError, match=r"^the weights of pressure must be ≥ 0, not \(.*-0\.1.*\)$"):
            PressureWeights(**{name: -0.1})
    for name in ("full_depth", "full_seconds", "full_impasses"):
        with pytest.raises(
            ValueError, match=r"^what counts as full depth, seconds and impasses must be positive$"
        ):
            PressureWeights(**{name: 0.0})
        assert PressureWeights(**{name: 0.1})


def test_what_cannot_be_measured_or_read_is_refused_whole() -> None:
    for low, high in ((0.5, 0.5), (-0.1, 1.0)):
        assert told(Calibration, low, high) == (
            f"The calibration d_match={low}, d_unrelated={high} is no scale.",
            "It needs 0 <= d_match < d_unrelated.",
            "Measure both again with ddax.configs.calibration.measure_encoder.",
        )
    assert Calibration(0.0, 0.1).d_match == 0.0
    assert told(decode_vector, "é" * 30) == (
        f"The stored vector {'é' * 24!r} cannot be read.",
        "It is not base64 of 4-byte floats.",
        "Resume from an earlier checkpoint of the thread.",
    )
    for size in (0, 5):
        assert told(projection, 4, size) == (
            f"state_dim {size} does not fit an encoder of 4 dimensions.",
            "A projection cannot add dimensions.",
            "Set selection.state_dim to at most 4.",
        )
    assert projection(4, 4).shape == (4, 4) and projection(4, 1).shape == (1, 4)
    assert told(weights_of, "uct") == (
        "There is no preset 'uct'.",
        "A preset names the weights by which ideas are chosen.",
        "Choose one of dda-x, flat, hybrid, puct.",
    )


def test_a_profile_has_its_own_attractor_or_one_between_two() -> None:
    profile = load_identity("cautious")
    one = profile.model_copy(update={"identity_vector": None, "identity_weight": 0.75})
    assert attractor(one, statement=X, task=UP).tolist() == pytest.approx(
        (unit(np.array([0.75, 0.25]))).tolist()
    )
    own = profile.model_copy(update={"identity_vector": (0.0, 2.0)})
    assert attractor(own, statement=X, task=X).tolist() == [0.0, 1.0]
    for wrong in ((1.0, 2.0, 3.0), (0.0, 0.0)):
        bad = profile.model_copy(update={"identity_vector": wrong})
        assert told(attractor, bad, statement=X, task=X) == (
            f"identity_vector of the profile {profile.name!r} has {len(wrong)} numbers, or no direction.",
            "The state space has 2 dimensions.",
            "Give as many numbers, not all zero, or null.",
        )
    mind = mind_of()
    assert new_attractor(mind, UP) == {**mind, "x_star": encode_vector(UP)}


def test_forces_add_up_by_hand() -> None:
    where = Place(X, UP, np.array([1.0, 1.0]), np.array([1.0, 0.0]))
    found = balance(where, np.array([[0.0, 1.0]]), np.array([0.5]), gamma=2.0, m=0.5, k=0.1)
    assert [v.tolist() for v in (found.F_id, found.F_T, found.F_R)] == [[-2.0, 2.0], [0.0, 1.3], [0.0, 1.0]]
    assert found.F.tolist() == pytest.approx([-2.0, 3.15]) and found.delta_x.tolist() == pytest.approx(
        [-0.2, 0.315]
    )
    assert found.norms == pytest.approx([8**0.5, 1.3, 1.0])


def test_an_outcome_is_kept_and_the_one_before_with_it() -> None:
    mind = mind_of(i=encode_vector(X), gamma=1.0, k_base=0.5, rho=0.0, m=1.0)
    none = (np.zeros((0, 2)), np.zeros(0))
    moved = receive(mind, UP, *none)
    step = decode_vector(moved["x"]) - X
    assert (moved["i"], moved["i_prev"]) == (encode_vector(UP), encode_vector(X))
    assert step.tolist() == pytest.approx([-0.65, 0.65], abs=1e-6)
    assert moved["delta_x"] == pytest.approx(0.65 * 2**0.5) and moved["raw_surprise"] == pytest.approx(2**0.5)
    assert moved["force_norms"] == pytest.approx([0.0, 1.3 * 2**0.5, 0.0])
    there = receive(mind, UP, *none, teleport=True)
    assert there["x"] == encode_vector(UP) and there["delta_x"] == pytest.approx(2**0.5)
    changed = {key for key, value in moved.items() if value != dict(mind)[key]}
    assert changed == {"x", "i", "i_prev", "delta_x", "raw_surprise", "force_norms"}


def test_terms_are_worked_out_by_hand() -> None:
    weights = Weights(w_a=0.5, w_q=2.0, c=0.1, tabu=3.0, floor=4.0)
    known = Known(np.array([0.2, 0.6]), np.array([0, 3]), np.array([0.25, 0.75]), 1.0, np.array([0.0, 0.1]))
    found = terms_of(np.array([1.0, -0.5]), known, rho=0.5, c=2.0, weights=weights)
    assert found.alignment.tolist() == [0.5, -0.25] and found.value.tolist() == [0.4, 1.2]
    assert found.exploration.tolist() == pytest.approx([0.05, 0.0375])
    assert found.tabu.tolist() == pytest.approx([0.0, 0.3])
    assert found.total.tolist() == pytest.approx([0.95, 0.6875]) and found.prior.tolist() == [0.25, 0.75]
    many = terms_of(np.zeros(2), known._replace(total_n=9.0, tabu=None), rho=0.5, c=2.0, weights=weights)
    assert many.exploration.tolist() == pytest.approx([0.075, 0.05625]) and many.tabu.tolist() == [0.0, 0.0]
    free = Weights(w_a=0.5, w_q=2.0, damped=False, floor=0.0)
    open_ = terms_of(np.zeros(2), known._replace(total_n=0.25), rho=0.9, c=2.0, weights=free)
    assert open_.exploration.tolist() == pytest.approx([0.25, 0.1875])


def test_protect_is_due_only_where_each_candidate_is_below() -> None:
    def terms(*scores: float) -> Terms:
        zero = np.zeros(len(scores))
        return Terms(zero + 9, zero + 9, zero + 0.25, zero, zero + 9, np.array(scores) - 0.25, zero)

    assert all_misaligned(terms(0.1, 0.2), 0.5) and not all_misaligned(terms(0.1, 0.5), 0.5)
    assert not all_misaligned(terms(0.9, 0.1), 0.5) and not all_misaligned(terms(), 0.5)


def test_what_is_given_replaces_the_weights_of_a_preset() -> None:
    base = PRESETS["hybrid"]
    assert weights_of("hybrid") == base
    changed = weights_of("hybrid", w_a=0.0, w_q=0.0, wider=True)
    assert (changed.w_a, changed.w_q, changed.wider) == (0.0, 0.0, True)
    assert (changed.c, changed.tabu, changed.living, changed.floor) == (
        base.c,
        base.tabu,
        base.living,
        base.floor,
    )
    assert normalised(np.array([-1.0, 0.0])).tolist() == [0.5, 0.5] and normalised(np.zeros(0)).tolist() == []
    assert normalised(np.array([-1.0, 3.0, 1.0])).tolist() == [0.0, 0.75, 0.25]
    assert [
        robust_child(np.array(n), np.array(q)) for n, q in (([2, 2], [0.5, 0.5]), ([1, 2], [0.9, 0.1]))
    ] == [0, 1]


def test_the_utility_of_an_option_with_each_of_its_terms() -> None:
    option = Option("visit", {"source": "a"}, 0.5, 1.5)
    tabu = (
        Tabu(0.5).record("visit", {"source": "a"}).record("visit", {"source": "a"}).step().record("other", {})
    )
    assert tabu.count("visit", {"source": "a"}) == 1.0 and tabu.count("visit", {}) == 0.0
    found = utility(option, tabu, G=10.0, penalty=0.25, noise=0.125)
    assert found == Utility(option, 3.375, 5.0, 1.5, 0.25, 0.125)
    assert utility(option, tabu, G=10.0) == Utility(option, 1.5, 5.0, 1.5, 2.0, 0.0)
    cheap = Option("other", {}, 0.6, 0.5)
    ranked = resolve([option, cheap], tabu, rng=np.random.default_rng(0), noise=0.0)
    assert [(u.option, u.value) for u in ranked] == [(cheap, 3.5), (option, 1.5)]
    equal = resolve([option, option], Tabu(), rng=np.random.default_rng(0), noise=0.0, G=2.0, penalty=1.0)
    assert [u.value for u in equal] == [-0.5, -0.5]
    faded = Tabu(0.5, {"a": 2 * FORGOTTEN, "b": 1.9 * FORGOTTEN}).step()
    assert faded == Tabu(0.5, {"a": FORGOTTEN}) and Tabu(1.0, {"a": 1.0}).step().counts == {"a": 1.0}


@pytest.mark.parametrize("wrong", [0.0, 1.01, -0.5])
def test_a_decay_that_is_none_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match=rf"^the decay must lie in \(0, 1\], not {wrong}$"):
        Tabu(wrong)


def test_a_chance_is_the_mean_of_what_was_seen_and_the_prior() -> None:
    assert learned_chance(0, 0) == 0.5 and learned_chance(3, 1) == pytest.approx(4 / 6)
    assert (
        learned_chance(1, 2, prior=0.0, strength=1.0) == 0.25
        and learned_chance(1, 2, prior=1.0, strength=1.0) == 0.5
    )
    said = "^counts must be ≥ 0, the prior in \\[0, 1\\], its strength positive$"
    for more in ({"successes": -1}, {"failures": -0.5}, {"prior": -0.1}, {"prior": 1.1}, {"strength": 0.0}):
        with pytest.raises(ValueError, match=said):
            learned_chance(**{"successes": 1.0, "failures": 1.0, **more})


def test_what_is_cut_is_told_with_its_reason() -> None:
    assert weak([0.9, 0.6, 0.65, 0.1], [2, 2, 2, 1], margin=0.25, visits=2) == [
        Cut(1, "value 0.60 is more than 0.25 below 0.90")
    ]
    assert weak([0.75, 0.5], [3, 3], margin=0.25, visits=3) == [], "exactly the margin is kept"
    assert weak([0.9, 0.1], [1, 5], margin=0.25, visits=2) == [] == weak([], [], margin=0.1, visits=1)
    assert beyond_beam(np.array([0.2, 0.9, 0.2, 0.5]), 2) == [
        Cut(0, "rank 3 of 4, the beam is 2 wide"), Cut(2, "rank 4 of 4, the beam is 2 wide"),
    ]  # fmt: skip
    assert beyond_beam(np.array([0.2, 0.9]), 2) == []
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [0.0, 0.0], [1.0, 0.0]])
    assert near_duplicates(rows, 0.8) == [Twin(2, 1, 0.8), Twin(4, 0, 1.0)]
    assert near_duplicates(rows, 0.81) == [Twin(4, 0, 1.0)]


def test_critical_gains_by_hand() -> None:
    assert (
        m_crit_stable(0.5, 1.0) == 3.0 and m_crit_stable(0.0, 1.0) == inf and m_crit_stable(1.0, 3.0) == -1.0
    )
    push = np.array([0.0, 4.0])
    assert m_crit_identity(X, -X, gamma=3.0, outside=push) == 1.5
    assert m_crit_identity(X, -X, gamma=3.0, outside=0 * push) == inf
    assert reported(CriticalGains(inf, 1.5)) == [None, 1.5] and reported(CriticalGains(-2.0, inf)) == [
        -2.0,
        None,
    ]


def test_doubt_is_held_at_its_price_and_told_whole() -> None:
    doubt = Doubt("judge", "0.1", 0.123456, 0.5, 2, 1000, 20_000, why="near")
    assert doubt.row() == {
        "ceremony": "judge", "idea": "0.1", "change": 0.1235, "stakes": 0.5, "gain": 1235, "calls": 2,
        "tokens": 1000, "held": True, "needed": False, "why": "near",
    }  # fmt: skip
    even = Doubt("plan", "0", 0.5, 0.5, 1, 1000, 4000)
    assert even.gain == 1000.0 and even.held and not Doubt("plan", "0", 0.5, 0.5, 1, 1001, 4000).held
    assert Doubt("plan", "0", 0.0, 0.5, 1, 1001, 4000, needed=True).held
    assert (by_order(0, 3), by_order(3, 0), by_order(4, 3)) == (0.0, 1.0, 0.25)
    assert (by_nearness(0.0, 0.5), by_nearness(-0.1, 0.5), by_nearness(0.6, 0.5)) == (0.0, 0.0, 0.0)
    assert [by_cut(0, 5), by_cut(10, 10), by_cut(10, 9)] == pytest.approx([0.0, 0.0, 0.1])
    assert expected_tokens(400, 3, known_calls=1, known_tokens=300) == 1500


def test_outcomes_are_counted_and_places_kept_by_text() -> None:
    seen = Outcomes().add(0.5).add(0.25)
    assert (
        seen == Outcomes(2, 0.75, 0.3125) and seen.mean == pytest.approx(1.25 / 3) and Outcomes().mean == 0.5
    )
    places = Places()
    places.add(["a", "b"], [X, UP])
    places.add(["a"], [UP])
    assert len(places) == 2 and places.without(["c", "a", "c", "d"]) == ["c", "d"]
    assert (
        places.of(["b", "a", "b"]).tolist() == [[0.0, 1.0]] * 3 and places.of(["a"]).flags.writeable is False
    )
    places.add([f"t{k}" for k in range(200)], [np.array([k, 0.0]) for k in range(200)])
    assert places.of(["t199", "t64", "a"]).tolist() == [[199.0, 0.0], [64.0, 0.0], [0.0, 1.0]]
    places.clear()
    assert len(places) == 0 and places.without(["a"]) == ["a"]


def test_a_scale_is_the_medians_and_leanings_are_a_softmax() -> None:
    a, b = np.array([[0.0], [0.0], [0.0]]), np.array([[1.0], [5.0], [2.0]])
    assert measure((a, b), (a, 3 * b)) == Calibration(2.0, 6.0)
    assert leanings(np.array([0.25, 0.0])).tolist() == pytest.approx([0.731059, 0.268941], abs=1e-6)
    assert leanings(np.array([5000.0, 0.0])).tolist() == [1.0, 0.0] and leanings(np.zeros(0)).tolist() == []
    assert leanings(np.array([1.0, 0.0]), temperature=1.0)[0] == pytest.approx(0.731059, abs=1e-6)


def test_a_value_falls_with_its_virtual_losses_as_its_visits_have_it() -> None:
    tree = Tree()
    known, other = tree.grow(ROOT_NODE, [0.5, 0.5])
    for value in (0.8, 0.8, 0.8):
        tree.backpropagate(known, value)
    tree.backpropagate(other, 0.5)
    greedy = Policy(PRESETS["puct"], c=0.0)
    tree.loss[known] = 1
    assert tree.best([known, other], greedy) == known, "0.8 · 3/4 = 0.6"
    tree.loss[known] = 2
    assert tree.best([known, other], greedy) == other, "0.8 · 3/5 = 0.48"


def test_known_children_are_what_came_below_them_after_their_first_values(monkeypatch: Any) -> None:
    seen: list[tuple[Outcomes, Outcomes]] = []
    monkeypatch.setattr("ddax.dynamics.tree.goes_wider", lambda new, later, rng: seen.append((new, later)))
    tree = Tree()
    first, _ = tree.grow(ROOT_NODE, [0.5, 0.5], more=True)
    for value in (0.9, 0.4, 0.2):
        tree.backpropagate(first, value)
    tree.descend(Policy(wider=True), rng=np.random.default_rng(0))
    (new, later), *_ = seen
    assert new == pytest.approx((1, 0.9, 0.81)) and later == pytest.approx((2, 0.6, 0.2))
