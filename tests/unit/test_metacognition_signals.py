"""Signals: observation, novelty, progress, evidence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.metacognition.matrices import OBSERVATIONS
from ddax.metacognition.signals import SignalConverter, learning_progress
from ddax.types import Entailment
from tests.cases import cases

unit = st.floats(0, 1)


def converted(relation="neutral", check=1.0, *, confidence=0.9, epsilon=0.2, **more):
    converter = SignalConverter(lambda prediction, outcome: Entailment(relation, check))
    return converter.convert("forecast", "outcome", confidence=confidence, epsilon=epsilon, **more)


@cases("relation", "check", "confidence", "epsilon", "expected")
def test_observations(relation, check, confidence, epsilon, expected):
    signal = converted(relation, check, confidence=confidence, epsilon=epsilon)
    assert signal.observation == expected and signal.reason


@given(
    st.sampled_from(["entailment", "contradiction", "neutral"]), unit, unit, unit, st.lists(unit, max_size=9)
)
def test_a_signal_is_always_valid(relation, check, confidence, epsilon, recent):
    signal = converted(
        relation, check, confidence=confidence, epsilon=epsilon, recent=recent, similarity=epsilon
    )
    assert signal.observation in OBSERVATIONS and 0 <= signal.novelty <= 1
    assert len(signal.likelihood) == 4 and all(0 < factor <= 6 for factor in signal.likelihood)
    assert (signal.progress is None) == (len(recent) < 5)


@given(unit)
def test_doubt_of_the_check_is_not_surprise(check):
    assert converted("neutral", check, epsilon=0.1).observation == "LOW_SURPRISE"


def test_progress_is_the_fall_of_surprise():
    assert learning_progress([0.9, 0.9, 0.9, 0.3, 0.3, 0.3]) == pytest.approx(0.6)
    assert learning_progress([0.5] * 6) == 0 and learning_progress([0.5] * 5) is None
    assert learning_progress([0.0, 0.2, 0.2, 0.2, 0.4, 0.4, 0.4]) == pytest.approx(-0.2)


def test_repetition_speaks_for_bored_and_effort_without_progress_for_stagnant():
    bored = converted(epsilon=0.1, similarity=1.0).likelihood
    fresh = converted(epsilon=0.1, similarity=0.0).likelihood
    stuck = converted(epsilon=0.6, recent=[0.6] * 5).likelihood
    calm = converted(epsilon=0.0, recent=[0.0] * 5).likelihood
    assert bored[2] > 1 > fresh[2] and bored[3] == 1
    assert stuck[3] > 1 and stuck[2] == 1
    assert calm == converted().likelihood == (1, 1, 1, 1)


def test_the_same_again_while_surprise_stays_is_a_standstill_and_no_confusion():
    again = converted(epsilon=0.6, recent=[0.6] * 2, similarity=0.9).likelihood
    fresh = converted(epsilon=0.6, recent=[0.6] * 2, similarity=0.1).likelihood
    assert again[3] > 1 > again[0] and fresh[0] > 1 > fresh[3] and again[2] == fresh[2] == 1
