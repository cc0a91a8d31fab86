"""`act` executes a leaf once, turns every end into a row, and never raises."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel

from ddax.actions.protocol import Action, ActionContext, ActionResult
from ddax.actions.registry import action
from ddax.errors import ActionError, Blocked
from ddax.graph.services import ADMITTED_AT_ONCE
from ddax.ideas.calls import content_of
from ddax.ideas.idea import apply_patches, child
from ddax.memory.fake import DictMemory
from ddax.memory.gate.write_gate import GatedMemory
from ddax.nodes.act import act
from ddax.reasoning import protocol as p
from ddax.steps.accounts.long_arguments import KEPT
from ddax.steps.findings.claims import to_verify
from ddax.types import ActionCall, Document, Effect, Record

CALL: ActionCall = {"name": "attempt", "args": {}, "intent": ""}


class Probe(BaseModel):
    """Arguments of the action under test."""

    source: str = ""


def probe(effect: Effect, ends: list[Any], calls: list[str]) -> Action:
    """Return an action that ends as scripted, one entry a call; the last one again and again."""

    @action(effect=effect)
    async def attempt(context: ActionContext, arguments: Probe) -> ActionResult:
        """Try it."""
        calls.append(context.key)
        end = ends.pop(0) if len(ends) > 1 else ends[0]
        if isinstance(end, BaseException):
            raise end
        if isinstance(end, float):
            await asyncio.sleep(end)
        return end if isinstance(end, ActionResult) else ActionResult("done")

    return attempt


@pytest.fixture
def no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retry at once: the back-off itself is arithmetic."""
    monkeypatch.setattr("ddax.nodes.act.BACKOFF_SECONDS", 0.0)


async def acted(
    kit: Any, session: Any, name: str = "attempt", *, task_id: str = "task-1", **args: Any
) -> Any:
    state = await kit.opened(session)
    return await kit.update(act, kit.packet("0.1", name, state=state, **args), session, task_id=task_id)


async def test_a_leaf_gets_no_longer_than_the_run_has_left(kit: Any) -> None:
    session = kit.session(actions=(probe("reads", [5.0], []),), budget={"max_seconds": 60.0})
    state = await kit.opened(session)
    session.tick(state["work"]["thread"])
    kit.ticks += 9.9
    packet = {**kit.packet("0.1", "attempt", state=state), "usage": {"seconds": 50.0}}
    idea = (await kit.update(act, packet, session))["ideas"]["0.1"]
    assert idea["error"]["kind"] == "timeout" and "all that was left of max_seconds" in idea["reason"]


async def test_only_the_leaf_and_its_outcome_change(kit: Any) -> None:
    update = await acted(kit, kit.session(), "search", query="tower in Belmark")
    assert set(update) == {"ideas", "outcomes"}
    assert set(update["ideas"]) == set(update["outcomes"]) == {"0.1"}
    assert update["ideas"]["0.1"]["status"] == "done"
    assert update["outcomes"]["0.1"] | {"text": ""} == {
        "idea": "0.1", "ok": True, "text": "", "expected": "something", "action": "search"
    }  # fmt: skip


async def test_the_same_task_is_executed_once(kit: Any) -> None:
    calls: list[str] = []
    session = kit.session(actions=(probe("reads", [None], calls),))
    first = await acted(kit, session)
    again = await acted(kit, session)
    assert calls == ["task-1"]
    assert first == again


async def test_another_task_is_executed_again(kit: Any) -> None:
    calls: list[str] = []
    session = kit.session(actions=(probe("reads", [None], calls),))
    await acted(kit, session)
    await acted(kit, session, task_id="task-2")
    assert calls == ["task-1", "task-2"]


@pytest.mark.usefixtures("no_wait")
@pytest.mark.parametrize(
    ("ends", "calls_made", "status"),
    [
        ([ActionError("busy", retriable=True), None], 2, "done"),
        ([ActionError("busy", retriable=True)], 3, "failed"),
        ([ActionError("gone", kind="not_found")], 1, "failed"),
        ([ValueError("boom")], 1, "failed"),
    ],
)
async def test_only_what_may_pass_is_tried_again(
    kit: Any, ends: list[Any], calls_made: int, status: str
) -> None:
    calls: list[str] = []
    update = await acted(kit, kit.session(actions=(probe("reads", ends, calls),)))
    assert len(calls) == calls_made
    assert update["ideas"]["0.1"]["status"] == status


