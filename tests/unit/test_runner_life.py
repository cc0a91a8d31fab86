"""An agent over a home: run, follow up, resume, wait for a human, cancel, and stop at a cap."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ddax.errors import UsageError
from ddax.graph.results import exit_code_of
from ddax.ideas import dag
from tests.cases import cases
from tests.unit.crashing import Crash, crash_at


async def test_a_run_gives_a_result_and_a_manifest(kit: Any, tmp_path: Path) -> None:
    events: list[dict[str, Any]] = []
    async with kit.agent(tmp_path, kit.script()) as agent:
        result = await agent.run(kit.question, thread="t", on_event=events.append)
        info = agent.threads()[0]
    assert (result["status"], result["answer"], result["short"]) == ("done", "Trondby.", "Trondby")
    assert exit_code_of(result) == 0
    assert (info.thread_id, info.status, info.steps) == ("t", "done", result["steps"])
    assert [e["node"] for e in events][:2] == ["open_task", "select"]
    assert events[-1]["node"] == "close"
    assert result["ideas"] == 4


async def test_the_embedded_reasoner_answers_through_the_whole_machine(kit: Any, tmp_path: Path) -> None:
    async with kit.agent(tmp_path) as agent:
        result = await agent.run(kit.question, thread="t")
        state = await agent.state("t")
    dag.check(state["ideas"])
    assert "Trondby" in result["answer"]
    assert result["citations"]


async def test_no_node_changes_its_state_in_place(
    kit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import copy

    from ddax.graph import builder

    bind, seen = builder.bind, set()

    def frozen(node: Any, services: Any) -> Any:
        bound = bind(node, services)

        async def watched(state: Any, runtime: Any) -> Any:
            before = copy.deepcopy(state)
            update = await bound(state, runtime)
            assert state == before, f"{node.__name__} changed its state"
            seen.add(node.__name__)
            return update

        watched.__name__ = node.__name__
        return watched

    # The builder binds by name; every node of the real graph is to be watched, none replaced.
    monkeypatch.setattr(builder, "bind", frozen)
    async with kit.agent(tmp_path) as agent:
        await agent.run(kit.question, thread="t")
    assert {
        "open_task",
        "select",
        "expand",
        "act",
        "merge",
        "evaluate",
        "rigidity",
        "reflect",
        "close",
    } <= seen


async def test_the_seconds_of_a_run_count_its_end(kit: Any, tmp_path: Path) -> None:
    def slow(_: Any) -> Any:
        kit.ticks += 100
        return kit.synthesis()(_)

    # At the cap on steps nothing is merged before the end.
    async with kit.agent(tmp_path, {**kit.script(), "merge": [slow]}, budget={"max_steps": 2}) as agent:
        result = await agent.run(kit.question, thread="t")
    assert result["usage"]["seconds"] == kit.ticks == 100


async def test_a_follow_up_keeps_memory_and_mind_and_opens_the_next_root(kit: Any, tmp_path: Path) -> None:
    async with kit.agent(tmp_path, kit.script()) as agent:
        await agent.run(kit.question, thread="t")
        before = await agent.state("t")
        result = await agent.run("And where is its harbour?", thread="t")
        after = await agent.state("t")
    assert after["work"]["root"] == "1"
    assert result["ideas"] == sum(1 for i in after["ideas"] if i.startswith("1"))
    assert {i: v for i, v in after["ideas"].items() if i.startswith("0")} == before["ideas"]
    assert after["mind"]["outcomes"] > before["mind"]["outcomes"] > 0
    assert len(await kit.memory.rows("tasks")) == 2


async def test_an_unfinished_thread_takes_no_new_task(kit: Any, tmp_path: Path) -> None:
    async with kit.agent(tmp_path, kit.script()) as agent:
        with pytest.raises(Crash):
            await agent.run(kit.question, thread="t", on_event=crash_at("evaluate", 2))
        with pytest.raises(UsageError, match="ddax resume t"):
            await agent.run("Something else?", thread="t")


async def test_a_broken_run_goes_on_where_it_was(kit: Any, tmp_path: Path) -> None:
    async with kit.agent(tmp_path / "a", kit.script()) as agent:
        whole = await agent.run(kit.question, thread="t")
        digest = agent.threads()[0].digest
    kit.memory = None
    async with kit.agent(tmp_path / "b", kit.script()) as agent:
        with pytest.raises(Crash):
            await agent.run(kit.question, thread="t", on_event=crash_at("evaluate", 2))
    async with kit.agent(tmp_path / "b", kit.script()) as agent:
        again = await agent.resume()
        info = agent.threads()[0]
    assert again | {"usage": {}} == whole | {"usage": {}}
    assert (info.digest, info.status) == (digest, "done")
    assert len(await kit.memory.rows("intents")) == 2


async def test_a_finished_run_is_resumed_without_running(kit: Any, tmp_path: Path) -> None:
    async with kit.agent(tmp_path, kit.script()) as agent:
        result = await agent.run(kit.question, thread="t")
    events: list[Any] = []
    async with kit.agent(tmp_path, {}) as agent:
        assert await agent.resume("t", on_event=events.append) == result
    assert events == []


async def test_resume_takes_the_newest_unfinished_thread(kit: Any, tmp_path: Path) -> None:
    async with kit.agent(tmp_path, kit.script()) as agent:
        for name in ("first", "second", "third"):
            kit.now += 10
            crash = crash_at("select", 2) if name != "third" else None
            if crash is None:
                await agent.run(kit.question, thread=name)
                continue
            with pytest.raises(Crash):
                await agent.run(kit.question, thread=name, on_event=crash)
        assert (await agent.resume())["thread_id"] == "second"
        assert (await agent.resume())["thread_id"] == "first"
        with pytest.raises(UsageError, match="no unfinished thread"):
            await agent.resume()


async def test_what_cannot_be_run_is_refused(kit: Any, tmp_path: Path) -> None:
    async with kit.agent(tmp_path, kit.script()) as agent:
        with pytest.raises(UsageError, match="the task is empty"):
            await agent.run("  \n ")
        with pytest.raises(UsageError, match="1,000,001 characters, 1,000,000 are allowed"):
            await agent.run("x" * 1_000_001)
        with pytest.raises(UsageError, match="no thread 'nobody'"):
            await agent.resume("nobody")
        with pytest.raises(UsageError, match="cannot be used"):
            await agent.run(kit.question, thread="../escape")
    assert agent.threads() == []


async def test_a_run_that_a_cap_ended_is_asked_again_under_a_higher_one(kit: Any, tmp_path: Path) -> None:
    async with kit.agent(tmp_path, kit.script(), budget={"max_model_calls": 0}) as agent:
        stopped = await agent.run(kit.question, thread="t")
        assert (await agent.resume("t"))["answer"] == stopped["answer"]  # it is over
    assert (stopped["status"], "Ask again with a higher" in stopped["answer"]) == ("stopped", True)
    async with kit.agent(tmp_path, kit.script(), budget={"max_model_calls": 100}) as agent:
        again = await agent.run(kit.question, thread="t")
    assert (again["status"], again["answer"]) == ("done", "Trondby.")


@cases("budget", "says")
async def test_at_a_cap_the_run_closes_with_what_it_has(
    kit: Any, tmp_path: Path, budget: dict[str, Any], says: str
) -> None:
    from ddax.types import Usage

    def on_event(event: dict[str, Any]) -> None:
        kit.ticks += 2.0

    async with kit.agent(tmp_path, kit.script(usage=Usage(1, 10, 0.0)), budget=budget) as agent:
        result = await agent.run(kit.question, thread="t", on_event=on_event)
        state = await agent.state("t")
    assert result["status"] == "stopped"
    assert result["stop_reason"].startswith("budget: ")
    assert says in result["stop_reason"]
    assert exit_code_of(result) == 6
    assert result["answer"]
    assert not [i for i in state["ideas"].values() if i["status"] in ("open", "waiting", "running")]


@pytest.mark.parametrize(("steps", "unread"), [(2, True), (4, False)])
async def test_a_run_stopped_before_it_read_does_not_say_what_the_sources_lack(
    kit: Any, tmp_path: Path, steps: int, unread: bool
) -> None:
    async with kit.agent(tmp_path, budget={"max_steps": steps}) as agent:
        result = await agent.run("Who carved the Basalt Door of Trondby?", thread="t")
    told = f"No answer was reached. The run was stopped before anything was read ({result['stop_reason']})."
    assert (result["status"], exit_code_of(result)) == ("stopped", 6)
    assert (result["answer"] == told) == unread
    assert result["answer"].startswith("Not found in the sources: ") != unread


async def test_cancel_stops_at_the_next_step_and_can_be_resumed(kit: Any, tmp_path: Path) -> None:
    async with kit.agent(tmp_path, kit.script()) as agent:

        def on_event(event: dict[str, Any]) -> None:
            if event["node"] == "expand":
                agent.runs.cancel("t")

        result = await agent.run(kit.question, thread="t", on_event=on_event)
        assert (result["status"], result["stop_reason"]) == ("stopped", "cancelled")
        assert exit_code_of(result) == 130
        assert agent.threads()[0].status == "stopped"
        assert (await agent.resume("t"))["status"] == "done"


async def test_a_drained_thread_is_unfinished_and_resumes_to_the_same_dag(kit: Any, tmp_path: Path) -> None:
    async with kit.agent(tmp_path / "other", kit.script()) as agent:
        assert not agent.drain(), "nothing runs"
        await agent.run(kit.question, thread="t")
        undisturbed = agent.threads()[0].digest
    async with kit.agent(tmp_path, kit.script()) as agent:

        def on_event(event: dict[str, Any]) -> None:
            if event["node"] == "expand":
                assert agent.drain()

        result = await agent.run(kit.question, thread="t", on_event=on_event)
        assert (result["status"], result["stop_reason"]) == ("interrupted", "interrupted")
        assert exit_code_of(result) == 130
        assert agent.threads()[0].status == (await agent.result("t"))["status"] == "interrupted"
        assert (await agent.resume("t"))["status"] == "done"
        assert agent.threads()[0].digest == undisturbed


async def test_a_cancel_that_came_too_late_does_not_stop_the_next_run(kit: Any, tmp_path: Path) -> None:
    async with kit.agent(tmp_path, kit.script()) as agent:
        await agent.run(kit.question, thread="t")
        agent.runs.cancel("t")
        assert (await agent.run("And its harbour?", thread="t"))["status"] == "done"


@pytest.mark.parametrize("again", ["resume", "follow up"])
async def test_a_cancel_asked_while_a_run_opens_stops_it(kit: Any, tmp_path: Path, again: str) -> None:
    async with (
        kit.agent(tmp_path, kit.script()) as agent,
        kit.agent(tmp_path, kit.script()) as other,
    ):
        if again == "resume":
            with pytest.raises(Crash):
                await agent.run(kit.question, thread="t", on_event=crash_at("expand", 1))
        else:
            await agent.run(kit.question, thread="t")
        opened = agent.services.session

        async def opening(*args: Any, **kwargs: Any) -> Any:
            agent.services.session = opened  # the nodes ask for it as well
            await other.cancel("t")
            return await opened(*args, **kwargs)

        agent.services.session = opening
        result = await (agent.resume("t") if again == "resume" else agent.run("And its harbour?", thread="t"))
    assert (result["status"], result["stop_reason"]) == ("stopped", "cancelled")


async def test_cancelling_a_thread_that_is_over_leaves_it_as_it_is(kit: Any, tmp_path: Path) -> None:
    async with kit.agent(tmp_path, kit.script()) as agent:
        await agent.run(kit.question, thread="t")
        await agent.cancel("t")
        assert (agent.threads()[0].status, agent.runs.cancelled("t")) == ("done", False)


def test_synchronous_use(kit: Any, tmp_path: Path) -> None:
    with kit.agent(tmp_path, kit.script()) as agent:
        assert agent.run_sync(kit.question, thread="t")["status"] == "done"
        assert agent.resume_sync("t")["status"] == "done"
    with pytest.raises(UsageError, match="not open"):
        kit.agent(tmp_path, kit.script()).run_sync(kit.question)


async def test_a_stream_that_is_left_gives_the_thread_back(kit: Any, tmp_path: Path) -> None:
    async with kit.agent(tmp_path, kit.script()) as agent:
        events = agent.stream(kit.question, thread="t")
        async for event in events:
            if event["node"] == "expand":
                break
        await events.aclose()
        assert (await agent.resume("t"))["status"] == "done"
        kinds = [event["type"] async for event in agent.stream("And now?", thread="t")]
    assert kinds[-1] == "result"
    assert set(kinds[:-1]) == {"node"}


async def test_a_callback_that_is_async_is_waited_for_before_the_run_goes_on(
    kit: Any, tmp_path: Path
) -> None:
    told: list[str] = []

    async def tell(event: Any) -> None:
        await asyncio.sleep(0)
        told.append(event["node"])

    async def refuse(event: Any) -> None:
        raise ValueError("no room")

    async with kit.agent(tmp_path, kit.script()) as agent:
        await agent.run(kit.question, thread="t", on_event=tell)
        with pytest.raises(ValueError, match="no room"):
            await agent.run(kit.question, thread="u", on_event=refuse)
        assert (await agent.resume("u", on_event=tell))["status"] == "done"
    assert told[0] == "open_task"
    assert told.count("close") == 2


async def test_the_same_seed_gives_the_same_dag(kit: Any, tmp_path: Path) -> None:
    digests = []
    for name in ("a", "b"):
        kit.memory = None
        async with kit.agent(tmp_path / name) as agent:
            await agent.run(kit.question, thread="t")
            digests.append(agent.threads()[0].digest)
    assert digests[0] == digests[1] != ""


async def test_two_threads_of_one_agent_run_side_by_side(kit: Any, tmp_path: Path) -> None:
    async with kit.agent(tmp_path, kit.script()) as agent:
        results = await asyncio.gather(*(agent.run(kit.question, thread=f"t{k}") for k in range(3)))
    assert [r["status"] for r in results] == ["done"] * 3
