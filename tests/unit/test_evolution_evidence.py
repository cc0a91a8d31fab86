# ruff: noqa: E501 - programs under test are kept on one line
"""What has to speak for a patch before it counts as a fix."""

from __future__ import annotations

import pytest

from ddax.evolution.judging.changes import IMPORTED, changed_lines, facts
from ddax.evolution.judging.evidence import ORDINARY, Evidence, kind_of, weigh
from ddax.evolution.judging.ranking import literals
from ddax.evolution.program.test_code import judging, of_tests, told_by_judges
from ddax.evolution.tables import table

SURE = {"rank": 0.3, "size": 1.0, "edits": 1.0}
ONE = Evidence(mended=1, covering=3)
MANY = Evidence(mended=4, unseen=3, covering=12, examples=2, agreed=30)


def weighed(old: str, new: str, evidence: Evidence, test: str = "assert f(1)"):
    return weigh(evidence, {"p.py": old}, {"p.py": new}, told=literals(test), features=SURE)


HARMFUL = {
    "a constant result": (
        "class E:\n    def __bool__(self):\n        return bool(self.rows)\n",
        "class E:\n    def __bool__(self):\n        return True\n",
    ),
    "an inverted condition": (
        "def f(n):\n    if n == 0:\n        return []\n    return [n]\n",
        "def f(n):\n    if n != 0:\n        return []\n    return [n]\n",
    ),
    "another exception to catch": (
        "def f(x):\n    try:\n        return x.a\n    except AttributeError:\n        return 0\n",
        "def f(x):\n    try:\n        return x.a\n    except TypeError:\n        return 0\n",
    ),
    "another exception to raise": (
        "def f(x):\n    raise KeyError(x)\n",
        "def f(x):\n    raise ValueError(x)\n",
    ),
    "an unrelated text": (
        "def f(x):\n    return g(hasattr(x, '__len__'), 'k must be non-negative')\n",
        "def f(x):\n    return g(hasattr(x, 'k must be non-negative'), 'k must be non-negative')\n",
    ),
    "a removed raise": (
        "def f(x):\n    if len(x) > 3:\n        raise ValueError(x)\n    return x\n",
        "def f(x):\n    return x\n",
    ),
    "a removed condition": (
        "def f(x):\n    return x and len(x) == 4\n",
        "def f(x):\n    return x\n",
    ),
    "a settled condition": (
        "def f(x):\n    if x.open:\n        x.close()\n    return x\n",
        "def f(x):\n    if True:\n        x.close()\n    return x\n",
    ),
    "a settled condition, beside another": (
        "def f(x):\n    if len(x) > 3:\n        raise ValueError(x)\n    return x\n",
        "def f(x):\n    if len(x) > 3 and False:\n        raise ValueError(x)\n    return x\n",
    ),
    "a constant result, equal to what stood there": (
        "def f(x):\n    return 0\n",
        "def f(x):\n    return False\n",
    ),
    "a removed statement": (
        "def f(x):\n    check(x)\n    return x\n",
        "def f(x):\n    return x\n",
    ),
    "a removed handler": (
        "def f(x):\n    try:\n        return int(x)\n    except ValueError:\n        return g(x)\n",
        "def f(x):\n    return int(x)\n",
    ),
}


@pytest.mark.parametrize("kind", HARMFUL)
def test_an_edit_that_switches_behaviour_off_needs_more_than_one_failing_test(kind):
    old, new = HARMFUL[kind]
    one = weighed(old, new, ONE)
    kind = kind.partition(",")[0]
    assert kind in one.kinds
    assert not one.fixed
    assert any(kind in lack for lack in one.lacks)
    assert weighed(old, new, MANY).fixed


SMALL = {
    "bound": ("def f(n):\n    return n < 3\n", "def f(n):\n    return n <= 3\n"),
    "offset": ("def f(n):\n    return g(n)\n", "def f(n):\n    return g(n) + 1\n"),
    "wrap": ("def f(n):\n    return n\n", "def f(n):\n    return list(n)\n"),
    "name": ("def f(a, b):\n    return a\n", "def f(a, b):\n    return b\n"),
    "number": ("def f(n):\n    return n + 2\n", "def f(n):\n    return n + 1\n"),
    "limit": ("def f(n):\n    if n > 3:\n        return n\n", "def f(n):\n    if n > 4:\n        return n\n"),
    "flag": ("def f(n):\n    return g(n, up=False)\n", "def f(n):\n    return g(n, up=True)\n"),
}


@pytest.mark.parametrize("case", SMALL)
def test_a_small_edit_is_a_fix_where_the_suite_covers_it_and_a_proposal_on_one_test(case):
    old, new = SMALL[case]
    assert weighed(old, new, Evidence(mended=2, covering=6)).fixed
    alone = weighed(old, new, Evidence(mended=1))
    assert alone.kinds == (ORDINARY,)
    assert not alone.fixed


