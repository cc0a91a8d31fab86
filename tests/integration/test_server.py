"""A LangGraph server with our keys and our checkpoints: each caller has its own threads."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import sysconfig
from collections.abc import Awaitable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cases import cases
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
        "DDAX_SERVER__SOURCES_BELOW": str(place / "papers"),
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


async def test_an_owner_is_answered_nothing_that_another_one_read(url: str, place: Path) -> None:
    from langgraph_sdk import get_client

    ada, bob = get_client(url=url, api_key=ADA), get_client(url=url, api_key=BOB)
    context: Any = {"sources": [str(place / "papers")], "namespace": "private"}
    done: Any = await ada.runs.wait(None, "ddax", input=TASK, context=context)
    assert "Ines Calder" in done["answer"]["text"]
    again: Any = await ada.runs.wait(None, "ddax", input=TASK, context={"namespace": "private"})
    assert "Ines Calder" in again["answer"]["text"], "an owner's own memory is kept"
    for namespace in ("default", "private"):
        other: Any = await bob.runs.wait(None, "ddax", input=TASK, context={"namespace": namespace})
        assert "Calder" not in json.dumps(other)
    for owner in (place / "home" / "owners").iterdir():
        found = any(b"Ines Calder" in file.read_bytes() for file in owner.rglob("*") if file.is_file())
        assert found == owner.name.startswith("ada-")
    for client in (ada, bob):
        await client.aclose()


@cases("key", "context")
async def test_a_key_is_no_shell(url: str, place: Path, key: str, context: dict[str, Any]) -> None:
    from langgraph_sdk import get_client

    (place / "plugin.py").write_text(f"open({str(place / 'canary')!r}, 'w').write('x')\n")
    with socket.create_server(("127.0.0.1", 0)) as trap:
        trap.settimeout(0)
        text = (
            json.dumps(context).replace("{place}", str(place)).replace("{port}", str(trap.getsockname()[1]))
        )
        bob = get_client(url=url, api_key=BOB)
        done: Any = await bob.runs.wait(None, "ddax", input=TASK, context=json.loads(text), raise_error=False)
        await bob.aclose()
        with pytest.raises(BlockingIOError):
            trap.accept()
    assert f"may not set {key} to" in done["__error__"]["message"]
    assert not [name for name in ("canary", "loot", "asked.jsonl", "tape") if (place / name).exists()]


def test_nobody_comes_in_by_another_door(url: str) -> None:
    import httpx

    mine = httpx.post(f"{url}/threads", json={}, headers={"x-api-key": ADA}).json()["thread_id"]
    studio = {"x-auth-scheme": "langsmith"}
    assert httpx.post(f"{url}/threads/search", json={}, headers=studio).status_code == 401
    for headers in ({}, {"x-api-key": BOB}):
        for method, path in (
            ("GET", f"/internal/debug/thread/{mine}"),
            ("POST", "/internal/truncate"),
            ("POST", "/deploy"),
        ):
            assert httpx.request(method, f"{url}{path}", headers=headers).status_code == 403
    assert httpx.get(f"{url}/threads/{mine}", headers={"x-api-key": ADA}).status_code == 200
    assert (
        httpx.post(
            f"{url}/threads/search", json={}, headers={"x-api-key": ADA, "origin": "http://e.x"}
        ).status_code
        == 403
    )


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
