"""Every road through the graph leaves the event loop free, as `langgraph dev` demands it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from ddax.actions.mcp_tools import approve, server_of
from ddax.configs.settings import Context
from ddax.errors import ActionError
from ddax.graph.builder import build_graph
from ddax.graph.forking import Change, fork
from ddax.graph.runner import open_agent
from ddax.graph.sessions import LocalServices
from ddax.graph.threads.retention import Rule
from ddax.memory.home import Home
from ddax.reasoning import rote
from ddax.reasoning.rote import Body
from ddax.reasoning.testing import FakeOpenAI, Say
from ddax.viewer.app import make_app
from ddax.viewer.doing import Doing
from ddax.viewer.reading import Reader
from tests.integration.browser_site import Site, with_chromium
from tests.integration.loop_watch import run_watched, watching

pytestmark = pytest.mark.integration
MODEL = "openai:gpt-4.1-mini"
TASK = "Who wrote the Harbour Almanac?"
ALMANAC = "The Harbour Almanac was written by Ines Calder in 1911. It lists the tides of the north coast."
PAGE = f"<main><h1>Almanac</h1><p>{ALMANAC}</p><p>{'It was printed in Belmark. ' * 12}</p></main>"

PROFILE = """
name: rigid
statement: I ask before I act.
initial_rho: 1.0
protect_threshold: 0.1
"""


@pytest.fixture
def papers(tmp_path: Path) -> str:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "almanac.txt").write_text(f"{ALMANAC}\n", encoding="utf-8")
    return str(folder)


@pytest.fixture
def website(served: Site) -> Site:
    """A site with a page that is read as it is, and one that is empty without its scripts."""
    served.page("/almanac", PAGE, title="Almanac")
    return served


def served_graph(*turns: Any, **settings: Any) -> Any:
    """Run turns of one thread through the graph as a server does, watched; return the last state."""
    return run_watched(lambda: _served(*turns, **settings))


async def _served(*turns: Any, **settings: Any) -> Any:
    services = LocalServices()
    graph = build_graph(services).compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "t"}}
    try:
        for turn in turns:
            given = {"task": turn} if isinstance(turn, str) else turn
            found = await graph.ainvoke(given, config, context=Context(**settings), durability="sync")
        return found
    finally:
        await services.close()


def test_the_watch_sees_what_blocks_a_loop_and_what_catches_it(tmp_path: Path) -> None:
    from blockbuster import BlockingError

    async def sleeps() -> None:
        time.sleep(0)

    async def catches() -> None:
        try:
            os.access(tmp_path, os.R_OK)
        except Exception:
            return

    for road in (sleeps, catches):
        with pytest.raises((BlockingError, AssertionError)):
            run_watched(road)
    with watching() as seen:
        time.sleep(0)
    assert not seen


def test_a_folder_and_a_follow_up_that_remembers(papers: str) -> None:
    done = served_graph(TASK, "When was the Harbour Almanac written?", sources=[papers])
    assert "1911" in done["answer"]["text"]
    assert len(done["messages"]) == 2


@pytest.mark.long
def test_the_sources_of_python() -> None:
    done = served_graph("What does the function median of statistics return?", sources=["python:statistics"])
    assert done["status"] in ("done", "not_found")
    assert done["answer"]["text"]


def test_a_page_of_the_web(website: Site) -> None:
    done = served_graph(TASK, sources=[f"{website.url}/almanac"], allow_hosts=["127.0.0.1"])
    assert "Ines Calder" in done["answer"]["text"]
    assert "GET /almanac" in website.asked


@with_chromium
def test_a_page_in_a_browser(website: Site) -> None:
    done = served_graph(TASK, sources=[f"browser:{website.url}/almanac"], allow_hosts=["127.0.0.1"])
    assert "Ines Calder" in done["answer"]["text"]


def test_a_page_that_needs_a_browser_to_show_its_text(website: Site) -> None:
    script = f"<div id=a></div><script>document.getElementById('a').innerHTML = {json.dumps(PAGE)}</script>"
    address = website.page("/scripted", script, title="Almanac")
    done = served_graph(TASK, sources=[address], allow_hosts=["127.0.0.1"])
    assert "Ines Calder" in done["answer"]["text"]


def test_a_page_that_refuses_us_is_left_alone(website: Site) -> None:
    address = website.page("/refusing", "Too many requests.", status="429", retry_after="60")

    async def refused() -> None:
        services = LocalServices()
        session = await services.session(Context(allow_hosts=("127.0.0.1",)))
        assert session.web is not None
        for kind in ("Blocked", "cooling_down"):
            with pytest.raises(ActionError) as told:
                await session.web.read(address)
            assert kind in (type(told.value).__name__, told.value.kind)
        await services.close()

    run_watched(refused)


ACTION = '''
from ddax.actions.registry import action


@action(effect="reads")
async def tide(pier: str) -> str:
    """Tell the tide at a pier."""
    return f"The tide at {pier} is 3 metres."
'''


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Body], Any]]:
    """Serve a model that answers by rote; what it plans may be put in its mouth by an action's name."""
    planned: list[tuple[str, dict[str, str]]] = []

    def reply(body: Body) -> Say:
        said = rote.reply(body)
        if planned and rote.request_of(body) == "expand":
            name, given = planned[0]
            args = [{"name": key, "value": value} for key, value in given.items()]
            for child in said["children"]:
                child |= {"action": {"name": name, "args": args, "intent": "what is asked"}, "needs": []}
        return Say(said)

    with FakeOpenAI(answer=reply) as running:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-a-key-of-the-test-alone")
        for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE"):
            monkeypatch.setenv(name, running.base_url)
        yield lambda name, **given: planned.append((name, given))


