# ruff: noqa: E501 - programs under test are kept on one line
"""Each candidate is judged by itself: by its own code, in the place as it was, and by the tests that are meant."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from ddax.errors import UsageError
from ddax.evolution.evaluator import CodeEvaluator
from ddax.evolution.program.project import read_project
from ddax.evolution.program.standin import can_be_called
from ddax.evolution.program.test_command import read_command
from ddax.evolution.records import RepairTask
from ddax.evolution.sandbox import Limits, choose

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap"),
]
ONE = "def f():\n    return 1\n"
TWO = "def f():\n    return 2\n"
Kinds = list[tuple[str, str]]


def task_of(folder: Path, files: Mapping[str, str], command: str = "pytest") -> RepairTask:
    for name, text in {"prog.py": ONE, **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return read_project(["prog.py"], read_command(command), cwd=folder).task


def evaluator_of(folder: Path, files: Mapping[str, str], command: str = "pytest") -> CodeEvaluator:
    return CodeEvaluator(choose(), task_of(folder, files, command).suite(), limits=Limits())


def kinds(evaluator: CodeEvaluator, program: str = "") -> list[str]:
    return [row.kind for row in evaluator.run({"prog.py": program} if program else {}).rows]


LEFT = {
    "a file that was there": "open('data.txt', 'w').write('bad')",
    "a file that was there, of the same length": "open('data.txt', 'w').write('evil')",
    "a file of the project in its place": "os.unlink('data.txt'); os.symlink('test_prog.py', 'data.txt')",
    "a file that was removed": "os.unlink('data.txt')",
    "a folder that was removed": "__import__('shutil').rmtree('inner')",
    "a folder that is closed": "os.chmod('inner', 0)",
    "a folder that became a link": "os.rename('inner', 'other'); os.symlink('other', 'inner')",
    "a conftest": "open('conftest.py', 'w').write('raise ValueError()')",
    "a plain module that hides another": "open('json.py', 'w').write('raise ValueError()')",
    "a temporary file": "open('/tmp/left', 'w').write('x')",
    "a file of the home": "open('/box/left', 'w').write('x')",
    "shared memory": "open('/dev/shm/left', 'w').write('x')",
    "a closed folder with files": "os.makedirs('/tmp/left/in'); open('/tmp/left/in/a', 'w').close(); os.chmod('/tmp/left/in', 0)",
    "the folder itself": "__import__('shutil').rmtree('/box/work', ignore_errors=True)",
}
CLEAN = (
    "import os\nimport pytest\nfrom prog import f\n\ndef test_clean():\n    import json\n    assert f() == 1\n"
    "    assert open('data.txt').read() == 'good' and open('inner/a.txt').read() == 'a'\n"
    "    assert not os.path.islink('inner') and not os.path.exists('other')\n"
    "    assert not [p for p in ('/tmp/left', '/box/left', '/dev/shm/left') if os.path.lexists(p)]\n"
)


def test_what_a_candidate_leaves_behind_is_gone_before_the_next(tmp_path):
    files = {"data.txt": "good", "inner/a.txt": "a", "test_prog.py": CLEAN}
    with evaluator_of(tmp_path, files) as evaluator:
        for name, left in LEFT.items():
            program = f"import os\n\ndef f():\n    {left}\n    return 1\n"
            evaluator.run({"prog.py": program})
            assert kinds(evaluator) == ["pass"], name
        assert evaluator.worker.restarts == 0


def test_as_many_files_as_do_not_fit_are_read_all_the_same(tmp_path):
    (tmp_path / "cases").mkdir()
    for number in range(17_000):
        (tmp_path / "cases" / f"{number}.txt").write_text("x")
    test = "import os, pytest\nfrom prog import f\n\ndef test_all():\n    assert f() == 1 and all(open(f'cases/{n}.txt').read() == 'x' for n in range(17_000))\n    open('cases/new.txt', 'w').write('y' * 1_000_000)\n"
    with evaluator_of(tmp_path, {"test_prog.py": test}) as evaluator:
        assert kinds(evaluator) == ["pass"]


PLUG = "import pytest\nfrom prog import f\n\n@pytest.fixture\ndef value():\n    return f()\n"


@pytest.mark.parametrize("command", ["pytest -p plug", "PYTEST_PLUGINS=plug pytest", "pytest -p tools.plug"])
def test_a_plugin_of_the_project_sees_the_candidate(tmp_path, command):
    files = {
        "plug.py": PLUG,
        "tools/plug.py": PLUG,
        "test_prog.py": "def test_one(value):\n    assert value == 2\n",
    }
    with evaluator_of(tmp_path, files, command) as evaluator:
        evaluator.find_cases()
        assert kinds(evaluator) == ["assert"]
        assert kinds(evaluator, TWO) == ["pass"]


STOPS = {
    "the user's interrupt": ("def f():\n    raise KeyboardInterrupt\n", "    assert f() == 1\n"),
    "pytest.exit": (ONE, "    pytest.exit('enough')\n"),
    "the end of the session": (ONE, "    raise pytest.exit.Exception('enough')\n"),
}


@pytest.mark.parametrize("name", STOPS)
@pytest.mark.parametrize("place", ["a test", "a fixture"])
def test_what_stops_a_session_fails_its_test_alone(tmp_path, name, place):
    program, body = STOPS[name]
    stops = (
        f"def test_stops():\n{body}"
        if place == "a test"
        else f"@pytest.fixture\ndef one():\n    yield\n{body}\ndef test_stops(one):\n    pass\n"
    )
    test = f"import pytest\nfrom prog import f\n\ndef test_before():\n    pass\n\n{stops}\ndef test_after():\n    pass\n"
    with evaluator_of(tmp_path, {"prog.py": program, "test_prog.py": test}) as evaluator:
        report = evaluator.run({})
        assert report.stage == "run", report.error
        assert [row.kind for row in report.rows] == ["pass", "error", "pass"]
        told, why = evaluator.tell([1], {})
        assert told and told[0] and not why


@pytest.mark.parametrize("broken", ["prog.py", "conftest.py"])
def test_an_interrupt_while_tests_are_collected_is_told(tmp_path, broken):
    files = {"test_prog.py": "import pytest\nfrom prog import f\n\ndef test_f():\n    assert f() == 1\n"}
    with evaluator_of(tmp_path, {**files, broken: "raise KeyboardInterrupt\n"}) as evaluator:
        report = evaluator.run({})
        assert report.stage == "run", report.error
        assert [row.kind for row in report.rows] == ["uncollected"]


TESTS = "import pytest\nfrom prog import f\n\ndef test_one():\n    assert f() == 1\n\ndef test_two():\n    assert f() == 3\n"


@pytest.mark.parametrize(
    ("files", "command", "found"),
    [
        ({"prog.py": "def f()\n    return 1\n"}, "pytest -k one", ["test_prog.py::test_one"]),
        ({"prog.py": "raise ValueError\n"}, "pytest -k 'not one'", ["test_prog.py::test_two"]),
        ({"conftest.py": "raise ValueError\n"}, "pytest -k two", ["test_prog.py::test_two"]),
        (
            {
                "test_more.py": "import nowhere_at_all\n\ndef test_one():\n    pass\n\ndef test_two():\n    pass\n"
            },
            "pytest -k one",
            ["test_more.py::test_one", "test_prog.py::test_one"],
        ),
    ],
)
def test_tests_that_cannot_be_collected_are_selected_by_name(tmp_path, files, command, found):
    with evaluator_of(tmp_path, {"test_prog.py": TESTS, **files}, command) as evaluator:
        assert sorted(unit.id for unit in evaluator.find_cases().units) == found


def test_many_cases_with_long_names_are_all_found(tmp_path):
    test = "import pytest\nfrom prog import f\n\n@pytest.mark.parametrize('x', range(12_000), ids=lambda n: f'row number {n} of a table with a long name')\ndef test_one(x):\n    assert f() == 1\n\ndef test_two():\n    assert 0\n"
    with evaluator_of(tmp_path, {"test_prog.py": test}, "pytest -k 'row'") as evaluator:
        assert len(evaluator.find_cases().units) == 12_000
        assert set(kinds(evaluator)) == {"pass"}


COMPUTES = (
    "import time\nfrom prog import f\n\ndef test_one():\n    while time.process_time() < 1.5:\n        f()\n"
)


def test_what_computes_on_a_busy_machine_is_not_late(tmp_path):
    suite = task_of(tmp_path, {"test_prog.py": COMPUTES}).suite()
    with (
        contextlib.ExitStack() as stack,
        CodeEvaluator(choose(), suite, limits=Limits(wall=2.5)) as evaluator,
    ):
        for _ in range(4 * (os.cpu_count() or 1)):
            busy = stack.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            stack.callback(busy.kill)
        assert kinds(evaluator) == ["pass"]


AUTOUSE = "import pytest\nimport prog\n\n@pytest.fixture(autouse=True)\ndef check():\n    yield\n    assert prog.f() == 1\n"


@pytest.mark.parametrize(
    ("files", "called"),
    [
        ({"conftest.py": AUTOUSE}, False),
        ({"test_prog.py": f"{AUTOUSE}\n\ndef test_f():\n    pass\n"}, False),
        (
            {
                "test_prog.py": "import pytest\nimport prog\n\n@pytest.mark.usefixtures('tmp_path')\ndef test_f():\n    assert prog.f() == 1\n"
            },
            False,
        ),
        (
            {
                "test_prog.py": "import pytest\nimport prog\n\ndef test_f():\n    with pytest.raises(TypeError):\n        prog.f(1)\n"
            },
            True,
        ),
    ],
)
def test_tests_with_set_up_of_pytest_are_not_judged_without_it(tmp_path, files, called):
    task = task_of(
        tmp_path, {"test_prog.py": "import prog\n\ndef test_f():\n    assert prog.f() == 1\n", **files}
    )
    assert (not task.conftest and can_be_called(task.tests)) == called


def test_the_zone_of_a_command_is_that_of_the_tests(tmp_path):
    test = "import datetime, subprocess, time\nimport pytest\nfrom prog import f\n\ndef test_zone():\n    assert datetime.datetime.fromtimestamp(0).hour == 19 and f() == 1\n    assert subprocess.run(['date', '-d@0', '+%H'], capture_output=True).stdout == b'19\\n'\n"
    with evaluator_of(tmp_path, {"test_prog.py": test}, "TZ=EST5 pytest") as evaluator:
        assert kinds(evaluator) == ["pass"]


@pytest.mark.parametrize("paths", ["/elsewhere", "..", ".:../beside"])
def test_a_path_of_imports_that_leads_out_is_refused(tmp_path, paths):
    with pytest.raises(UsageError, match="PYTHONPATH"):
        task_of(tmp_path, {"test_prog.py": TESTS}, f"PYTHONPATH={paths} pytest")


def test_a_whole_path_of_imports_is_found(tmp_path):
    files = {
        "lib/other.py": "VALUE = 1\n",
        "test_prog.py": "import pytest, other\nfrom prog import f\n\ndef test_f():\n    assert f() == other.VALUE\n",
    }
    with evaluator_of(tmp_path, files, f"PYTHONPATH={tmp_path}/lib pytest") as evaluator:
        assert kinds(evaluator) == ["pass"]
