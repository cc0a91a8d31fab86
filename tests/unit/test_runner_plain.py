"""An agent in code without async: from any thread, with LangGraph's own calls, and with Ctrl-C."""

from __future__ import annotations

import os
import signal
import sys
from concurrent.futures import Future
from contextvars import ContextVar
from pathlib import Path
from threading import Thread
from threading import enumerate as threads_alive
from typing import Any

import pytest

from ddax import build_graph, splice
from ddax.actions.registry import action
from ddax.errors import UsageError
from ddax.testing import small_agent
from ddax.types import ActionCall, Proposal

PLACE: Any = {"configurable": {"thread_id": "t"}}


@action(effect="writes")
def send() -> str:
    """Send it."""
    return "sent"


def within(seconds: float, work: Any) -> Any:
    """Return what some work brings; fails where it is not done in time, as `pytest` would wait for ever."""
    made: Future[Any] = Future()

    def do() -> None:
        try:
            made.set_result(work())
        except BaseException as error:
            made.set_exception(error)

    Thread(target=do, daemon=True).start()
    return made.result(timeout=seconds)


def test_a_question_is_answered_in_code_without_async(kit: Any, tmp_path: Path) -> None:
    script = kit.script(Proposal("send it", "it is sent", action=ActionCall(name="send", args={}, intent="")))
    with kit.agent(tmp_path, script, actions=(send,), human=True) as agent:
        assert agent.run_sync(kit.question, thread="t")["status"] == "waiting"
        assert agent.resume_sync("t", answer="go on")["status"] == "done"


def test_whatever_else_an_agent_does_is_waited_for(kit: Any, tmp_path: Path) -> None:
    with kit.agent(tmp_path, kit.script()) as agent:
        agent.run_sync(kit.question, thread="t")
        moments = agent.wait(agent.history("t"))
        assert moments[-1]["next"] == []
        values = agent.wait(agent.graph.ainvoke({"task": "And then?"}, PLACE, context=agent.context))
        assert values["status"] == "done"
    with pytest.raises(UsageError, match="not open"):
        agent.wait(agent.history("t"))


def test_the_calls_of_langgraph_that_do_not_wait_come_back(kit: Any, tmp_path: Path) -> None:
    with kit.agent(tmp_path, kit.script()) as agent:
        agent.run_sync(kit.question, thread="t")
        state = within(20, lambda: agent.graph.get_state(PLACE))
        assert state.values["status"] == "done"
        assert len(within(20, lambda: [*agent.graph.get_state_history(PLACE)])) > 5
        within(20, lambda: agent.graph.update_state(PLACE, {"metrics": {"seen": 1}}))
        assert agent.wait(agent.state("t"))["metrics"] == {"seen": 1}


def test_several_threads_ask_one_agent_at_once(kit: Any, tmp_path: Path) -> None:
    with small_agent(tmp_path) as agent:
        ended: list[str] = []

        def ask(name: str) -> None:
            ended.append(agent.run_sync(kit.question, thread=name)["status"])

        asking = [Thread(target=ask, args=(f"t{n}",)) for n in range(4)]
        for one in asking:
            one.start()
        for one in asking:
            one.join()
    assert ended == ["done"] * 4
    assert not [one.name for one in threads_alive() if one.name.startswith("ddax-loop")]


def test_ctrl_c_leaves_a_thread_that_goes_on(kit: Any, tmp_path: Path) -> None:
    def press(event: Any) -> None:
        if event["node"] == "expand":
            os.kill(os.getpid(), signal.SIGINT)

    with kit.agent(tmp_path, kit.script()) as agent:
        with pytest.raises(KeyboardInterrupt):
            agent.run_sync(kit.question, thread="t", on_event=press)
        assert agent.threads()[0].status == "interrupted"
        assert agent.resume_sync("t")["status"] == "done"


def test_a_callback_that_ends_the_program_ends_it(kit: Any, tmp_path: Path) -> None:
    def leave(event: Any) -> None:
        sys.exit(7)

    with kit.agent(tmp_path, kit.script()) as agent:
        with pytest.raises(SystemExit, match="7"):
            agent.run_sync(kit.question, thread="t", on_event=leave)
        assert agent.resume_sync("t")["status"] == "done"
    assert not [one.name for one in threads_alive() if one.name.startswith("ddax-loop")]


def test_a_node_sees_the_context_of_whoever_waits(kit: Any, tmp_path: Path) -> None:
    told: ContextVar[str] = ContextVar("told")
    seen: set[str] = set()

    def look(state: Any) -> dict[str, Any]:
        seen.add(told.get("nothing"))
        return {}

    def build(services: Any) -> Any:
        return splice(build_graph(services), "look", look, after="act", before="evaluate")

    with small_agent(tmp_path, build=build) as agent:
        told.set("the caller's")
        agent.run_sync(kit.question)
    assert seen == {"the caller's"}
