"""A written repair keeps the original and can be undone; nothing is ever half written."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import pytest

from ddax.cli.patch import diff_lines
from ddax.errors import StateError, StorageError, UsageError
from ddax.evolution.program.project import read_text
from ddax.evolution.written_back import apply_repair, kept_repairs, undo_repair

OLD, NEW = (
    {"a.py": "x = 1\r\n", "b.py": "y = 1\n", "c.py": "z\n"},
    {"a.py": "x = 2\r\n", "b.py": "y = 2\n", "c.py": "z\n"},
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    for name, text in OLD.items():
        (folder / name).write_bytes(text.encode())
    (folder / "a.py").chmod(0o750)
    return folder


def test_a_repair_is_written_and_undone_byte_for_byte(root, tmp_path):
    kept = apply_repair(root, OLD, NEW, store=tmp_path / "kept", stamp="1")
    assert kept.files == ("a.py", "b.py")
    assert (root / "a.py").read_bytes() == b"x = 2\r\n"
    assert (root / "a.py").stat().st_mode & 0o777 == 0o750
    found = kept_repairs(tmp_path / "kept")
    assert [(k.files, k.undone) for k in found] == [(("a.py", "b.py"), False)]
    assert undo_repair(found[0]) == ("a.py", "b.py")
    assert {p.name: p.read_bytes().decode() for p in root.iterdir()} == OLD
    assert kept_repairs(tmp_path / "kept")[0].undone


def test_a_file_that_is_gone_is_not_written(root, tmp_path):
    (root / "b.py").unlink()
    with pytest.raises(UsageError, match="has changed"):
        apply_repair(root, OLD, NEW, store=tmp_path / "kept", stamp="1")
    assert (root / "a.py").read_bytes() == OLD["a.py"].encode()


def test_where_one_file_cannot_be_written_none_is(root, tmp_path, monkeypatch):
    replacing = os.replace

    def full(source, place):
        if Path(place).name == "b.py":
            raise OSError(28, "No space left on device")
        replacing(source, place)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(StorageError, match=r"b\.py"):
        apply_repair(root, OLD, NEW, store=tmp_path / "kept", stamp="1")
    assert {p.name: p.read_bytes().decode() for p in root.iterdir()} == OLD
    assert [k.undone for k in kept_repairs(tmp_path / "kept")] == [True]


def test_a_folder_that_takes_no_new_file_is_one_clear_error(root, tmp_path, monkeypatch):
    def closed(*_args, **_kwargs):
        raise PermissionError(13, "Permission denied")

    kept = apply_repair(root, OLD, NEW, store=tmp_path / "kept", stamp="1")
    monkeypatch.setattr(tempfile, "mkstemp", closed)
    with pytest.raises(StorageError, match="Cannot write"):
        undo_repair(kept)


@pytest.mark.parametrize(
    "damage",
    [{"undone": None}, {"undone": "no"}, {"files": [{"path": "a.py"}]}, {"files": ["a.py"]}, {"files": None}],
)
def test_a_damaged_record_of_a_repair_is_told(root, tmp_path, damage):
    kept = apply_repair(root, OLD, NEW, store=tmp_path / "kept", stamp="1")
    place = kept.folder / "manifest.json"
    record = {k: v for k, v in (json.loads(place.read_text()) | damage).items() if v is not None}
    place.write_text(json.dumps(record))
    with pytest.raises(StateError, match="damaged"):
        kept_repairs(tmp_path / "kept")


def test_an_original_that_is_gone_is_told(root, tmp_path):
    kept = apply_repair(root, OLD, NEW, store=tmp_path / "kept", stamp="1")
    (kept.folder / "0.original").unlink()
    with pytest.raises(StateError, match="is gone"):
        undo_repair(kept)
    assert (root / "b.py").read_bytes() == NEW["b.py"].encode()


def test_a_file_changed_meanwhile_is_not_overwritten(root, tmp_path):
    (root / "b.py").write_text("mine\n")
    with pytest.raises(UsageError, match="has changed"):
        apply_repair(root, OLD, NEW, store=tmp_path / "kept", stamp="1")
    assert (root / "a.py").read_bytes() == OLD["a.py"].encode()
    assert kept_repairs(tmp_path / "kept") == []


def test_work_after_the_repair_is_not_undone(root, tmp_path):
    kept = apply_repair(root, OLD, NEW, store=tmp_path / "kept", stamp="1")
    (root / "b.py").write_text("y = 2  # mine\n")
    with pytest.raises(UsageError, match="was changed after"):
        undo_repair(kept)
    assert (root / "a.py").read_bytes() == NEW["a.py"].encode()


def test_a_damaged_original_is_not_put_back(root, tmp_path):
    kept = apply_repair(root, OLD, NEW, store=tmp_path / "kept", stamp="1")
    (kept.folder / "0.original").write_text("junk")
    with pytest.raises(StateError, match="damaged"):
        undo_repair(kept)
    (kept.folder / "manifest.json").write_text("{")
    with pytest.raises(StateError, match="damaged"):
        kept_repairs(tmp_path / "kept")


def test_the_newest_repair_comes_first(root, tmp_path):
    apply_repair(root, OLD, {**OLD, "a.py": "x = 2\r\n"}, store=tmp_path / "kept", stamp="1")
    apply_repair(root, {**OLD, "a.py": "x = 2\r\n"}, NEW, store=tmp_path / "kept", stamp="2")
    assert [k.files for k in kept_repairs(tmp_path / "kept")] == [("b.py",), ("a.py",)]


def test_a_diff_is_coloured_only_where_asked_and_never_steers_the_terminal():
    diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\x1b[2J\n+b\n"
    assert diff_lines(diff, colour=False) == ["--- a/x", "+++ b/x", "@@ -1 +1 @@", "-a", "+b"]
    assert diff_lines(diff, colour=True)[3:] == ["\x1b[31m-a\x1b[0m", "\x1b[32m+b\x1b[0m"]


def test_the_mark_of_a_file_stays_and_is_put_back(tmp_path):
    place, marked = tmp_path / "a.py", b"\xef\xbb\xbfx = 1\n"
    place.write_bytes(marked)
    assert read_text(place) == "x = 1\n"
    kept = apply_repair(
        tmp_path, {"a.py": "x = 1\n"}, {"a.py": "x = 2\n"}, store=tmp_path / "kept", stamp="1"
    )
    assert place.read_bytes() == b"\xef\xbb\xbfx = 2\n"
    undo_repair(kept)
    assert place.read_bytes() == marked


def test_a_file_that_nobody_may_write_is_not_replaced(root, tmp_path):
    (root / "b.py").chmod(0o444)
    with pytest.raises(UsageError, match=r"b\.py is read-only") as raised:
        apply_repair(root, OLD, NEW, store=tmp_path / "kept", stamp="1")
    assert "chmod u+w" in raised.value.mend
    assert {p.name: p.read_bytes().decode() for p in root.iterdir()} == OLD


@pytest.mark.parametrize("deep", [False, True])
def test_a_repair_is_written_and_undone_through_a_link(tmp_path, deep):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "prog.py").write_text("x = 1\n", "utf-8")
    root = tmp_path / "here"
    root.mkdir()
    if deep:
        (root / "pkg").symlink_to(tmp_path / "real", target_is_directory=True)
    else:
        (root / "pkg").mkdir()
        (root / "pkg" / "prog.py").symlink_to(tmp_path / "real" / "prog.py")
    old, new = {"pkg/prog.py": "x = 1\n"}, {"pkg/prog.py": "x = 2\n"}
    kept = apply_repair(root, old, new, store=tmp_path / "store", stamp="now")
    assert (tmp_path / "real" / "prog.py").read_text("utf-8") == "x = 2\n"
    assert (root / "pkg" / "prog.py").is_symlink() is not deep
    undo_repair(kept)
    assert (tmp_path / "real" / "prog.py").read_text("utf-8") == "x = 1\n"


def test_a_repair_is_written_in_the_encoding_of_its_file(tmp_path):
    old = "# coding: latin-1\nx = 'é'\n"
    (tmp_path / "prog.py").write_bytes(old.encode("latin-1"))
    new = old.replace("é", "è")
    kept = apply_repair(tmp_path, {"prog.py": old}, {"prog.py": new}, store=tmp_path / "store", stamp="now")
    assert (tmp_path / "prog.py").read_bytes() == new.encode("latin-1")
    undo_repair(kept)
    assert (tmp_path / "prog.py").read_bytes() == old.encode("latin-1")
