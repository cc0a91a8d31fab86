# ruff: noqa: E501 - programs under test are kept on one line
"""`ddax fix` as a user calls it, in the real sandbox."""

from __future__ import annotations

import json
import shutil
import venv
from pathlib import Path
from typing import Any

import pytest

from ddax.cli.backend import Output
from ddax.cli.main import run_command
from ddax.cli.running.demo import example_folder, repair_act

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap"),
]
PROGRAM = "def clamp(x, low, high):\n    if x < low:\n        return low\n    if x < high:   # the upper bound\n        return high\n    return x\n"
FIXTURES = "import pytest\n\n@pytest.fixture\ndef bounds():\n    return 0, 10\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DDAX_HOME", raising=False)
    (tmp_path / "clamp.py").write_text(PROGRAM)
    return tmp_path


def run(capsys, *argv: str) -> tuple[int, str, str]:
    code = run_command(["fix", *argv])
    out, err = capsys.readouterr()
    return code, out, err


def best(found: dict[str, Any]) -> dict[str, Any]:
    """Return the fix, or the first proposal."""
    return found["proposals"][0] if found["proposals"] else found


def works(program: str) -> bool:
    space: dict[str, object] = {}
    exec(program, space)
    clamp = space["clamp"]
    return [clamp(x, 0, 10) for x in (-2, 0, 3, 10, 12)] == [0, 0, 3, 10, 10]  # type: ignore[operator]


STYLES = {
    "functions": ("pytest -q test_clamp.py", {"test_clamp.py": "from clamp import clamp\n\ndef test_in():\n    assert clamp(5, 0, 10) == 5\n\ndef test_over():\n    assert clamp(11, 0, 10) == 10\n\ndef test_under():\n    assert clamp(-1, 0, 10) == 0\n\ndef test_low():\n    assert clamp(0, 0, 10) == 0\n\ndef test_high():\n    assert clamp(10, 0, 10) == 10\n\ndef test_far():\n    assert clamp(99, 0, 10) == 10\n"}),
    "unittest": ("python -m unittest tests.test_clamp", {"tests/__init__.py": "", "tests/test_clamp.py": "import unittest\nfrom clamp import clamp\n\nclass T(unittest.TestCase):\n    def test_in(self):\n        self.assertEqual(clamp(5, 0, 10), 5)\n    def test_over(self):\n        self.assertEqual(clamp(11, 0, 10), 10)\n"}),
    "script": ("python checks.py", {"checks.py": "from clamp import clamp\nassert clamp(5, 0, 10) == 5\nassert clamp(11, 0, 10) == 10\nassert clamp(-1, 0, 10) == 0\n"}),
    "pytest itself": ("pytest tests", {"tests/conftest.py": FIXTURES, "tests/test_clamp.py": "import pytest\nfrom clamp import clamp\n\n@pytest.mark.parametrize('x,y', [(5, 5), (11, 10), (-1, 0)])\ndef test_clamp(x, y, bounds, tmp_path):\n    assert clamp(x, *bounds) == y\n\n@pytest.mark.xfail(strict=True)\ndef test_wrong(bounds):\n    assert clamp(5, *bounds) == 6\n"}),
}  # fmt: skip


@pytest.mark.parametrize("style", STYLES)
def test_every_kind_of_tests_decides(place, capsys, style):
    command, files = STYLES[style]
    for name, text in files.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(text)
    code, out, err = run(capsys, "clamp.py", "--tests", command, "--json", "--budget", "120s")
    found = json.loads(out)
    assert (code, err) == (0 if found["solved"] else 10, "")
    assert found["status"] == ("fixed" if found["solved"] else "proposed")
    assert found["tests_after"]["passed"] == found["tests_after"]["total"] > found["tests_before"]["passed"]
    assert works(best(found)["files"]["clamp.py"])
    assert "   # the upper bound" in best(found)["files"]["clamp.py"]
    assert found["trust"] == ("confirmed" if style == "pytest itself" else "separate")
    assert found["applied"] is False
    assert (place / "clamp.py").read_text() == PROGRAM
    assert (place / ".ddax" / "repairs").exists() is not found["solved"], "proposals alone are kept"


