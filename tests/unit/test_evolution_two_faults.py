"""What is tried where a program has two faults: tests apart, couples of repairs, seconds on the leaders."""

from itertools import islice
from types import SimpleNamespace

import pytest

from ddax.evolution.baseline import Baseline, apart
from ddax.evolution.localise import Report, Row
from ddax.evolution.operators import Edit, Seen
from ddax.evolution.partial_gains import alternate, further
from ddax.evolution.program.suites import build_suite
from ddax.evolution.search import COUPLES, COUPLES_AFTER, FURTHER_AFTER, PAIR_PENALTY, Partial, Search


def lines(*numbers):
    return frozenset(("m.py", number) for number in numbers)


@pytest.mark.parametrize(
    ("failing", "ran", "order"),
    [
        ([4, 5, 6], {4: lines(1, 2), 5: lines(1, 2), 6: lines(7, 8)}, [4, 6, 5]),
        ([4, 5, 6, 7], {4: lines(1), 5: lines(1, 2), 6: lines(1, 7, 8), 7: lines(7)}, [4, 7, 5, 6]),
        ([4, 5, 6], {4: lines(1, 2, 3), 5: lines(1, 2, 3), 6: lines(1, 2, 3, 9)}, [4, 5, 6]),
        ([4, 5], {}, [4, 5]),
        ([4], {4: lines(1)}, [4]),
        ([], {}, []),
    ],
)
def test_the_second_failing_test_is_one_of_another_fault(failing, ran, order):
    assert apart(failing, ran) == order


def partial(start, *mended):
    edit = Edit("m.py", start, start, "x", "name", 0.0, 1)
    return Partial(0.0, edit, len(mended), b"x", mended=frozenset(mended))


def searching(failing, run=None):
    suite = build_suite({"m.py": "a = 1\n"}, ["m.py"], {"t.py": "assert a\n" * 4})
    baseline = Baseline(Report("run", "", ()), failing, (3,), {}, Seen(), 1)
    return Search(SimpleNamespace(suite=suite, run=run), baseline, end=1.0, clock=lambda: 0.0)


@pytest.mark.parametrize(
    ("partials", "couples"),
    [
        ([partial(0, 0, 1), partial(1, 0), partial(2, 1)], [(3, 1)]),  # the first needs no other
        ([partial(0, 0), partial(1, 1)], [(2, 0)]),  # test 2 may need both
        ([partial(0, 0), partial(1, 0)], []),
    ],
)
def test_only_repairs_that_need_each_other_are_coupled(partials, couples):
    search = searching((0, 1, 2))
    search.partial = partials
    assert [(edit.start, seed.edit.start) for _, edit, seed in search.couples(COUPLES)] == couples


def test_a_couple_weighs_as_a_pair_of_edits_beside_a_repair_by_one():
    search = searching((0, 1))
    search.partial = [partial(0, 0), partial(1, 1)]
    assert [rank for rank, _, _ in search.couples(COUPLES)] == [PAIR_PENALTY]


def test_leaders_mend_half_of_what_fails_and_break_nothing():
    def run(files, **_options):
        kinds = ["pass", "pass", "assert", "assert" if files["m.py"] == "breaks" else "pass"]
        return Report("run", "", tuple(Row(u, k, "", "", "", 0, 0, 1) for u, k in enumerate(kinds)))

    search = searching((0, 1, 2), run)
    good, few, breaks = partial(0, 0, 1), partial(1, 0), partial(2, 0, 1)
    breaks.text = b"breaks"
    search.partial = [few, breaks, good]
    assert search.leaders() == [good]


def failing(*rows):
    found = tuple(Row(u, "error", name, text, "", 0, 0, 1) for u, (name, text) in enumerate(rows))
    return Report("run", "", found)


MATH, KIND = ("NameError", "name 'math' is not defined"), ("NameError", "name 'Kind' is not defined")


@pytest.mark.parametrize(
    ("before", "after", "operator", "comes"),
    [
        (Report("import", "NameError: a", ()), failing(("AssertionError", "")), "delete", True),
        (Report("import", "NameError: a", ()), Report("import", "NameError: b", ()), "import", True),
        (Report("import", "NameError: a", ()), Report("import", "NameError: b", ()), "delete", False),
        (Report("import", "NameError: a", ()), Report("import", "NameError: a", ()), "import", False),
        (Report("import", "NameError: a", ()), Report("syntax", "", ()), "import", False),
        (failing(MATH), failing(("AssertionError", "")), "import", True),
        (failing(MATH, MATH), failing(KIND), "misspelt", True),
        (failing(MATH), failing(("AssertionError", "")), "delete", False),
        (failing(MATH), failing(MATH), "import", False),
        (failing(("KeyError", "a")), failing(("KeyError", "b")), "import", False),
        (failing(MATH, KIND), failing(("AssertionError", ""), KIND), "import", True),
        (failing(MATH, KIND, MATH), failing(("AssertionError", ""), KIND, MATH), "import", False),
        (failing(("AssertionError", "[1, 1]")), failing(("AssertionError", "[1]")), "own_object", True),
        (failing(("AssertionError", "[1]")), failing(("AssertionError", "[1]")), "own_object", False),
    ],
)
def test_a_program_comes_further_that_loads_or_misses_no_name_any_more(before, after, operator, comes):
    baseline = Baseline(before, (0, 1), (), {}, Seen(), 1)
    assert further(after, baseline, Edit("m.py", 0, 0, "x", operator, 0.0, 1)) is comes


def test_two_searches_take_turns_until_both_have_ended():
    assert list(alternate(iter([1, None, 3]), iter([4]), iter([]))) == [1, 4, None, 3]


def test_who_stops_between_two_turns_loses_nothing():
    one, other = iter("abc"), iter("xyz")
    turns = alternate(one, other)
    assert "".join(islice(turns, 3)) == "axb"
    assert "".join(other) + "".join(one) == "yzc"


def test_seconds_on_leaders_take_turns_with_what_is_left_of_single_edits(monkeypatch):
    search, taken = searching((0, 1)), []

    def consume(stream, limit=0):
        taken.append([edit for _, edit, _ in islice(stream, limit or None)])
        yield None

    singles = ((float(i), f"one {i}", None) for i in range(COUPLES_AFTER + 3))
    led = [(9000.0 + i, f"led {i}", None) for i in range(2)]
    monkeypatch.setattr(search, "consume", consume)
    monkeypatch.setattr(search, "pairs", lambda _seeds, _share=0.0: iter(led))
    assert list(search.ordinary(singles))
    at = COUPLES_AFTER - FURTHER_AFTER  # before which as many were tried by `run`
    assert [f"one {at}", "led 0", f"one {at + 1}", "led 1"] in [some[:4] for some in taken]
