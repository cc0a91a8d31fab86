"""The scripted ablation: only verification names what speaks against a claim that two sources dispute."""

from __future__ import annotations

from pathlib import Path

from benchmarks.doubts import WORLDS, ended


async def test_verification_names_what_contradicts_and_debate_does_not(tmp_path: Path) -> None:
    read = WORLDS["sources that contradict"]
    checked = await ended(read, {"debate": {"gate": "never"}}, tmp_path / "checked", 0, fails=False)
    unchecked = await ended(
        read, {"debate": {"gate": "never"}, "mood": {"verify": False}}, tmp_path / "unchecked", 0, fails=False
    )
    assert checked.marked and unchecked.marked
    assert (checked.against, unchecked.against) == (True, False)
