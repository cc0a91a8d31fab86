"""A project goes into the sandbox as a whole, and nothing beside it goes in, out or is left behind."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ddax.errors import SourceError
from ddax.evolution.evaluator import CodeEvaluator
from ddax.evolution.program.project import read_project
from ddax.evolution.program.test_command import read_command
from ddax.evolution.records import RepairTask
from ddax.evolution.sandbox import Limits, back_ends, carried
from ddax.evolution.sandbox.protocol import Sandbox

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap"),
]
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root runs as somebody else inside")
PROG = "def f():\n    return 1\n"
TEST = "import pytest\nfrom prog import f\n\ndef test_f():\n    assert f() == 1\n"


@pytest.fixture(params=back_ends(), ids=lambda one: one.name)
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    found: Sandbox = request.param
    return found


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of temporary files, which has nothing in it."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


@pytest.fixture
def project(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    (place / "prog.py").write_text(PROG)
    (place / "test_prog.py").write_text(TEST)
    return place


def task_of(place: Path, command: str = "pytest") -> RepairTask:
    return read_project(["prog.py"], read_command(command), cwd=place).task


def ends(place: Path, sandbox: Sandbox, command: str = "pytest") -> list[tuple[str, str]]:
    """Return how the tests of a project end, and what each says."""
    with CodeEvaluator(sandbox, task_of(place, command).suite(), limits=Limits()) as evaluator:
        return [(row.kind, row.message) for row in evaluator.run({}).rows]


@pytest.mark.parametrize("settings", ["", "pyproject.toml", "setup.cfg"])
@pytest.mark.parametrize("where", ["a home", "what holds a home", "the temporary folder"])
def test_a_home_does_not_go_with_the_tests(project, temporary, monkeypatch, settings, where):
    home = project / "somebody" if where == "what holds a home" else project
    home.mkdir(exist_ok=True)
    if where == "the temporary folder":
        monkeypatch.setattr(tempfile, "tempdir", str(project))
    else:
        monkeypatch.setenv("HOME", str(home))
    (project / ".ssh").mkdir()
    (project / ".ssh" / "id").write_text("KEY")
    (project / "conftest.py").write_text("import pytest\n\n@pytest.fixture\ndef one():\n    return 1\n")
    (project / "test_prog.py").write_text(
        "import os\nfrom prog import f\n\ndef test_f(one):\n    assert f() == one\n"
        "    assert not os.path.exists('.ssh') and not os.path.exists('/project')\n"
    )
    if settings:
        (project / settings).write_text("")
    monkeypatch.chdir(project)
    assert task_of(project).folder == ""
    assert ends(project, back_ends()[0]) == [("pass", "")]


def test_a_project_below_a_home_goes_with_the_tests(project, monkeypatch):
    monkeypatch.setenv("HOME", str(project.parent))
    assert task_of(project).folder == str(project)


@as_root
@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_copy_of_closed_files_is_open_to_nobody_else(project, temporary, sandbox, mask):
    (project / ".env").write_text("SECRET")
    (project / ".env").chmod(0o600)
    (project / "inner").mkdir()
    (project / "inner" / "a.txt").write_text("a")
    (project / "inner").chmod(0o700)
    (project / "test_prog.py").write_text(
        f"{TEST}    assert open('.env').read() + open('inner/a.txt').read() == 'SECRETa'\n"
    )
    before = os.umask(mask)
    try:
        with CodeEvaluator(sandbox, task_of(project).suite(), limits=Limits()) as evaluator:
            assert [row.kind for row in evaluator.run({}).rows] == ["pass"]
            (kept,) = temporary.iterdir()
            assert kept.stat().st_mode & 0o777 == 0o700
            stranger = subprocess.run(
                ["ls", str(kept)], user=65534, group=65534, capture_output=True, check=False
            )
            assert stranger.returncode
    finally:
        os.umask(before)
    assert list(temporary.iterdir()) == []


@as_root
def test_a_folder_that_others_may_only_list_is_copied(temporary, sandbox):
    with tempfile.TemporaryDirectory(dir="/media") as place:
        root = Path(place)
        root.chmod(0o755)
        (root / "inner").mkdir()
        (root / "inner" / "a.txt").write_text("a")
        (root / "inner").chmod(0o754)
        (root / "prog.py").write_text(PROG)
        (root / "test_prog.py").write_text(f"{TEST}    assert open('inner/a.txt').read() == 'a'\n")
        assert ends(root, sandbox) == [("pass", "")]
    assert list(temporary.iterdir()) == []


@as_root
def test_nothing_is_left_of_a_copy_that_is_too_much(project, temporary, monkeypatch):
    (project / ".env").write_text("SECRET")
    (project / ".env").chmod(0o600)
    monkeypatch.setattr(carried, "MOST", 10)
    with pytest.raises(SourceError, match="MiB"):
        ends(project, back_ends()[0])
    assert list(temporary.iterdir()) == []


@as_root
def test_what_a_killed_process_left_of_a_copy_is_removed_by_the_next(project, temporary):
    (project / ".env").write_text("SECRET")
    (project / ".env").chmod(0o600)
    code = (
        "import os, signal, sys, tempfile\nfrom ddax.evolution.sandbox import Bubblewrap, carried\n"
        f"tempfile.tempdir = {str(temporary)!r}\nfound = carried.carrying(Bubblewrap(), {str(project)!r})\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=False)
    assert len(list(temporary.iterdir())) == 1
    with CodeEvaluator(back_ends()[0], task_of(project).suite(), limits=Limits()) as one:
        (kept,) = temporary.iterdir()
        with CodeEvaluator(back_ends()[0], task_of(project).suite(), limits=Limits()):
            assert len(list(temporary.iterdir())) == 2, "one in use stays"
        assert list(temporary.iterdir()) == [kept]
        assert [row.kind for row in one.run({}).rows] == ["pass"]
    assert list(temporary.iterdir()) == []


LEADING_OUT = """
import os, socket
from prog import f

