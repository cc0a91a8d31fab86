# ruff: noqa: E501 - programs under test are kept on one line
"""What `ddax fix` proposes in place of a fix, and how a proposal is taken."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import numpy as np
import pytest

from ddax.cli.main import run_command
from ddax.configs.settings import Evolution
from ddax.errors import StorageError
from ddax.evolution.records import RepairResult, RepairTask
from ddax.evolution.repair import repair

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap"),
]
PROGRAM = (
    "def cut(text, limit):\n    if len(text) > limit:\n        return text[:limit + 1]\n    return text\n"
)
ONE = "from cut import cut\n\n\ndef test_long():\n    assert cut('abcd', 2) == 'ab'\n"
REST = ONE + "".join(
    f"\n\ndef test_{i}():\n    assert cut({text!r}, {limit}) == {text[:limit]!r}\n"
    for i, (text, limit) in enumerate([("abc", 3), ("", 0), ("ab", 5), ("abcdef", 4), ("xyz", 1), ("q", 1)])
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DDAX_HOME", raising=False)
    (tmp_path / "cut.py").write_text(PROGRAM)
    return tmp_path


def fix(capsys, *argv: str) -> tuple[int, str]:
    code = run_command(["fix", *argv, "--budget", "120s"])
    out, err = capsys.readouterr()
    return code, out + err


def test_one_failing_test_alone_brings_proposals_that_are_written_by_their_number(place, capsys):
    (place / "test_cut.py").write_text(ONE)
    code, out = fix(capsys, "cut.py", "test_cut.py", "--apply")
    assert code == 10
    assert "Proposal 1" in out and "--accept N" in out and "no fix:" in out
    assert (place / "cut.py").read_text() == PROGRAM
    code, out = fix(capsys, "cut.py", "test_cut.py", "--accept", "1")
    assert code == 0 and "Written:" in out
    assert (place / "cut.py").read_text() != PROGRAM
    assert run_command(["fix", "--undo"]) == 0
    capsys.readouterr()
    assert (place / "cut.py").read_text() == PROGRAM


def test_proposals_stand_side_by_side_with_an_input_that_tells_them_apart(place, capsys):
    (place / "cut.py").write_text("def pick(a, b):\n    return a\n")
    (place / "test_cut.py").write_text(
        "from cut import pick\n\n\ndef test_it():\n    assert pick(2, 4) == 4\n"
    )
    code = run_command(["fix", "cut.py", "test_cut.py", "--budget", "120s", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (code, found["status"], found["solved"], found["diff"], found["files"]) == (
        10,
        "proposed",
        False,
        "",
        {},
    )
    assert 2 <= len(found["proposals"]) <= 3
    (apart,) = found["differences"]
    assert apart["asked"].startswith("pick(") and len(set(apart["answers"])) > 1
    assert [one["number"] for one in found["proposals"]] == list(range(1, len(found["proposals"]) + 1))
    assert all(one["finding"]["lacks"] and one["diff"] for one in found["proposals"])


def test_the_likeliest_proposal_is_shown_first(place, capsys):
    (place / "cut.py").write_text(
        "def area(w, h):\n    if w < 0 or h < 0:\n        return w + h\n    return w + h\n"
    )
    (place / "test_cut.py").write_text(
        "from cut import area\n\n\ndef test_it():\n    assert area(2, 3) == 6\n\n\n"
        "def test_less():\n    assert area(-1, 1) == 0\n"
    )
    assert run_command(["fix", "cut.py", "test_cut.py", "--budget", "120s", "--json"]) == 10
    chances = [one["finding"]["chance"] for one in json.loads(capsys.readouterr().out)["proposals"]]
    assert len(chances) > 1 and chances == sorted(chances, reverse=True)


def test_what_was_shown_is_what_is_written_without_a_second_search(place, capsys, monkeypatch):
    (place / "test_cut.py").write_text(ONE)
    assert run_command(["fix", "cut.py", "test_cut.py", "--budget", "120s", "--json"]) == 10
    shown = json.loads(capsys.readouterr().out)["proposals"]
    with monkeypatch.context() as patched:
        patched.setattr("ddax.cli.running.fix._sandbox", None)  # any search fails
        code, out = fix(capsys, "cut.py", "test_cut.py", "--accept", "9")
        assert code == 2 and "There is no proposal 9" in out
        code, out = fix(capsys, "cut.py", "test_cut.py", "--accept", str(len(shown)))
    assert code == 0 and "These are the proposals of" in out and "Written:" in out
    assert (place / "cut.py").read_text() == shown[-1]["files"]["cut.py"]


@pytest.mark.parametrize("changed", ["cut.py", "test_cut.py"])
def test_after_a_change_what_is_found_is_shown_before_a_number_writes_it(place, capsys, changed):
    (place / "test_cut.py").write_text(ONE)
    assert run_command(["fix", "cut.py", "test_cut.py", "--budget", "120s"]) == 10
    capsys.readouterr()
    with (place / changed).open("a") as file:
        file.write("\n\nX = 1\n")
    now = (place / "cut.py").read_text()
    code, out = fix(capsys, "cut.py", "test_cut.py", "--accept", "1")
    assert code == 10 and "Code or tests have changed since" in out and "Proposal 1" in out
    assert (place / "cut.py").read_text() == now
    code, out = fix(capsys, "cut.py", "test_cut.py", "--accept", "1")
    assert code == 0 and "These are the proposals of" in out
    assert (place / "cut.py").read_text() != now


def test_proposals_that_cannot_be_kept_are_shown_all_the_same(place, capsys, monkeypatch):
    def full(*_args, **_kwargs):
        raise StorageError("Cannot use it.", why="No space left on device.", mend="Free some.")

    (place / "test_cut.py").write_text(ONE)
    monkeypatch.setattr("ddax.cli.running.shown_before.write_atomic", full)
    code, out = fix(capsys, "cut.py", "test_cut.py")
    assert code == 10 and "Proposal 1" in out and "--accept N will search again" in out


def test_a_proposal_that_is_not_there_is_refused(place, capsys):
    (place / "test_cut.py").write_text(ONE)
    code, out = fix(capsys, "cut.py", "test_cut.py", "--accept", "9")
    assert code == 2 and "There is no proposal 9" in out
    assert (place / "cut.py").read_text() == PROGRAM


def test_the_rest_of_the_suite_judges_a_patch_that_was_searched_by_one_test(place, capsys):
    (place / "test_cut.py").write_text(REST)
    code = run_command(
        ["fix", "cut.py", "--tests", "pytest test_cut.py::test_long", "--budget", "120s", "--json", "--apply"]
    )
    found = json.loads(capsys.readouterr().out)
    assert (code, found["status"], found["tests_after"]) == (0, "fixed", {"passed": 1, "total": 1})
    evidence = found["finding"]["evidence"]
    assert evidence["unseen"] == 2 and evidence["covering"] == 4
    space: dict[str, object] = {}
    exec((place / "cut.py").read_text(), space)
    assert [space["cut"]("abcdef", n) for n in (0, 3, 9)] == ["", "abc", "abcdef"]  # type: ignore[operator]


def test_a_file_beside_the_named_one_judges_as_well(place, capsys):
    (place / "test_cut.py").write_text(ONE)
    (place / "test_more.py").write_text(REST.replace("test_long", "test_first"))
    code = run_command(["fix", "cut.py", "--tests", "pytest test_cut.py", "--budget", "120s", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (code, found["status"]) == (0, "fixed")
    assert found["finding"]["evidence"]["unseen"] == 3


@pytest.mark.parametrize(
    ("left_out", "unseen"), [("", 2), (" --deselect 'test_cut.py::test_cut[xyz-1-x]'", 1)]
)
def test_the_other_rows_of_a_parametrized_test_judge_but_those_left_out(place, capsys, left_out, unseen):
    rows = [("abcd", 2, "ab"), ("abc", 3, "abc"), ("", 0, ""), ("abcdef", 4, "abcd"), ("xyz", 1, "x")]
    (place / "test_cut.py").write_text(
        f"import pytest\nfrom cut import cut\n\n\n@pytest.mark.parametrize(('text', 'n', 'right'), {rows})\n"
        "def test_cut(text, n, right):\n    assert cut(text, n) == right\n"
    )
    command = f"pytest 'test_cut.py::test_cut[abcd-2-ab]'{left_out}"
    code = run_command(["fix", "cut.py", "--tests", command, "--budget", "120s", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (code, found["status"], found["tests_after"]) == (0, "fixed", {"passed": 1, "total": 1})
    evidence = found["finding"]["evidence"]
    assert (evidence["unseen"], evidence["covering"]) == (unseen, 2)


def test_helpers_of_the_tests_are_never_changed(place, capsys):
    (place / "kit.py").write_text(
        "def get(row, i):\n    return row[i] if len(row) >= i else None\n\n\ndef raises(err, call):\n    try:\n        call()\n        return False\n    except err:\n        return True\n"
    )
    (place / "test_kit.py").write_text(
        "from kit import get, raises\n\n\ndef test_get():\n    assert raises(KeyError, lambda: get([1], 1))\n"
    )
    code = run_command(["fix", "kit.py", "test_kit.py", "--budget", "20s", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert code in (1, 10)
    assert all("def raises" not in one["diff"] and "return True" not in one["diff"].replace(" return True\n", "", 1)
               for one in found["proposals"])  # fmt: skip
    for one in found["proposals"]:
        assert (
            one["files"]["kit.py"]
            .partition("def raises")[2]
            .endswith("return False\n    except err:\n        return True\n")
        )


LIMITED = (
    "LIMIT = 3\n\n\ndef ok(x):\n    return x <= LIMIT\n\n\ndef label():\n    return 'up to ' + str(LIMIT)\n"
)
ALLOWS = "from cut import ok\n" + "".join(
    f"\n\ndef test_{n}():\n    assert ok(4) is True\n" for n in range(5)
)
TOLD = (
    "from cut import label, ok\n\n\ndef test_first():\n    assert ok(1)\n\n\n"
    "def test_label():\n    assert label() == 'up to 3'\n"
)
SKIPS = (
    "import unittest\n\nfrom cut import cut\n\n\nclass Skips(unittest.TestCase):\n    def test_cut(self):\n"
    "        if cut('abc', 1) == 'a':\n            self.skipTest('no')\n        self.assertEqual(1, 2)\n"
)
BROKEN = "def test_it(:\n"
"""Programs whose rest of the tests speaks against a patch, for nothing, or cannot be read."""


async def repaired(program: str, test: str, rest: dict[str, str]) -> RepairResult:
    task = RepairTask({"cut.py": program}, ("cut.py",), {"test_cut.py": test}, rest=rest, hold_out=True)
    settings, rng = Evolution(seconds=60.0), np.random.default_rng(0)
    return await repair(task, settings=settings, rng=rng, clock=time.monotonic)


async def test_what_is_changed_outside_of_functions_is_judged_by_all_other_tests() -> None:
    found = await repaired(LIMITED, ALLOWS, {"test_told.py": TOLD})
    assert not [diff for diff in (found.diff, *(one.diff for one in found.proposals)) if "+LIMIT = 4" in diff]


async def test_a_test_that_skips_under_a_patch_is_none_that_it_mends() -> None:
    found = await repaired(PROGRAM, ONE, {"test_rest.py": SKIPS})
    assert found.status == "proposed"
    assert found.proposals[0].finding.evidence.unseen == 0


async def test_other_tests_that_cannot_be_read_are_told_of() -> None:
    found = await repaired(PROGRAM, ONE, {"test_rest.py": BROKEN})
    assert found.status == "proposed" and any("rest of the suite" in told for told in found.caveats)
