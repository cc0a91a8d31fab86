"""What a reasoner is shown of a failing program: what a person who mends it would look at."""

import shutil

import numpy as np
import pytest

from ddax.configs.settings import Evolution
from ddax.evolution.evaluator import CodeEvaluator
from ddax.evolution.program.suites import build_suite
from ddax.evolution.records import RepairTask
from ddax.evolution.repair import repair
from ddax.evolution.sandbox import Limits, choose
from ddax.evolution.shown_program import called_elsewhere, failing_tests, outlined
from ddax.reasoning.protocol import CodeCandidate, Patches

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap"),
]

PROGRAM = '''def total(prices, rate):
    """Return the sum with tax; refunds (below 0) are untaxed."""
    whole = 0
    for price in prices:
        whole += taxed(price, rate)
    return round(whole, 2)


def taxed(price, rate):
    return price * (1 + rate)
'''
TESTS = """from program import total

def test_plain():
    assert total([10.0, 5.0], 0.1) == 16.5

def test_refund():
    basket = [10.0, -2.0]
    assert total(basket, 0.1) == 9.0

def test_text():
    assert total(["3"], 0.5) == 4.5
"""
MENDED = PROGRAM.replace(
    "    return price * (1 + rate)",
    "    price = float(price)\n    return price * (1 + rate) if price > 0 else price",
)


@pytest.fixture(scope="module")
def sandbox():
    return choose()


def seen(sandbox, tests, *, program=PROGRAM, runner=None):
    suite = build_suite({"program.py": program}, ["program.py"], {"test_program.py": tests}, runner=runner)
    with CodeEvaluator(sandbox, suite, limits=Limits(cpu=5.0, wall=8.0)) as evaluator:
        rows = [row for row in evaluator.run({}, ticks=10_000).rows if not row.good]
        return failing_tests(evaluator, rows, {}, ticks=10_000)


@pytest.mark.parametrize("runner", ["fast", "pytest"])
def test_a_failing_assertion_is_told_with_its_text_and_values(sandbox, runner):
    refund, text = seen(sandbox, TESTS, runner=runner)
    assert "assert total(basket, 0.1) == 9.0" in refund
    assert "total(basket, 0.1) is 8.8" in refund
    assert "basket is [10.0, -2.0]" in refund
    assert "TypeError" in text
    assert "at program.py:10 in taxed: return price * (1 + rate)" in text
    assert "price = '3'" in text


UNITTEST = """import unittest
from program import total

RATE = 0.1

class Totals(unittest.TestCase):
    def setUp(self):
        self.basket = [10.0, -2.0]

    def test_refund(self):
        self.assertEqual(total(self.basket, RATE), 9.0)
"""
FIXTURE = """import pytest
from program import total

@pytest.fixture
def basket():
    return [10.0, -2.0]

def test_refund(basket):
    assert (found := total(basket, 0.1)) == 9.0, "refunds"
"""
CHECK = """def check(candidate):
    assert candidate([1.0], 0.0) == 1.0
    assert candidate([10.0, -2.0], 0.1) == 9.0
check(total)
"""


@pytest.mark.parametrize(
    ("tests", "told"),
    [
        (
            UNITTEST,
            ["self.basket = [10.0, -2.0]", "RATE = 0.1", "total(self.basket, RATE) is 8.8", "8.8 != 9"],
        ),
        (FIXTURE, ["return [10.0, -2.0]", "AssertionError: refunds", "total(basket, 0.1) is 8.8"]),
        (CHECK, ["assert candidate([10.0, -2.0], 0.1) == 9.0", "candidate([10.0, -2.0], 0.1) is 8.8"]),
    ],
)
def test_each_way_to_write_a_test_is_told_with_what_it_stands_on(sandbox, tests, told):
    (said,) = seen(sandbox, tests)
    assert [part for part in told if part not in said] == []


def test_the_parts_of_an_assertion_are_evaluated_once_and_in_their_order(sandbox):
    tests = (
        "from program import total\n\ndef test_once():\n    it = iter([1, 2, 3])\n"
        "    assert next(it) == 1\n    assert next(it) == 2 and next(it) == 4\n"
    )
    (said,) = seen(sandbox, tests)
    assert "next(it) is 3" in said


def test_what_does_not_end_is_told_with_where_it_was(sandbox):
    program = "def total(prices, rate):\n    n = 7\n    while n:\n        pass\n"
    (said,) = seen(
        sandbox, "from program import total\n\ndef test_end():\n    total([], 1)\n", program=program
    )
    assert "It does not end" in said
    assert "n = 7" in said


def test_of_a_long_file_the_suspected_functions_and_what_they_call_are_shown_whole():
    rest = "\n\n".join(
        f"def other{n}(x):\n    a = x\n    b = a\n    c = b\n    d = c\n    return d" for n in range(9)
    )
    text = f"{PROGRAM}\n\n{rest}\n"
    shown = outlined(text, {5}, most=300)
    assert PROGRAM in shown
    assert "def other3(x):\n    ..." in shown
    assert "d = c" not in shown


def test_what_is_called_in_other_files_is_shown():
    files = {
        "program.py": "from rates import rate\n\ndef f(x):\n    return x * rate(x)\n",
        "rates.py": "def rate(x):\n    return 0.1\n\ndef unused(x):\n    return 1\n",
    }
    assert called_elsewhere(files, "program.py", [4]) == "# rates.py\ndef rate(x):\n    return 0.1"


class Steps:
    """A clock that goes on when it is looked at: a loaded machine searches as far as an idle one."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 0.002
        return self.now


class Listener:
    """A reasoner that proposes texts from a list and keeps what it was asked."""

    name = "scripted"

    def __init__(self, *texts):
        self.texts, self.asked = list(texts), []

    async def propose_patches(self, request):
        self.asked.append(request)
        texts, self.texts = self.texts[:1], self.texts[1:]
        return Patches(tuple(CodeCandidate("the sign", text, "") for text in texts))

    async def mutate_patch(self, request):
        self.asked.append(request)
        return Patches(())


async def mended(sandbox, reasoner, **more):
    task = RepairTask({"program.py": PROGRAM}, ("program.py",), {"test_program.py": TESTS}, "mend", **more)
    return (await repair(
        task, settings=Evolution(seconds=4.0, evolution_max_generations=2), rng=np.random.default_rng(0),
        clock=Steps(), reasoner=reasoner, sandbox=sandbox,
    )).best()  # fmt: skip


async def test_the_first_question_says_what_the_search_tried_and_what_came_close(sandbox):
    reasoner = Listener(MENDED)
    found = await mended(sandbox, reasoner)
    assert found.patched
    assert found.origin == "model"
    first = reasoner.asked[0]
    assert "small changes" in first.tried[0]
    assert any("mends 1 of 2 failing tests" in line for line in first.tried[1:])


async def test_a_candidate_that_failed_is_told_with_its_change_and_how_it_fails(sandbox):
    worse = PROGRAM.replace("round(whole, 2)", "round(whole, 1) + 1")
    reasoner = Listener(worse)
    await mended(sandbox, reasoner)
    again = next(r for r in reasoner.asked[1:] if hasattr(r, "tried"))
    said = "\n".join(again.tried)
    assert "+    return round(whole, 1) + 1" in said
    assert "still fails" in said
    mutated = next(r for r in reasoner.asked if not hasattr(r, "tried"))
    assert " is " in mutated.report
