"""Tests that ask for nothing are judged as pytest and unittest do; which need pytest itself is known."""

from __future__ import annotations

import sys

import pytest

from ddax.evolution.inside.loading import Program, Ticks
from ddax.evolution.inside.units import Outcome, Runner
from ddax.evolution.program.standin import needs_pytest
from ddax.evolution.program.suites import read_units

CASE = "import unittest\nclass T(unittest.TestCase):\n"


def ended(text: str, monkeypatch: pytest.MonkeyPatch) -> list[Outcome]:
    """Return how the tests of a file end where they are called as they are."""
    monkeypatch.setitem(sys.modules, "standin_case", sys)  # which the runner replaces, and this puts back
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


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (
            "import pytest\n@pytest.mark.parametrize('a', [1])\nclass TestA:\n def test_a(self, a): ...\n",
            "uses pytest",
        ),
        ("from pytest import mark\npytestmark = mark.skip('no')\ndef test_a(): ...\n", "uses pytest"),
        ("from base import Shared\nclass TestA(Shared):\n def test_a(self): ...\n", "the base class Shared"),
        ("from base import ShopTestCase\nclass A(ShopTestCase):\n def test_a(self): ...\n", ""),
        ("from base import DB\nclass Users(DB):\n def test_a(self): ...\n", "the base class DB"),
        ("class TestError(Exception): ...\nclass TestB(TestError): ...\ndef test_a(): ...\n", ""),
        ("from m import AppError\nclass TestError(AppError): ...\ndef test_a(): ...\n", ""),
        ("import enum\nclass TestKind(enum.Enum):\n A = 1\ndef test_a(): ...\n", ""),
        ("class FakeServer:\n def test_connection(self, port): ...\ndef test_a(): ...\n", ""),
        ("class Base:\n def test_a(self, caplog): ...\nclass TestA(Base): ...\n", "the fixture caplog"),
        ("def test_a(tmp_path, capsys, monkeypatch): ...\n", "the fixture tmp_path"),
        ("def test_a(n=3): ...\n", ""),
        ("async def test_a(): ...\n", "the coroutine test_a"),
    ],
)
def test_what_asks_for_something_needs_pytest(text: str, part: str):
    reason = needs_pytest({"t.py": text})
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
    assert "the base class" in needs_pytest({"t.py": text})


@pytest.mark.parametrize("given", ["self", "self, method"])
def test_what_prepares_a_method_may_ask_which_it_is(given: str, monkeypatch: pytest.MonkeyPatch):
    text = (
        f"class TestA:\n def setup_method({given}):\n  self.n = 3\n"
        " def test_a(self):\n  assert self.n == 3\n def test_b(self):\n  assert self.n == 4\n"
    )
    assert [one.kind for one in ended(text, monkeypatch)] == ["pass", "assert"]
