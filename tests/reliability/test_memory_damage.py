"""A memory that lost something: every command names it, with exit 4 and three choices, and each works."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.integration.command_line import QUESTION, Done, Loaded, Place, manifest, until

pytestmark = [pytest.mark.integration, pytest.mark.long]
RUN = ("run", QUESTION, "--sources", "docs", "--thread", "t", "--seed", "7")
RESUME = ("resume", "t", "--json")
ASK = {
    "stats": ("memory", "stats", "--json"),
    "search": ("memory", "search", "Trondby", "--json"),
    "export": ("memory", "export", "never.jsonl", "--json"),
    "doctor": ("doctor", "--json"),
    "mood": ("mood", "t", "--json"),
    "run": ("run", QUESTION, "--sources", "docs", "--thread", "u", "--json"),
}


@pytest.fixture
def place(tmp_path: Path, loaded: Loaded) -> Place:
    return Place(tmp_path, loaded)


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory, loaded: Loaded) -> Path:
    """Return a folder with the home of a whole run, and of one that was killed when it had read its pages."""
    place = Place(tmp_path_factory.mktemp("homes"), loaded)
    assert place.call(place.root / "whole", *RUN).code == 0
    process = place.start(place.root / "killed", *RUN)
    until(process, "[6] act")
    process.kill()
    process.communicate()
    return place.root


def zeroed(file: Path) -> None:
    size = file.stat().st_size
    file.write_bytes(file.read_bytes()[: size // 4] + bytes(size // 2) + file.read_bytes()[-size // 4 :])


def flipped(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 16
    file.write_bytes(data)


def swapped(record: Path, source: Path) -> None:
    for file in record.parent.glob("record.sqlite*"):
        file.unlink()
    shutil.copy(source, record)


DAMAGE: dict[str, tuple[str, str, Callable[[Path], object]]] = {
    "emptied": ("whole", "record.sqlite", lambda f: f.write_bytes(b"")),
    "removed": ("whole", "record.sqlite", lambda f: f.unlink()),
    "zeroed in the middle": ("whole", "record.sqlite", zeroed),
    "cut": ("whole", "record.sqlite", lambda f: os.truncate(f, f.stat().st_size // 3)),
    "log removed": ("killed", "record.sqlite-wal", lambda f: f.unlink()),
    "log zeroed": ("killed", "record.sqlite-wal", lambda f: f.write_bytes(bytes(f.stat().st_size))),
    "log flipped": ("killed", "record.sqlite-wal", flipped),
    "log cut": ("killed", "record.sqlite-wal", lambda f: os.truncate(f, f.stat().st_size // 2)),
}


def check_named(done: Done, name: str) -> None:
    assert done.code == 4, (name, done)
    words = json.dumps(done.object)
    assert "record.sqlite" in words, (name, words)
    for choice in ("ddax memory rebuild", "ddax memory restore FILE", "ddax memory reset"):
        assert choice in words, (name, choice)
    assert "Not found" not in words


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_memory_is_named_by_every_command(place: Place, homes: Path, kind: str) -> None:
    source, file, damage = DAMAGE[kind]
    home = Path(shutil.copytree(homes / source, place.root / "home"))
    damage(home / "memory" / file)
    asked = ASK if kind in ("removed", "log removed") else {name: ASK[name] for name in ("stats", "search")}
    if source == "killed":
        asked = {"resume": RESUME, **asked}
    told = place.calls({name: partial(place.call, home, *argv) for name, argv in asked.items()})
    for name, done in told.items():
        check_named(done, name)
    assert not (place.root / "never.jsonl").exists()


def test_a_killed_home_with_nothing_damaged_is_taken_up(place: Place, homes: Path) -> None:
    home = Path(shutil.copytree(homes / "killed", place.root / "home"))
    assert place.call(home, "doctor", "--json").code == 0
    resumed = place.call(home, "resume", "t", "--json")
    assert resumed.code == 0 and "Trondby" in resumed.object["answer"]
    assert manifest(home, "t")["digest"] == manifest(homes / "whole", "t")["digest"]


@pytest.mark.parametrize("choice", ["rebuild", "reset", "older copy", "other home's", "folder removed"])
def test_a_thread_does_not_go_on_without_what_it_rests_on(place: Place, homes: Path, choice: str) -> None:
    """The memory is whole again, in itself; what the thread had read is not in it."""
    home = Path(shutil.copytree(homes / "killed", place.root / "home"))
    record = home / "memory" / "record.sqlite"
    early = place.root / "early"
    assert place.call(early, "memory", "consolidate").code == 0, "a memory without rows"
    if choice in ("rebuild", "reset"):
        for file in (record, record.with_name("record.sqlite-wal")):
            file.unlink()
        assert place.call(home, "memory", choice, "--json").code == 0
    elif choice == "folder removed":
        shutil.rmtree(home / "memory")
    else:
        copy = early / "memory" / "record.sqlite"
        assert place.call(home, "memory", "restore", str(copy), "--json").code == 0
    resumed = place.call(home, "resume", "t", "--json")
    assert resumed.code == 4, resumed
    assert "has lost what thread 't' rests on" in resumed.words
    assert "Not found" not in json.dumps(resumed.object)
    assert place.call(home, "run", QUESTION, "--sources", "docs", "--thread", "u").code == 0, "a new thread"


def test_each_choice_mends_what_was_named(place: Place, homes: Path) -> None:
    copy, export = place.root / "copy.sqlite", place.root / "export.jsonl"
    shutil.copy(homes / "whole" / "memory" / "record.sqlite", copy)
    before = Path(shutil.copytree(homes / "whole", place.root / "before"))
    assert place.call(before, "memory", "export", str(export)).code == 0
    held = place.call(before, "memory", "stats", "--json").object
    choices = {
        "rebuild": ("memory", "rebuild"), "copy": ("memory", "restore", str(copy)),
        "export": ("memory", "restore", str(export)), "reset": ("memory", "reset"),
    }  # fmt: skip
    for name, argv in choices.items():
        home = Path(shutil.copytree(homes / "whole", place.root / name))
        (home / "memory" / "record.sqlite").write_bytes(b"")
        done = place.call(home, *argv)
        assert done.code == 0, (name, done)
        assert "set-aside/1" in done.out, (name, done)
        stats = place.call(home, "memory", "stats", "--json")
        rows = held["rows"] if name in ("copy", "export") else {}
        assert (stats.code, stats.object["rows"]) == (0, rows), name
        assert place.call(home, "doctor").code == 0, name
    assert "Lost: " in place.call(_again(place, homes), "memory", "rebuild").out
    resumed = place.call(place.root / "copy", "resume", "t", "--json")
    assert resumed.code == 0 and "Trondby" in resumed.object["answer"]


def _again(place: Place, homes: Path) -> Path:
    home = Path(shutil.copytree(homes / "whole", place.root / "again"))
    (home / "memory" / "record.sqlite").unlink()
    return home


def test_what_else_a_home_may_lose_is_named_or_made_anew(place: Place, homes: Path) -> None:
    """The index and the caches come back by themselves; agents and checkpoints cannot."""
    index = Path(shutil.copytree(homes / "killed", place.root / "index"))
    if (made := index / "memory" / "index").exists():  # a small memory has made none
        shutil.rmtree(made)
    shutil.rmtree(index / "cache")
    resumed = place.call(index, "resume", "t", "--json")
    assert resumed.code == 0 and "Trondby" in resumed.object["answer"]
    swapped_home = Path(shutil.copytree(homes / "killed", place.root / "swapped"))
    other = place.root / "other"
    assert place.call(other, *RUN[:4], "--thread", "v").code == 0
    swapped(swapped_home / "memory" / "record.sqlite", other / "memory" / "record.sqlite")
    check_named(place.call(swapped_home, "resume", "t", "--json"), "another home's record")
    for file in swapped_home.glob("checkpoints.sqlite*"):
        file.unlink()
    shutil.copy(other / "checkpoints.sqlite", swapped_home / "checkpoints.sqlite")
    assert place.call(swapped_home, "resume", "t", "--json").code == 4
