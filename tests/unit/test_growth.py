"""A superstep that changes one idea of a thousand writes little."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from statistics import median

import pytest


async def test_a_superstep_that_changes_one_idea_of_a_thousand_writes_under_4_kb(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(repo))
    growth = import_module("benchmarks.growth")
    sizes = await growth.measure(tmp_path / "c.sqlite", 1000, 40)
    assert len(sizes.steps) >= 40
    assert median(sizes.steps) < 4096


async def test_the_bytes_of_a_follow_up_do_not_grow_with_the_turns_before_it(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(repo))
    found = await import_module("benchmarks.growth_turns").turns(tmp_path, 14)
    early, late = found[2].bytes, found[-1].bytes
    assert late < 1.1 * early
