"""A LangGraph server with our keys and our checkpoints: each caller has its own threads."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import sysconfig
from collections.abc import Awaitable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.test_studio import TASK, free_port, wait_ready

pytestmark = pytest.mark.integration
ADA, BOB = "ada-has-a-long-key-1", "bob-has-a-long-key-2"
INSTRUCTIONS = {"FROM", "ADD", "COPY", "RUN", "ENV", "WORKDIR", "ARG", "CMD", "ENTRYPOINT", "EXPOSE"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root, place = Path(__file__).resolve().parents[2], tmp_path_factory.mktemp("server")
    shutil.copytree(root / "ddax", place / "ddax", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("langgraph.server.json", "pyproject.toml"):
        shutil.copy(root / name, place / name)
    (place / "papers").mkdir()
    (place / "papers" / "almanac.txt").write_text("The Harbour Almanac was written by Ines Calder in 1911.\n")
    return place


@pytest.fixture(scope="module")
def url(place: Path) -> Iterator[str]:
    pytest.importorskip("langgraph_api", reason="needs the extra studio (make setup installs it)")
    port, log = free_port(), place / "server.log"
    env = {name: value for name, value in os.environ.items() if not name.startswith(("DDAX_", "LANGSMITH_"))}
    env |= {
        "DDAX_HOME": str(place / "home"), "DDAX_API_KEYS": f"ada:{ADA},bob:{BOB}",
        "LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGGRAPH_NO_VERSION_CHECK": "true", "LANGSMITH_TRACING": "false",
    }  # fmt: skip
    words = ("dev", "--config", "langgraph.server.json", "--no-browser", "--no-reload", "--host", "127.0.0.1")
    with log.open("wb") as out:
        server = subprocess.Popen(
            [sys.executable, "-m", "langgraph_cli", *words, "--port", str(port)], cwd=place, env=env,
            stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            wait_ready(f"http://127.0.0.1:{port}", server, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            if server.poll() is None:
                os.killpg(server.pid, signal.SIGKILL)
            server.wait()


async def refusal(call: Awaitable[Any]) -> int:
    from httpx import HTTPStatusError

    with pytest.raises(HTTPStatusError) as found:
        await call
    return found.value.response.status_code


async def test_each_key_has_its_own_threads_and_checkpoints_lie_in_our_store(url: str, place: Path) -> None:
    from langgraph_sdk import get_client

    ada, bob = (
        get_client(url=url, api_key=ADA),
        get_client(url=url, headers={"authorization": f"Bearer {BOB}"}),
    )
    stranger = get_client(url=url, api_key="nobody-has-this-key-3")
    assert await refusal(stranger.threads.create()) == 401
    thread = (await ada.threads.create())["thread_id"]
    context: Any = {"sources": [str(place / "papers")]}
    done: Any = await ada.runs.wait(thread, "ddax", input=TASK, context=context)
    assert "Ines Calder" in done["answer"]["text"]
    assert (await ada.threads.get_state(thread))["values"]["status"] == "done"
    assert [one["thread_id"] for one in await ada.threads.search()] == [thread]
    assert await bob.threads.search() == []
    for refused in (bob.threads.get(thread), bob.threads.get_state(thread), bob.threads.delete(thread)):
        assert await refusal(refused) == 404
    assert await refusal(bob.runs.create(thread, "ddax", input=TASK)) == 404
    assert await refusal(ada.assistants.create("ddax")) == 403
    with sqlite3.connect(place / "home" / "checkpoints.sqlite") as db:
        rows = db.execute("SELECT count(*) FROM checkpoints WHERE thread_id = ?", (thread,)).fetchone()[0]
    db.close()
    assert rows > 5
    for client in (ada, bob, stranger):
        await client.aclose()


def test_the_dockerfile_is_generated_linted_and_well_formed(place: Path) -> None:
    pytest.importorskip("langgraph_api", reason="needs the extra studio (make setup installs it)")
    command = [sys.executable, "-m", "langgraph_cli", "dockerfile", "--config", "langgraph.server.json"]
    subprocess.run([*command, "Dockerfile"], cwd=place, check=True, capture_output=True)
    # DL3020: langgraph writes ADD for our folder where COPY would do the same.
    options = ("--failure-threshold", "error", "--ignore", "DL3020", place / "Dockerfile")
    hadolint = Path(sysconfig.get_path("scripts"), "hadolint")
    judged = subprocess.run([hadolint, *options], capture_output=True, text=True)
    assert judged.returncode == 0, judged.stdout
    text = (place / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    assert {line.split()[0] for line in lines} <= INSTRUCTIONS
    assert lines[0] == "FROM langchain/langgraph-api:3.11"
    given = dict(line.removeprefix("ENV ").split("=", 1) for line in lines if line.startswith("ENV "))
    assert json.loads(given["LANGSERVE_GRAPHS"].strip("'"))["ddax"]["path"] == "ddax.graph.builder:graph"
    assert json.loads(given["LANGGRAPH_AUTH"].strip("'"))["path"].endswith("/ddax/graph/serving.py:auth")
    assert json.loads(given["LANGGRAPH_CHECKPOINTER"].strip("'"))["path"].endswith("serving.py:checkpointer")
    assert not any(secret in text for secret in ("API_KEYS", "OPENAI_API_KEY"))
