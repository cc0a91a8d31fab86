"""What lies in the box between two candidates, and what is told where it cannot be made."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ddax.errors import SandboxError
from ddax.evolution.inside import files
from ddax.evolution.inside.limits import OutOfTime
from ddax.evolution.inside.units import described
from ddax.evolution.sandbox import rebind
from ddax.evolution.sandbox.carried import _open
from ddax.evolution.sandbox.runtime import Runtime


def test_a_file_that_the_worker_made_is_gone_where_a_candidate_changed_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    box, outside = tmp_path / "box", tmp_path / "tmp"
    for folder in (box, outside, tmp_path / "project"):
        folder.mkdir()
    monkeypatch.setattr(files, "WORK", str(box))
    monkeypatch.setattr(files, "SCRATCH", (str(box), str(outside)))
    monkeypatch.setattr(files, "PROJECT", str(tmp_path / "project"))
    monkeypatch.chdir(box)
    kept, changed = outside / "kept", outside / "cache"
    kept.write_text("made by a library")
    changed.write_text("made by a library")
    laid = files.Files({"m.py": b"1"}, "/outside")
    for _ in range(2):
        laid.put({"m.py": "2"})
        with changed.open("a") as stream:
            stream.write("!")
        laid.restore()
        assert (kept.exists(), changed.exists(), (box / "m.py").read_text()) == (True, False, "1")


def test_a_machine_without_a_folder_to_cover_is_told_so() -> None:
    binds = tuple((f"{place}/x", "/y") for place in rebind.NEUTRAL)
    with pytest.raises(SandboxError, match="can be covered"):
        rebind.rebound(Runtime("python3", binds, (), True))


@pytest.mark.parametrize("ends", [SystemExit, KeyboardInterrupt, ValueError])
def test_the_text_of_an_error_ends_nothing(ends: type[BaseException]) -> None:
    class Odd(Exception):
        def __str__(self) -> str:
            raise ends

    assert described(Odd()) == f"<its message raised {ends.__name__}>"


def test_the_end_of_the_time_ends_the_text_of_an_error_too() -> None:
    class Slow(Exception):
        def __str__(self) -> str:
            raise OutOfTime

    with pytest.raises(OutOfTime):
        described(Slow())


def test_a_file_that_is_taken_away_meanwhile_keeps_no_folder_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here.py").write_text("")
    monkeypatch.setattr(os, "walk", lambda _: [(str(tmp_path), [], ["gone.tmp", "here.py"])])
    assert _open(str(tmp_path), False)