def test_apply_writes_and_undo_takes_back(place, capsys):
    (place / "test_clamp.py").write_text(STYLES["functions"][1]["test_clamp.py"])
    code, out, _ = run(capsys, "clamp.py", "test_clamp.py", "--apply", "--explain", "--budget", "120s")
    assert code == 0
    assert works((place / "clamp.py").read_text())
    for part in (
        "Suspected lines",
        "Before:   2 of 6",
        "After:    6 of 6",
        "Trust:    separate",
        "Chance:   estimated",
        "--undo",
    ):
        assert part in out
    assert run(capsys, "--undo")[0] == 0
    assert (place / "clamp.py").read_text() == PROGRAM
    code, _, err = run(capsys, "--undo")
    assert (code, "no repair to undo" in err) == (2, True)


def test_a_repair_that_cannot_be_written_is_told_beside_the_error(place, capsys):
    (place / "test_clamp.py").write_text(STYLES["functions"][1]["test_clamp.py"])
    (place / "clamp.py").chmod(0o444)
    code, out, _ = run(capsys, "clamp.py", "test_clamp.py", "--apply", "--json", "--budget", "120s")
    found = json.loads(out)
    assert (code, found["exit_code"], found["error"]["kind"]) == (2, 2, "UsageError")
    assert (found["solved"], found["applied"]) == (True, False)
    assert works(found["files"]["clamp.py"])
    assert (place / "clamp.py").read_text() == PROGRAM


def test_a_repair_that_was_applied_orders_the_next_search_until_it_is_undone(place, capsys):
    from ddax.evolution.learned import adjustments, read_rules, successes

    record = place / ".ddax" / "memory" / "record.sqlite"
    command, files = STYLES["functions"]
    for name, text in files.items():
        (place / name).write_text(text)
    call = ("clamp.py", "--tests", command, "--json", "--budget", "120s")
    assert run(capsys, *call)[0] == 0
    assert not (place / ".ddax").exists()  # what was not applied has taught nothing
    assert run(capsys, *call, "--apply")[0] == 0
    learned = adjustments(successes(read_rules(record, "default")))
    assert learned and all(change < 0 for change in learned.values())
    assert run(capsys, "--undo")[0] == 0
    code, out, _ = run(capsys, *call)  # the rules are read beside an older record
    assert code == 0 and json.loads(out)["solved"]
    assert adjustments(successes(read_rules(record, "default"))) == {}


def test_a_traceback_is_enough_where_a_script_crashed(place, capsys):
    (place / "main.py").write_text("def last(xs):\n    return xs[len(xs)]\n\nprint(last([1, 2]))\n")
    (place / "trace.txt").write_text(
        'Traceback (most recent call last):\n  File "main.py", line 4, in <module>\n    print(last([1, 2]))\n'
        '  File "main.py", line 2, in last\n    return xs[len(xs)]\nIndexError: list index out of range\n'
    )
    code, out, _ = run(capsys, "--error", "trace.txt", "--json", "--budget", "120s")
    found = json.loads(out)
    assert code == 10
    assert found["suspicious"][0]["line"] == 2
    assert any("its results are unchecked" in caveat for caveat in best(found)["caveats"])


def test_a_script_is_not_mended_by_what_deletes_the_failing_line_where_another_edit_will_do(place, capsys):
    (place / "main.py").write_text(
        'rows = [{"n": "3"}, {"n": None}]\n\ndef total(rows):\n    s = 0\n    for r in rows:\n        s += int(r["n"])\n    return s\n\nprint(total(rows))\n'
    )
    (place / "trace.txt").write_text(
        'Traceback (most recent call last):\n  File "main.py", line 9, in <module>\n    print(total(rows))\n'
        '  File "main.py", line 6, in total\n    s += int(r["n"])\nTypeError: int() argument must be a string\n'
    )
    code, out, _ = run(capsys, "--error", "trace.txt", "--json", "--budget", "120s")
    found = json.loads(out)
    assert code == 10 and best(found)["operators"] != ["delete"]
    assert "s += int(" in best(found)["files"]["main.py"]


