"""The tests that the repair in the demo is measured by."""

from intervals import covered, gaps, merge


def test_touching_intervals_are_joined():
    assert merge([(1, 3), (3, 5)]) == [(1, 5)]


def test_separate_intervals_stay_apart():
    assert merge([(7, 9), (1, 2)]) == [(1, 2), (7, 9)]


def test_an_interval_inside_another_changes_nothing():
    assert merge([(1, 10), (2, 3)]) == [(1, 10)]


def test_covered_counts_each_integer_once():
    assert covered([(0, 4), (1, 2), (6, 8)]) == 6


def test_gaps_lie_between():
    assert gaps([(0, 2), (5, 6), (9, 12)]) == [(2, 5), (6, 9)]


def test_nothing_has_no_gaps():
    assert gaps([]) == []
