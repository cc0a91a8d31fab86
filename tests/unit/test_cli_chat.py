"""`ddax chat`: one thread, a question a line, from a pipe or a terminal."""

from __future__ import annotations

import asyncio
import io
import json
import os
import pty
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from ddax.cli.main import run_command
from ddax.cli.running.lines import Lines
from ddax.configs.settings import Context
from ddax.errors import Unavailable
from ddax.loops import loop_factory
from tests.unit.scripted_command import agent, call

pytestmark = pytest.mark.usefixtures("place")


def lines(monkeypatch: pytest.MonkeyPatch, *said: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(said) + "\n"))


def test_each_line_is_a_question_on_one_thread(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines(monkeypatch, "one?", "", "two?")
    by = agent()
    code, out, err = call(capsys, "chat", "--sources", "docs", "more", "--thread", "t", "-q", by=by)
    assert (code, out, err) == (0, "It is 42.\nIt is 42.\n", "")
    assert by.calls == [("run", "one?"), ("run", "two?")]
    assert by.context is not None and by.context.sources == ("docs", "more")


def test_an_answer_is_shown_with_its_citations_and_how_to_go_on_is_said_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines(monkeypatch, "one?", "two?")
    _, out, err = call(capsys, "chat", "--sources", "docs", "--thread", "t")
    assert out.count("the answer is 42") == 2
    assert "Follow up" not in out
    assert err.count("Go on: ddax chat --thread t") == 1


def test_the_line_after_a_question_of_the_run_is_its_answer(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines(monkeypatch, "one?", "go on")
    by = agent(status="waiting", answer="", question={"text": "May I?", "options": ["go on"]})
    code, out, _ = call(capsys, "chat", "--sources", "docs", by=by)
    assert code == 8
    assert "May I?" in out
    assert [name for name, _ in by.calls] == ["run", "resume"]


def test_a_question_that_fails_does_not_end_the_talk(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines(monkeypatch, "one?", "two?")
    by = agent(error=Unavailable("The model is gone.", why="Nobody answers.", mend="Start it."))
    code, _, err = call(capsys, "chat", "--sources", "docs", by=by)
    assert code == 9
    assert err.count("The model is gone.") == 2


def test_no_line_is_no_error_and_nothing_to_read_is_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines(monkeypatch)
    assert call(capsys, "chat", "--sources", "docs")[0] == 0
    code, _, err = call(capsys, "chat")
    assert code == 2
    assert "nothing to read" in err


def test_a_real_talk_knows_the_turn_before(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "docs").mkdir()
    (place / "docs" / "permits.md").write_text(
        "# Parking permits\n\nA parking permit lasts two years. It costs 40 pounds.\n"
    )
    (place / "docs" / "dams.md").write_text(
        "# Dams\n\nA dam lasts eighty years. A dam costs nine million pounds.\n"
    )
    lines(monkeypatch, "How long does a parking permit last?", "And what does it cost?")
    assert run_command(("chat", "--sources", "docs", "-q")) == 0
    first, second = capsys.readouterr().out.strip().splitlines()
    assert "two years" in first
    assert "40 pounds" in second


def test_one_agent_answers_all_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    by, opened = agent(), list[Context | None]()

    def opener(context: Context | None = None) -> AbstractAsyncContextManager[Any]:
        opened.append(context)
        return by.open(context)

    lines(monkeypatch, "one?", "two?", "three?")
    assert run_command(("chat", "--sources", "docs", "-q"), opener=opener) == 0
    assert [text for _, text in by.calls] == ["one?", "two?", "three?"]
    assert len(opened) == 1


def test_effort_and_output_are_settings_of_the_talk(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = {"type": "object", "properties": {"year": {"type": "integer"}}}
    (place / "form.json").write_text(json.dumps(schema))
    lines(monkeypatch, "one?")
    by = agent()
    words = ("--effort", "quick", "--output", "form.json", "--model", "openai:gpt-4.1-mini")
    assert call(capsys, "chat", "--sources", "docs", *words, by=by)[0] == 0
    assert by.context is not None
    assert by.context.effort == "quick"
    assert by.context.output == schema


async def test_lines_of_a_pipe_are_read_as_they_come_and_nothing_else_waits() -> None:
    reader, writer = os.pipe()
    said: list[str] = []
    with os.fdopen(reader, encoding="utf-8") as stream:
        found = Lines(stream)

        async def listen() -> None:
            while line := await found.read():
                said.append(line)

        listening = asyncio.create_task(listen())
        for words, lines_by_then in ((b"one?\ntwo", 1), (b" \xe2\x82\xac?\n\n", 3), (b"three?", 3)):
            os.write(writer, words)
            while len(said) < lines_by_then:
                await asyncio.sleep(0)
            assert not listening.done()
        os.close(writer)
        await listening
    assert said == ["one?\n", "two €?\n", "\n", "three?"]


@pytest.mark.parametrize("of", [pty.openpty, os.pipe])
@pytest.mark.parametrize("factory", [loop_factory(), None])
def test_what_lines_are_read_from_stays_as_blocking_as_it_was(of: Any, factory: Any) -> None:
    ends = of()
    reader, writer = ends if of is os.pipe else ends[::-1]
    seen: list[bool] = []

    async def listen(stream: Any) -> None:
        found = Lines(stream)
        for _ in range(2):
            listening = asyncio.create_task(found.read())
            await asyncio.sleep(0)
            seen.append(os.get_blocking(reader))  # what writes to the terminal meanwhile shares it
            os.write(writer, b"one?\n")
            assert await listening == "one?\n"
            seen.append(os.get_blocking(reader))
        given_up = asyncio.create_task(found.read())
        await asyncio.sleep(0)
        given_up.cancel()
        await asyncio.wait([given_up])
        seen.append(os.get_blocking(reader))

    with os.fdopen(reader, encoding="utf-8") as stream:
        for blocking in (True, False):
            os.set_blocking(reader, blocking)
            seen.clear()
            with asyncio.Runner(loop_factory=factory) as runner:
                runner.run(listen(stream))
            assert seen == [blocking] * 5
    os.close(writer)


def test_a_talk_without_an_answer_names_no_thread_to_go_on_with(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines(monkeypatch, "")
    assert "Go on" not in call(capsys, "chat", "--sources", "docs", "--thread", "t")[2]


def test_how_a_talk_goes_on_names_its_home(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, place: Path
) -> None:
    monkeypatch.setenv("DDAX_HOME", str(place / "a home"))
    lines(monkeypatch, "one?")
    err = call(capsys, "chat", "--sources", "docs", "--thread", "t")[2]
    assert f"Go on: DDAX_HOME='{place}/a home' ddax chat --thread t" in err
