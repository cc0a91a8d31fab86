"""What a source holds and was not read is told: once in a warning, in the result, and in a refusal."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any

import pytest

from ddax import Context, open_agent
from ddax.actions.sources import open_library
from ddax.actions.sources.skipping import EMPTY, KINDS, Skipped, note, rows_of
from ddax.configs.settings import Mood
from ddax.errors import SourceError
from ddax.graph.services import Parts
from ddax.memory.embeddings import HashEmbedder

DENIED = "it cannot be opened (Permission denied)"


@pytest.fixture
def papers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder with a page, a picture, an empty file, and a folder that may not be listed."""
    folder = tmp_path / "papers"
    (folder / "closed").mkdir(parents=True)
    (folder / "a.md").write_text("The Harbour Almanac was written by Ines Calder in 1911.")
    (folder / "b.png").write_bytes(b"\x89PNG")
    (folder / "none.md").write_text("")
    listed = os.scandir

    def refuse(place: str) -> object:
        if str(place).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(place))
        return listed(place)

    monkeypatch.setattr(os, "scandir", refuse)
    monkeypatch.chdir(tmp_path)
    return folder


async def asked(question: str, home: Path, thread: str = "t") -> Any:
    context = Context(sources=("papers",), mood=Mood(engine="numpy"))
    async with open_agent(context, home=home, parts=Parts(embedder=HashEmbedder())) as agent:
        result = await agent.run(question, thread=thread)
        assert (await agent.result(thread))["skipped"] == result["skipped"], "kept with the thread"
    return result


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [row.message for row in caplog.records if row.name == "ddax" and "not read" in row.message]


async def test_a_run_that_answers_tells_once_what_it_did_not_read_and_why(
    papers: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "ddax"):
        result = await asked("Who wrote the Harbour Almanac?", tmp_path / "home")
    assert result["status"] == "done" and "Not read" not in result["answer"]
    assert result["skipped"] == [
        {"reason": DENIED, "count": 1, "sources": ["papers/closed"]},
        {"reason": "not a kind of text that is known", "count": 1, "sources": ["papers/b.png"]},
        {"reason": EMPTY, "count": 1, "sources": ["papers/none.md"]},
    ]
    assert warnings(caplog) == [
        f"2 files or folders of the sources not read: 'papers/closed': {DENIED}; 'papers/b.png': not a kind "
        "of text that is known. Make readable what is closed, and ask again; save it as text, or name a "
        "file itself that is text under another ending."
    ]


async def test_a_refusal_names_what_was_not_read(papers: Path, tmp_path: Path) -> None:
    result = await asked("Who painted the old lighthouse of Calder?", tmp_path / "home")
    assert result["status"] == "not_found"
    assert result["answer"].endswith(
        f" Not read: 'papers/closed': {DENIED}; 'papers/b.png': not a kind of text that is known."
    )


async def test_a_run_that_reads_all_there_is_tells_nothing(
    papers: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (papers / "closed").rmdir()
    (papers / "b.png").unlink()
    result = await asked("Who painted the old lighthouse of Calder?", tmp_path / "home")
    assert [row["reason"] for row in result["skipped"]] == [EMPTY], "a file with nothing in it is no loss"
    assert not warnings(caplog) and "Not read" not in result["answer"]


async def test_a_folder_that_holds_a_closed_one_alone_names_it(papers: Path, tmp_path: Path) -> None:
    for name in ("a.md", "b.png", "none.md"):
        (papers / name).unlink()
    with pytest.raises(SourceError) as caught:
        await open_library(["papers"], embedder=HashEmbedder(), cache_dir=tmp_path / "cache")
    assert caught.value.why == f"Skipped: 'papers/closed': {DENIED}."
    assert caught.value.mend == "Make readable what is closed, and ask again."


def test_many_reasons_and_odd_names_make_one_short_line() -> None:
    skipped = [Skipped(f"d/{n}\n\x1b[31m", f"binary or unreadable: case {n % 20}") for n in range(400)]
    rows = rows_of(skipped)
    assert len(rows) == KINDS + 1 and sum(row["count"] for row in rows) == 400
    said = note(rows_of(skipped))
    assert said.startswith("400 files or folders of the sources not read: ")
    assert said.isprintable() and len(said) < 1000
    assert note(rows_of([Skipped("d/pipe.txt", "not a regular file")])).endswith(
        "'d/pipe.txt': not a regular file."
    )
