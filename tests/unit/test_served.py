"""A run that comes over a server: who sent it, what it may set, and whose things it sees."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from langgraph.runtime import Runtime, ServerInfo

from ddax.configs.server import Server
from ddax.configs.settings import Browser, Context
from ddax.errors import NotAllowed, SettingsError, StateError, UsageError
from ddax.evolution.run_tests import RunTestsArguments, running_tests_of
from ddax.graph.builder import build_graph
from ddax.graph.services import Parts
from ddax.graph.session.callers import AUTH, Gate, asks_for_key, check_state, owner_of_run
from ddax.graph.sessions import LocalServices
from ddax.graph.state import Input
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.home import Home

PLUGIN = "from pathlib import Path\nPath({canary!r}).write_text('executed')\n"
NAMES = (
    "ada",
    "Ada",
    "a/da",
    "a-da",
    "a da",
    "../ada",
    "",
    "ada.",
    "ädä",
    "x" * 300,
    "x" * 301,
    "\ud800",
    "con",
)


def over_server(owner: str | None) -> Any:
    """Return the config that LangGraph's server gives a run."""
    user = {} if owner is None else {"langgraph_auth_user": SimpleNamespace(identity=owner)}
    return {"configurable": {"graph_id": "ddax", "assistant_id": "a", **user}, "recursion_limit": 200}


@pytest.fixture
async def services(tmp_path: Path) -> AsyncIterator[LocalServices]:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "almanac.txt").write_text(
        "The Harbour Almanac was written by Ines Calder in 1911.\n"
    )
    made = LocalServices(
        Home(tmp_path / "home").ensure(), default=Context(), parts=Parts(embedder=HashEmbedder()),
        server=Server(sources_below=(str(tmp_path / "papers"),)),
    )  # fmt: skip
    yield made
    await made.close()


async def ask(services: LocalServices, owner: str | None, task: str, **context: Any) -> Any:
    graph = build_graph(services).compile()
    return await graph.ainvoke(Input(task=task), over_server(owner), context=Context(**context))


async def test_a_run_over_a_server_executes_no_file(services: LocalServices, tmp_path: Path) -> None:
    plugin, canary = tmp_path / "plugin.py", tmp_path / "canary"
    plugin.write_text(PLUGIN.format(canary=str(canary)))
    for owner in (None, "ada"):
        with pytest.raises(SettingsError, match=r"may not set actions\.files"):
            await ask(services, owner, "hello", actions={"files": [str(plugin)]})
    assert not canary.exists()
    assert not (tmp_path / "home" / "owners").exists() or not list((tmp_path / "home").rglob("record.sqlite"))


async def test_owners_share_no_memory_whatever_namespace_they_name(
    services: LocalServices, tmp_path: Path
) -> None:
    task = "Who wrote the Harbour Almanac?"
    papers = (str(tmp_path / "papers"),)
    own = await ask(services, "ada", task, sources=papers, namespace="mine")
    assert "Ines Calder" in own["answer"]["text"]
    again = await ask(services, "ada", task, namespace="mine")
    assert "Ines Calder" in again["answer"]["text"], "ada's own memory is gone"
    for namespace in ("mine", "default", "../ada", "ada"):
        other = await ask(services, "bob", task, namespace=namespace)
        assert not other["answer"]["found"] and "Calder" not in str(other["answer"])
    kept = [
        file for file in (tmp_path / "home").rglob("*") if file.is_file() and b"Calder" in file.read_bytes()
    ]
    assert kept and all("/owners/ada-" in str(file) for file in kept), kept