async def test_a_failure_keeps_its_kind_its_cause_and_its_trace(kit: Any) -> None:
    session = kit.session(actions=(probe("reads", [ActionError("no page", kind="not_found")], []),))
    update = await acted(kit, session)
    idea = update["ideas"]["0.1"]
    assert (idea["status"], idea["reason"]) == ("failed", "no page")
    assert idea["error"]["kind"] == "not_found"
    assert update["failures"]["0.1"]["cause"] == "no page"
    row = (await session.memory.rows("results"))[0]
    assert row["trace"] == idea["error"]["trace"] != ""
    assert "ActionError: no page" in row["trace_text"]


async def test_a_foreign_exception_names_its_type(kit: Any) -> None:
    update = await acted(kit, kit.session(actions=(probe("reads", [ZeroDivisionError("by zero")], []),)))
    assert update["ideas"]["0.1"]["reason"] == "ZeroDivisionError: by zero"


@action(effect="reads")
async def await_one_that_was_cancelled() -> str:
    """Wait for a task of its own, which it has cancelled."""
    waiting = asyncio.create_task(asyncio.sleep(60))
    asyncio.get_running_loop().call_soon(waiting.cancel)
    await waiting
    return "never"


@action(effect="reads")
async def leave() -> str:
    """Leave as a parser of arguments does."""
    sys.exit(3)


@action(effect="reads")
def leave_a_thread() -> str:
    """Leave as a parser of arguments does."""
    sys.exit(3)


@pytest.mark.parametrize(
    ("one", "cause"),
    [
        (await_one_that_was_cancelled, "CancelledError"),
        (leave, "SystemExit: 3"),
        (leave_a_thread, "SystemExit: 3"),
    ],
)
async def test_an_action_that_would_end_the_run_fails_as_any_other(kit: Any, one: Action, cause: str) -> None:
    idea = (await acted(kit, kit.session(actions=(one,)), one.name))["ideas"]["0.1"]
    assert (idea["status"], idea["reason"]) == ("failed", cause)


async def test_a_cancel_from_outside_cancels_the_leaf(kit: Any) -> None:
    begun = asyncio.Event()

    @action(effect="reads")
    async def wait() -> str:
        """Wait."""
        begun.set()
        await asyncio.sleep(60)
        return "never"

    leaf = asyncio.create_task(acted(kit, kit.session(actions=(wait,)), "wait"))
    await begun.wait()
    leaf.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaf


async def test_ctrl_c_in_an_action_is_no_failure_of_it(kit: Any) -> None:
    stopped = probe("reads", [KeyboardInterrupt()], [])
    session = kit.session(actions=(stopped,))
    state = await kit.opened(session)
    leaf = kit.update(act, kit.packet("0.1", "attempt", state=state), session)
    with pytest.raises(KeyboardInterrupt):
        while True:  # by hand: in a task it would end the loop of this test
            leaf.send(None)


async def test_a_leaf_has_its_own_time_out(kit: Any) -> None:
    session = kit.session(actions=(probe("reads", [5.0], []),), budget={"leaf_seconds": 0.05})
    idea = (await acted(kit, session))["ideas"]["0.1"]
    assert idea["error"]["kind"] == "timeout"
    assert idea["reason"] == "no result within 0.05 s"


async def test_a_time_out_of_the_action_itself_is_not_that_of_the_leaf(kit: Any) -> None:
    session = kit.session(actions=(probe("reads", [TimeoutError("the server was silent")], []),))
    idea = (await acted(kit, session))["ideas"]["0.1"]
    assert idea["reason"] == "TimeoutError: the server was silent"


@pytest.mark.parametrize(("name", "args"), [("nonsense", {}), ("visit", {}), ("visit", {"source": 3})])
async def test_an_unknown_action_or_bad_arguments_fail_the_leaf(
    kit: Any, name: str, args: dict[str, Any]
) -> None:
    idea = (await acted(kit, kit.session(), name, **args))["ideas"]["0.1"]
    assert idea["status"] == "failed"
    assert idea["error"]["kind"] in ("unknown_action", "bad_arguments")


async def test_a_refusal_cools_the_source_down_until_its_time(kit: Any) -> None:
    calls: list[str] = []
    session = kit.session(actions=(probe("reads", [Blocked("go away", cooldown=60.0), None], calls),))
    first = await acted(kit, session, source="s1")
    assert first["ideas"]["0.1"]["error"]["kind"] == "blocked"
    second = await acted(kit, session, task_id="task-2", source="s1")
    assert second["ideas"]["0.1"]["error"]["kind"] == "cooling_down"
    assert len(calls) == 1
    kit.now += 61
    third = await acted(kit, session, task_id="task-3", source="s1")
    assert third["ideas"]["0.1"]["status"] == "done"


