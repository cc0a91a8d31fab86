"""The model that says how likely a patch is to be right is fitted alike each time, with sensible signs."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest

from benchmarks.real_bugs_place import Bug, Place, known, stands_in
from benchmarks.train_repair import FALLING, RISING, chances, fit, part_of, threshold


def rows(count: int = 200) -> list[dict[str, object]]:
    draw, made = random.Random(3), []
    for i in range(count):
        mended, rivals = draw.randint(0, 3), draw.randint(0, 3)
        right = draw.random() < 0.2 + 0.2 * mended - 0.1 * rivals
        features = {"mended": float(mended), "rivals": float(rivals), "size": draw.random()}
        made.append(
            {"task": f"t{i // 2}:half", "features": features, "right": right, "place": 0, "weak": False}
        )
    return made


def test_the_same_rows_give_the_same_weights_with_the_signs_that_are_allowed():
    weights, bias = fit(rows())
    again, same = fit(rows())
    assert (list(weights), bias) == (list(again), same)
    by_name = dict(zip((*RISING, *FALLING), weights, strict=True))
    assert by_name["mended"] > 0 > by_name["rivals"]
    assert all(by_name[name] >= 0 for name in RISING) and all(by_name[name] <= 0 for name in FALLING)
    found = chances(rows(), weights, bias)
    assert all(0 <= chance <= 1 for chance in found)


def test_the_threshold_keeps_the_wanted_share_of_what_was_held_out():
    least, share, count = threshold(rows(400))
    assert share >= 0.9 or count == 0
    assert 0 < least <= 1


def test_known_bugs_have_names_versions_and_tests_of_their_own():
    bugs = known()
    assert bugs and len({bug.name for bug in bugs}) == len(bugs)
    assert all(bug.older != bug.newer and bug.tests and bug.files for bug in bugs)


class Remembered(Place):
    """A place whose runs of tests ended as it is told: those of the newer release, and those of the bug."""

    def __init__(self, folder: Path, newer: list[set[str]], bug: list[set[str]]) -> None:
        super().__init__(folder)
        self.runs = {"newer": newer, "bug": bug}

    def fetched(self, package: str, release: str) -> Path:
        return Path("newer")

    def made(self, bug: Bug) -> Path:
        return Path("bug")

    def ended(self, tree: Path, files: object) -> tuple[set[str], set[str]]:
        passed = self.runs[tree.name].pop(0)
        return passed, {"steady", "slow", "other"} - passed


def test_a_test_that_fails_at_times_makes_no_bug(tmp_path):
    bug = Bug("p", "1", "2", "p.py", "f", ())
    every = {"steady", "slow", "other"}
    at_first = Remembered(tmp_path, [every, every], [{"other"}, {"slow", "other"}])
    assert at_first.failing(bug, ["test_p.py"]) == ["steady"]
    as_it_should_be = Remembered(tmp_path, [every, {"steady", "other"}], [{"other"}, {"other"}])
    assert as_it_should_be.failing(bug, ["test_p.py"]) == ["steady"]


def test_a_function_that_needs_what_the_newer_release_has_not_is_no_bug_of_its_own():
    old = ast.parse("def f(xs, *, n=1):\n    for x in xs:\n        OLD[x] = len(xs) + n\n").body[0]
    assert stands_in(old, "OLD = {}\n") and not stands_in(old, "NEW = {}\n")


def test_a_part_is_one_of_so_many():
    assert part_of("0/1") == (0, 1) and part_of("1/2") == (1, 2)


@pytest.mark.parametrize("wrong", ["2/2", "-1/2", "0/0", "1", "x", "0/1/2"])
def test_a_part_that_is_none_is_refused(wrong):
    with pytest.raises(ValueError):
        part_of(wrong)
