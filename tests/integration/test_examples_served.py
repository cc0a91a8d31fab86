"""The examples that are used from outside: the service by a client over HTTP, the page as a visitor."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

pytestmark = [pytest.mark.integration, pytest.mark.long]
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ASKED = "Which function returns the median of numeric data?"
VISIT = """
import os

from streamlit.testing.v1 import AppTest

page = AppTest.from_file({page!r}, default_timeout=200).run()
assert not page.exception, page.exception
print("title:", page.title[0].value)
page.chat_input[0].set_value({asked!r}).run()
assert not page.exception and not page.error, (page.exception, page.error)
print("answer:", page.chat_message[1].markdown[0].value)
print("quotes:", *(text.value for text in page.text), sep="\\n")
print("caption:", page.caption[0].value)
page.chat_input[0].set_value("And what does it raise for empty data?").run()
assert not page.exception, page.exception
print("turns:", len(page.chat_message), page.chat_message[0].markdown[0].value, flush=True)
os._exit(0)  # a server of pages never ends so: threads of the page live beyond the interpreter
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    shutil.copytree(EXAMPLES, tmp_path / "mine")
    return tmp_path / "mine"


@pytest.fixture
def service(mine: Path) -> Iterator[str]:
    pytest.importorskip("fastapi", reason="needs fastapi (make setup installs it)")
    log = mine.parent / "service.log"
    with log.open("wb") as out:
        server = subprocess.Popen(
            [sys.executable, "-W", "error", "-m", "uvicorn", "service:app", "--port", "0"],
            cwd=mine, env={**os.environ, "DDAX_HOME": str(mine.parent / "home")}, stdout=out, stderr=out,
        )  # fmt: skip
    try:
        yield f"{address_of(server, log)}/ask"
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(60)
    assert "Application shutdown complete" in log.read_text(), log.read_text()


def address_of(server: subprocess.Popen[bytes], log: Path, seconds: float = 200.0) -> str:
    """Wait until a server says where it runs, and return that."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends and server.poll() is None:
        if found := re.search(r"running on (http://127\.0\.0\.1:\d+)", log.read_text()):
            return found[1]
        time.sleep(0.2)
    raise AssertionError(log.read_text())


async def events(
    client: httpx.AsyncClient, address: str, **question: Any
) -> list[tuple[str, dict[str, Any]]]:
    """Ask, and return the events of the stream, each with its data."""
    found: list[tuple[str, dict[str, Any]]] = []
    async with client.stream("POST", address, json=question) as reply:
        assert reply.status_code == 200
        assert reply.headers["content-type"].startswith("text/event-stream")
        kind = ""
        async for line in reply.aiter_lines():
            if line.startswith("event: "):
                kind = line.removeprefix("event: ")
            elif line.startswith("data: "):
                found.append((kind, json.loads(line.removeprefix("data: "))))
    return found


async def test_the_service_streams_steps_then_the_answer(service: str) -> None:
    async with httpx.AsyncClient(timeout=200, trust_env=False) as client:
        told = await events(client, service, text=ASKED, thread="talk")
        kinds = [kind for kind, _ in told]
        assert kinds[-1] == "answer"
        assert set(kinds[:-1]) == {"step"}
        assert {"expand", "act", "close"} <= {data["node"] for kind, data in told if kind == "step"}
        assert told[-1][1]["short"] == "statistics.median"
        assert told[-1][1]["citations"][0]["source"] == "python:statistics.median"

        both = await asyncio.gather(*(events(client, service, text=ASKED, thread="same") for _ in range(2)))
        ends = {told[-1][0]: told[-1][1] for told in both}
        assert set(ends) == {"answer", "error"}, "one thread does one task at a time, and says so"
        assert "same" in ends["error"]["what"]
        assert ends["error"]["mend"]

        assert (await client.post(service, json={"text": ""})).status_code == 422
        assert (await client.post(service, json={"text": "x", "thread": "../up"})).status_code == 422


def test_the_page_answers_and_keeps_the_talk(mine: Path) -> None:
    pytest.importorskip("streamlit", reason="needs streamlit (make setup installs it)")
    page = mine / "page.py"
    assert len(page.read_text(encoding="utf-8").splitlines()) <= 40
    # Warnings are no errors here: streamlit leaves a folder of its own to the end of the process.
    done = subprocess.run(
        [sys.executable, "-c", VISIT.format(page=str(page), asked=ASKED)], cwd=mine, capture_output=True,
        text=True, timeout=280, check=False, env={**os.environ, "DDAX_HOME": str(mine.parent / "home")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    said = done.stdout
    assert "title: Ask the documentation" in said
    assert "answer: statistics.median: Return the median" in said
    assert "quotes:\n" in said and "\nReturn the median (middle value) of numeric data.\n" in said
    assert "caption: done, " in said
    assert f"turns: 4 {ASKED}" in said
