"""The stand-in judges tests as pytest and unittest do, or says that it cannot."""

from __future__ import annotations

import sys

import pytest

from ddax.evolution.inside import minipytest
from ddax.evolution.inside.loading import Program, Ticks
from ddax.evolution.inside.units import Outcome, Runner
from ddax.evolution.standin import needs_pytest, within
from ddax.evolution.suites import read_units

CASE = "import unittest\nclass T(unittest.TestCase):\n"


def ended(text: str, monkeypatch: pytest.MonkeyPatch) -> list[Outcome]:
    """Return how the tests of a file end under the stand-in."""
    monkeypatch.setitem(sys.modules, "standin_case", sys)  # which the runner replaces, and this puts back
    monkeypatch.setitem(sys.modules, "pytest", sys)
    minipytest.install()
    ticks = Ticks()
    codes = {"standin_case.py": compile(text, "standin_case.py", "exec")}
    runner = Runner(Program({}, ticks.tick, {}), ticks, [], codes)
    units = read_units("standin_case.py", text, {"program.py": ""})
    return [runner.run(vars(unit) | {"shared": False}, 0) for unit in units]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (f"{CASE} @unittest.expectedFailure\n def test_a(self):\n  self.assertEqual(1, 2)\n", ["pass"]),
        (f"{CASE} @unittest.expectedFailure\n def test_a(self):\n  pass\n", ["assert"]),
        (f"{CASE} def test_a(self):\n  self.addCleanup(lambda: self.fail('late'))\n", ["assert"]),
        (f"{CASE} def test_a(self):\n  with self.subTest(1):\n   self.fail('x')\n", ["assert"]),
        (f"{CASE} def test_a(self):\n  with self.subTest(1):\n   pass\n  self.skipTest('no')\n", ["skip"]),
        (
            f"{CASE} def tearDown(self):\n  1 / 0\n def test_a(self):\n  self.skipTest('no')\n",
            ["error"],
        ),
        ("from unittest import TestCase as T\nclass A(T):\n def test_a(self):\n  self.fail()\n", ["assert"]),
        (
            "import unittest\nBase = unittest.TestCase\nclass A(Base):\n def test_a(self): ...\n",
            ["pass"],
        ),
        (f"{CASE} def setUp(self):\n  1 / 0\n def test_a(self):\n  pass\n", ["error"]),
        (
            "import unittest\n@unittest.skip('not here')\nclass T(unittest.TestCase):\n"
            " @classmethod\n def setUpClass(cls):\n  1 / 0\n def test_a(self):\n  1 / 0\n",
            ["skip"],
        ),
        (
            "import unittest\nclass T(unittest.IsolatedAsyncioTestCase):\n"
            " async def asyncSetUp(self):\n  self.v = 3\n"
            " async def test_a(self):\n  self.assertEqual(self.v, 3)\n"
            " async def test_b(self):\n  self.assertEqual(self.v, 4)\n",
            ["pass", "assert"],
        ),
        (
            "import unittest\nclass Base:\n def test_a(self):\n  self.assertEqual(self.want, 3)\n"
            "class A(Base, unittest.TestCase):\n want = 3\nclass B(A):\n want = 4\n",
            ["pass", "assert"],
        ),
    ],
)
def test_a_test_case_ends_as_under_unittest(text: str, kinds: list[str], monkeypatch: pytest.MonkeyPatch):
    assert [one.kind for one in ended(text, monkeypatch)] == kinds


def test_a_fixture_is_made_once_for_a_test_and_ended_after_it(monkeypatch: pytest.MonkeyPatch):
    text = (
        "import pytest\nended = []\n@pytest.fixture\ndef app():\n yield []\n ended.append('app')\n"
        "@pytest.fixture\ndef client(app):\n yield app\n ended.append('client')\n"
        "def test_a(app, client):\n client.append(1)\n assert app == [1]\n"
        "def test_b(app):\n assert app == [] and ended == ['client', 'app']\n"
    )
    assert [one.kind for one in ended(text, monkeypatch)] == ["pass", "pass"]


