# ruff: noqa: E501
from types import SimpleNamespace

import pytest

from ddax.errors import SourceError
from ddax.evolution.baseline import Baseline, measure
from ddax.evolution.evaluator import describe
from ddax.evolution.inside.values import decode, encode
from ddax.evolution.localise import Report, Row, ochiai, ranked, read_report, suspicion
from ddax.evolution.operators import Seen
from ddax.evolution.program.suites import build_suite, read_units
from ddax.evolution.sandbox.protocol import Pace
from ddax.evolution.search import Search

FILES = {"prog.py": "def f(x):\n    return x\n"}


def test_each_assert_of_a_check_function_is_a_unit():
    text = "def check(f):\n    a = 1\n    assert f(a) == 1\n    assert f(2) == 2\n\ncheck(f)\n"
    units = read_units("t.py", text, FILES)
    assert [u.kind for u in units] == ["script", "script"]
    assert all("a = 1" in u.code and u.shared for u in units)
    assert "f(2)" not in units[0].code


def test_plain_asserts_are_units_and_imports_end_sharing():
    units = read_units("t.py", "from prog import f\nassert f(1) == 1\nassert f(2) == 2\n", FILES)
    assert len(units) == 2
    assert not units[0].shared


def test_functions_and_classes_are_units():
    text = "import unittest\nfrom prog import f\ndef test_a():\n    assert f(1)\nclass TestB(unittest.TestCase):\n    def test_c(self):\n        self.assertTrue(f(1))\n    def helper(self):\n        pass\n"
    assert [u.id for u in read_units("t.py", text, FILES)] == ["t.py::test_a", "t.py::TestB::test_c"]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("class FakeServer:\n def test_connection(self): ...\n", []),
        ("class TestServer:\n def __init__(self, port): ...\n def test_connection(self): ...\n", []),
        ("class TestA:\n def test_a(self): ...\n", ["TestA::test_a"]),
        ("class A(IsolatedAsyncioTestCase):\n async def test_a(self): ...\n", ["A::test_a"]),
        ("class Base:\n def test_a(self): ...\nclass A(Base, unittest.TestCase):\n def test_b(self): ...\n", ["A::test_b", "A::test_a"]),
        ("class A(TestCase):\n def test_a(self): ...\nclass B(A):\n def test_a(self): pass\n", ["A::test_a", "B::test_a"]),
    ],
)  # fmt: skip
def test_the_classes_of_a_file_are_those_that_pytest_collects(text, ids):
    units = read_units("t.py", f"from prog import f\n{text}def test_z(): ...\n", FILES)
    assert [u.id for u in units] == [*(f"t.py::{i}" for i in ids), "t.py::test_z"]


def test_a_suite_without_tests_is_refused():
    with pytest.raises(SourceError, match="no test"):
        build_suite(FILES, ["prog.py"], {"t.py": "x = 1\n"})
    with pytest.raises(SourceError, match="not among"):
        build_suite(FILES, ["other.py"], {"t.py": "assert True\n"})
    with pytest.raises(SourceError, match="cannot be read"):
        build_suite(FILES, ["prog.py"], {"t.py": "assert (\n"})


def test_units_can_be_held_out():
    suite = build_suite(FILES, ["prog.py"], {"t.py": "assert f(1)\nassert f(2)\n"})
    assert [u.id for u in suite.only(["t.py::2"], keep=True).units] == ["t.py::2"]
    assert [u.id for u in suite.only(["t.py::2"], keep=False).units] == ["t.py::1"]


def row(unit: int, kind: str, lines: list[int]) -> Row:
    return Row(unit, kind, "", "", "p", lines[-1], 1, 0, tuple(("p", n) for n in lines))


def test_ochiai_by_hand():
    rows = [row(0, "assert", [1, 2]), row(1, "pass", [1]), row(2, "pass", [1])]
    scores = ochiai(rows)
    assert scores["p", 2] == pytest.approx(1.0)
    assert scores["p", 1] == pytest.approx(1 / 3**0.5)
    assert ranked(scores)[0][0] == ("p", 2)


def test_the_place_of_an_exception_is_suspected_more():
    rows = [row(0, "error", [1, 2]), row(1, "pass", [1, 2])]
    scores = suspicion(rows)
    assert scores["p", 2] > scores["p", 1]


