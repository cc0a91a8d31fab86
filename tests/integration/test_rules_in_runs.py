"""A rule learned in one run carries the next ones, and is given up where the world has changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.rules import FIRST, REWORDED, Bench, Case, draw
from ddax.steps.choices.learned_rules import _carrier

pytestmark = pytest.mark.integration


def write(folder: Path, cases: list[Case], *, moved: bool = False) -> None:
    """Write pages that the reader is sure of; where it has `moved` no landmark names its architect."""
    folder.mkdir()
    for case in cases:
        named = f"The architect and designer of {case.landmark} was {case.architect}."
        born = (
            f"{case.architect} was a person born in the city of {case.city}, which is the birthplace of an "
            f"architect, {case.architect}."
        )
        if moved:
            named = f"{case.landmark} stands on a hill. It was built in 1931."
            born += f" {case.architect} was the architect of the {case.landmark}."
        for title, text in ((case.landmark, named), (case.architect, born)):
            (folder / f"{title}.md").write_text(f"# {title}\n\n{text}\n", encoding="utf-8")


def cited(*sources: str) -> list[dict[str, Any]]:
    return [{"source": source, "quote": source} for source in sources]


def test_what_carries_a_rule_is_said_first_or_was_led_to() -> None:
    said = cited("other", "named", "led to")
    assert _carrier(said, ["named", "led to"], 1) == said[2]
    assert _carrier(cited("named", "led to"), ["named", "led to"], 1) == said[1]
    assert _carrier(cited("other", "named"), ["named"], 1) is None
    assert _carrier([], ["named"], 1) is None


@pytest.mark.long
async def test_a_rule_carries_other_tasks_and_is_retracted_when_it_fails(tmp_path: Path) -> None:
    from ddax.memory.embeddings import open_embedder

    cases = draw(8, np.random.default_rng(0))
    write(tmp_path / "world", cases)
    write(tmp_path / "moved", cases, moved=True)
    ours = Bench(tmp_path / "home", open_embedder(), 0)
    learned = await ours.go([(FIRST.format(c.landmark), c) for c in cases[:3]], tmp_path / "world")
    again = await ours.go([(FIRST.format(c.landmark), c) for c in cases[:3]], tmp_path / "world")
    other = await ours.go(
        [(text.format(c.landmark), c) for text, c in zip(REWORDED, cases[3:6], strict=True)],
        tmp_path / "world",
    )
    assert again.right == [1.0] * 3
    assert sum(again.calls) <= 0.2 * 3 * max(learned.calls)
    assert sum(other.calls) <= 0.4 * 3 * max(learned.calls)
    known = await ours.standings()
    assert known and not any(standing.retracted for standing in known.values())
    await ours.go([(FIRST.format(c.landmark), c) for c in cases[6:]], tmp_path / "moved")
    after = await ours.standings()
    assert any(after[rule].retracted for rule in known)
