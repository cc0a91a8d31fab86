"""`langgraph dev` serves the graph offline, and langgraph-sdk can do with it what Studio does."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from ddax.configs.settings import Context
from tests.integration.browser_site import Site, with_chromium

pytestmark = pytest.mark.integration
QUESTIONS = 10
"""Questions that one task may ask before the test gives up."""
KEY = "sk-proj-0123456789abcdefghijABCDEFGHIJ0123456789"
"""Has the form of a key of a provider, and is none."""
TASK = {"task": "Who wrote the Harbour Almanac?"}
FOREIGN = (
    {"origin": "http://evil.example"}, {"origin": "null"}, {"origin": "http://localhost.evil.example"},
    {"sec-fetch-site": "cross-site"}, {"host": "evil.example"}, {"host": "evil.example", "origin": "http://evil.example"},
)  # fmt: skip
"""What a browser says of a request that a page of another site sent."""
PLUGIN = "from pathlib import Path\nPath({canary!r}).write_text('executed')\n"


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
    (place / "ddax.yaml").write_text(
        "server: {sources_below: [papers], allow_hosts: [127.0.0.1]}\n", encoding="utf-8"
    )
    (place / "plugin.py").write_text(PLUGIN.format(canary=str(place / "canary")), encoding="utf-8")
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
    assert all(field["description"] and "default" in field for field in fields.values())
    parts = schemas["context_schema"]["$defs"]
    assert all(field.get("description") for part in parts.values() for field in part["properties"].values())
    assert set(parts["Selection"]["properties"]["preset"]["enum"]) == {"hybrid", "dda-x", "puct", "flat"}
    assert fields["identity"]["default"] in fields["identity"]["examples"]
    assert set(schemas["input_schema"]["properties"]) == {"task", "messages"}
    roles = {node["id"]: (node.get("metadata") or {}).get("role") for node in drawing["nodes"]}
    assert all(roles[name] for name in ("open_task", "select", "act", "protect", "close"))


async def test_a_chat_client_sends_messages_and_gets_the_answer_as_one(client: Any, place: Path) -> None:
    thread = (await client.threads.create())["thread_id"]
    context = {"sources": [str(place / "papers")]}
    blocks = [{"type": "text", "text": TASK["task"]}]
    said = {"messages": [{"type": "human", "content": blocks, "id": "m1"}]}
    done = await client.runs.wait(thread, "ddax", input=said, context=context)
    assert [message["type"] for message in done["messages"]] == ["human", "ai"]
    assert "Ines Calder" in done["messages"][-1]["content"]
    assert done["task"] == TASK["task"]
    again = {"messages": [{"type": "human", "content": "When was the Harbour Almanac written?", "id": "m2"}]}
    done = await client.runs.wait(thread, "ddax", input=again, context=context)
    assert [message["type"] for message in done["messages"]] == ["human", "ai", "human", "ai"]
    assert "1911" in done["messages"][-1]["content"]


@pytest.fixture
async def librarian(client: Any, place: Path) -> str:
    """Make an assistant with sources of its own: what MCP and A2A call."""
    context = {"sources": [str(place / "papers")]}
    made = await client.assistants.create(
        "ddax", context=context, name="librarian", description="Answers from the papers.",
        if_exists="do_nothing", assistant_id="6f1c2a52-65d0-4d1c-9a1f-0d4c6c1f2b11",
    )  # fmt: skip
    return str(made["assistant_id"])


def rpc(url: str, method: str, **params: Any) -> dict[str, Any]:
    import httpx

    headers = {"accept": "application/json, text/event-stream"}
    body = {"jsonrpc": "2.0", "id": "1", "method": method, "params": params}
    reply = httpx.post(url, json=body, headers=headers, timeout=120.0)
    assert reply.status_code == 200, reply.text
    answer: dict[str, Any] = reply.json()
    assert "error" not in answer, answer
    return dict(answer["result"])


async def test_the_server_offers_an_assistant_as_a_tool_by_mcp(url: str, librarian: str) -> None:
    pytest.importorskip("mcp", reason="needs the extra mcp")
    from mcp import ClientSession
    from mcp.client import streamable_http

    async with AsyncExitStack() as stack:
        opened = await stack.enter_async_context(streamable_http.streamable_http_client(f"{url}/mcp/"))
        session = await stack.enter_async_context(ClientSession(opened[0], opened[1]))
        await session.initialize()
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        assert tools["librarian"].description == "Answers from the papers."
        called = await session.call_tool("librarian", {"task": TASK["task"]})
    assert "Ines Calder" in called.content[0].text


async def test_the_server_answers_over_a2a(url: str, librarian: str) -> None:
    import httpx

    card = httpx.get(f"{url}/.well-known/agent-card.json", params={"assistant_id": librarian}).json()
    assert card["name"] == "librarian"
    message = {"role": "user", "parts": [{"kind": "text", "text": TASK["task"]}], "messageId": "m1"}
    task = rpc(f"{url}/a2a/{librarian}", "message/send", message=message)
    assert "Ines Calder" in json.dumps(task["artifacts"])
    assert task["status"]["state"] == "completed"


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


@pytest.mark.parametrize(
    ("task", "context", "kind", "words"),
    [
        (TASK, {"sources": ["papers/nowhere at all"]}, "SourceError", "nowhere at all"),
        (TASK, {"identity": "nobody"}, "SettingsError", "There is no identity profile 'nobody'"),
        (TASK, {"model": "foo:bar"}, "SettingsError", "may not set model"),
        (TASK, {"sources": [f"papers/{KEY} is no folder"]}, "SourceError", "is no folder"),
        (TASK, {"sources": [f"{KEY} lies elsewhere"]}, "SettingsError", "may not set sources"),
        ({"task": " "}, {}, "UsageError", "the task is empty"),
        ({"task": 5}, {}, "UsageError", "the task is no text"),
    ],
)
async def test_a_client_is_told_what_is_wrong(
    client: Any, task: dict[str, Any], context: dict[str, Any], kind: str, words: str
) -> None:
    thread = (await client.threads.create())["thread_id"]
    done = await client.runs.wait(thread, "ddax", input=task, context=context, raise_error=False)
    assert done["__error__"]["error"] == kind
    assert words in done["__error__"]["message"]
    assert KEY not in json.dumps(done)


@pytest.mark.parametrize("scheme", ["", pytest.param("browser:", marks=with_chromium)])
async def test_a_page_of_the_web_is_read_without_a_flag_of_the_server(
    client: Any, served: Site, scheme: str
) -> None:
    words = "The Pilot Guide was written by Ines Calder in 1911. " + "It was printed in Belmark. " * 12
    address = scheme + served.page("/guide", f"<main><h1>Guide</h1><p>{words}</p></main>")
    thread = (await client.threads.create())["thread_id"]
    context = {"sources": [address], "allow_hosts": ["127.0.0.1"]}
    task = {"task": "Who wrote the Pilot Guide?"}
    done = await client.runs.wait(thread, "ddax", input=task, context=context)
    assert "Ines Calder" in done["answer"]["text"]


async def test_an_interrupt_is_shown_and_resumed(client: Any, place: Path) -> None:
    thread = (await client.threads.create())["thread_id"]
    context = {"sources": [str(place / "papers")], "human": True}
    await client.runs.wait(thread, "ddax", input=TASK, context={**context, "human": False})
    mind = (await client.threads.get_state(thread))["values"]["mind"]
    await client.threads.update_state(thread, {"mind": {**mind, "rho": 1.0}}, as_node="close")
    await client.runs.wait(thread, "ddax", input={"task": "When was it written?"}, context=context)
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


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_a_page_of_another_site_reaches_no_route(url: str, headers: dict[str, str], place: Path) -> None:
    import httpx

    context = {"actions": {"files": [str(place / "plugin.py")]}}
    run = {"assistant_id": "ddax", "input": TASK, "context": context}
    posts = ("/threads", "/threads/search", "/assistants/search", "/mcp/", "/a2a/ddax", "/store/items/search")
    gets = ("/docs", "/openapi.json", "/info", "/deploy", "/", "/ui/ddax", "/nowhere")
    asked: list[tuple[str, str, Any]] = [
        *(("POST", path, run) for path in ("/runs/wait", "/runs/stream", "/runs")),
        *(("POST", path, {}) for path in (*posts, "/internal/truncate")),
        *(("GET", path, None) for path in gets),
        ("OPTIONS", "/runs/wait", None),
        ("HEAD", "/threads", None),
    ]
    with httpx.Client(base_url=url, headers=headers, timeout=60.0) as client:
        for method, path, body in asked:
            for kind in ("application/json", "text/plain"):
                text = None if body is None else json.dumps(body)
                reply = client.request(method, path, content=text, headers={"content-type": kind})
                assert reply.status_code == 403, (method, path, reply.text[:200])
                assert "access-control-allow-origin" not in reply.headers
    assert not (place / "canary").exists()


def test_studio_and_pages_of_this_machine_are_answered(url: str) -> None:
    import httpx

    for origin in ("https://smith.langchain.com", "http://localhost:3000"):
        said = {"origin": origin, "sec-fetch-site": "cross-site"}
        reply = httpx.post(f"{url}/assistants/search", json={}, headers=said)
        assert reply.status_code == 200 and reply.headers["access-control-allow-origin"] == origin
        ask = {**said, "access-control-request-method": "POST", "access-control-request-headers": "x-api-key"}
        asked = httpx.options(
            f"{url}/runs/wait", headers={**ask, "access-control-request-private-network": "true"}
        )
        assert asked.status_code == 200 and asked.headers["access-control-allow-private-network"] == "true"


async def test_a_run_executes_no_file_however_it_names_it(client: Any, place: Path) -> None:
    hostile: Any = {"actions": {"files": [str(place / "plugin.py")]}}
    made = await client.assistants.create("ddax", context=hostile, name="hostile")
    runs: list[Any] = [
        ("ddax", {"context": hostile}),
        ("ddax", {"config": {"configurable": hostile}}),
        (made["assistant_id"], {}),
    ]
    for assistant, more in runs:
        done = await client.runs.wait(None, assistant, input=TASK, raise_error=False, **more)
        assert done["__error__"]["error"] == "SettingsError", done
        assert "may not set actions.files" in done["__error__"]["message"]
    assert not (place / "canary").exists()


async def test_a_state_that_is_written_names_no_code(client: Any, place: Path) -> None:
    thread = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, "ddax", input=TASK)
    work = (await client.threads.get_state(thread))["values"]["work"]
    command = {"update": {"work": {**work, "code": str(place)}}, "goto": "evolve"}
    done = await client.runs.wait(thread, "ddax", command=command, raise_error=False)
    assert done["__error__"]["error"] == "StateError" and "folder of code" in done["__error__"]["message"]


async def test_a_socket_of_another_site_is_not_opened(url: str, client: Any) -> None:
    import httpx

    websockets = pytest.importorskip("websockets", reason="comes with LangGraph's server")
    thread = (await client.threads.create())["thread_id"]
    upgrade = {
        "connection": "Upgrade", "upgrade": "websocket", "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==", "origin": "http://evil.example",
    }  # fmt: skip
    assert httpx.get(f"{url}/threads/{thread}/stream/events", headers=upgrade).status_code == 403
    address = f"{url.replace('http', 'ws')}/threads/{thread}/stream/events"
    async with websockets.connect(address, origin="http://localhost:3000"):
        pass