def test_a_model_and_its_kept_replies(papers: str, model: Any) -> None:
    for _ in range(2):
        done = served_graph(TASK, sources=[papers], model=MODEL)
        assert "Ines Calder" in done["answer"]["text"]


def test_an_action_of_a_file(papers: str, tmp_path: Path, model: Any) -> None:
    (tmp_path / "tides.py").write_text(ACTION, encoding="utf-8")
    model("tide", pier="9")
    files = [str(tmp_path / "tides.py")]
    done = served_graph(TASK, sources=[papers], model=MODEL, actions={"files": files})
    assert any("3 metres" in idea.get("result", "") for idea in done["ideas"].values())


def test_an_action_that_fails(papers: str, tmp_path: Path, model: Any) -> None:
    broken = ACTION.replace("return f", "raise ValueError(pier)\n    return f")
    (tmp_path / "tides.py").write_text(broken, encoding="utf-8")
    model("tide", pier="9")
    files = [str(tmp_path / "tides.py")]
    done = served_graph(TASK, sources=[papers], model=MODEL, actions={"files": files})
    assert any(idea["status"] == "failed" for idea in done["ideas"].values())


@pytest.mark.long
def test_a_tool_of_an_mcp_server(papers: str, tmp_path: Path, model: Any) -> None:
    pytest.importorskip("mcp", reason="needs the extra mcp")
    from tests.integration.test_mcp_tools import SERVER

    (tmp_path / "server.py").write_text(SERVER)
    spec = f"harbour={shlex.join([sys.executable, str(tmp_path / 'server.py')])}"
    approve(Home.from_environ(os.environ).ensure().path, server_of(spec))
    model("harbour_depth", pier="9")
    named = {"mcp": [spec], "reads": ["harbour_depth"]}
    done = served_graph(TASK, sources=[papers], model=MODEL, actions=named)
    called = [
        idea for idea in done["ideas"].values() if idea.get("action", {}).get("name") == "harbour_depth"
    ]
    assert [idea["status"] for idea in called] == ["done"], called


