"""Variants of the visible tests say what repairs of classes do where these do not look."""

from __future__ import annotations

import ast
from typing import NoReturn

import pytest

from ddax.evolution.baseline import Baseline
from ddax.evolution.evaluator import CodeEvaluator
from ddax.evolution.inside.loading import Program, Ticks
from ddax.evolution.inside.observing import Effects, Observer, observe
from ddax.evolution.inside.units import Runner
from ddax.evolution.judging.inputs import changed_classes
from ddax.evolution.judging.ranker import DEAD, Ranker
from ddax.evolution.judging.ranking import Suspect, Written, missing, penalties
from ddax.evolution.judging.varied_tests import VARIANTS, variants_of
from ddax.evolution.localise import Report
from ddax.evolution.operators import Seen
from ddax.evolution.program.suites import build_suite, read_units
from ddax.evolution.sandbox import Limits
from ddax.evolution.search import Found

SHELF = """
class Shelf:
    def __init__(self, room, clock):
        self.room, self.clock = room, clock
        self.items = []

    def put(self, item):
        if len(self.items) >= self.room:
            raise OverflowError(item)
        self.items.append((item, self.clock()))

    def last(self):
        return self.items[-1]
"""
TESTS = """
import pytest
from shelf import Shelf

def test_put():
    shelf = Shelf(2, clock=lambda: 7)
    shelf.put("a")
    assert shelf.last() == ("a", 7)
    with pytest.raises(OverflowError):
        for item in range(5):
            shelf.put(item)
"""


def texts(test: str) -> list[str]:
    units = read_units("test_m.py", f"from m import C\n{test}", {"m.py": ""})
    return [probe["text"] for probe in variants_of(units, {"C"})]


def seen(name: str, program: str, tests: str, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], str]:
    suite = build_suite({f"{name}.py": program}, [f"{name}.py"], {f"test_{name}.py": tests})
    message, ticks = suite.message(), Ticks()
    loaded = Program(message["sources"], ticks.tick, {})
    monkeypatch.setattr("sys.meta_path", [loaded, *__import__("sys").meta_path])
    monkeypatch.delitem(__import__("sys").modules, name, raising=False)
    loaded.load(f"{name}.py")
    codes = {key: compile(text, key, "exec") for key, text in message["codes"].items()}
    runner, effects = Runner(loaded, ticks, message["targets"], codes), Effects(loaded)
    probes = variants_of(suite.units, {"put"})
    found = [observe(runner, message["units"][p["unit"]], p["text"], 10_000, runner) for p in probes]
    return found, str(effects)


def test_a_variant_changes_one_value_and_claims_nothing():
    made = texts("def test_a():\n    c = C(3)\n    assert c.get(9) == 5\n")
    assert all("assert" not in text and ast.parse(text) for text in made)
    assert "C(3)" in made[0] and "c.get(9)" in made[0]
    assert any("C(4)" in text and "c.get(9)" in text for text in made)
    assert any("C(3)" in text and "c.get(10)" in text for text in made)
    assert all("5" not in text for text in made), "what a test expects is not given to the program"
    assert len(set(made)) == len(made) <= VARIANTS


def test_a_variant_leaves_a_call_out_or_makes_it_twice():
    made = texts("def test_a():\n    c = C()\n    c.add('x')\n    assert c.size == 1\n")
    assert {text.count("c.add('x')") for text in made} == {0, 1, 2}


def test_a_call_of_a_chain_is_left_out_or_made_twice():
    made = texts("def test_a():\n    assert C().add('x').add('y').size == 2\n")
    parts = ("C().add('y').size", "C().add('x').size", "C().add('x').add('x').add('y').size")
    for part in (*parts, "C().add('x').add('y').add('y').size"):
        assert any(f"({part})" in text for text in made), part


def test_a_variant_belongs_to_its_own_test():
    units = read_units(
        "test_m.py", "from m import C\ndef test_a():\n    C(1)\ndef test_b():\n    C('x')\n", {"m.py": ""}
    )
    assert all(("'" in probe["text"]) == (probe["unit"] == 1) for probe in variants_of(units, ()))