async def test_where_a_call_has_no_source_it_alone_cools_down(kit: Any) -> None:
    calls: list[str] = []
    session = kit.session(actions=(probe("reads", [Blocked("go away", cooldown=60.0), None], calls),))
    await acted(kit, session)
    again = await acted(kit, session, task_id="task-2")
    assert (again["ideas"]["0.1"]["error"]["kind"], len(calls)) == ("cooling_down", 1)
    other = await acted(kit, session, task_id="task-3", query="something else")
    assert other["ideas"]["0.1"]["status"] == "done"


async def test_a_source_that_did_not_refuse_is_not_cooled(kit: Any) -> None:
    session = kit.session(actions=(probe("reads", [Blocked("go away"), None], []),))
    await acted(kit, session, source="s1")
    assert (await acted(kit, session, task_id="task-2", source="s2"))["ideas"]["0.1"]["status"] == "done"


@pytest.mark.parametrize("effect", ["writes", "spends"])
async def test_what_writes_or_spends_waits_for_an_approval(kit: Any, effect: Effect) -> None:
    calls: list[str] = []
    session = kit.session(actions=(probe(effect, [None], calls),))
    update = await acted(kit, session)
    assert set(update) == {"ideas", "questions"}
    assert update["ideas"]["0.1"]["status"] == "waiting"
    assert update["questions"]["0.1"]["kind"] == "approval"
    assert calls == []
    task = (await session.memory.rows("tasks"))[0]["task"]
    other = {
        "task": task,
        "leaf": "0.1",
        "approved": True,
        "content": content_of({**CALL, "args": {"source": "x"}}),
    }
    await session.memory.log("approvals", other, key="a")
    assert "questions" in await acted(kit, session, task_id="task-2"), "it was let pass with other arguments"
    await session.memory.log("approvals", {**other, "content": content_of(CALL)}, key="b")
    assert (await acted(kit, session, task_id="task-3"))["ideas"]["0.1"]["status"] == "done"
    assert len(calls) == 1


@pytest.mark.parametrize(("source", "waits"), [("https://example.org/x", True), ("Trondby", False)])
async def test_in_protect_mode_only_trusted_sources_are_read(kit: Any, source: str, waits: bool) -> None:
    session = kit.session({"extract": [p.Extraction((), "read")]})
    state = await kit.opened(session)
    packet = {**kit.packet("0.1", "visit", state=state, source=source), "protect": True}
    update = await kit.update(act, packet, session)
    assert ("questions" in update) is waits


def page(source: str) -> ActionResult:
    record = Record("observation", "Trondby is a port city.", source=source, meta={"kind": "page"})
    return ActionResult("read", records=(record,), pages=(Document(source, source, source, "Trondby"),))


async def test_a_reached_cap_fails_the_leaf_and_not_its_siblings(kit: Any) -> None:
    session = kit.session(
        {"extract": []}, actions=(probe("reads", [page("s")], []),), budget={"max_model_calls": 0}
    )
    update = await acted(kit, session)
    assert update["ideas"]["0.1"]["error"]["kind"] == "BudgetExceeded"


async def test_the_arguments_are_recorded_before_the_effect(kit: Any) -> None:
    session = kit.session(actions=(probe("reads", [ActionError("no")], []),))
    await acted(kit, session, source="s9")
    intents = await session.memory.rows("intents")
    assert [(row["leaf"], row["action"]["args"]) for row in intents] == [("0.1", {"source": "s9"})]


class Together(DictMemory):
    """A memory that writes at once what is asked of it at the same moment, as the one on disk does."""

    async def rows(self, table: str, **equals: Any) -> Any:
        await asyncio.sleep(0)
        return await super().rows(table, **equals)

    async def log(self, table: str, row: Any, *, key: str) -> None:
        waiting = vars(self).setdefault("waiting", [])
        waiting.append((table, row, key))
        await asyncio.sleep(0)
        while waiting:
            name, kept, by = waiting.pop(0)
            await super().log(name, kept, key=by)