async def test_a_run_of_nobody_is_refused_where_a_key_is_asked_for(
    services: LocalServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(AUTH, '{"path": "x"}')
    with pytest.raises(UsageError, match="no owner"):
        await ask(services, None, "hello")


@pytest.mark.parametrize("environ", [{}, {AUTH: ""}, {"LANGGRAPH_AUTH_TYPE": "noop"}])
def test_who_sent_a_run(environ: dict[str, str]) -> None:
    user: Any = SimpleNamespace(identity="ada")
    assert owner_of_run(Runtime(server_info=None), environ) is None
    assert owner_of_run(Runtime(server_info=ServerInfo("a", "ddax", None)), environ) == ""
    assert owner_of_run(Runtime(server_info=ServerInfo("a", "ddax", user)), environ) == "ada"
    assert not asks_for_key(environ) and asks_for_key({"LANGGRAPH_AUTH_TYPE": "langsmith"})


def test_a_server_without_key_or_guard_runs_nothing() -> None:
    runtime: Runtime[Any] = Runtime(server_info=ServerInfo("a", "ddax", None))
    open_server = {"LANGSERVE_GRAPHS": "{}"}
    for http in ({}, {"LANGGRAPH_HTTP": '{"cors": {"allow_origins": ["*"]}}'}):
        with pytest.raises(UsageError, match=r"ddax\.graph\.origins:app"):
            owner_of_run(runtime, open_server | http)
    guarded = open_server | {"LANGGRAPH_HTTP": '{"app": "ddax.graph.origins:app"}'}
    assert owner_of_run(runtime, guarded) == ""
    assert owner_of_run(Runtime(server_info=None), open_server) is None


def test_no_two_owners_have_one_home(tmp_path: Path) -> None:
    base = Home(tmp_path)
    homes = [base.of_owner(name).path for name in NAMES]
    assert len({str(path).lower() for path in homes}) == len(NAMES)
    for path in homes:
        assert path.parent == tmp_path / "owners" and len(path.name) <= 41
        assert path.name.isascii() and path.name.replace("-", "").isalnum()
    assert base.of_owner("ada").common == base.path == base.common


async def test_what_the_server_lets_be_written_is_kept_apart(tmp_path: Path) -> None:
    own = Context(record="/srv/asked.jsonl", browser=Browser(downloads="/srv/files"))
    gate, base = Gate(own, Server()), Home(tmp_path)
    ada = await gate.granted(None, base.of_owner("ada"), "ada")
    bob = await gate.granted(None, base.of_owner("bob"), "bob")
    assert ada.record != bob.record and ada.record.endswith("/kept/asked.jsonl")
    assert ada.browser.downloads != bob.browser.downloads and ada.web.record == ""
    assert await gate.granted(None, base, "") == own


def test_a_state_names_no_folder_of_code_but_a_source() -> None:
    context = Context(sources=("project", "notes/"))
    for code in ("", "project", "notes"):
        check_state({"work": {"code": code}}, context)
    for code in ("/etc", "project/../..", "other", "~"):
        with pytest.raises(StateError, match="no source"):
            check_state({"work": {"code": code}}, context)
    check_state({"work": "no work at all"}, context)


async def test_state_that_came_over_a_server_runs_no_other_code(
    services: LocalServices, tmp_path: Path
) -> None:
    work = {"id": "x", "root": "0", "thread": "", "text": "mend it", "opened": 1.0, "code": str(tmp_path)}
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.types import Command

    graph = build_graph(services).compile(checkpointer=InMemorySaver())
    config = over_server("ada")
    config["configurable"]["thread_id"] = "t"
    with pytest.raises(StateError, match="folder of code"):
        await graph.ainvoke(
            Command(update={"work": work, "task": "mend it"}, goto="evolve"), config, context=Context()
        )


async def test_the_tests_that_are_run_lie_in_the_sources(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    action = running_tests_of((str(tmp_path / "own"),))
    for root in ("/etc", str(tmp_path), f"{tmp_path}/own/../other"):
        with pytest.raises(NotAllowed, match="no source"):
            await action.function(None, RunTestsArguments(root=root))


async def test_a_page_on_a_private_host_is_opened_for_no_run_over_a_server(tmp_path: Path) -> None:
    from ddax.environments.browser.opening import find_page
    from ddax.errors import SourceError

    with pytest.raises(SourceError, match="not public"):
        await find_page("browser:http://127.0.0.1:8000/", Context(), trusted=False)
    allowed = Context(allow_hosts=("127.0.0.1",))
    with pytest.raises(SourceError, match="cannot be opened") as closed:  # nobody listens there
        await find_page("browser:http://127.0.0.1:8001/", allowed, trusted=False)
    assert "not public" not in str(closed.value)
