"""Where a fault may be, told by tests of the project that nobody asked for."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import numpy as np
import pytest

from ddax.configs.settings import Evolution
from ddax.evolution.attempt import WIDE
from ddax.evolution.baseline import Baseline, with_suspects
from ddax.evolution.localise import Report, Row
from ddax.evolution.operators import Seen
from ddax.evolution.program.project import read_project
from ddax.evolution.program.suites import Suite, Unit
from ddax.evolution.program.test_command import TestCommand
from ddax.evolution.repair import repair
from ddax.evolution.sandbox import choose

PROGRAM = """\
LIMIT = 3


def shared(x):
    y = x + 1
    return y


def faulty(x):
    if x > LIMIT:
        return x - 1
    return x
"""
SUITE = Suite(
    {"prog.py": PROGRAM}, ("prog.py",), {}, (Unit("t::one", "function", "t", "one", "def one(): faulty(9)"),)
)
LINES = tuple(("prog.py", line) for line in (1, 5, 6, 10, 11))


def passed(*lines: int) -> Row:
    return Row(0, "pass", "", "", "", 0, 0, 1, tuple(("prog.py", line) for line in lines))


def suspects(*beside: Row) -> dict[int, float]:
    failing = Row(0, "assert", "", "", "", 0, 0, 1)
    stood = Baseline(Report("run", "", (failing,)), (0,), (), {}, Seen(), 10, lines={0: frozenset(LINES)})
    return {line: score for (_, line), score in with_suspects(stood, SUITE, (), beside).suspects.items()}


def test_one_failing_test_suspects_all_that_it_runs():
    found = suspects()
    assert found[1] == found[5] == 1.0 and found[10] == found[11] == pytest.approx(1.05)  # it is named


def test_what_other_tests_run_and_pass_is_suspected_less():
    found = suspects(passed(5, 6), passed(5, 6), passed(5, 6))
    assert found[5] == found[6] == pytest.approx(0.5)
    assert found[11] == pytest.approx(1.05)


def test_a_line_counts_half_by_the_most_suspected_one_of_its_function():
    found = suspects(passed(10), passed(10), passed(10))
    assert found[11] == pytest.approx(1.05)
    assert found[10] == pytest.approx((0.5 + 0.05 + 1.05) / 2)


def test_what_runs_at_the_import_is_run_by_every_test():
    found = suspects(*[passed(5)] * 3)
    assert found[1] == pytest.approx(0.5)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a package whose modules are loaded by name, with tests in folders."""
    files = {
        "pack/__init__.py": (
            "import importlib\n\n\ndef load(name):\n    return importlib.import_module('pack.' + name)\n"
        ),
        "pack/inner.py": PROGRAM + "".join(f"NAME_{n} = {n}\n" for n in range(WIDE)),
        "tests/near/test_one.py": (
            "from pack import load\n\n\ndef test_one():\n    inner = load('inner')\n"
            "    assert inner.faulty(inner.shared(8)) == 9\n"
        ),
        "tests/near/test_two.py": "def test_two():\n    assert True\n",
        "tests/far/test_far.py": (
            "from pack import load\n\n\ndef test_far():\n    assert load('inner').shared(1) == 2\n"
        ),
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def given(project: Path, *without: str):
    command = TestCommand("pytest", ("tests/near/test_one.py::test_one",), without=without)
    return read_project(["pack/inner.py"], command, cwd=project).task


def test_tests_of_other_folders_that_import_the_package_are_the_rest(project):
    assert list(given(project).rest) == ["tests/far/test_far.py"]


def test_what_the_command_leaves_out_is_not_the_rest(project):
    assert not given(project, "tests/far").rest


def test_a_repair_by_one_test_begins_where_no_other_test_has_been(project):
    found = asyncio.run(
        repair(given(project), settings=Evolution(seconds=20.0), rng=np.random.default_rng(0),
               clock=time.monotonic, sandbox=choose())
    )  # fmt: skip
    assert found.patched and found.suspicious[0][1] in (10, 11)
