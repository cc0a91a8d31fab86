"""Programs whose tests ask for a folder, for what is printed or for a patch are mended as others are."""

import shutil
import time
from typing import Any

import numpy as np
import pytest

from ddax.configs.settings import Evolution
from ddax.evolution.program.project import read_project
from ddax.evolution.repair import repair
from ddax.evolution.sandbox import choose

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap"),
]
NOTES = """
class Notes:
    def __init__(self, path):
        self.path = path

    def add(self, text):
        old = self.path.read_text() if self.path.exists() else ""
        self.path.write_text(old + text)
        print(f"{len(text)} written")
"""
TESTS = """
import pytest
from notes import Notes

@pytest.fixture
def notes(tmp_path):
    return Notes(tmp_path / "notes.txt")

def test_added(notes):
    notes.add("a")
    notes.add("b")
    assert notes.path.read_text() == "ab"

def test_told(notes, capsys):
    notes.add("abc")
    assert capsys.readouterr().out == "3 written\\n"

def test_told_elsewhere(notes, monkeypatch):
    told = []
    monkeypatch.setattr("builtins.print", told.append)
    notes.add("abcd")
    assert told == ["4 written"]
"""


@pytest.mark.parametrize(("right", "wrong"), [("old + text", "old"), ("len(text)", "len(old)")])
async def test_what_tests_see_of_the_process_is_mended(tmp_path, capsys, right, wrong):
    (tmp_path / "notes.py").write_text(NOTES.replace(right, wrong), "utf-8")
    (tmp_path / "test_notes.py").write_text(TESTS, "utf-8")
    project = read_project(["notes.py", "test_notes.py"], None, cwd=tmp_path)
    settings, rng = Evolution(seconds=60.0), np.random.default_rng(0)
    found = (
        await repair(project.task, settings=settings, rng=rng, clock=time.monotonic, sandbox=choose())
    ).best()
    assert found.patched
    assert found.trust == "confirmed"
    space: dict[str, Any] = {}
    exec(found.files["notes.py"], space)
    notes = space["Notes"](tmp_path / "kept.txt")
    notes.add("abc")
    notes.add("de")
    assert notes.path.read_text() == "abcde"
    assert capsys.readouterr().out == "3 written\n2 written\n"