def test_f():
    assert f() == 1

def test_socket():
    with socket.socket(socket.AF_UNIX) as told:
        told.connect("/project/{0}x.sock")

def test_pipe():
    os.close(os.open("/project/{0}pipe", os.O_WRONLY | os.O_NONBLOCK))
"""


@pytest.fixture(params=["", ".git/", "inner/node_modules/"])
def leading_out(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield a project with a socket and a pipe in it, both of which somebody listens to."""
    with tempfile.TemporaryDirectory() as place, socket.socket(socket.AF_UNIX) as heard:
        root = Path(place)
        root.chmod(0o755)
        inner = root / request.param
        inner.mkdir(parents=True, exist_ok=True)
        monkeypatch.chdir(inner)
        heard.bind("x.sock")
        heard.listen()
        os.mkfifo("pipe")
        for name in ("x.sock", "pipe"):
            os.chmod(name, 0o777)
        reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
        (root / "prog.py").write_text(PROG)
        (root / "test_prog.py").write_text(LEADING_OUT.format(request.param))
        yield root
        os.close(reader)


def test_no_socket_and_no_pipe_of_a_project_leads_out(leading_out, sandbox):
    kinds = [kind for kind, _ in ends(leading_out, sandbox)]
    assert kinds == ["pass", "error", "error"]


@as_root
@pytest.mark.parametrize("place", ["/mnt", "/media"])
def test_a_project_is_found_where_others_are_mounted(sandbox, place):
    with tempfile.TemporaryDirectory(dir=place) as root:
        os.chmod(root, 0o755)
        (Path(root) / "prog.py").write_text(PROG)
        (Path(root) / "test_prog.py").write_text(TEST)
        assert ends(Path(root), sandbox) == [("pass", "")]


def test_a_link_within_the_project_leads_into_the_copy(project, sandbox):
    (project / "data").mkdir()
    (project / "data" / "a.txt").write_text("a")
    (project / "now").symlink_to(project / "data")
    (project / "test_prog.py").write_text(f"{TEST}    assert open('now/a.txt').read() == 'a'\n")
    assert ends(project, sandbox) == [("pass", "")]