async def test_the_first_leaves_act_while_others_begin(kit: Any) -> None:
    begun: list[int] = []

    @action(effect="reads")
    async def attempt(context: ActionContext, arguments: Probe) -> ActionResult:
        """See how many have begun."""
        begun.append(len(await context.memory.rows("intents")))
        return ActionResult("done")

    base = kit.session(actions=(attempt,))
    session = replace(base, memory=Together("test", base.embedder, base.clock, base.settings.recall))
    state = await kit.opened(session)
    packets = [kit.packet(f"0.{n}", "attempt", state=state) for n in range(3 * ADMITTED_AT_ONCE)]
    done = [kit.update(act, packet, session, task_id=f"task-{packet['leaf']}") for packet in packets]
    await asyncio.gather(*done)
    assert begun[0] <= ADMITTED_AT_ONCE
    assert len(begun) == max(begun) == len(packets)


async def test_a_page_that_contradicts_what_is_remembered_marks_its_leaf(kit: Any) -> None:
    kit.pages["Corvane Tower"] = "The Corvane Tower was built in 1931 by Ilse Maran."
    base = kit.session(kit.script())
    session = replace(base, memory=GatedMemory(base.memory, base.check))
    state = await kit.opened(session)
    earlier = Record("observation", "The Corvane Tower was built in 1957 by Ilse Maran.", source="guide.md",
                     task=state["work"]["id"], step=1, created=kit.now)  # fmt: skip
    (old,) = await session.memory.put([earlier])
    update = await kit.update(act, kit.packet("0.1", "visit", state=state, source="Corvane Tower"), session)
    assert update["ideas"]["0.1"]["reason"] == "conflicts with what is remembered"
    visit = kit.leaf("x", "visit").action
    leaf = child(state["ideas"]["0"], 1, "read", expected="", prior=1.0, step=1, needs=[], action=visit)
    leaf["N"] = 1
    ideas = apply_patches({"0": {**state["ideas"]["0"], "status": "waiting"}, "0.1": leaf}, [update["ideas"]])
    claim = to_verify(ideas, "0", weak=False)
    assert claim is not None and claim["id"] == "0.1"
    (relation,) = await session.memory.upkeep.relations()
    assert (relation.kind, relation.older) == ("contradicts", old)
    assert relation.newer in update["ideas"]["0.1"]["evidence"]


async def test_a_long_argument_that_is_lost_fails_the_leaf_and_is_never_a_stand_in(kit: Any) -> None:
    calls: list[str] = []
    session = kit.session(actions=(probe("none", [ActionResult("done")], calls),))
    update = await acted(kit, session, source={KEPT: "0" * 32})
    assert update["ideas"]["0.1"]["status"] == "failed"
    assert update["ideas"]["0.1"]["error"]["kind"] == "lost_argument"
    assert calls == []


@pytest.mark.parametrize(("below", "asked"), [(1200, 0), (20, 0), (0, 1)])
async def test_a_short_result_of_an_action_is_quoted_without_a_model(
    kit: Any, below: int, asked: int
) -> None:
    text = "The seal of Belmark shows a heron."
    page = Record("observation", text, source="a seal", task="t", end=len(text), meta={"kind": "page"})
    calls: list[str] = []
    session = kit.session(
        {"extract": [p.Extraction((), "said by the model")]}, models={"quote_below": below},
        actions=(probe("none", [ActionResult(text, records=(page,))], calls),),
    )  # fmt: skip
    update = await acted(kit, session)
    assert sum(method == "extract" for method, _ in session.reasoner.requests) == asked
    assert update["ideas"]["0.1"]["result"] == ("said by the model" if asked else text)


@pytest.mark.parametrize(("below", "asked"), [(1200, 0), (20, 0), (0, 1)])
async def test_a_short_document_is_quoted_without_a_model(kit: Any, below: int, asked: int) -> None:
    session = kit.session({"extract": [p.Extraction((), "said by the model")]}, models={"quote_below": below})
    state = await kit.opened(session)
    packet = kit.packet("0.1", "visit", state=state, source="Ilse Maran")
    update = await kit.update(act, packet, session)
    assert sum(method == "extract" for method, _ in session.reasoner.requests) == asked
    result = update["ideas"]["0.1"]["result"]
    (row,) = await session.memory.rows("claims", idea="0.1")
    if asked:
        assert result == "said by the model"
    else:
        assert result in kit.pages["Ilse Maran"]
        assert all(claim["quote"] in kit.pages["Ilse Maran"] for claim in row["citations"])
        assert row["citations"] and update.get("usage", {}).get("model_calls", 0) == 0