def test_a_testcase_and_a_script_are_varied_too():
    case = "class T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(C(2).n, 4)\n"
    assert any("__note__(C(3).n)" in text for text in texts(f"import unittest\n{case}"))
    assert any("C(3)" in text for text in texts("c = C(2)\nassert c.n == 4\n"))


def test_observing_notes_results_errors_and_objects(monkeypatch):
    found, effects = seen("shelf", SHELF, TESTS, monkeypatch)
    first = found[0]
    assert first.startswith("saw ") and "str 'a'" in first and "raises OverflowError" in first
    assert "shelf: Shelf (" in first and "room=int 2" in first
    assert any("raised OverflowError" in text for text in found), "a shelf without room refuses the first"
    assert effects == "Shelf.put:items"
    again, _ = seen("shelf", SHELF, TESTS, monkeypatch)
    assert again == found


def test_a_repair_that_keeps_another_history_answers_otherwise(monkeypatch):
    wrong, _ = seen("shelf", SHELF.replace(">= self.room", "> self.room"), TESTS, monkeypatch)
    right, _ = seen("shelf", SHELF, TESTS, monkeypatch)
    assert wrong != right


def test_objects_that_hold_each_other_and_slots_are_told():
    class Slotted:
        __slots__ = ("a", "b")

    one = Slotted()
    one.a = one
    told = Observer(frozenset({__name__})).told(one)
    assert told.startswith("Slotted (a=Slotted (") and "b=" not in told and "..." in told


def test_the_classes_and_methods_that_differ_are_named():
    assert changed_classes(SHELF, SHELF.replace("[-1]", "[0]")) == {"Shelf", "last"}
    assert changed_classes(SHELF, SHELF) == set()


def suspect(rank: float, **shares: float) -> Suspect:
    return Suspect(rank, (Written("x"),), (), **shares)


def test_who_strays_from_what_passing_tests_show_or_changes_fewer_attributes_ranks_last():
    for worse in (suspect(0.0, strays=0.5), suspect(0.0, missing=0.5)):
        faults = penalties([worse, suspect(0.4)], before=(), wanted=(), words=frozenset())
        assert faults[1] < faults[0]


def test_the_method_that_lost_most_counts():
    before = "A.f:x A.f:y B.g:z"
    assert missing(before, before) == 0.0
    assert missing("A.f:x B.g:z", before) == 0.5
    assert missing("A.f:x A.f:y", before) == 1.0
    assert missing("A.f:new", "") == 0.0


class NoSandbox:
    """Starts nothing."""

    name = "none"

    def start(self, *_words: object, **_options: object) -> NoReturn:
        raise AssertionError("no program is run")


def ranker() -> Ranker:
    baseline = Baseline(Report("run", "", ()), (1,), (0,), {}, Seen(), 100)
    made = Ranker(CodeEvaluator(NoSandbox(), build_suite({"m.py": SHELF}, ["m.py"], {"t.py": "assert 1"}),
                                limits=Limits(cpu=1.0, wall=1.0)), baseline, {"m.py": SHELF})  # fmt: skip
    made.variants = [{"unit": 0, "text": "passes"}, {"unit": 1, "text": "fails"}]
    return made


def test_a_repair_strays_where_a_passing_test_ends_otherwise_not_where_a_failing_one_does():
    found = Found({"m.py": SHELF}, (), 1, 0.0)
    before = ["saw 1", "saw 2", "A.f:x A.f:y"]
    _, suspects = ranker().suspects(
        [found] * 3,
        [before, ["saw 1", "saw 9", before[2]], ["saw 9", "saw 2", before[2]], ["saw 1", "saw 2", "A.f:x"]],
    )
    assert [(s.strays, s.missing) for s in suspects] == [(0.0, 0.0), (1.0, 0.0), (0.0, 0.5)]


def test_a_program_that_dies_of_the_variants_says_nothing_of_what_to_keep():
    found = Found({"m.py": SHELF}, (), 1, 0.0)
    dead = [DEAD] * 3
    _, suspects = ranker().suspects([found] * 2, [dead, ["saw 1", "saw 2", "A.f:x"], dead])
    assert [(s.strays, s.missing) for s in suspects] == [(0.0, 0.0), (0.0, 0.0)]
