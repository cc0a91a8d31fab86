# ruff: noqa: E501 - programs under test are kept on one line
"""Any project runs: what is right is not called failing, and what is wrong is mended, however its tests run."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from ddax.configs.settings import Evolution
from ddax.evolution.evaluator import CodeEvaluator
from ddax.evolution.program.project import read_project
from ddax.evolution.program.test_command import read_command
from ddax.evolution.records import RepairResult
from ddax.evolution.repair import repair
from ddax.evolution.sandbox import Limits, back_ends, choose

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap"),
]
Files = Mapping[str, str | bytes]
CLAMP = "def clamp(x, low, high):\n    if x < low:\n        return low\n    if x > high:\n        return high\n    return x\n"
WRONG = CLAMP.replace("x > high", "x < high")
ROUNDS = "def total(n):\n    found = 0\n    for i in range(n):\n        found += i % 7\n    return found\n"
VERSION = "def parse(text):\n    return tuple(int(part) for part in text.split('.'))\n\ndef newer(a, b):\n    return parse(a) > parse(b)\n"
NEWER = "import pytest\nfrom {0}.order import newer\n\ndef test_newer():\n    assert newer('1.10', '1.9')\n\ndef test_older():\n    assert not newer('1.1', '1.9')\n"
NOT_DIRECTLY = "    with ThreadPoolExecutor({0}) as pool:\n"


def packaged(name: str) -> Files:
    return {
        f"{name}/__init__.py": "own = True\n",
        f"{name}/order.py": VERSION,
        "test_order.py": NEWER.format(name),
    }


RIGHT: dict[str, tuple[str, Files]] = {
    "a long loop": ("pytest", {"prog.py": ROUNDS, "test_prog.py": "from prog import total\n\ndef test_total():\n    assert total(100_000) == 299995\n"}),
    "a very long loop": ("pytest", {"prog.py": ROUNDS, "test_prog.py": "from prog import total\n\ndef test_total():\n    assert total(3_000_000) == 8999994\n\ndef test_none():\n    assert total(0) == 0\n"}),
    "a table made at import": ("pytest", {"prog.py": "TABLE = []\nfor i in range(400_000):\n    TABLE.append(i * i)\n\ndef square(n):\n    return TABLE[n]\n", "test_prog.py": "from prog import square\n\ndef test_square():\n    assert square(399_999) == 399_999 ** 2\n"}),
    "many tests that take long": ("pytest", {"prog.py": ROUNDS, "test_prog.py": "import pytest\nfrom prog import total\n\n@pytest.mark.parametrize('n', range(12))\ndef test_total(n):\n    assert total(3_000_000 + n) > 8_000_000\n"}),
    "a row that is skipped": ("pytest", {"prog.py": CLAMP, "test_prog.py": "import pytest\nfrom prog import clamp\n\n@pytest.mark.parametrize('x', [1, 2, 3])\ndef test_clamp(x):\n    if x == 2:\n        pytest.skip('not this one')\n    assert clamp(x, 0, 9) == x\n"}),
    "a row that is expected to fail": ("pytest", {"prog.py": CLAMP, "test_prog.py": "import pytest\nfrom prog import clamp\n\n@pytest.mark.parametrize('x', [1, pytest.param(11, marks=pytest.mark.xfail(strict=True))])\ndef test_clamp(x):\n    assert clamp(x, 0, 9) == x\n"}),
    "rows with odd names": ("pytest", {"prog.py": CLAMP, "test_prog.py": "import pytest\nfrom prog import clamp\n\n@pytest.mark.parametrize('x', [1, 2, 3, 4], ids=['a::b', '[x]', 'a/b c', 'é-1.5'])\ndef test_clamp(x):\n    assert clamp(x, 0, 9) == x\n"}),
    "data beside the tests": ("pytest tests", {"prog.py": CLAMP, "json_testcases/cases.json": "[[5, 5], [11, 9]]", "tests/test_prog.py": "import json, pathlib\nfrom prog import clamp\n\ndef test_cases():\n    place = pathlib.Path(__file__).resolve().parent.parent / 'json_testcases' / 'cases.json'\n    for x, y in json.loads(place.read_text()):\n        assert clamp(x, 0, 9) == y\n"}),
    "data in a package": ("pytest tests", {"pkg/__init__.py": "", "pkg/conf/cfg.json": '{"high": 9}', "pkg/load.py": "import json, pkgutil\nfrom importlib.resources import files\n\ndef high():\n    return json.loads(files('pkg').joinpath('conf', 'cfg.json').read_text())['high']\n\ndef raw():\n    return pkgutil.get_data('pkg', 'conf/cfg.json')\n", "tests/test_load.py": "from pkg.load import high, raw\n\ndef test_high():\n    assert high() == 9 and raw()\n"}),
    "modules that are found by name": ("pytest tests", {"pkg/__init__.py": "", "pkg/load.py": "import importlib\n\ndef load(name):\n    return importlib.import_module(f'pkg.plugins.{name}').VALUE\n", "pkg/plugins/__init__.py": "", "pkg/plugins/one.py": "VALUE = 1\n", "tests/test_load.py": "from pkg.load import load\n\ndef test_one():\n    assert load('one') == 1\n"}),
    "a folder of many files": ("pytest tests", {"prog.py": CLAMP, **{f"cases/{i // 50}/{i}.txt": f"{i}" for i in range(300)}, "tests/test_prog.py": "import glob\nfrom prog import clamp\n\ndef test_all():\n    found = sorted(int(open(name).read()) for name in glob.glob('cases/*/*.txt'))\n    assert found == list(range(300))\n    assert [clamp(x, 0, 9) for x in found[:12]] == [*range(10), 9, 9]\n"}),
    "packaging": ("pytest", packaged("packaging")),
    "pluggy": ("pytest", packaged("pluggy")),
    "iniconfig": ("pytest", packaged("iniconfig")),
    "a variable": ("MODE=incl pytest", {"prog.py": CLAMP, "test_prog.py": "import os\nfrom prog import clamp\nHIGH = 9 if os.environ['MODE'] == 'incl' else 8\n\ndef test_clamp():\n    assert clamp(9, 0, HIGH) == 9\n"}),
    "a variable by env": ("env MODE='in cl' N=3 pytest -q", {"prog.py": "import os\n\ndef n():\n    return int(os.environ['N'])\n", "test_prog.py": "import os\nfrom prog import n\n\ndef test_n():\n    assert (os.environ['MODE'], n()) == ('in cl', 3)\n"}),
    "a path of imports": ("PYTHONPATH=lib pytest", {"lib/prog.py": CLAMP, "test_prog.py": "from prog import clamp\n\ndef test_clamp():\n    assert clamp(11, 0, 9) == 9\n"}),
    "examples in docstrings": ("pytest --doctest-modules prog.py", {"prog.py": 'def double(x):\n    """Double.\n\n    >>> double(2)\n    4\n    """\n    return 2 * x\n'}),
    "a process": ("pytest", {"prog.py": "import sys\nprint(int(sys.argv[1]) * 2)\n", "test_prog.py": "import subprocess, sys\n\ndef test_run():\n    done = subprocess.run([sys.executable, 'prog.py', '4'], capture_output=True, text=True)\n    assert done.stdout == '8\\n', done.stderr\n"}),
    "a process of a package": ("pytest", {"pkg/__init__.py": "", "pkg/__main__.py": "from pkg.work import double\nprint(double(4))\n", "pkg/work.py": "def double(x):\n    return 2 * x\n", "tests/test_run.py": "import subprocess, sys\n\ndef test_run():\n    done = subprocess.run([sys.executable, '-m', 'pkg'], capture_output=True, text=True)\n    assert done.stdout == '8\\n', done.stderr\n"}),
    "threads": ("pytest", {"prog.py": "from concurrent.futures import ThreadPoolExecutor\nimport threading\n\ndef double(xs):\n    gate = threading.Barrier(len(xs))\n    def one(x):\n        gate.wait()\n        return 2 * x\n    with ThreadPoolExecutor(len(xs)) as pool:\n        return list(pool.map(one, xs))\n", "test_prog.py": "from prog import double\n\ndef test_double():\n    assert double(range(150)) == [2 * x for x in range(150)]\n"}),
    "latin-1": ("pytest", {"prog.py": "# -*- coding: latin-1 -*-\nNAME = 'Zoë'\n\ndef name():\n    return NAME\n".encode("latin-1"), "test_prog.py": "# coding: latin-1\nfrom prog import name\n\ndef test_name():\n    assert name() == 'Zoë' and len('é') == 1\n".encode("latin-1")}),
    "a set-up for all tests": ("pytest", {"prog.py": CLAMP, "conftest.py": "import pytest\n\ndef pytest_addoption(parser):\n    parser.addoption('--high', default='9')\n\n@pytest.fixture(scope='session')\ndef high(request):\n    return int(request.config.getoption('--high'))\n", "test_prog.py": "from prog import clamp\n\ndef test_clamp(high):\n    assert clamp(11, 0, high) == 9\n"}),
}  # fmt: skip

BOUNDED = "[clamp(x, 0, 9) for x in (-4, 0, 5, 9, 20)] == [0, 0, 5, 9, 9]"
MENDED: dict[str, tuple[str, Files, str, str]] = {
    "rows": ("pytest", {"prog.py": WRONG, "test_prog.py": "import pytest\nfrom prog import clamp\n\n@pytest.mark.parametrize('x,y', [(5, 5), (11, 9), pytest.param(-1, 0, id='a::[low]'), (3, 3)])\ndef test_clamp(x, y):\n    if x == 3:\n        pytest.skip('later')\n    assert clamp(x, 0, 9) == y\n"}, "prog.py", BOUNDED),
    "packaging": ("pytest", {**packaged("packaging"), "packaging/order.py": VERSION.replace("a) >", "a) <")}, "packaging/order.py", "newer('2.10', '2.9') and not newer('2.8', '2.9')"),
    "a process": ("pytest", {"prog.py": "import sys\n\ndef clamp(x, high):\n    if x < high:\n        return high\n    return x\n\nprint(clamp(int(sys.argv[1]), 9))\n", "test_prog.py": "import subprocess, sys\nimport pytest\n\n@pytest.mark.parametrize('x,y', [(5, 5), (11, 9), (9, 9)])\ndef test_run(x, y):\n    done = subprocess.run([sys.executable, 'prog.py', str(x)], capture_output=True, text=True)\n    assert done.stdout == f'{y}\\n', done.stderr\n"}, "prog.py", "clamp(20, 9) == 9 and clamp(4, 9) == 4"),
    "examples": ("pytest --doctest-modules pkg", {"pkg/__init__.py": "", "pkg/prog.py": 'def double(x):\n    """Double.\n\n    >>> double(2)\n    4\n    >>> double(5)\n    10\n    """\n    return 2 + x\n'}, "pkg/prog.py", "double(21) == 42"),
    "a long loop": ("pytest", {"prog.py": ROUNDS.replace("range(n)", "range(n - 1)"), "test_prog.py": "from prog import total\n\ndef test_total():\n    assert total(300_000) == 899997\n\ndef test_few():\n    assert total(3) == 3\n\ndef test_one():\n    assert total(1) == 0\n"}, "prog.py", "total(14) == 42 and total(15) == 42"),
    "latin-1": ("pytest", {"prog.py": ("# coding: latin-1\nGREETING = 'Grüße, '\n\n" + WRONG).encode("latin-1"), "test_prog.py": "# coding: latin-1\nfrom prog import clamp, GREETING\n\ndef test_clamp():\n    assert clamp(11, 0, 9) == 9 and clamp(5, 0, 9) == 5 and GREETING == 'Grüße, '\n\ndef test_low():\n    assert clamp(-1, 0, 9) == 0\n".encode("latin-1")}, "prog.py", BOUNDED),
}  # fmt: skip

REFUSED: dict[str, tuple[Files, str]] = {
    "a file that is not there": ({"prog.py": WRONG, "test_prog.py": "from prog import clamp\nCASES = open('nowhere.txt').read()\n\ndef test_clamp():\n    assert clamp(11, 0, 9) == 9\n"}, "FileNotFoundError.*nowhere.txt"),
    "a conftest that does not load": ({"prog.py": WRONG, "conftest.py": "raise RuntimeError('no database')\n", "test_prog.py": "from prog import clamp\n\ndef test_clamp():\n    assert clamp(11, 0, 9) == 9\n"}, "no database"),
    "tests that pytest refuses": ({"prog.py": WRONG, "test_prog.py": "import pytest\nfrom prog import clamp\n\n@pytest.mark.parametrize('y', [1])\ndef test_clamp(x):\n    assert clamp(11, 0, 9) == 9\n"}, "no argument 'y'"),
    "a library that is not installed": ({"prog.py": WRONG, "test_prog.py": "import no_such_library_here\nfrom prog import clamp\n\ndef test_clamp():\n    assert clamp(11, 0, 9) == 9\n"}, "No module named 'no_such_library_here'"),
}  # fmt: skip


def written(folder: Path, files: Files) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())


async def outcome(folder: Path, command: str, files: Files, *, seconds: float = 60.0) -> RepairResult:
    written(folder, files)
    read = read_command(command)
    named = sorted({name.partition("/")[0] for name in files if name.endswith(".py")})
    task = read_project(named, read, cwd=folder).task
    return await repair(
        task,
        settings=Evolution(seconds=seconds),
        rng=np.random.default_rng(0),
        clock=time.monotonic,
        sandbox=choose(),
    )


@pytest.mark.parametrize("kind", RIGHT)
async def test_what_is_right_is_not_called_failing(tmp_path, kind):
    command, files = RIGHT[kind]
    found = await outcome(tmp_path, command, files)
    assert found.failures == ()
    assert found.reasoning == "nothing to repair"
    assert found.tests_before[0] == found.tests_before[1] > 0


@pytest.mark.parametrize("kind", MENDED)
async def test_what_is_wrong_is_mended(tmp_path, kind):
    command, files, path, right = MENDED[kind]
    found = (await outcome(tmp_path, command, files)).best()
    assert found.patched, found.failures
    space: dict[str, object] = {}
    with patch("sys.argv", ["prog", "3"]):
        exec(found.files[path], space)
    assert eval(right, space), found.diff


@pytest.mark.parametrize("kind", REFUSED)
async def test_tests_that_cannot_be_collected_end_it_at_once_in_their_own_words(tmp_path, kind):
    files, words = REFUSED[kind]
    found = await outcome(tmp_path, "pytest", files)
    assert (found.solved, found.tried, found.out_of_time) == (False, 0, False)
    assert re.search(f"cannot be collected: .*{words}", found.failures[0])


WRITES = """
import os, pathlib

