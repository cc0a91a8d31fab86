"""`langgraph dev` serves the graph offline, and langgraph-sdk can do with it what Studio does."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ddax.configs.settings import Context

pytestmark = pytest.mark.integration
QUESTIONS = 10
"""Questions that one task may ask before the test gives up."""
TASK = {"task": "Who wrote the Harbour Almanac?"}
PROFILE = """
name: rigid
statement: I ask before I act.
initial_rho: 1.0
protect_threshold: 0.1
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_ready(url: str, server: subprocess.Popen[bytes], log: Path, seconds: float = 120.0) -> None:
    import httpx

    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if server.poll() is not None:
            break
        try:
            if httpx.get(f"{url}/ok", timeout=5.0).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.2)
    pytest.fail(f"langgraph dev did not start:\n{log.read_text(encoding='utf-8', errors='replace')[-4000:]}")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy what the server needs, so that it writes nothing into the checkout."""
    root, place = Path(__file__).resolve().parents[2], tmp_path_factory.mktemp("studio")
    shutil.copytree(root / "ddax", place / "ddax", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("langgraph.json", "pyproject.toml"):
        shutil.copy(root / name, place / name)
    (place / "papers").mkdir()
    (place / "papers" / "almanac.txt").write_text(
        "The Harbour Almanac was written by Ines Calder in 1911. It lists the tides of the north coast.\n",
        encoding="utf-8",
    )
    (place / "rigid.yaml").write_text(PROFILE, encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def url(place: Path) -> Iterator[str]:
    pytest.importorskip("langgraph_api", reason="needs the extra studio (make setup installs it)")
    port, log = free_port(), place / "server.log"
    env = {name: value for name, value in os.environ.items() if not name.startswith(("DDAX_", "LANGSMITH_"))}
    env |= {
        "DDAX_HOME": "home of the server", "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        "LANGGRAPH_NO_VERSION_CHECK": "true",        "LANGSMITH_TRACING": "false",
    }  # fmt: skip
    words = [
        "-m",
        "langgraph_cli",
        "dev",
        "--no-browser",
        "--no-reload",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    with log.open("wb") as out:
        server = subprocess.Popen(
            [sys.executable, *words], cwd=place, env=env, stdin=subprocess.DEVNULL, stdout=out,
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            wait_ready(f"http://127.0.0.1:{port}", server, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            try:
                server.wait(timeout=15)
            except subprocess.TimeoutExpired:
                os.killpg(server.pid, signal.SIGKILL)
                server.wait()


@pytest.fixture
async def client(url: str) -> Any:
    from langgraph_sdk import get_client

    client = get_client(url=url)
    yield client
    await client.aclose()


async def test_drawing_and_schemas(client: Any) -> None:
    assistant = (await client.assistants.search(graph_id="ddax"))[0]["assistant_id"]
    drawing = await client.assistants.get_graph(assistant)
    assert {"open_task", "select", "act", "protect", "close"} <= {node["id"] for node in drawing["nodes"]}
    assert ("select", "act") in {(edge["source"], edge["target"]) for edge in drawing["edges"]}
    schemas = await client.assistants.get_schemas(assistant)
    fields = schemas["context_schema"]["properties"]
    assert set(fields) == set(Context.model_fields)
    assert all(field.get("description") or "$ref" in field for field in fields.values())


async def test_run_streams_and_leaves_state_and_history(client: Any, place: Path) -> None:
    thread = (await client.threads.create())["thread_id"]
    seen: set[str] = set()
    async for part in client.runs.stream(
        thread,
        "ddax",
        input=TASK,
        context={"sources": [str(place / "papers")]},
        stream_mode=["updates", "custom"],
    ):
        assert part.event != "error", part.data
        if part.event == "updates":
            seen |= set(part.data)
    assert {"open_task", "select", "expand", "act", "evaluate", "rigidity", "metacognition", "close"} <= seen
    state = await client.threads.get_state(thread)
    assert state["next"] == []
    assert "Ines Calder" in state["values"]["answer"]["text"]
    assert state["values"]["answer"]["citations"]
    history = await client.threads.get_history(thread, limit=100)
    assert len(history) > 8
    assert {name for entry in history for name in entry["next"]} >= {"select", "act", "close"}
    assert not (place / "papers" / ".ddax").exists()


async def test_an_interrupt_is_shown_and_resumed(client: Any, place: Path) -> None:
    thread = (await client.threads.create())["thread_id"]
    context = {"sources": [str(place / "papers")], "human": True, "identity": str(place / "rigid.yaml")}
    await client.runs.wait(thread, "ddax", input=TASK, context=context)
    state = await client.threads.get_state(thread)
    assert state["next"] == ["protect"], "the run did not stop to ask"
    asked = [one for task in state["tasks"] for one in task["interrupts"]]
    assert asked[0]["value"]["options"] == ["go on", "choose", "edit", "veto", "teach", "stop"]
    after = state
    for _ in range(QUESTIONS):  # a rigid mind may ask once more, about another choice
        open_ones = [one for task in after["tasks"] for one in task["interrupts"]]
        if not open_ones:
            break
        answer = {open_ones[0]["id"]: {"choice": "go on"}}
        await client.runs.wait(thread, "ddax", command={"resume": answer}, context=context)
        after = await client.threads.get_state(thread)
    assert after["next"] == []
    assert after["values"]["status"] in ("done", "stopped")