def test_a_value_of_the_tests_needs_failing_tests_that_the_search_did_not_see():
    old, new = "def f(n):\n    return n\n", "def f(n):\n    return 37 if n else n\n"
    seen = Evidence(mended=5, covering=9, agreed=40)
    assert weighed(old, new, seen, "assert f(1) == 37").kinds == ("a value of the tests",)
    assert not weighed(old, new, seen, "assert f(1) == 37").fixed
    assert "a value of the tests" not in weighed(old, new, seen, "assert f(1) == 38").kinds
    known = old + "X = 37\n"
    assert "a value of the tests" not in weighed(known, known.replace("return n", "return 37"), seen).kinds


def test_many_rivals_and_failing_tests_that_are_left_lower_the_chance():
    old, new = SMALL["bound"]
    chance = weighed(old, new, Evidence(mended=2, covering=3)).chance
    assert weighed(old, new, Evidence(mended=2, covering=3, rivals=6)).chance < chance
    assert weighed(old, new, Evidence(mended=2, covering=3, left=2)).chance < chance
    assert weighed(old, new, Evidence(mended=2, covering=3, unseen=1)).chance > chance


def test_what_cannot_be_read_is_never_a_fix():
    assert not weighed("def f(:\n", "def f():\n    return 1\n", MANY).fixed
    assert kind_of(facts("x = 1\n", "x = (\n")[0])[1] == []


JUDGES = {
    "given an error and the program": (
        "def get(i):\n    return [1][i]\n\ndef raises(err, call):\n    try:\n        call()\n        return False\n    except err:\n        return True\n",
        "from p import get, raises\n\ndef test_get():\n    assert raises(IndexError, lambda: get(3))\n",
    ),
    "asserts": (
        "def double(n):\n    return n + n\n\ndef same(a, b):\n    assert a == b\n",
        "from p import double, same\n\ndef test_double():\n    same(double(2), 4)\n",
    ),
    "entered": (
        "def run(n):\n    return n\n\nclass Fails:\n    def __enter__(self):\n        return self\n    def __exit__(self, *e):\n        if e[0] is None:\n            raise AssertionError\n        return True\n",
        "from p import run, Fails\n\ndef test_run():\n    with Fails():\n        run(None)\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", JUDGES)
def test_helpers_by_which_tests_judge_are_found(case):
    program, test = JUDGES[case]
    lines = {line for _, line in judging({"p.py": program}, [test])}
    judge = (
        program.split("\n").index(
            next(x for x in program.split("\n") if x.startswith(("def raises", "def same", "class Fails")))
        )
        + 1
    )
    assert judge in lines and 1 not in lines


@pytest.mark.parametrize(
    ("added", "anew"),
    [
        ("same = print\n", True),
        ("def same(a, b):\n    pass\n", True),
        ("from builtins import print as same\n", True),
        ("globals()['same'] = print\n", True),
        ("def hide():\n    global same\n    same = print\n", True),
        ("import p\np.same = print\n", True),
        ("other = 1\n", False),
        ("from builtins import print\n", False),
    ],
)
def test_a_change_that_gives_the_name_of_a_judge_to_something_else_is_seen(added, anew):
    program, test = JUDGES["asserts"]
    before, after = (told_by_judges({"p.py": text}, [test]) for text in (program, program + added))
    assert (before != after) is anew


def test_what_the_program_itself_uses_is_no_judge():
    program, test = JUDGES["asserts"]
    assert not judging({"p.py": program + "\ndef other(n):\n    same(n, 1)\n"}, [test])
    flat = "def sort(x):\n    return sorted(x)\n\ndef flat(x):\n    return [b for a in x for b in a]\n"
    assert not judging(
        {"p.py": flat}, ["from p import *\ndef test():\n    assert flat(sort([[2], [1]])) == [1, 2]\n"]
    )


@pytest.mark.parametrize(
    ("path", "own"),
    [("tests/helpers.py", True), ("pkg/tests/util.py", True), ("conftest.py", True), ("test_a.py", True),
     ("pkg/core.py", False), ("pkg/testing_tools.py", False)],
)  # fmt: skip
def test_files_of_tests_are_known_by_their_place(path, own):
    assert of_tests(path) is own


def test_lines_of_a_patch_are_those_of_its_functions_or_of_the_import():
    old = "LIMIT = 3\n\n\ndef f(x):\n    y = x\n    return y\n"
    assert changed_lines(old, old.replace("y = x", "y = -x")) == {5, 6}
    assert changed_lines(old, old.replace("= 3", "= 4")) == {IMPORTED, 1}
    assert IMPORTED in changed_lines("def f(:\n", "def f():\n    return 1\n")


def test_a_patch_larger_than_any_that_the_chance_was_learned_from_is_no_fix():
    old, new, most = (
        "def f(x):\n    return x - 1\n",
        "def f(x):\n    return x + 1\n",
        table("judging/weights")["largest"],
    )

    def found(size):
        return weigh(MANY, {"p.py": old}, {"p.py": new}, told=(), features={**SURE, "size": size})

    assert found(most).fixed and not found(most + 0.01).fixed
    assert "smaller patches" in found(most + 0.01).lacks[0]
