"""The benchmarks of the mood: what the ablation says of an action, what the controller is measured by."""

import json
from dataclasses import asdict

import numpy as np
import pytest

from benchmarks import mood_tables, page
from benchmarks.controller import _time
from benchmarks.core import Options
from benchmarks.loop_world import Tried, World
from benchmarks.metacognition import VARIANTS, Ran, _ablation, _loop_figures


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


@pytest.fixture(scope="module")
def everything():
    """Return figures of every table, as a result holds them."""
    few, many = [Ran(1.0, 10, 5, 0, 0)] * 4, [Ran(1.0, 14, 5, 3, 0)] * 4
    found = dict.fromkeys(VARIANTS, few) | {"without VERIFY": many}
    door = [(World("key", True, True), Tried(True, 3, 20, "done", "", True)),
            (World("none", False, True), Tried(False, 4, 9, "stopped", "standstill", True))]  # fmt: skip
    doors = [figure for name in mood_tables.LOOP for figure in _loop_figures(name, door)]
    return [asdict(f) for f in (*doors, *_ablation("questions", found), *_ablation("repairs", found))]


def test_the_page_says_of_each_action_what_it_brings_and_what_cannot_be_told_from_chance(everything):
    lines = mood_tables.whole(everything)
    verify = [line for line in lines if line.startswith("| VERIFY | 4 questions")]
    assert verify == [
        "| VERIFY | 4 questions | +0 (+0 to +0) | -4 (-4 to -4) | +3 (+3 to +3) | saves calls, avoids loops |"
    ]
    assert sum("nothing that could be told from chance" in line for line in lines) == 8
    assert "| stopped honestly where there is none | 1 | 1 | 1 | 1 |" in lines


def test_the_tables_stand_between_their_marks(everything, monkeypatch, tmp_path):
    about = {"quick": False, "commit": "abc", "machine": {"cpu": "a", "cores": 2}}
    result = {"name": "metacognition", "figures": everything, "conditions": about}
    monkeypatch.setattr(page, "RESULTS", tmp_path)
    text = page.MIND.read_text(encoding="utf-8")
    assert page.mind(text) == text, "without a result nothing is said"
    (tmp_path / "metacognition.json").write_text(json.dumps(result), encoding="utf-8")
    once = page.mind(text)
    assert page.mind(once) == once and "| REST |" in once and "commit abc" in once
    assert once.endswith(text.partition(page.TO)[2])


def test_the_page_of_the_mood_shows_what_was_measured():
    text = page.MIND.read_text(encoding="utf-8")
    assert page.mind(text) == text and page.FROM_MOOD in text
