"""A run that waits for a human: the question, its answer, and the time it takes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.serde.event_hooks import register_serde_event_listener
from langgraph.types import Command, interrupt
from pydantic import BaseModel

from ddax.actions.protocol import Action, ActionContext, ActionResult
from ddax.actions.registry import action
from ddax.errors import UsageError
from ddax.graph.builder import build_graph, splice
from ddax.graph.results import exit_code_of
from ddax.testing import small_agent
from tests.unit.conftest import OneSession
from tests.unit.crashing import Crash, crash_at


class Nothing(BaseModel):
    """No arguments that are needed."""

    to: str = ""


def sender(sent: list[str]) -> Action:
    @action(effect="writes")
    async def send(context: ActionContext, arguments: Nothing) -> ActionResult:
        """Send it."""
        sent.append(context.key)
        return ActionResult("sent")

    return send


@pytest.fixture
def send_script(kit: Any) -> Any:
    from ddax.types import ActionCall, Proposal

    call = ActionCall(name="send", args={}, intent="")
    return kit.script(Proposal("send it", expected="it is sent", action=call))


async def test_a_question_waits_and_is_answered_in_another_process(
    kit: Any, tmp_path: Path, send_script: Any
) -> None:
    sent: list[str] = []
    async with kit.agent(tmp_path, send_script, actions=(sender(sent),), human=True) as agent:
        result = await agent.run(kit.question, thread="t")
    assert (result["status"], exit_code_of(result)) == ("waiting", 8)
    assert result["question"]["idea"] == "0.1"
    assert result["question"]["action"]["name"] == "send"
    assert sent == []
    async with kit.agent(tmp_path, send_script, actions=(sender(sent),), human=True) as agent:
        assert (await agent.resume("t"))["status"] == "waiting"
        done = await agent.resume("t", answer={"choice": "go on"})
    assert done["status"] == "done"
    assert len(sent) == 1


LUNCH = 3 * 3600.0
"""Seconds, of which a run may take half an hour."""


async def test_no_cap_counts_the_time_a_human_takes_in_the_same_process(
    kit: Any, tmp_path: Path, send_script: Any
) -> None:
    sent: list[str] = []

    def on_event(event: dict[str, Any]) -> None:
        kit.ticks += 1.0

    async with kit.agent(tmp_path, send_script, actions=(sender(sent),), human=True) as agent:
        waiting = await agent.run(kit.question, thread="t", on_event=on_event)
        kit.ticks += LUNCH
        done = await agent.resume("t", answer={"choice": "go on"}, on_event=on_event)
    assert (waiting["status"], done["status"], len(sent)) == ("waiting", "done", 1)
    assert waiting["usage"]["seconds"] < done["usage"]["seconds"] < LUNCH


@pytest.mark.parametrize("paused", [[], ["act"]])
async def test_nor_does_it_where_the_graph_is_run_by_itself(
    kit: Any, send_script: Any, paused: list[str]
) -> None:
    from langgraph.checkpoint.memory import InMemorySaver

    sent: list[str] = []
    session = kit.session(send_script, repeat=True, actions=(sender(sent),), human=True)
    graph = build_graph(OneSession(session)).compile(checkpointer=InMemorySaver(), interrupt_before=paused)
    config: Any = {"configurable": {"thread_id": "t"}, "recursion_limit": 99}
    given: Any = {"task": kit.question}
    for _ in range(9):
        values = await graph.ainvoke(given, config, context=session.settings)
        state = await graph.aget_state(config)
        if not state.next:
            break
        kit.ticks += LUNCH
        given = Command(resume={"choice": "go on"}) if state.interrupts else None
    assert (values["status"], values["stop_reason"], len(sent)) == ("done", "", 1)
    assert not session.goes and not session.ticks and not session.keepers


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"choice": "perhaps"}, "choice: this question takes go on, edit, veto, stop, not 'perhaps'"),
        ({"lesson": "x"}, "choice: this question takes go on, edit, veto, stop"),
        ({"choice": "edit"}, "'edit' needs 'arguments'"), (3, "It should be a mapping of names to values"),
    ],
)  # fmt: skip
async def test_an_answer_of_a_server_that_is_none_is_asked_for_again(
    kit: Any, send_script: Any, wrong: Any, problem: str
) -> None:
    from langgraph.checkpoint.memory import InMemorySaver

    sent: list[str] = []
    session = kit.session(send_script, repeat=True, actions=(sender(sent),), human=True)
    graph = build_graph(OneSession(session)).compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "t"}, "recursion_limit": 99}
    given, told = [{"task": kit.question}, Command(resume=wrong), Command(resume={"choice": "go on"})], []
    for one in given:
        values = await graph.ainvoke(one, config, context=session.settings)
        waits = (await graph.aget_state(config)).interrupts
        told += [question.value.get("problem", "") for question in waits]
    assert told == ["", problem]
    assert (values["status"], len(sent)) == ("done", 1)


async def test_an_answer_given_to_a_run_that_ends_before_it_goes_on_is_not_asked_for_again(
    kit: Any, tmp_path: Path, send_script: Any
) -> None:
    sent: list[str] = []
    async with kit.agent(tmp_path, send_script, actions=(sender(sent),), human=True) as agent:
        await agent.run(kit.question, thread="t")
        answering = asyncio.create_task(agent.resume("t", answer={"choice": "go on"}))
        while not agent.drain():
            await asyncio.sleep(0)
        stopped = await answering
        assert (stopped["status"], stopped["question"], sent) == ("interrupted", None, [])
        assert (await agent.result("t"))["status"] == "interrupted"
    async with kit.agent(tmp_path, send_script, actions=(sender(sent),), human=True) as agent:
        assert (await agent.resume("t"))["status"] == "done"
    assert len(sent) == 1


@pytest.mark.parametrize("answer", [{"choice": "perhaps"}, {"colour": 1}, {"choice": [1]}, "perhaps", "", 3])
async def test_an_answer_that_does_not_fit_is_refused_and_the_question_stays(
    kit: Any, tmp_path: Path, send_script: Any, answer: Any
) -> None:
    sent: list[str] = []
    async with kit.agent(tmp_path, send_script, actions=(sender(sent),), human=True) as agent:
        await agent.run(kit.question, thread="t")
        with pytest.raises(UsageError, match="answer"):
            await agent.resume("t", answer=answer)
        assert agent.threads()[0].status == "waiting"
        assert (await agent.resume("t", answer={"choice": "veto"}))["status"] == "done"
    assert sent == []


async def test_an_edit_that_the_action_does_not_take_leaves_a_question_that_can_be_answered(
    kit: Any, tmp_path: Path, send_script: Any
) -> None:
    sent: list[str] = []
    async with kit.agent(tmp_path, send_script, actions=(sender(sent),), human=True) as agent:
        await agent.run(kit.question, thread="t")
        for to in ("ada", "ben"):
            again = await agent.resume("t", answer={"choice": "edit", "arguments": {"to": [to]}})
            assert again["status"] == "waiting"
            assert "to: It should be a text" in again["question"]["problem"]
        assert agent.threads()[0].status == "waiting"
        answering = asyncio.create_task(agent.resume("t", answer="go on"))
        while not agent.drain():
            await asyncio.sleep(0)
        stopped = await answering
        assert (stopped["status"], stopped["question"], sent) == ("interrupted", None, [])
        assert (await agent.resume("t"))["status"] == "done"
    assert len(sent) == 1


@pytest.mark.parametrize(
    ("asked", "shown", "answer"),
    [
        ("may I?", {"text": "may I?"}, "yes"), (["a", "b"], {"text": "['a', 'b']"}, {"choice": 3}),
        ({"ask": "may I?", "options": ["yes", "no"]}, {"ask": "may I?", "options": ["yes", "no"]}, False),
    ],
)  # fmt: skip
async def test_a_question_of_an_own_node_takes_whatever_it_is_answered_with(
    kit: Any, tmp_path: Path, asked: Any, shown: Any, answer: Any
) -> None:
    given: list[Any] = []

    def ask(state: Any) -> dict[str, Any]:
        if not given:
            given.append(interrupt(asked))
        return {}

    def build(services: Any) -> Any:
        return splice(build_graph(services), "ask", ask, after="act", before="evaluate")

    async with small_agent(tmp_path, build=build) as agent:
        waits = await agent.run(kit.question, thread="t")
        assert (waits["status"], waits["question"]) == ("waiting", shown)
        assert (await agent.result("t"))["question"] == shown
        assert (await agent.resume("t", answer=answer))["status"] == "done"
    assert given == [answer]


async def test_a_thread_that_langgraph_has_brought_to_its_end_is_told_as_it_ended(
    kit: Any, tmp_path: Path, send_script: Any
) -> None:
    async with kit.agent(tmp_path, send_script, actions=(sender([]),), human=True) as agent:
        await agent.run(kit.question, thread="t")
        config: Any = {"configurable": {"thread_id": "t"}}
        await agent.graph.ainvoke(Command(resume="go on"), config, context=agent.context)
        assert (await agent.result("t"))["status"] == "done"
        assert (await agent.resume("t"))["status"] == "done"
        assert agent.threads()[0].status == "done"


async def test_of_several_questions_the_one_that_is_shown_is_answered(kit: Any, tmp_path: Path) -> None:
    given: dict[str, Any] = {}

    def ask(name: str) -> Any:
        def node(state: Any) -> dict[str, Any]:
            if name not in given:
                given[name] = interrupt(f"may {name}?")
            return {}

        return node

    def build(services: Any) -> Any:
        graph = build_graph(services)
        for name in ("ada", "ben"):
            splice(graph, name, ask(name), after="act", before="evaluate")
            graph.add_edge("act", "evaluate")
        return graph

    async with small_agent(tmp_path, build=build) as agent:
        waits = await agent.run(kit.question, thread="t")
        first = waits["question"]["text"]
        waits = await agent.resume("t", answer=1)
        assert {first, waits["question"]["text"]} == {"may ada?", "may ben?"}
        assert (await agent.resume("t", answer=2))["status"] == "done"
    assert given[first.split()[1].strip("?")] == 1


async def test_cancelling_a_waiting_thread_closes_it_for_good(kit: Any, tmp_path: Path) -> None:
    script = kit.script(
        kit.leaf(
            "send it",
            "send",
        )
    )
    async with kit.agent(tmp_path, script, actions=(sender([]),), human=True) as agent:
        await agent.run(kit.question, thread="t")
        await agent.cancel("t")
        assert agent.threads()[0].status == "stopped"
        assert (await agent.run("Anything else?", thread="t"))["status"] in ("waiting", "done")


async def test_nothing_foreign_is_ever_built_from_a_checkpoint(
    kit: Any, tmp_path: Path, send_script: Any
) -> None:
    events: list[Any] = []
    forget = register_serde_event_listener(events.append)
    try:
        async with kit.agent(tmp_path, send_script, actions=(sender([]),), human=True) as agent:
            with pytest.raises(Crash):
                await agent.run(kit.question, thread="t", on_event=crash_at("select", 2))
        async with kit.agent(tmp_path, send_script, actions=(sender([]),), human=True) as agent:
            await agent.resume("t")
            await agent.resume("t", answer={"choice": "go on"})
            await agent.run("And then?", thread="t")
            await agent.state("t")
    finally:
        forget()
    assert events == []


@pytest.mark.parametrize(
    ("answer", "done"),
    [
        ("go on", 1), ("approve", 1), ({"choice": "approve"}, 1),
        ("reject", 0), ({"choice": "reject", "by": "ada"}, 0),
    ],
)  # fmt: skip
async def test_a_choice_is_taken_alone_and_by_either_of_its_words(
    kit: Any, tmp_path: Path, send_script: Any, answer: Any, done: int
) -> None:
    sent: list[str] = []
    async with kit.agent(tmp_path, send_script, actions=(sender(sent),), human=True) as agent:
        await agent.run(kit.question, thread="t")
        assert (await agent.resume("t", answer=answer))["status"] == "done"
    assert len(sent) == done
