"""An agent that is used in a way it cannot be says so, before anything is opened."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from ddax import open_agent
from ddax.errors import UsageError
from ddax.testing import QUESTION, small_agent


@pytest.mark.parametrize("task", [5, None, ["a question"]])
async def test_a_task_that_is_no_text_is_refused(kit: Any, tmp_path: Path, task: Any) -> None:
    async with kit.agent(tmp_path, kit.script()) as agent:
        with pytest.raises(UsageError, match="the task is no text"):
            await agent.run(task)
        state = await kit.opened(kit.session())
        with pytest.raises(UsageError, match="the task is no text"):
            await agent.graph.ainvoke({**state, "task": task}, {"configurable": {"thread_id": "t"}})
        assert agent.threads() == []


async def test_a_thread_that_is_no_text_is_refused(kit: Any, tmp_path: Path) -> None:
    async with kit.agent(tmp_path, kit.script()) as agent:
        with pytest.raises(UsageError, match="The name 5 cannot be used"):
            await agent.run(kit.question, thread=5)
        with pytest.raises(UsageError, match="The name 5 cannot be used"):
            await agent.result(5)


async def test_an_agent_that_was_never_opened_says_so(kit: Any, tmp_path: Path) -> None:
    agent = kit.agent(tmp_path / "home", kit.script())
    for use in (agent.run(kit.question), agent.resume("t"), agent.state("t"), agent.cancel("t")):
        with pytest.raises(UsageError, match="the agent is not open"):
            await use
    with pytest.raises(UsageError, match="the agent is not open"):
        agent.threads()
    with pytest.raises(AttributeError, match="nothing_known"):
        agent.nothing_known  # noqa: B018  # the look-up is what is tested
    assert not (tmp_path / "home").exists()


async def test_an_agent_that_is_closed_opens_nothing_anew(kit: Any, tmp_path: Path) -> None:
    await kit.finished(tmp_path / "first")  # threads of the process, which outlive an agent, are made by it
    before = set(threading.enumerate())
    async with kit.agent(tmp_path / "home", kit.script()) as agent:
        await agent.run(kit.question, thread="t")
    for use in (agent.run(kit.question), agent.result("t"), agent.history("t"), agent.costs("t")):
        with pytest.raises(UsageError, match="the agent is not open"):
            await use
    assert [info.thread_id for info in agent.threads()] == ["t"]
    left = {thread.name for thread in set(threading.enumerate()) - before}
    assert not {name for name in left if name.startswith("ddax")}


async def test_a_plain_with_inside_a_loop_says_what_to_use(kit: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Use `async with`"), kit.agent(tmp_path / "home", kit.script()):
        pass
    assert not (tmp_path / "home").exists()


async def test_a_synchronous_call_on_an_agent_of_a_loop_says_to_await_it(kit: Any, tmp_path: Path) -> None:
    async with kit.agent(tmp_path, kit.script()) as agent:
        with pytest.raises(UsageError, match=r"await agent\.run"):
            agent.run_sync(kit.question)
        with pytest.raises(UsageError, match=r"await agent\.run"):
            await asyncio.to_thread(agent.resume_sync, "t")


def test_a_synchronous_call_after_the_block_says_that_it_is_closed(kit: Any, tmp_path: Path) -> None:
    with kit.agent(tmp_path, kit.script()) as agent:
        assert agent.run_sync(kit.question)["status"] == "done"
    with pytest.raises(UsageError, match="the agent is not open"):
        agent.run_sync(kit.question)


async def test_what_limits_a_run_to_25_supersteps_is_given_the_config_of_the_agent(tmp_path: Path) -> None:
    async with small_agent(tmp_path) as agent:
        place = agent.config("t")
        stream = agent.graph.astream_events({"task": QUESTION}, place, context=agent.context, version="v2")
        kinds = [event["event"] async for event in stream]
        assert kinds[-1] == "on_chain_end"
        batch = [{"task": QUESTION}, {"task": "Who designed the Corvane Tower?"}]
        ended = await agent.graph.abatch(batch, [agent.config(name) for name in "ab"], context=agent.context)
        assert [values["status"] for values in ended] == ["done", "done"]


def test_settings_that_are_no_context_are_refused() -> None:
    given: Any = {"sources": ["docs"]}
    with pytest.raises(UsageError, match=r"This is a dict\. Write: open_agent\(Context"):
        open_agent(given)
