"""An agent that is closed while it runs: what runs is stopped first, and can be resumed."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from ddax.actions.protocol import ActionContext, ActionResult
from ddax.actions.registry import action
from ddax.errors import UsageError
from ddax.graph import agent_life
from ddax.graph.results import exit_code_of
from ddax.types import ActionCall, Proposal


class Nothing(BaseModel):
    """No arguments."""


async def test_an_agent_that_closes_stops_what_runs_and_it_goes_on_to_the_same_dag(
    kit: Any, tmp_path: Path
) -> None:
    async with kit.agent(tmp_path / "other", kit.script()) as agent:
        await agent.run(kit.question, thread="t")
        undisturbed = agent.threads()[0].digest
    expanded = asyncio.Event()

    def on_event(event: dict[str, Any]) -> None:
        if event["node"] == "expand":
            expanded.set()

    async with kit.agent(tmp_path, kit.script()) as agent:
        running = asyncio.create_task(agent.run(kit.question, thread="t", on_event=on_event))
        await expanded.wait()
    result = await running
    assert (result["status"], exit_code_of(result)) == ("interrupted", 130)
    async with kit.agent(tmp_path, kit.script()) as agent:
        assert (await agent.resume())["status"] == "done"
        assert agent.threads()[0].digest == undisturbed


async def test_what_does_not_stop_in_time_is_cancelled_when_an_agent_closes(
    kit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_life, "GRACE", 0.05)
    script = kit.script(
        Proposal("send it", expected="it is sent", action=ActionCall(name="send", args={}, intent=""))
    )
    sending, refused = asyncio.Event(), []

    @action(effect="reads")
    async def send(context: ActionContext, arguments: Nothing) -> ActionResult:
        """Send it, and never end."""
        sending.set()
        await asyncio.Event().wait()
        return ActionResult("sent")

    async def work() -> None:
        """Take one job after the other, as a worker does that heeds no cancelling."""
        for thread in ("t", "next"):
            with contextlib.suppress(asyncio.CancelledError):
                try:
                    await agent.run(kit.question, thread=thread)
                except UsageError as error:
                    refused.append(error.what)

    async with kit.agent(tmp_path, script, actions=(send,)) as agent:
        working = asyncio.create_task(work())
        await sending.wait()
    await working
    assert refused == ["the agent is not open."]
    async with kit.agent(tmp_path, script, actions=(send,)) as agent:
        assert [(one.thread_id, one.status) for one in agent.threads()] == [("t", "interrupted")]
