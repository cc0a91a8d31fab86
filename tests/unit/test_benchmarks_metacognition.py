"""The benchmarks of the mood: what the ablation says of an action, what the controller is measured by."""

import numpy as np

from benchmarks.controller import _loaded_by_a_run, _time
from benchmarks.core import Options
from benchmarks.metacognition import VARIANTS, Ran, _ablation


def test_the_ablation_says_what_each_action_brings_in_accuracy_calls_and_loops():
    whole = [Ran(1.0, 10, 5, 0, 0), Ran(1.0, 12, 5, 1, 2)]
    without = [Ran(0.0, 8, 5, 3, 0), Ran(1.0, 8, 5, 2, 0)]
    found = dict.fromkeys(VARIANTS, whole) | {"without VERIFY": without}
    figures = {f.name: f.value for f in _ablation("questions", found)}
    assert figures["questions: right, gained over without VERIFY"] == 0.5
    assert figures["questions: calls, more than without VERIFY"] == 3
    assert figures["questions: repeats, fewer than without VERIFY"] == 2
    assert figures["questions: repeats, fewer than without REST"] == 0
    assert figures["questions, all on: answers with a doubt marked"] == 0.5


def test_the_memory_of_an_engine_is_its_own_and_not_that_of_who_measures_it():
    ours = np.ones(40_000_000)
    timing = _time("twin", 3, Options())
    assert len(timing.cycles) == 3 and 10 < timing.rss_mb < ours.nbytes / 2**20 * 0.75


def test_a_run_loads_nothing_of_pymdp():
    assert _loaded_by_a_run() == 0
