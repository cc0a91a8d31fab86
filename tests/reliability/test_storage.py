"""Disks that are full, read-only or damaged: exit 7 or 4 with the path and the mend, and nothing lost."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.integration.command_line import QUESTION, Done, Loaded, Place, ended, manifest, until

pytestmark = [pytest.mark.integration, pytest.mark.long]
RUN = ("run", QUESTION, "--sources", "docs", "--thread", "t", "--seed", "7")


@pytest.fixture
def place(tmp_path: Path, loaded: Loaded) -> Place:
    return Place(tmp_path, loaded)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, loaded: Loaded) -> Path:
    """Return the home of one undisturbed run; tests take copies of it."""
    place = Place(tmp_path_factory.mktemp("undisturbed"), loaded)
    assert place.call(place.root / "home", *RUN).code == 0
    return place.root / "home"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a disk of 24 MB; needs root."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount")
    if sys.platform != "linux" or os.geteuid() != 0 or mount is None:
        pytest.skip("mounting a small disk needs root on Linux")
    done = subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=24m", "tmpfs", disk], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip(f"no disk can be mounted here: {done.stderr.decode().strip()}")
    try:
        yield disk
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def fill(disk: Path, spare: int = 0) -> Path:
    """Take all the space of a disk but `spare` bytes."""
    file = disk / "filler"
    with file.open("wb", buffering=0) as filler:
        try:
            while filler.write(b"\0" * 65536):
                pass
        except OSError:
            pass
        filler.truncate(max(filler.tell() - spare, 0))
    return file


def test_a_disk_that_fills_up_during_a_run_stops_it_and_it_resumes(
    place: Place, small_disk: Path, finished: Path
) -> None:
    home = small_disk / "home"
    process = place.start(home, *RUN)
    until(process, "[1] select")
    process.send_signal(signal.SIGSTOP)
    filler = fill(small_disk)
    process.send_signal(signal.SIGCONT)
    done = ended(process)
    assert done.code == 7, done
    assert str(small_disk) in done.err, done.err
    assert "ree " in done.err, "it says to free space"
    assert f"DDAX_HOME={home} ddax resume t" in done.err
    assert "Traceback" not in done.err
    again = place.call(home, "resume", "t", "--json")
    assert again.code == 7, again
    assert again.object["error"]["kind"] == "StorageError"
    filler.unlink()
    resumed = place.call(home, "resume", "t", "--json")
    assert resumed.code == 0, resumed
    assert manifest(home, "t")["digest"] == manifest(finished, "t")["digest"]


def test_a_disk_that_is_full_or_read_only_from_the_start(
    place: Place, small_disk: Path, finished: Path
) -> None:
    home = Path(shutil.copytree(finished, small_disk / "used"))
    filler = fill(small_disk)
    full = place.calls(
        {
            "new": partial(place.call, small_disk / "home", *RUN, "--json"),
            "used": partial(place.call, home, *RUN, "--json"),
        }
    )
    filler.unlink()
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    read_only = place.calls(
        {
            "new": partial(place.call, small_disk / "home", *RUN, "--json"),
            "used": partial(place.call, home, *RUN, "--json"),
        }
    )
    subprocess.run(["mount", "-o", "remount,rw", small_disk], check=True)
    for name, done in [*full.items(), *read_only.items()]:
        assert done.code == 7, (name, done)
        assert str(small_disk) in done.words, (name, done.words)
        assert "DDAX_HOME" in done.words or "ree " in done.words, (name, done.words)
    assert manifest(home, "t")["digest"] == manifest(finished, "t")["digest"]
    shown = place.call(home, "show", "t", "--json")
    assert shown.code == 0, shown


def test_a_home_without_the_right_to_write_is_refused(place: Place, finished: Path) -> None:
    home = Path(shutil.copytree(finished, place.root / "home"))
    homes = {"folder": home, "parent": place.root / "closed" / "home"}
    (place.root / "closed").mkdir()
    for folder in (home, place.root / "closed"):
        folder.chmod(0o555)
    root = sys.platform == "linux" and os.geteuid() == 0
    setpriv = shutil.which("setpriv")
    if root and setpriv is None:
        pytest.skip("root ignores modes, and setpriv, which takes that right away, is missing")
    caps = "-dac_override,-dac_read_search,-fowner"
    prefix = [setpriv, f"--bounding-set={caps}", f"--inh-caps={caps}"] if root else []

    def call(home: Path) -> Done:
        command = [*prefix, sys.executable, "-m", "ddax", *RUN, "--json"]
        done = subprocess.run(
            command, cwd=place.root, env=place.env(home), capture_output=True, timeout=60, check=False
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    told = place.calls({name: partial(call, where) for name, where in homes.items()})
    for folder in (home, place.root / "closed"):
        folder.chmod(0o755)
    for name, done in told.items():
        assert done.code == 7, (name, done)
        assert str(homes[name]) in done.words
        assert "DDAX_HOME" in done.words
    assert manifest(home, "t") == manifest(finished, "t")


def test_damaged_checkpoints_are_refused_and_never_a_silent_restart(place: Place, finished: Path) -> None:
    whole = (finished / "checkpoints.sqlite").read_bytes()
    damage = {
        "empty": b"",
        "cut": whole[: len(whole) // 2],
        "garbage": b"\x93" * len(whole),
        "hole": whole[:4096] + b"\x93" * (len(whole) - 8192) + whole[-4096:],
    }
    row = manifest(finished, "t")
    calls: dict[str, Callable[[], Done]] = {}
    for name, content in damage.items():
        for kind, status in (("resume", "running"), ("follow", "done")):
            if kind == "follow" and name not in ("empty", "cut"):
                continue  # a follow-up reads the same state in the same way
            home = Path(shutil.copytree(finished, place.root / f"{name}-{kind}"))
            for file in home.glob("checkpoints.sqlite*"):
                file.unlink()
            (home / "checkpoints.sqlite").write_bytes(content)
            (home / "runs" / "t" / "run.json").write_text(json.dumps({**row, "status": status}))
            argv = ("resume", "t") if kind == "resume" else RUN
            calls[f"{name}-{kind}"] = partial(place.call, home, *argv, "--json")
    for name, done in place.calls(calls).items():
        assert done.code == 4, (name, done)
        assert done.object["error"]["kind"] == "StateError"
        assert "checkpoint" in done.words, (name, done.words)
        assert "backup" in done.words, (name, done.words)
        assert manifest(place.root / name, "t")["checkpoint_id"] == row["checkpoint_id"], name


def test_homes_and_manifests_of_another_version_or_damaged(place: Place, finished: Path) -> None:
    def changed(name: str, file: str, content: str) -> Path:
        home = Path(shutil.copytree(finished, place.root / name))
        (home / file).write_text(content)
        return home

    row = manifest(finished, "t")
    run = "runs/t/run.json"
    homes = {
        "newer": changed("newer", "home.json", '{"schema": 99}'),
        "broken": changed("broken", "home.json", '{"schema": 1'),
        "run-newer": changed("run-newer", run, json.dumps({**row, "version": 99, "unheard": 1})),
        "run-broken": changed("run-broken", run, json.dumps(row)[:-20]),
    }
    memory = Path(shutil.copytree(finished, place.root / "memory"))
    with sqlite3.connect(memory / "memory" / "record.sqlite") as db:
        db.execute("PRAGMA user_version=99")
    homes["memory"] = memory
    told = place.calls({name: partial(place.call, home, *RUN, "--json") for name, home in homes.items()})
    for name, done in told.items():
        assert done.code == 4, (name, done)
        word = {"newer": "99", "run-newer": "newer release", "memory": "99"}.get(name, "damaged")
        assert word in done.words, (name, done.words)


def test_an_older_home_is_migrated_after_a_backup(place: Place, finished: Path) -> None:
    home = Path(shutil.copytree(finished, place.root / "home"))
    (home / "home.json").write_text('{"schema": 0}')
    (home / "agents" / "old.txt").write_text("old")
    (place.root / "call.py").write_text(
        "from ddax.memory import home\n"
        "def renamed(path): (path / 'agents' / 'old.txt').rename(path / 'agents' / 'new.txt')\n"
        "home.HOME_STEPS = {0: renamed}\n"
        "home.Home.ensure.__kwdefaults__['steps'] = home.HOME_STEPS\n"
        "import sys\n"
        "from ddax.cli.main import run_command\n"
        "raise SystemExit(run_command(sys.argv[1:]))\n"
    )
    command = [sys.executable, "call.py", "show", "t", "--json"]
    done = subprocess.run(
        command, cwd=place.root, env=place.env(home), capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, done
    backup = place.root / "home.backup-v0"
    assert (backup / "agents" / "old.txt").read_text() == "old"
    assert json.loads((backup / "home.json").read_text()) == {"schema": 0}
    assert (home / "agents" / "new.txt").read_text() == "old"
    assert json.loads((home / "home.json").read_text())["schema"] >= 1
    without = place.call(place.root / "home.backup-v0", "show", "t", "--json")
    assert without.code == 4, "without a way from one version to the next it is refused, not guessed"