def test_a_patch_that_removes_code_says_so(place, capsys):
    (place / "test_main.py").write_text(
        "from main import last\n\ndef test_last():\n    assert last([1, 2]) == [1, 2]\n"
    )
    (place / "main.py").write_text("def last(xs):\n    del xs[:]\n    return xs\n")
    code, out, _ = run(capsys, "main.py", "--tests", "test_main.py", "--json", "--budget", "120s")
    found = json.loads(out)
    assert code == 10 and best(found)["operators"] == ["delete"]
    assert any("removes code" in caveat for caveat in best(found)["caveats"])
    assert any("a removed statement" in lack for lack in best(found)["finding"]["lacks"])


@pytest.mark.parametrize(
    ("program", "test", "learnt"),
    [
        ("def price(n):\n    return 12\n", "assert price(4) == 37", "37"),
        ("def price(n):\n    return n - 25\n", "assert price(4) == 29", ""),
    ],
)
def test_a_patch_with_a_value_of_the_only_test_says_so(place, capsys, program, test, learnt):
    (place / "main.py").write_text(program)
    (place / "test_main.py").write_text(f"from main import price\n\ndef test_price():\n    {test}\n")
    code, out, _ = run(capsys, "main.py", "--tests", "test_main.py", "--json", "--budget", "120s")
    found = json.loads(out)
    said = [caveat for caveat in best(found)["caveats"] if "by heart" in caveat]
    assert code == 10 and len(said) == bool(learnt) and all(learnt in caveat for caveat in said), found


def test_flaky_tests_are_left_out_and_named(place, capsys):
    (place / "test_clamp.py").write_text(
        STYLES["functions"][1]["test_clamp.py"]
        + "\n\ndef test_dice():\n    import random\n    assert random.random() < 0.5\n"
    )
    code, out, _ = run(capsys, "clamp.py", "--tests", "test_clamp.py", "--json", "--budget", "120s")
    found = json.loads(out)
    assert code in (0, 10)
    assert found["tests_after"]["total"] in (6, 7)  # the dice may fall five times alike
    if found["tests_after"]["total"] == 6:
        assert any("test_dice" in caveat for caveat in found["caveats"])


def test_held_out_tests_refuse_what_fits_the_others_only(place, capsys):
    rows = "".join(
        f"def test_{i}():\n    assert clamp({x}, 0, 10) == {min(max(x, 0), 10)}\n\n"
        for i, x in enumerate([5, 11, -1, 4, 12, 3, 13, 2, 14, -5, 15, 1])
    )
    (place / "test_clamp.py").write_text(f"from clamp import clamp\n\n{rows}")
    code, out, _ = run(capsys, "clamp.py", "test_clamp.py", "--json", "--budget", "120s")
    found = json.loads(out)
    assert code == 0
    assert found["held_out"]["passed"] == found["held_out"]["total"] >= 2
    assert found["held_out"]["total"] + found["tests_after"]["total"] == 12


@pytest.mark.parametrize(
    ("argv", "word"),
    [
        ((), "Nothing is named"),
        (("clamp.py",), "no tests"),
        (("nothing.py", "--tests", "pytest"), "no file or folder"),
        (("clamp.py", "--tests", "make check -j"), "not understood"),
        (("clamp.py", "--tests", "pytest", "--budget", "soon"), "no budget"),
        (("clamp.py", "--error", "missing.txt"), "Cannot read the traceback"),
        (("clamp.py", "--tests", "clamp.py", "--python", "/no/python"), "no Python file but tests"),
    ],
)
def test_a_wrong_call_is_explained(place, capsys, argv, word):
    code, _, err = run(capsys, *argv)
    assert code == 2
    assert word in err


def test_code_that_passes_is_left_alone(place, capsys):
    (place / "test_clamp.py").write_text(
        "from clamp import clamp\n\ndef test_under():\n    assert clamp(-1, 0, 10) == 0\n"
    )
    code, out, _ = run(capsys, "clamp.py", "test_clamp.py")
    assert code == 0
    assert "Nothing to repair.\n  - every test passes already" in out