def test_what_is_recorded_and_replayed(
    website: Site, tmp_path: Path, model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    replies, tape = str(tmp_path / "replies.jsonl"), str(tmp_path / "tape.jsonl")
    asked = {"sources": [f"{website.url}/almanac"], "allow_hosts": ["127.0.0.1"], "model": MODEL}
    first = served_graph(TASK, **asked, record=replies, web={"record": tape})
    monkeypatch.setenv("DDAX_HOME", str(tmp_path / "another home"))
    again = served_graph(TASK, **asked, replay=replies, web={"replay": tape})
    assert first["answer"]["text"] == again["answer"]["text"]
    assert "Ines Calder" in again["answer"]["text"]


@pytest.mark.parametrize("choice", ["go on", "teach", "veto"])
def test_what_a_human_answers(papers: str, tmp_path: Path, choice: str) -> None:
    (tmp_path / "rigid.yaml").write_text(PROFILE, encoding="utf-8")
    more = {"teach": {"criterion": "names the year", "direction": "higher"}}.get(choice, {})
    answers = [Command(resume={"choice": choice, **more}), *[Command(resume={"choice": "go on"})] * 4]
    settings = {"sources": [papers], "human": True, "identity": str(tmp_path / "rigid.yaml")}
    done = run_watched(lambda: _answered(answers, settings))
    assert done["status"] in ("done", "stopped", "not_found")


async def _answered(answers: list[Any], settings: dict[str, Any]) -> Any:
    services = LocalServices()
    graph = build_graph(services).compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "t"}}
    try:
        found = await graph.ainvoke({"task": TASK}, config, context=Context(**settings))
        assert (await graph.aget_state(config)).next == ("protect",), "the run did not stop to ask"
        for answer in answers:
            if not (await graph.aget_state(config)).interrupts:
                break
            found = await graph.ainvoke(answer, config, context=Context(**settings))
        return found
    finally:
        await services.close()


@pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap")
def test_a_repair(repo: Path, tmp_path: Path) -> None:
    shutil.copytree(repo / "examples" / "repair", tmp_path / "code")
    done = served_graph("Repair the code.", sources=[str(tmp_path / "code")])
    assert done["status"] == "done", done["answer"]


def test_the_life_of_an_agent(papers: str, tmp_path: Path) -> None:
    async def lived() -> None:
        async with open_agent(Context(sources=(papers,)), home=tmp_path / "home") as agent:
            first = await agent.run(TASK, thread="t")
            assert "Ines Calder" in first["answer"]
            assert "1911" in (await agent.run("When was the Harbour Almanac written?", thread="t"))["answer"]
            assert (await agent.resume("t"))["status"] == "done"
            moments = await agent.history("t")
            at = next(one["number"] for one in moments if one["ran"] == ["select"])
            made = await fork(agent, "t", at, Change({"mind.rho": 0.9}, to="other"))
            assert (await agent.resume(made.thread_id))["status"] == "done"
            assert await agent.costs("t") == []
            await agent.cancel("other")
            assert (await agent.sweep(Rule(days=0.0)))["threads"] == ["t", "other"]
            assert (await agent.result("t"))["status"] == "done"

    run_watched(lived)


def test_the_page_of_runs(papers: str, tmp_path: Path) -> None:
    home = Home(tmp_path / "home").ensure()

    async def looked_at() -> None:
        async with open_agent(Context(sources=(papers,)), home=home.path) as agent:
            await agent.run(TASK, thread="t")
        app, stop = make_app(Reader(home, {}), Doing(lambda: open_agent(home=home.path)), token="t" * 32)
        there = httpx.ASGITransport(app)
        headers = {"authorization": f"Bearer {'t' * 32}"}
        async with httpx.AsyncClient(
            transport=there, base_url="http://127.0.0.1:8000", headers=headers
        ) as client:
            paths = (
                "/api/runs",
                "/api/runs/t",
                "/api/runs/t/moments",
                "/api/runs/t/ideas/0",
                "/",
                "/static/app.css",
            )
            for path in paths:
                assert (await client.get(path)).status_code == 200, path
        stop()

    run_watched(looked_at)
