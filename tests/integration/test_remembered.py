"""What a source says no more is no evidence, and what is only remembered is said to be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ddax import Context, open_agent
from ddax.cli.answer import result_lines

QUESTION = "Who is the keeper of the east gate?"
BUILT = "The gate was built in 1840."


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("east", keeper("Tom Rook")), ("west", "# West gate\n\nThe west gate has a bell.\n")):
        Path(name).mkdir()
        Path(name, "gate.md").write_text(text, encoding="utf-8")
    return tmp_path


def keeper(name: str) -> str:
    return f"# East gate\n\nThe keeper of the east gate is {name}. {BUILT}\n"


async def ask(place: Path, source: str, thread: str) -> Any:
    async with open_agent(Context(sources=(source,)), home=place / "home") as agent:
        return await agent.run(QUESTION, thread=thread)


async def test_what_others_read_is_said_to_be_remembered(place: Path) -> None:
    own = await ask(place, "east", "a")
    assert own["short"] == "Tom Rook" and "remembered" not in own["citations"][0]
    elsewhere = await ask(place, "west", "b")
    assert elsewhere["short"] == "Tom Rook" and elsewhere["citations"][0]["remembered"] is True
    shown = "\n".join(result_lines(elsewhere))
    assert "[1] East gate <east/gate.md>, remembered from an earlier task" in shown


async def test_a_passage_that_others_read_is_said_to_be_remembered(place: Path) -> None:
    await ask(place, "east", "a")
    async with open_agent(Context(sources=("west",)), home=place / "home") as agent:
        result = await agent.run("Who painted the east gate?", thread="b")
    places = [line for line in result["answer"].splitlines() if line.startswith("> — ")]
    assert result["status"] == "not_found"
    assert "> — east/gate.md (East gate), remembered from an earlier task" in places, result["answer"]


async def test_the_newer_version_of_a_file_takes_the_place_of_the_older_one(place: Path) -> None:
    assert (await ask(place, "east", "a"))["short"] == "Tom Rook"
    Path("east/gate.md").write_text(keeper("Ann Fox"), encoding="utf-8")
    assert (await ask(place, "east", "b"))["short"] == "Ann Fox"
    assert (await ask(place, "west", "c"))["short"] == "Ann Fox"


async def test_what_was_taken_out_of_a_file_is_no_evidence(place: Path) -> None:
    await ask(place, "east", "a")
    Path("east/gate.md").write_text(f"# East gate\n\n{BUILT}\n", encoding="utf-8")
    for thread, source in (("b", "east"), ("c", "west")):
        result = await ask(place, source, thread)
        assert "Tom Rook" not in result["answer"] and result["answer"].count(BUILT) <= 1


async def test_a_file_that_is_gone_is_no_evidence_where_its_folder_is_a_source(place: Path) -> None:
    await ask(place, "east", "a")
    Path("east/gate.md").rename("east/rain.md")
    Path("east/rain.md").write_text("It rains.\n", encoding="utf-8")
    result = await ask(place, "east", "b")
    assert result["status"] == "not_found" and not result["citations"]