def test_the_demo_ends_with_a_repair(capsys):
    assert (example_folder() / "test_intervals.py").is_file()
    assert repair_act(Output(json=False)) == 0
    assert "After:    6 of 6" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("budget", "why"),
    [("60s", "all of them were tried before the time was over"), ("0.01s", "Nothing was tried in time")],
)
def test_a_search_says_whether_it_was_exhausted_or_out_of_time(place, capsys, budget, why):
    (place / "one.py").write_text("def one():\n    return 1\n")
    (place / "test_one.py").write_text(
        "from one import one\n\ndef test_one():\n    assert one() == 'xyzzy'\n"
    )
    code, out, err = run(capsys, "one.py", "test_one.py", "--budget", budget)
    assert code == 1
    assert why in out
    assert err == f"Searching for a repair, which has {budget.removesuffix('s')} s …\n"
    assert ("Give it more time: --budget 1s" in out) == (budget == "0.01s")
    assert ("Mend:     Ask a model" in out) == (budget == "60s")


@pytest.mark.parametrize("lacking", ["tests/conftest.py", "tests/test_clamp.py", "clamp.py"])
def test_nothing_is_tried_where_the_tests_lack_a_module(place, capsys, lacking):
    (place / "tests").mkdir()
    (place / "tests" / "test_clamp.py").write_text("from clamp import clamp\n\ndef test_a():\n    clamp()\n")
    (place / "clamp.py").write_text("def clamp():\n    pass\n")
    own = lacking == "clamp.py"
    with (place / lacking).open("a") as file:
        file.write("    import not_there\n" if own else "\nimport not_there\n")
    code, out, _ = run(capsys, "clamp.py", "--tests", "pytest tests", "--budget", "6s", "--json")
    found = json.loads(out)
    assert "No module named 'not_there'" in found["failures"][0]
    assert ((code, found["reasoning"]) == (1, "nothing was tried")) is not own


def test_a_python_without_pytest_is_told(place, capsys):
    command, files = STYLES["pytest itself"]
    for name, text in files.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(text)
    venv.create(place / "bare", with_pip=False)
    python = str(place / "bare" / "bin" / "python")
    code, _, err = run(capsys, "clamp.py", "--tests", command, "--python", python)
    assert code == 2
    assert err.count("error:") == 1 and "pytest is not installed for this Python" in err
    assert f"{python} has none" in err and "pip install pytest" in err


BESIDE = """from pathlib import Path
import ledger
from ledger import total
HERE = Path(__file__)

def test_total():
    assert total((HERE.parent / "data" / "sales.csv").read_text()) == 5

def test_places():
    assert HERE.is_absolute() and HERE.parent.name == "tests" and "def test_places" in HERE.read_text()
    assert Path(ledger.__file__) == HERE.parents[1] / "ledger.py"
"""


@pytest.mark.parametrize("data", [True, False])
def test_a_test_in_a_folder_finds_itself_and_its_data(tmp_path, monkeypatch, capsys, data):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tests" / "data").mkdir(parents=True)
    (tmp_path / "ledger.py").write_text("def total(text):\n    return sum(map(int, text.split())) + 1\n")
    text = BESIDE if data else BESIDE.replace('(HERE.parent / "data" / "sales.csv").read_text()', '"2 3"')
    (tmp_path / "tests" / "test_ledger.py").write_text(text)
    if data:
        (tmp_path / "tests" / "data" / "sales.csv").write_text("2\n3\n")
    code, out, err = run(capsys, "ledger.py", "--tests", "pytest -q tests", "--json", "--budget", "120s")
    assert code == 10, out + err
    assert json.loads(out)["tests_before"] == {"passed": 1, "total": 2}


def test_a_patch_that_calls_what_changes_the_object_carries_a_caveat(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "desk.py").write_text("def take(jobs):\n    return jobs.get('next', 0)\n")
    test = "from desk import take\ndef test_take():\n    jobs = {'next': 4}\n    assert take(jobs) == 4\n    assert jobs == {}\n"
    (tmp_path / "test_desk.py").write_text(test)
    code, out, err = run(capsys, "desk.py", "--tests", "pytest -q", "--json", "--budget", "120s")
    assert code == 10, out + err
    result = best(json.loads(out))
    assert "jobs.pop('next', 0)" in result["diff"]
    assert any("changes its object" in caveat for caveat in result["caveats"])
