"""A dry run shows what others could see instead of doing it; an approval holds for one run at most."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ddax.actions.registry import action
from ddax.configs.settings import Context
from ddax.ideas.idea import apply_patches
from ddax.nodes import protect as module
from ddax.nodes.act import act
from ddax.nodes.expand import expand
from ddax.nodes.protect import protect
from ddax.reasoning import protocol as p
from ddax.steps.accounts.long_arguments import stowed, whole
from ddax.types import ActionCall, Idea

DONE: list[str] = []


@action(effect="writes")
def send(to: str, body: str = "") -> str:
    """Send a message."""
    DONE.append(f"{to}: {body}")
    return "sent"


@pytest.fixture(autouse=True)
def nothing_done() -> None:
    DONE.clear()


async def test_the_whole_loop_runs_and_nothing_is_done(kit: Any, tmp_path: Path) -> None:
    plan = (kit.leaf("tell", "send", to="ada", body="x" * 1000), kit.leaf("look", query="tower in Belmark"))
    async with kit.agent(tmp_path, kit.script(*plan), actions=(send,), dry_run=True) as agent:
        result = await agent.run("Tell Ada about the tower in Belmark.", thread="t")
        (row,) = await agent.rows("t", "shown")
        state = await agent.state("t")
    assert DONE == [] and result["status"] == "done"
    assert (row["action"], row["ruling"], row["args"]["body"]) == ("send", "ask", "x" * 1000)
    assert [state["ideas"][i]["status"] for i in ("0.1", "0.2")] == ["done", "done"]
    assert state["ideas"]["0.1"]["result"] == "dry run: send was not done"


async def test_a_dry_run_does_not_count_as_done(kit: Any) -> None:
    session = kit.session({}, actions=(send,), dry_run=True)
    state = await kit.opened(session)
    await kit.update(act, kit.packet("0.1", "send", state=state, to="ada"), session)
    assert await session.memory.rows("results") == await session.memory.rows("intents") == []


async def waiting(kit: Any, monkeypatch: Any, answer: dict[str, Any], **args: Any) -> tuple[Any, Any, Any]:
    """Return session, state after the answer, and the question, of a leaf that asked to send."""
    shown: list[Any] = []

    def interrupt(question: Any, **_: Any) -> Any:
        shown.append(question)
        return answer

    monkeypatch.setattr(module, "interrupt", interrupt)
    plan = p.Expansion((kit.leaf("a", "send", **args), kit.leaf("b", "send", to="bob")))
    session = kit.session({"expand": [plan]}, actions=(send,), human=True)
    state = await kit.after(expand, await kit.opened(session, focus=["0"], step=1), session)
    packet = {**kit.packet("0.1", "send", state=state), "action": state["ideas"]["0.1"]["action"]}
    state = {**kit.reduced(state, await kit.update(act, packet, session)), "step": 3}
    return session, await kit.after(protect, state, session), shown[0]


async def test_an_approval_is_bound_to_the_arguments_that_were_shown(kit: Any, monkeypatch: Any) -> None:
    long = "\n".join(f"line {k}" for k in range(200))
    session, state, question = await waiting(kit, monkeypatch, {"choice": "go on"}, to="ada", body=long)
    assert question["action"]["args"] == {"to": "ada", "body": long}, "shown whole, cut nowhere"
    assert question["effect"] == "writes" and len(question["bound"]) == 12
    other = kit.packet("0.1", "send", state=state, to="eve", body=long)
    assert "questions" in await kit.update(act, other, session, task_id="t2")
    again = {**kit.packet("0.1", "send", state=state), "action": state["ideas"]["0.1"]["action"]}
    await kit.update(act, again, session, task_id="t3")
    assert [f"ada: {long}"] == DONE
    assert "questions" in await kit.update(act, kit.packet("0.2", "send", state=state, to="bob"), session)


async def test_edited_arguments_are_what_is_approved(kit: Any, monkeypatch: Any) -> None:
    answer = {"choice": "edit", "arguments": {"to": "carol"}}
    session, state, _ = await waiting(kit, monkeypatch, answer, to="ada")
    before = kit.packet("0.1", "send", state=state, to="ada")
    assert "questions" in await kit.update(act, before, session, task_id="t2")
    edited = {**before, "action": state["ideas"]["0.1"]["action"]}
    await kit.update(act, edited, session, task_id="t3")
    assert DONE == ["carol: "]


async def test_for_this_run_lets_a_name_pass_in_this_task_only_and_never_a_leak(
    kit: Any, monkeypatch: Any
) -> None:
    session, state, _ = await waiting(kit, monkeypatch, {"choice": "go on", "for_run": True}, to="ada")
    packet = kit.packet("0.2", "send", state=state, to="bob")
    private = {**packet, "origins": ["file"]}
    assert "questions" in await kit.update(act, private, session, task_id="t2")
    await kit.update(act, packet, session, task_id="t3")
    assert DONE == ["bob: "]
    later = {**packet, "work": {**packet["work"], "id": "another task"}}
    assert "questions" in await kit.update(act, later, session, task_id="t4")


async def test_what_is_denied_fails_with_its_reason(kit: Any) -> None:
    base = kit.session({}, actions=(send,))
    denied = Context.model_validate({**base.settings.model_dump(), "actions": {"deny": ["send"]}})
    session = replace(base, settings=denied)
    state = await kit.opened(session)
    update = await kit.update(act, kit.packet("0.1", "send", state=state, to="ada"), session)
    assert update["ideas"]["0.1"]["error"]["kind"] == "not_allowed"
    assert DONE == []


@pytest.mark.parametrize(("name", "args"), [("think", {"about": "tower"}), ("visit", {"source": "Belmark"})])
async def test_deny_and_ask_hold_for_what_nobody_outside_sees(kit: Any, name: str, args: Any) -> None:
    base = kit.session({})

    async def done(word: str) -> Any:
        settings = Context.model_validate({**base.settings.model_dump(), "actions": {word: [name]}})
        session = replace(base, settings=settings)
        state = await kit.opened(session)
        return await kit.update(act, kit.packet("0.1", name, state=state, **args), session)

    denied, held = await done("deny"), await done("ask")
    assert denied["ideas"]["0.1"]["error"]["kind"] == "not_allowed"
    question = held["questions"]["0.1"]
    assert question["text"].endswith("The settings want to be asked about this action.")
    assert question["details"] == {"reason": "the settings want to be asked about this action"}
    assert await base.memory.rows("intents") == [], "nothing was begun"


async def test_long_arguments_fit_into_the_state_and_come_back_whole(kit: Any) -> None:
    session = kit.session({})
    call = ActionCall(name="send", args={"to": "ada", "body": "é" * 900, "more": ["y"] * 300}, intent="")
    short = await stowed(call, session)
    assert len(str(short)) < 300 and short["args"]["to"] == "ada"
    assert await whole(short, session) == call
    assert await stowed(short, session) == short
    idea = apply_patches({}, [{"0.1": Idea(action=short)}])
    assert await whole(idea["0.1"]["action"], session) == call
