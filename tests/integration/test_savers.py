"""The checkpoint stores keep the official contract, and what is pruned loses no idea."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pytest
from langgraph.checkpoint.conformance import checkpointer_test, validate

from ddax import Context, open_agent
from ddax.errors import StateError, StorageError, ThreadInUse, UsageError
from ddax.graph.forking import Change, fork
from ddax.graph.savers import open_store
from ddax.graph.services import Parts
from ddax.ideas import dag
from ddax.memory.embeddings import HashEmbedder

pytestmark = pytest.mark.integration
KEY = "a key of at least sixteen characters"
QUESTION = "In which city was the architect of the Corvane Tower born?"
PAGES = {
    "tower": "# Corvane Tower\n\nThe Corvane Tower is in Belmark. It was designed by Ilse Maran in 1931.\n",
    "ilse": "# Ilse Maran\n\nIlse Maran was an architect. She was born in the city of Trondby.\n",
}


@pytest.fixture(params=["sqlite", "encrypted", "postgres"])
def environ(request: pytest.FixtureRequest) -> Mapping[str, str]:
    if request.param == "postgres":
        return {"DDAX_CHECKPOINTS": request.getfixturevalue("postgres")}
    return {"DDAX_ENCRYPTION_KEY": KEY} if request.param == "encrypted" else {}


@pytest.fixture
def agent_in(tmp_path: Path) -> Any:
    docs = tmp_path / "docs"
    docs.mkdir()
    for name, text in PAGES.items():
        (docs / f"{name}.md").write_text(text)
    settings = Context(sources=(str(docs),), mood={"engine": "numpy"})  # type: ignore[arg-type]

    def opened(home: str) -> Any:
        return open_agent(settings, home=tmp_path / home, parts=Parts(embedder=HashEmbedder()))

    return opened


@pytest.fixture
def agent_of(agent_in: Any, environ: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> Any:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    return lambda: agent_in("home")


async def test_the_official_contract_is_kept_in_full(tmp_path: Path, environ: Mapping[str, str]) -> None:
    made = 0

    @checkpointer_test(name="ddax")
    async def store() -> AsyncIterator[Any]:
        nonlocal made
        made += 1
        async with open_store(tmp_path / f"{made}.sqlite", environ) as opened:
            yield opened

    report = await validate(store)
    assert len(report.results) == 8
    failures = {name: found.failures for name, found in report.results.items() if not found.passed}
    assert failures == {}
    assert all(found.tests_passed for found in report.results.values()), "each was really tried"


async def test_a_pruned_thread_keeps_its_ideas_and_takes_a_follow_up(agent_of: Any, tmp_path: Path) -> None:
    thread = tmp_path.name
    async with agent_of() as agent:
        await agent.run(QUESTION, thread=thread)
        before = (await agent.state(thread))["ideas"]
        await agent.store.aprune([thread])
        left = [one async for one in agent.store.alist({"configurable": {"thread_id": thread}})]
        assert len(left) == 1
        assert left[0].parent_config is None
    async with agent_of() as agent:
        assert dag.digest((await agent.state(thread))["ideas"]) == dag.digest(before)
        assert (await agent.run(QUESTION, thread=thread))["status"] == "done"
        after = (await agent.state(thread))["ideas"]
    assert {key: after[key] for key in before} == before
    assert len(after) > len(before)


async def test_pruning_to_several_keeps_each_of_them_whole(agent_of: Any, tmp_path: Path) -> None:
    config: Any = {"configurable": {"thread_id": tmp_path.name}}
    async with agent_of() as agent:
        await agent.run(QUESTION, thread=tmp_path.name)
        before = [one async for one in agent.graph.aget_state_history(config, limit=4)]
        await agent.store.aprune([tmp_path.name], keep=4)
        after = [one async for one in agent.graph.aget_state_history(config)]
    assert [one.values for one in after] == [one.values for one in before]


async def test_a_copied_thread_stands_on_its_own(agent_of: Any, tmp_path: Path) -> None:
    source, copy = tmp_path.name, f"{tmp_path.name}-copy"
    async with agent_of() as agent:
        await agent.run(QUESTION, thread=source)
        before = (await agent.state(source))["ideas"]
        await agent.store.acopy_thread(source, copy)
        await agent.store.aprune([source], strategy="delete")
        state = await agent.graph.aget_state({"configurable": {"thread_id": copy}})
        gone = await agent.graph.aget_state({"configurable": {"thread_id": source}})
    assert state.values["ideas"] == before
    assert gone.values == {}


async def test_a_thread_in_a_postgres_has_one_owner(postgres: str, tmp_path: Path) -> None:
    environ = {"DDAX_CHECKPOINTS": postgres}
    async with open_store(tmp_path, environ) as one, open_store(tmp_path, environ) as other:
        async with one.owned("shared"):
            with pytest.raises(ThreadInUse):
                async with other.owned("shared"):
                    pass
            async with other.owned("free"):
                pass
        async with other.owned("shared"):
            pass


async def test_a_home_leaves_the_threads_of_another_in_one_postgres_alone(
    postgres: str, tmp_path: Path, agent_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DDAX_CHECKPOINTS", postgres)
    name = f"{tmp_path.name}-both"
    async with agent_in("one") as agent:
        await agent.run(QUESTION, thread=name)
        kept = await agent.state(name)
    async with agent_in("other") as agent:
        with pytest.raises(UsageError, match="another home") as raised:
            await agent.run(QUESTION, thread=name)
        assert agent.runs.load(name) is None, "nothing was begun"
        await agent.run(QUESTION, thread=f"{name}-own")
        with pytest.raises(UsageError, match="another home"):
            await fork(agent, f"{name}-own", 4, Change(to=name))
    assert "--thread" in raised.value.mend
    async with agent_in("one") as agent:
        assert await agent.state(name) == kept
        assert (await agent.run(QUESTION, thread=name))["status"] == "done", "its own home follows up"


async def test_many_open_a_new_postgres_at_once(postgres: str, tmp_path: Path) -> None:
    from psycopg import AsyncConnection

    async with await AsyncConnection.connect(postgres, autocommit=True) as server:
        await server.execute("CREATE DATABASE opened_at_once")
    environ = {"DDAX_CHECKPOINTS": urlunsplit(urlsplit(postgres)._replace(path="/opened_at_once"))}

    async def size() -> int:
        async with open_store(tmp_path, environ) as store:
            return await store.size()

    assert all(n > 0 for n in await asyncio.gather(*(size() for _ in range(8))))


async def test_tables_that_another_holds_for_too_long_are_not_waited_for(
    postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from psycopg import AsyncConnection

    from ddax.graph.savers import postgres as saver

    async with await AsyncConnection.connect(postgres, autocommit=True) as holder:
        await holder.execute(f"SELECT pg_advisory_lock{saver._TABLES}")
        with monkeypatch.context() as hurry, pytest.raises(StorageError, match="up to date") as raised:
            hurry.setattr(saver, "SETUP_SECONDS", 0.2)
            async with open_store(tmp_path, {"DDAX_CHECKPOINTS": postgres}):
                pass
    assert "advisory lock" in raised.value.mend
    async with open_store(tmp_path, {"DDAX_CHECKPOINTS": postgres}) as store:
        assert await store.size() > 0, "free again, once its holder is gone"


async def test_what_is_encrypted_can_neither_be_read_nor_mixed(tmp_path: Path) -> None:
    file, config = tmp_path / "x.sqlite", {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
    from langgraph.checkpoint.base import empty_checkpoint

    secret = "the-canary-of-this-test"
    checkpoint = {**empty_checkpoint(), "channel_values": {"task": secret}}
    async with open_store(file, {"DDAX_ENCRYPTION_KEY": KEY}) as store:
        await store.aput(config, checkpoint, {}, {})  # type: ignore[arg-type]
        found = await store.aget_tuple(config)  # type: ignore[arg-type]
        assert found is not None and found.checkpoint["channel_values"]["task"] == secret
    assert secret.encode() not in file.read_bytes()
    async with open_store(file, {"DDAX_ENCRYPTION_KEY": KEY[::-1]}) as store:
        with pytest.raises(StateError, match="cannot be decrypted"):
            await store.aget_tuple(config)  # type: ignore[arg-type]
    async with open_store(file, {}) as store:
        with pytest.raises(StateError, match="are encrypted"):
            await store.aget_tuple(config)  # type: ignore[arg-type]
    plain = tmp_path / "plain.sqlite"
    async with open_store(plain, {}) as store:
        await store.aput(config, checkpoint, {}, {})  # type: ignore[arg-type]
    async with open_store(plain, {"DDAX_ENCRYPTION_KEY": KEY}) as store:
        with pytest.raises(StateError, match="not encrypted"):
            await store.aget_tuple(config)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("environ", "error", "says"),
    [
        ({"DDAX_CHECKPOINTS": "mysql://x"}, UsageError, "no Postgres address"),
        ({"DDAX_CHECKPOINTS": "postgresql://x@127.0.0.1:1/d"}, StorageError, "does not answer"),
        ({"DDAX_CHECKPOINTS": "postgresql://x/d", "DDAX_ENCRYPTION_KEY": KEY}, UsageError, "SQLite only"),
        ({"DDAX_ENCRYPTION_KEY": "short"}, UsageError, "at least 16"),
    ],
)
async def test_an_address_or_key_that_cannot_be_used_is_named(
    tmp_path: Path, environ: dict[str, str], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        async with open_store(tmp_path / "x.sqlite", environ):
            pass
