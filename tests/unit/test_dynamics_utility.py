import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.dynamics.utility import Option, Tabu, learned_chance, resolve, utility
from ddax.ideas.calls import action_key

READ = Option("read_file", {"path": "a.py"}, P=0.9, C=1.0)
EDIT = Option("edit", {"path": "a.py"}, P=0.5, C=1.0)


def test_utility_is_the_formula_term_by_term():
    tabu = Tabu().record("read_file", {"path": "a.py"}).record("read_file", {"path": "a.py"})
    found = utility(READ, tabu, G=10.0, penalty=2.0, noise=0.25)
    assert found.value == pytest.approx(0.9 * 10 - 1.0 - 2.0 * 2 + 0.25)
    assert (found.gain, found.cost, found.tabu, found.noise) == (9.0, 1.0, 4.0, 0.25)


def test_tabu_is_on_action_and_arguments_together():
    tabu = Tabu().record("read_file", {"path": "a.py"})
    assert tabu.count("read_file", {"path": "a.py"}) == 1.0
    assert tabu.count("read_file", {"path": "b.py"}) == 0.0
    assert tabu.count("edit", {"path": "a.py"}) == 0.0


def test_the_order_of_arguments_plays_no_part():
    assert action_key("a", {"x": 1, "y": [2]}) == action_key("a", {"y": [2], "x": 1})
    assert action_key("a", {"x": 1}) != action_key("a", {"x": "1"})


def test_the_history_of_one_task_does_not_reach_another():
    first = Tabu()
    second = first.record("read_file", {})
    assert first.count("read_file", {}) == 0.0
    assert second.count("read_file", {}) == 1.0


def test_no_loop_on_read_file():
    tabu, chosen = Tabu(), []
    rng = np.random.default_rng(0)
    for _ in range(12):
        best = resolve([READ, EDIT], tabu, rng=rng, G=10.0, penalty=2.0, noise=0.0)[0].option
        chosen.append(best.name)
        tabu = tabu.record(best.name, best.args).step()
    longest = max(len(run) for run in "".join(n[0] for n in chosen).split("e"))
    assert chosen[0] == "read_file"
    assert longest <= 3
    assert chosen.count("edit") >= 3


def test_noise_comes_from_the_generator_alone():
    values = [
        [u.value for u in resolve([READ, EDIT], Tabu(), rng=np.random.default_rng(7), noise=0.5)]
        for _ in range(2)
    ]
    other = [u.value for u in resolve([READ, EDIT], Tabu(), rng=np.random.default_rng(8), noise=0.5)]
    assert values[0] == values[1] != other


@given(st.floats(0.01, 1.0), st.integers(0, 200))
def test_tries_fade_and_are_forgotten(decay, steps):
    tabu = Tabu(decay=decay).record("a", {})
    for _ in range(steps):
        tabu = tabu.step()
    expected = decay**steps
    assert tabu.count("a", {}) == pytest.approx(expected if expected >= 1e-3 else 0.0, abs=2e-3)


@given(st.integers(0, 1000), st.integers(0, 1000))
def test_learned_chance_is_a_probability_that_grows_with_success(successes, failures):
    p = learned_chance(successes, failures)
    assert 0.0 < p < 1.0
    assert learned_chance(successes + 1, failures) > p > learned_chance(successes, failures + 1)


def test_wrong_settings_are_refused():
    with pytest.raises(ValueError, match="decay"):
        Tabu(decay=0.0)
    with pytest.raises(ValueError, match="counts"):
        learned_chance(-1, 0)
    assert math.isfinite(learned_chance(0, 0))
