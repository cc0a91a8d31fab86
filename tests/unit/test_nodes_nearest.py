"""What a run shows below an answer that was not found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ddax.steps.close.nearest_passages import NEAREST

PIER = "# Pier\n\nJan Orr built the pier in 1902.\n\nThe pier is swept on Mondays."


async def answered(kit: Any, home: Path, task: str, **settings: Any) -> Any:
    kit.pages = {"Pier": PIER}
    async with kit.agent(home, **settings) as agent:
        return await agent.run(task, thread="t")


async def test_passages_with_their_place_stand_below_what_was_not_found(kit: Any, tmp_path: Path) -> None:
    result = await answered(kit, tmp_path, "Who painted the pier?")
    said, *shown = result["answer"].split("\n\n")
    assert result["status"] == "not_found" and not result["citations"]
    assert said.endswith(NEAREST)
    assert shown and all(passage.splitlines()[-1].startswith("> — ") for passage in shown)


async def test_nothing_is_shown_below_an_answer(kit: Any, tmp_path: Path) -> None:
    result = await answered(kit, tmp_path, "Who built the pier?")
    assert result["status"] == "done" and NEAREST not in result["answer"]


async def test_nothing_is_shown_where_the_task_says_how_to_answer(kit: Any, tmp_path: Path) -> None:
    result = await answered(kit, tmp_path, "Who painted the pier? Use at most 16 words.")
    assert result["status"] == "not_found" and len(result["answer"].split()) <= 16
