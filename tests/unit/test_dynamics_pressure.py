from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.configs.settings import Evolution
from ddax.dynamics.pressure import Impasse, PressureWeights, ambiguity_of, impasse_of, pressure, trigger
from ddax.ideas.idea import child, root
from ddax.steps.choices.stuck_code import evolution_due, pressure_at
from ddax.types import ActionCall

reals = st.floats(0, 1e6)


@given(reals, reals, st.integers(0, 1000), st.floats(0, 1))
def test_pressure_lies_between_0_and_1_and_never_falls_with_impasses(depth, seconds, impasses, ambiguity):
    weights = PressureWeights()
    low = pressure(depth=depth, seconds=seconds, impasses=impasses, ambiguity=ambiguity, weights=weights)
    high = pressure(depth=depth, seconds=seconds, impasses=impasses + 1, ambiguity=ambiguity, weights=weights)
    assert 0.0 <= low <= high <= 1.0


def test_pressure_is_the_weighted_mean():
    weights = PressureWeights(
        depth=1, time=1, impasses=1, ambiguity=1, full_depth=4, full_seconds=10, full_impasses=2
    )
    assert pressure(depth=2, seconds=5, impasses=1, ambiguity=0.5, weights=weights) == pytest.approx(0.5)
    assert pressure(depth=9, seconds=99, impasses=9, ambiguity=1.0, weights=weights) == 1.0


def test_weights_must_make_sense():
    with pytest.raises(ValueError, match="≥ 0"):
        PressureWeights(depth=-0.1)
    with pytest.raises(ValueError, match="full"):
        PressureWeights(full_depth=0)


def test_without_weights_there_is_no_pressure():
    none = PressureWeights(depth=0, time=0, impasses=0, ambiguity=0)
    assert pressure(depth=9, seconds=999, impasses=9, ambiguity=1.0, weights=none) == 0.0


def test_the_settings_begin_with_the_weights_of_the_engine():
    assert PressureWeights(**Evolution().pressure_weights) == PressureWeights()


def stalled(*totals: float) -> Any:
    """Return the state of a task of code whose tests have just failed, and how its options were scored."""
    task = root(0, "mend it")
    call: ActionCall = {"name": "test", "args": {}, "intent": ""}
    test = child(task, 1, "test", expected="", prior=0.5, step=1, needs=[], action=call)
    top = [{"id": f"0.{k}", "total": total} for k, total in enumerate(totals)]
    return {
        "work": {"root": "0", "code": "/src"},
        "ideas": {"0": task, test["id"]: {**test, "status": "failed"}},
        "decision": {"top": top},
    }


@pytest.mark.parametrize(
    ("totals", "due"), [((0.5, 0.5), True), ((0.9, 0.1), False), ((0.5,), False), ((), False)]
)
def test_options_that_cannot_be_told_apart_are_pressure(totals: tuple[float, ...], due: bool):
    settings = Evolution(pressure_weights={"depth": 0, "time": 0, "impasses": 0, "ambiguity": 1})
    assert evolution_due(stalled(*totals), settings, step=2, seconds=0.0) is due


def test_every_part_of_pressure_can_reach_the_threshold():
    high = pressure_at(
        depth=6, seconds=300.0, stuck=3, decision=stalled(0.5, 0.5)["decision"], weights=PressureWeights()
    )
    assert high == pytest.approx(1.0)


def test_impasses_are_told_apart():
    assert impasse_of([1.0, 0.5], changed=False) is Impasse.NO_CHANGE
    assert impasse_of([], changed=True) is Impasse.NO_CHANGE
    assert impasse_of([1.0, 1.0], changed=True) is Impasse.TIE
    assert impasse_of([1.0, 0.5], changed=True) is None


def test_ambiguity_grows_as_the_best_two_approach():
    assert ambiguity_of([1.0]) == 0.0
    assert ambiguity_of([2.0, 2.0, 2.0]) == 1.0
    assert ambiguity_of([3.0, 2.9, 0.0]) > ambiguity_of([3.0, 1.0, 0.0])


def test_trigger_can_be_forbidden():
    stuck = [Impasse.NO_CHANGE, Impasse.NO_CHANGE]
    assert trigger(0.95, [])
    assert trigger(0.0, stuck)
    assert not trigger(1.0, stuck, enabled=False)


def test_trigger_waits_for_an_impasse_that_persists():
    assert not trigger(0.89, [Impasse.NO_CHANGE])
    assert not trigger(0.5, [Impasse.NO_CHANGE, Impasse.TIE])
    assert not trigger(0.5, [Impasse.NO_CHANGE, None, Impasse.NO_CHANGE])
    assert trigger(0.9, [])
