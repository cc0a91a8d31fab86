"""A patch that settles or drops a condition is seen by the branches that it takes out of use."""

from __future__ import annotations

import pytest

from ddax.evolution.inside.probing import show
from ddax.evolution.judging.branches import READ, fewer_statements, lost, only_taken_out, watched

PROGRAM = '''"""A module."""
from __future__ import annotations


def f(x):
    if x and not x > 3:
        return [y for y in range(x) if y % 2]
    while x > 9:
        x -= 1
    return 0 if x == 9 else x
'''


def loaded(text):
    space = {}
    exec(watched(text), space)
    return space


def marks(space):
    return show(eval(READ, space))


def test_conditions_are_noted_by_the_ways_they_went():
    space = loaded(PROGRAM)
    assert marks(space) == "str '00000'"
    assert space["f"](3) == [1]
    assert lost([marks(space)], ["str '00000'"]) == pytest.approx(
        6 / 10
    )  # a filter went both ways, two tests one
    assert space["f"](11) == 0
    assert space["f"](0) == 0
    assert marks(space) == "str '33333'"
    assert lost([marks(space)], ["str '00000'"]) == 0.0


@pytest.mark.parametrize("x", [-1, 0, 1, 2, 3, 4, 9, 10, 12])
def test_a_watched_program_answers_as_it_did(x):
    plain = {}
    exec(PROGRAM, plain)
    assert loaded(PROGRAM)["f"](x) == plain["f"](x)


def test_a_value_is_asked_for_its_truth_once():
    class Coin:
        asked = 0

        def __bool__(self):
            self.asked += 1
            return True

    coin = Coin()
    assert loaded("def f(x):\n    if x:\n        return 1\n    return 2\n")["f"](coin) == 1
    assert coin.asked == 1


def test_a_condition_that_is_settled_or_dropped_loses_branches():
    inputs = [[], [4], [1, 2]]
    shares = []
    for body in ("[] if len(xs) == 0 else sorted(xs)", "[] if str(xs) == 0 else sorted(xs)", "sorted(xs)"):
        space = loaded(f"def f(xs):\n    return {body}\n")
        assert [space["f"](xs) for xs in inputs] == inputs
        shares.append(lost([marks(space)], ["str '1'"]))
    assert shares == [0.0, 0.5, 1.0]


def test_more_branches_than_before_are_no_merit():
    assert lost(["str '333'"], ["str '31'"]) == lost(["str '33'"], ["str '31'"]) == 0.0


def test_a_program_without_conditions_or_answers_is_not_blamed():
    marked = marks(loaded("def f(x):\n    while True:\n        return x\n"))
    assert marked == "str ''"
    assert lost([marked], [marked]) == 0.0
    assert lost(["str '3'"], ["raises ImportError"]) == 0.0
    assert lost([], []) == 0.0


def test_what_is_no_program_is_refused():
    with pytest.raises(SyntaxError):
        watched("def f(:")


@pytest.mark.parametrize(
    ("old", "new", "fewer", "only"),
    [
        ("for x in y:\n    s += x\n", "for x in y:\n    pass\n", True, False),
        ("a = 1\nb = 2\n", "a = 1\n", True, True),
        ("print(total(rows))\n", "print(rows)\n", False, True),
        ("a = b - 1\n", "a = b + 1\n", False, False),
        ("a = 1\nb = 2\n", "b = 2\na = 1\n", False, False),
        ("a = (1\n", "a = 1\n", False, True),
    ],
)
def test_code_that_is_gone_is_seen(old: str, new: str, fewer: bool, only: bool) -> None:
    assert (fewer_statements(old, new), only_taken_out(old, new)) == (fewer, only)