@pytest.mark.parametrize(
    ("value", "tolerance", "near"),
    [
        (1e6 + 0.5, {"abs": 1e-3}, False),
        (1e6 + 0.5, {"abs": 1e-3, "rel": 1e-6}, True),
        (1e6 + 0.5, {}, True),
        (1e6 + 0.5, {"abs": 1.0}, True),
    ],
)
def test_an_absolute_tolerance_alone_leaves_no_relative_one(
    value: float, tolerance: dict[str, float], near: bool
):
    assert (value == minipytest.Approx(1e6, **tolerance)) is near
    assert (value == pytest.approx(1e6, **tolerance)) is near


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (
            "import pytest\n@pytest.mark.parametrize('a', [1])\nclass TestA:\n def test_a(self, a): ...\n",
            "parametrize on the class TestA",
        ),
        ("import pytest\npytestmark = pytest.mark.skip('no')\ndef test_a(): ...\n", "pytestmark"),
        ("from base import Shared\nclass TestA(Shared):\n def test_a(self): ...\n", "the base class Shared"),
        ("from base import ShopTestCase\nclass A(ShopTestCase):\n def test_a(self): ...\n", ""),
        ("from base import DB\nclass Users(DB):\n def test_a(self): ...\n", "the base class DB"),
        ("class TestError(Exception): ...\nclass TestB(TestError): ...\ndef test_a(): ...\n", ""),
        ("from m import AppError\nclass TestError(AppError): ...\ndef test_a(): ...\n", ""),
        ("import enum\nclass TestKind(enum.Enum):\n A = 1\ndef test_a(): ...\n", ""),
        ("class FakeServer:\n def test_connection(self, port): ...\ndef test_a(): ...\n", ""),
        ("class Base:\n def test_a(self, caplog): ...\nclass TestA(Base): ...\n", "the fixture caplog"),
        ("def test_a(tmp_path, capsys, monkeypatch): ...\n", ""),
        (
            "import pytest\ndef test_a(p: pytest.MonkeyPatch, c: pytest.CaptureFixture[str]): ...\n",
            "fixture p",
        ),
        ("import pytest\n@pytest.fixture\ndef here(tmp_path): ...\ndef test_a(here): ...\n", ""),
    ],
)
def test_what_the_stand_in_cannot_judge_needs_pytest(text: str, part: str):
    reason = needs_pytest({"t.py": text}, conftest=False)
    assert part in reason if part else reason == ""


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        (
            "from base import DB\nclass Users(DB):\n def test_a(self):\n  self.assertTrue(1)\n",
            ["Users::test_a"],
        ),
        ("from base import DBCase\nclass Users(DBCase):\n def test_a(self): ...\n", ["Users::test_a"]),
        ("from base import Server\nclass Fake(Server):\n def test_a(self): ...\n", []),
        (
            "import unittest\nfrom base import Helps\n"
            "class Mixin(Helps):\n def test_a(self):\n  self.assertTrue(1)\n"
            "class A(Mixin, unittest.TestCase): ...\n",
            ["A::test_a"],
        ),
    ],
)
def test_the_tests_of_a_base_from_elsewhere_are_listed_where_it_is_a_test_case(text: str, ids: list[str]):
    assert [unit.id for unit in read_units("t.py", text, {"m.py": ""})] == [f"t.py::{one}" for one in ids]
    assert "the base class" in needs_pytest({"t.py": text}, conftest=False)


@pytest.mark.parametrize("given", ["self", "self, method"])
def test_what_prepares_a_method_may_ask_which_it_is(given: str, monkeypatch: pytest.MonkeyPatch):
    text = (
        f"class TestA:\n def setup_method({given}):\n  self.n = 3\n"
        " def test_a(self):\n  assert self.n == 3\n def test_b(self):\n  assert self.n == 4\n"
    )
    assert [one.kind for one in ended(text, monkeypatch)] == ["pass", "assert"]


FIXTURES = """
import os, sys, pytest
class Shop:
    rate = 2
    @staticmethod
    def tax(x):
        return x * Shop.rate
class Own(Shop):
    ...
CONFIG = {"a": 1}
@pytest.fixture
def file(tmp_path):
    (tmp_path / "a.txt").write_text("x")
    return tmp_path / "a.txt"
def test_folder(file, tmp_path):
    assert file.read_text() == "x" and [p.name for p in tmp_path.iterdir()] == ["a.txt"]
def test_folder_is_empty_again(tmp_path):
    assert list(tmp_path.iterdir()) == []
def test_printed(capsys: pytest.CaptureFixture[str]):
    print("a"); print("b", file=sys.stderr); sys.stdout.buffer.write(b"c\\n")
    out, err = capsys.readouterr()
    assert (out, err) == ("a\\nc\\n", "b\\n")
    print("d")
    assert capsys.readouterr().out == "d\\n" and capsys.readouterr().out == ""
    with capsys.disabled():
        print("e", end="")
    assert capsys.readouterr().out == ""
def test_patched(monkeypatch: pytest.MonkeyPatch, tmp_path):
    monkeypatch.setattr(Shop, "tax", staticmethod(lambda x: 7))
    monkeypatch.setattr(Own, "rate", 5)
    monkeypatch.setattr("os.path.sep", "|")
    monkeypatch.setitem(CONFIG, "a", 3)
    monkeypatch.setitem(CONFIG, "b", 4)
    monkeypatch.setenv("DDAX_A", "x")
    monkeypatch.delenv("DDAX_B", raising=False)
    monkeypatch.chdir(tmp_path)
    assert Shop.tax(1) == 7 and Own.rate == 5 and os.path.sep == "|" and CONFIG == {"a": 3, "b": 4}
    assert os.environ["DDAX_A"] == "x" and os.getcwd() == str(tmp_path.resolve())
    with monkeypatch.context() as inner:
        inner.delattr(Shop, "rate")
        inner.delitem(CONFIG, "a")
        assert not hasattr(Shop, "rate") and CONFIG == {"b": 4}
    assert Shop.rate == 2
    with pytest.raises(AttributeError):
        monkeypatch.setattr(Shop, "none", 1)
    with pytest.raises(KeyError):
        monkeypatch.delitem(CONFIG, "none")
def test_unpatched(tmp_path):
    assert Shop.tax(1) == 2 and "rate" not in vars(Own) and os.path.sep == "/" and CONFIG == {"a": 1}
    assert "DDAX_A" not in os.environ and os.getcwd() != str(tmp_path)
    assert isinstance(vars(Shop)["tax"], staticmethod)
def test_fails(capsys):
    print("x")
    assert 0
"""


def test_the_commonest_fixtures_do_as_those_of_pytest(monkeypatch: pytest.MonkeyPatch):
    """The text is such that pytest itself, too, passes all but the last test."""
    out = sys.stdout
    assert [one.kind for one in ended(FIXTURES, monkeypatch)] == [*["pass"] * 5, "assert"]
    assert sys.stdout is out


def test_a_fixture_that_acts_on_the_process_keeps_the_tests_beside_the_program():
    assert within({"t.py": "def test_a(tmp_path): ...\n"})
    assert not within({"t.py": "def test_a():\n    tmp_path = 1\n"})
