"""The home folder: its layout, its version, safe names, and one owner for a thread."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from ddax.errors import StateError, StorageError, ThreadInUse, UsageError
from ddax.memory import files
from ddax.memory.home import Home, safe_name, thread_lock, thread_owner
from ddax.memory.lock import is_alive, this_process

ROOT = Path(__file__).resolve().parents[2]
HOLD = """
import sys, time
from pathlib import Path
from ddax.memory.home import Home, thread_lock
with thread_lock(Home(Path(sys.argv[1])), sys.argv[2], clock=time.time):
    print("held", flush=True)
    sys.stdin.read()
"""
CROWD = """
import os, sys, time
from pathlib import Path
from ddax.errors import ThreadInUse
from ddax.memory.home import Home, thread_lock
home, inside, turns = Home(Path(sys.argv[1])), Path(sys.argv[2]), 0
while turns < 100:
    try:
        with thread_lock(home, "x", clock=time.time):
            os.mkdir(inside)  # fails where somebody else is inside
            os.rmdir(inside)
            turns += 1
    except ThreadInUse:
        time.sleep(0.0005)
print(turns, "turns")
"""


def clock() -> float:
    return 1_700_000_000.0


def holder(home: Home, thread: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(home.path), thread],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    return process


def ended(process: subprocess.Popen[str]) -> None:
    process.communicate(timeout=60)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home").ensure()


def test_a_home_is_made_on_demand_and_may_be_ensured_twice(tmp_path: Path) -> None:
    home = Home(tmp_path / "a b" / "home")
    assert not home.path.exists()
    assert home.ensure().ensure() == home
    assert json.loads((home.path / "home.json").read_text()) == {"schema": 1}
    assert {path.name for path in home.path.iterdir()} == {
        "home.json", "memory", "threads", "cache", "agents", "runs"
    }  # fmt: skip
    assert home.checkpoints == home.path / "checkpoints.sqlite"


def test_the_environment_names_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Home.from_environ({}).path == tmp_path / ".ddax"
    assert Home.from_environ({"DDAX_HOME": ""}).path == tmp_path / ".ddax"
    assert Home.from_environ({"DDAX_HOME": "/x/y"}).path == Path("/x/y")


@pytest.mark.parametrize("schema", [2, "1", None, 1.5])
def test_a_newer_or_odd_home_is_refused(home: Home, schema: object) -> None:
    (home.path / "home.json").write_text(json.dumps({"schema": schema}))
    with pytest.raises(StateError) as caught:
        home.ensure()
    assert caught.value.exit_code == 4


def test_an_older_home_is_migrated_after_a_backup(home: Home) -> None:
    (home.runs / "a.json").write_text("old")
    with pytest.raises(StateError, match="no way from version 1"):
        home.ensure(version=2)

    def step(path: Path) -> None:
        (path / "runs" / "a.json").write_text("new")

    home.ensure(version=2, steps={1: step})
    assert (home.runs / "a.json").read_text() == "new"
    assert json.loads((home.path / "home.json").read_text()) == {"schema": 2}
    assert (home.path.parent / "home.backup-v1" / "runs" / "a.json").read_text() == "old"


def test_a_home_that_is_a_file_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "home"):
        with pytest.raises(StorageError, match="file") as caught:
            Home(path).ensure()
        assert caught.value.exit_code == 7


def test_a_read_only_home_is_a_storage_error(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    # A superuser may write where the mode forbids it, so the answer of the system is given here.
    monkeypatch.setattr("ddax.memory.home.os.access", lambda *_: False)
    with pytest.raises(StorageError, match="read-only"):
        home.ensure()


def test_a_full_disk_leaves_the_old_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.json"
    files.write_atomic(path, "old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(StorageError, match="No space left"):
        files.write_atomic(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["x.json"]


def test_a_small_file_that_another_holds_is_waited_for_and_named(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "x.json"
    stays = pytest.raises(StorageError, match=r"x.json' stays locked\. .*0\.05 s")
    with files.locked(path), stays, files.locked(path, seconds=0.05):
        pytest.fail("two hold one file")
    with files.locked(path, seconds=0.05):
        files.write_atomic(path, "mine")
    assert path.read_text() == "mine"


@pytest.mark.parametrize("name", ["a", "0", "A.b-c_d", "x" * 128])
def test_safe_names_pass(name: str) -> None:
    assert safe_name(name) == name


@pytest.mark.parametrize(
    "name",
    ["", "../x", "..\\x", "a/b", "/a", ".hidden", "-rf", "~", "a b", "a\n", "a\0", "x" * 129, "ü", "${HOME}",
     "%2e%2e", "' OR 1=1", "*", "\U0001f600", "_x"],
)  # fmt: skip
def test_unsafe_names_are_refused(name: str, home: Home) -> None:
    for refused in (lambda: safe_name(name), lambda: thread_lock(home, name, clock=clock).__enter__()):
        with pytest.raises(UsageError) as caught:
            refused()
        assert caught.value.exit_code == 2


def test_a_thread_has_one_owner_in_a_process_too(home: Home) -> None:
    with thread_lock(home, "x", clock=clock) as previous:
        assert previous is None
        with (
            pytest.raises(
                ThreadInUse, match="thread 'x' is in use by this process since 2023-11-14 22:13:20 UTC"
            ),
            thread_lock(home, "x", clock=clock),
        ):
            pass
        with thread_lock(home, "x.lock", clock=clock), thread_lock(home, "y", clock=clock):
            pass
    assert thread_owner(home, "x") is None
    with thread_lock(home, "x", clock=clock):
        pass


def test_another_process_is_named_and_can_be_waited_for(home: Home) -> None:
    process = holder(home, "x")
    with pytest.raises(ThreadInUse, match=f"thread 'x' is in use by pid {process.pid} since ") as caught:
        thread_lock(home, "x", clock=clock).__enter__()
    assert caught.value.exit_code == 5
    assert caught.value.mend == "Wait for it, stop it, or use another thread or home."
    owner = thread_owner(home, "x")
    assert owner is not None and owner.pid == process.pid
    assert process.stdin is not None
    process.stdin.close()
    with thread_lock(home, "x", clock=clock, wait_seconds=20) as previous:
        assert previous is None
    process.stdin = None
    ended(process)


def test_a_killed_owner_is_taken_over(home: Home) -> None:
    process = holder(home, "x")
    process.send_signal(signal.SIGKILL)
    ended(process)
    assert thread_owner(home, "x") is None
    with thread_lock(home, "x", clock=clock) as previous:
        assert previous is not None and previous.pid == process.pid
        assert thread_owner(home, "x") == this_process(clock())


def test_a_lock_given_back_leaves_nothing_behind(home: Home) -> None:
    with thread_lock(home, "x", clock=clock):
        assert home.thread("x").is_dir()
    assert list(home.threads.iterdir()) == []
    with thread_lock(home, "x", clock=clock):
        (home.thread("x") / "kept").touch()
    assert {path.name for path in home.thread("x").iterdir()} == {"kept", "owner.lock"}


def test_a_lock_whose_folder_comes_and_goes_has_one_owner_at_a_time(home: Home) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", CROWD, str(home.path), str(home.path / "inside")],
            stdout=subprocess.PIPE, text=True, cwd=ROOT,
        )
        for _ in range(4)
    ]  # fmt: skip
    said = [process.communicate(timeout=50)[0] for process in processes]
    assert said == ["100 turns\n"] * 4
    assert list(home.threads.iterdir()) == []


def test_half_an_owner_file_does_no_harm(home: Home) -> None:
    home.thread("x").mkdir()
    (home.thread("x") / "owner.json").write_text('{"pid": 1')
    with thread_lock(home, "x", clock=clock) as previous:
        assert previous is None


def test_liveness_needs_the_same_boot_and_start_of_the_process() -> None:
    me = this_process(clock())
    assert asdict(me)["pid"] == os.getpid()
    assert is_alive(me)
    assert is_alive(replace(me, host="elsewhere"))
    assert not is_alive(replace(me, boot="another"))
    if me.started:
        assert not is_alive(replace(me, started="1"))
    assert not is_alive(replace(me, pid=2**22 + 1, started=""))