def test_written():
    pathlib.Path("new.txt").write_text("x")
    assert pathlib.Path("kept.txt").read_text() == "kept"
    for place in ("/project/new.txt", "/project/kept.txt"):
        try:
            open(place, "a").close()
        except OSError:
            continue
        assert False, place
"""


@pytest.mark.parametrize("sandbox", back_ends(), ids=lambda one: one.name)
def test_the_project_is_read_only_and_tests_write_into_a_copy(tmp_path, sandbox):
    written(tmp_path, {"prog.py": CLAMP, "test_prog.py": WRITES + "import prog\n", "kept.txt": "kept"})
    task = read_project(["prog.py"], read_command("pytest"), cwd=tmp_path).task
    with CodeEvaluator(sandbox, task.suite(), limits=Limits()) as evaluator:
        report = evaluator.run({})
    assert [(row.kind, row.message) for row in report.rows] == [("pass", "")]
    assert {path.name for path in tmp_path.iterdir()} == {"prog.py", "test_prog.py", "kept.txt"}


def test_an_example_that_a_candidate_changes_is_none_that_passes(tmp_path):
    _, files = RIGHT["examples in docstrings"]
    written(tmp_path, {"prog.py": str(files["prog.py"]).replace("2 * x", "3 * x")})
    task = read_project(["prog.py"], read_command("pytest --doctest-modules prog.py"), cwd=tmp_path).task
    with CodeEvaluator(choose(), task.suite(), limits=Limits()) as evaluator:
        evaluator.find_cases()
        cheat = task.files["prog.py"].replace("    4", "    6")
        assert evaluator.evaluate({"prog.py": cheat}).score < 60.0
        assert evaluator.evaluate({"prog.py": task.files["prog.py"].replace("3 * x", "2 * x")}).score == 99.0


def test_what_a_candidate_leaves_behind_is_not_for_the_next(tmp_path):
    test = "import prog\n\ndef test_a():\n    assert prog.f() == 1\n"
    written(tmp_path, {"prog.py": "def f():\n    return 1\n", "test_prog.py": "import pytest\n" + test})
    task = read_project(["prog.py"], read_command("pytest"), cwd=tmp_path).task
    cheat = "def f():\n    open('test_prog.py', 'w').write('def test_a():\\n    assert 0\\n')\n    return 1\n"
    with CodeEvaluator(choose(), task.suite(), limits=Limits()) as evaluator:
        assert [
            evaluator.evaluate({"prog.py": text}).score for text in (cheat, "def f():\n    return 1\n")
        ] == [99.0, 99.0]
        assert evaluator.evaluate({"prog.py": "def f():\n    return 2\n"}).score < 99.0