@pytest.mark.parametrize(
    "body",
    [b"", b"null", b"[]", b'{"stage":"run","error":"","rows":[[0,"pass"]]}',
     b'{"stage":"run","error":"","rows":[[7,"pass","","","",0,0,0,[],0.1]]}',
     b'{"stage":"run","error":"","rows":[[true,"pass","","","",0,0,0,[],0.1]]}',
     b'{"stage":"run","error":"","rows":[[0,"pass","","","",0,0,0,[["p",[Infinity]]],0.1]]}',
     b'{"stage":"run","error":"","rows":[[0,"pass","","","",0,0,0,[["p",Infinity]],0.1]]}',
     b"[" * 100_000,
     b'{"stage":"run","error":"","rows":[[0,"PASS","","","",0,0,0,[],0.1]]}',
     b'{"stage":"run","error":"","rows":[[0,"pass","","","",0,0,0,[],0.1],[0,"pass","","","",0,0,0,[],0.1]]}'],
)  # fmt: skip
def test_a_malformed_report_is_no_success(body):
    report = read_report(body, 1)
    assert report.stage == "killed"
    assert report.rows == ()


class Liar(str):
    def __eq__(self, other):
        return True

    __hash__ = str.__hash__


def test_only_exact_plain_types_cross():
    def refuse(value):
        raise TypeError(type(value).__name__)

    for value in (
        1,
        -(1 << 80),
        1.5,
        float("inf"),
        "x",
        b"x",
        None,
        True,
        [1, (2, {3})],
        {"a": {1: frozenset({2})}},
        1j,
        range(3),
    ):
        back = decode(encode(value, refuse), refuse)
        assert back == value
        assert type(back) is type(value)
    with pytest.raises(TypeError, match="Liar"):
        encode(["a", Liar("b")], refuse)
    with pytest.raises(ValueError, match="malformed"):
        decode([], refuse)


def test_a_test_that_does_not_end_is_told_in_words():
    suite = build_suite(FILES, ("prog.py",), {"t.py": "from prog import f\ndef test_a():\n    assert f(1)\n"})
    rows = [Row(0, "timeout", "OutOfTicks", "", "prog.py", 2, 1, 100)]
    assert describe(rows, suite) == "t.py::test_a: it did not end"
    waiting = [Row(0, "timeout", "OutOfTime", "", "", 0, 0, 100)]
    assert (
        describe(waiting, suite) == "t.py::test_a: it did not end by itself: no line of this code was running"
    )
    inside = [Row(0, "error", "ImportError", "no g in /box/work/prog.py", "", 0, 0, 1)]
    assert describe(inside, suite) == "t.py::test_a: ImportError: no g in prog.py"
    body = b'{"stage": "timeout", "error": "OutOfTime", "rows": []}'
    assert read_report(body, 1).error == "it did not end"


class TooMuch:
    """An evaluator whose trace of all tests is lost."""

    def __init__(self, suite):
        self.suite = suite

    pace = Pace()

    def at_pace(self, pace):
        self.pace = pace

    def run(self, sources, *, ticks, cpu=None, trace=False, units=None, patience=1.0):
        if trace and units is None:
            return Report("killed", "ended without a report", ())
        lines = (("prog.py", 2),) if trace else ()
        rows = (Row(0, "pass", "", "", "", 0, 0, 5, lines), Row(1, "assert", "", "", "", 0, 0, 5, lines))
        return Report("run", "", rows if units is None else tuple(rows[u] for u in units))


def test_where_a_trace_of_all_tests_is_lost_the_failing_ones_are_traced():
    suite = build_suite(FILES, ["prog.py"], {"t.py": "assert f(1)\nassert f(0)\n"})
    baseline = measure(TooMuch(suite))
    assert (baseline.passing, baseline.failing) == ((0,), (1,))
    assert baseline.suspects["prog.py", 2] >= 1.0


def test_the_time_for_a_list_is_shared_by_the_suspected_files_alone(monkeypatch):
    names = ("prog.py", *(f"other{i}.py" for i in range(9)))
    suite = build_suite(dict.fromkeys(names, "x = 1\n"), names, {"t.py": "assert x\n"})
    baseline = Baseline(Report("run", "", ()), (0,), (), {("prog.py", 1): 1.0}, Seen(), 1)
    evaluator = SimpleNamespace(suite=suite)
    search = Search(evaluator, baseline, end=20.0, clock=lambda: 0.0)
    shares = []
    monkeypatch.setattr(search, "listed", lambda _source, _suspects, texts: shares.append(texts) or [])
    assert list(search.singles()) == []
    assert shares == [1]
