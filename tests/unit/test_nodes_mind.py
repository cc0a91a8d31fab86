"""`open_task`, `rigidity`, `reflect` and `close`: the mind of a task, its lessons, and how it ends."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from langchain_core.messages import HumanMessage

from ddax.configs.secrets import Redactor
from ddax.dynamics.forces import mind_forces
from ddax.dynamics.stability import critical_gains, reported
from ddax.dynamics.state import decode_vector
from ddax.environments.grid import GridWorld
from ddax.errors import ReasonerError, UsageError
from ddax.graph.state import Answer, Outcome
from ddax.ideas.idea import apply_patches
from ddax.memory.agents.agent_store import AgentStore
from ddax.nodes.close import close
from ddax.nodes.expand import expand
from ddax.nodes.open_task import _text, open_task
from ddax.nodes.reflect import contrasts, reflect
from ddax.nodes.rigidity import rigidity
from ddax.reasoning import protocol as p
from ddax.reasoning.budget import charge
from ddax.reasoning.scripted import ScriptedReasoner
from ddax.steps.choices.frontier import directions_of
from ddax.steps.close.unmoved import UNMOVED
from ddax.steps.findings.gather import lessons
from ddax.types import ActionCall, Idea, Usage
from tests.cases import cases

EXPECTED = "The harbour of Trondby was built in 1712."
OTHER = "Zebras quickly jump over vexing fjords."


async def felt(kit: Any, session: Any, state: Any, text: str) -> Any:
    outcome = Outcome(idea="0", ok=True, text=text, expected=EXPECTED, action="search")
    return await kit.after(
        rigidity, {**state, "step": state["step"] + 1, "outcomes": {"0": outcome}}, session
    )


async def test_a_surprise_raises_rho_and_calm_lowers_it(kit: Any) -> None:
    session = kit.session()
    start = {**await kit.opened(session), "verdicts": {}}
    hit = await felt(kit, session, start, OTHER)
    assert hit["mind"]["epsilon"] > hit["mind"]["epsilon_0"]
    assert hit["mind"]["rho"] > start["mind"]["rho"]
    calm = await felt(kit, session, {**hit, "verdicts": {}}, EXPECTED)
    assert calm["mind"]["epsilon"] == 0.0
    assert calm["mind"]["rho"] < hit["mind"]["rho"]
    rows = await session.memory.rows("ledger")
    assert [(r["step"], r["actual"]) for r in rows] == [(1, OTHER), (2, EXPECTED)]


async def test_the_raw_surprise_is_that_of_what_was_foreseen_before_the_outcome(kit: Any) -> None:
    session = kit.session()
    start = {**await kit.opened(session), "verdicts": {}}
    start["mind"] = {**start["mind"], "rho": 0.4, "protect_after": 1}
    hit = await felt(kit, session, start, OTHER)
    assert hit["mind"]["protect"] and hit["mind"]["rho"] > 0.4, "both change what is foreseen"
    D = await directions_of([start["ideas"]["0"]], start["mind"], session)
    foreseen = decode_vector(start["mind"]["x"]) + mind_forces(start["mind"], D, np.zeros(1)).delta_x
    raw = np.linalg.norm(foreseen - decode_vector(hit["mind"]["i"]))
    assert hit["mind"]["raw_surprise"] == pytest.approx(raw, abs=1e-6)


async def test_the_critical_gains_are_those_of_where_the_mind_stands_now(kit: Any) -> None:
    session = kit.session()
    start = {**await kit.opened(session), "verdicts": {}}
    hit = await felt(kit, session, start, OTHER)
    assert hit["mind"]["x"] != start["mind"]["x"], "it has moved, so what leads to an outcome has turned"
    D = await directions_of([start["ideas"]["0"]], hit["mind"], session)
    gains = reported(critical_gains(hit["mind"], mind_forces(hit["mind"], D, np.zeros(1))))
    assert hit["mind"]["m_crit"] == pytest.approx(gains, abs=1e-6)


async def test_rigidity_writes_mind_and_verdicts_alone(kit: Any) -> None:
    session = kit.session()
    state = {**await kit.opened(session), "step": 1, "verdicts": {}}
    update = await kit.update(rigidity, state, session)
    assert set(update) == {"mind", "verdicts"}
    assert update["mind"] == {**state["mind"], "rho": 0.0}


async def learned(kit: Any, session: Any) -> Any:
    state = await felt(kit, session, {**await kit.opened(session), "verdicts": {}}, OTHER)
    return await kit.update(reflect, state, session)


async def test_a_surprise_leaves_a_lesson_for_the_next_task(kit: Any) -> None:
    session = kit.session({"reflect": [p.Lesson("A search for the harbour brings zebras.")]})
    await learned(kit, session)
    rows = await session.memory.rows("reflections")
    assert [(r["kind"], r["text"]) for r in rows] == [("policy", "A search for the harbour brings zebras.")]
    kit.now += 3600
    again = await kit.opened(session, kit.question)
    assert await lessons(again, session, "harbour") == (rows[0]["text"],)


class Together(ScriptedReasoner):
    """A reasoner that gives no lesson before it was asked for two."""

    def __init__(self) -> None:
        super().__init__({})
        self.asked: list[str] = []
        self.both = asyncio.Event()

    async def reflect(self, request: p.ReflectRequest) -> p.Lesson:
        self.asked.append(request.actual)
        if len(self.asked) == 2:
            self.both.set()
        await asyncio.wait_for(self.both.wait(), timeout=20)  # not reached where they are asked together
        return p.Lesson(f"Not so: {request.actual}")


async def test_lessons_are_asked_for_together(kit: Any) -> None:
    reasoner = Together()
    session = replace(kit.session(), reasoner=reasoner)
    state = await kit.opened(session)
    for idea in ("0.1", "0.2"):
        row = {"task": state["work"]["id"], "idea": idea, "action": "search", "expected": EXPECTED,
               "actual": f"{idea}: {OTHER}", "epsilon": 1.0, "value": None, "before": None}  # fmt: skip
        await session.memory.log("ledger", row, key=idea)
    session.metered(state["work"]["id"], {})
    session.keepers[state["work"]["id"]].add(Usage(1, 9))  # what a call costs is known
    await kit.update(reflect, state, session)
    assert reasoner.asked == [f"0.1: {OTHER}", f"0.2: {OTHER}"]


async def test_a_silent_reasoner_ends_the_learning_and_not_the_run(kit: Any) -> None:
    session = kit.session({"reflect": [ReasonerError("down")]})
    update = await learned(kit, session)
    assert {"usage", "metrics"} <= set(update)
    assert (await session.memory.rows("notes"))[0]["note"] == "no lesson: down"


async def test_a_lesson_that_was_paid_for_is_kept_where_another_failed(kit: Any) -> None:
    lesson = p.Lesson("Look into the annals.", usage=Usage(1, 5))
    session = kit.session({"reflect": [ReasonerError("down"), lesson]})
    state = await kit.opened(session)
    for idea in ("0.1", "0.2"):
        row = {"task": state["work"]["id"], "idea": idea, "action": "search", "expected": EXPECTED,
               "actual": OTHER, "epsilon": 1.0, "value": None, "before": None}  # fmt: skip
        await session.memory.log("ledger", row, key=idea)
    update = await kit.update(reflect, state, session)
    assert [r["text"] for r in await session.memory.rows("reflections")] == ["Look into the annals."]
    assert update["usage"]["model_calls"] == 1


FOUND = {"text": "Trondby.", "short": "", "found": True, "support": 0.9, "citations": []}


@pytest.mark.parametrize(
    ("changes", "root", "status", "reason"),
    [
        ({"answer": FOUND}, {"status": "done"}, "done", ""),
        ({"answer": {**FOUND, "found": False}}, {"status": "done"}, "not_found", "not found in the sources"),
        (
            {"answer": {**FOUND, "found": False, "text": "This was not done: no page."}},
            {"status": "done"},
            "failed",
            "not carried out",
        ),
        ({"status": "stopped", "stop_reason": "budget: x"}, {}, "stopped", "budget: x"),
        (
            {},
            {"status": "failed", "reason": "down", "error": {"kind": "InvalidReply"}},
            "failed",
            "model: down",
        ),
        ({}, {"status": "failed", "reason": "broken", "error": {"kind": "X"}}, "failed", "broken"),
    ],
)
async def test_no_success_is_said_of_a_failed_run(
    kit: Any, changes: Any, root: Any, status: str, reason: str
) -> None:
    session = kit.session({"merge": [kit.synthesis()]})
    state = {**await kit.opened(session), **changes}
    state["ideas"] = apply_patches(state["ideas"], [{"0": Idea(**root)}])
    update = await kit.update(close, state, session)
    assert (update["status"], update["stop_reason"]) == (status, reason)
    assert update["messages"][-1].content == update["answer"]["text"]


@cases("lost", "kind", "reason")
async def test_what_fails_before_anything_is_read_is_no_silence_of_the_sources(
    kit: Any, lost: str, kind: str, reason: str
) -> None:
    silent = reason == "not found in the sources"
    session = kit.session({"expand": [p.Expansion((kit.leaf("x"),))], "merge": [kit.synthesis(found=False)]})
    state = await kit.after(expand, {**await kit.opened(session), "focus": ["0"]}, session)
    failed = Idea(status="failed", reason="It refused.", error={"kind": kind})
    state["ideas"] = apply_patches(state["ideas"], [{lost: failed}])
    update = await kit.update(close, state, session)
    told = "No answer was reached. Nothing was read, since this failed: It refused."
    assert (update["answer"]["text"] != told) == silent
    assert (update["status"], update["stop_reason"]) == ("not_found" if silent else "failed", reason)
    assert update["messages"][-1].response_metadata["ddax"]["status"] == update["status"]


@pytest.mark.parametrize("acted", [False, True])
async def test_a_model_that_fails_before_anything_is_done_in_a_world_is_told(kit: Any, acted: bool) -> None:
    leaves = p.Expansion((kit.leaf("x"), kit.leaf("y")))
    session = kit.session({"expand": [leaves], "merge": [kit.synthesis(found=False)]})
    session = replace(session, world=GridWorld(("S.G",)))
    state = await kit.after(expand, {**await kit.opened(session), "focus": ["0"]}, session)
    failed = Idea(status="failed", reason="It refused.", error={"kind": "InvalidReply"})
    done = {"0.2": Idea(status="done", result="moved")} if acted else {}
    state["ideas"] = apply_patches(state["ideas"], [{"0.1": failed, **done}])
    answer = (await kit.update(close, state, session))["answer"]["text"]
    assert ("this failed: It refused." in answer) is not acted


@pytest.mark.parametrize(
    ("done", "writes", "noted"), [("", True, True), ("move", True, False), ("", False, False)]
)
async def test_where_nothing_was_done_in_a_browser_that_may_send_data_the_answer_says_so(
    kit: Any, done: str, writes: bool, noted: bool
) -> None:
    leaf = p.Proposal("x", expected="x", action=ActionCall(name=done or "look", args={}, intent="x"))
    script = {"expand": [p.Expansion((leaf,))], "merge": [kit.synthesis(found=False)]}
    session = replace(kit.session(script, browser={"writes": writes}), world=GridWorld(("S.G",)))
    state = await kit.after(expand, {**await kit.opened(session), "focus": ["0"]}, session)
    state["ideas"] = apply_patches(state["ideas"], [{"0.1": Idea(status="done", result="seen")}])
    answer = (await kit.update(close, state, session))["answer"]
    assert (UNMOVED in answer.get("notes", [])) is noted


@pytest.mark.parametrize(
    ("task", "done", "status"),
    [("Choose Red.", "look", "failed"), ("Choose Red.", "move", "done"), ("Tell me the fee.", "look", "done"),
     ("What is the fee?", "look", "done")],
)  # fmt: skip
async def test_an_order_of_which_nothing_was_done_is_not_done_whatever_a_model_says(
    kit: Any, task: str, done: str, status: str
) -> None:
    leaf = p.Proposal("x", expected="x", action=ActionCall(name=done, args={}, intent="x"))
    session = kit.session({"expand": [p.Expansion((leaf,))]}, browser={"writes": True})
    session = replace(session, world=GridWorld(("S.G",)))
    state = await kit.after(expand, {**await kit.opened(session, task), "focus": ["0"]}, session)
    state["ideas"] = apply_patches(state["ideas"], [{"0.1": Idea(status="done", result="seen")}])
    state["answer"] = Answer(text="Red", short="", found=True, support=1.0, citations=[])
    assert (await kit.update(close, state, session))["status"] == status


async def test_a_file_named_in_a_world_without_documents_is_no_source_to_visit(kit: Any) -> None:
    session, order = kit.session(), "Open letter-1.docx under Letters, then visit https://example.org/a."
    both = ["letter-1.docx", "https://example.org/a"]
    for world, specs, wanted in (
        (None, (), both),
        (GridWorld(), ("docs",), both),
        (GridWorld(), (), both[1:]),
    ):
        session.library.specs = specs
        state = await kit.opened(replace(session, world=world), order)
        assert [one["value"] for one in state["work"]["requirements"]] == wanted


async def test_what_is_still_open_at_the_end_is_given_up(kit: Any) -> None:
    session = kit.session({"merge": [ReasonerError("down")]})
    state = {**await kit.opened(session), "status": "stopped", "stop_reason": "budget: x"}
    update = await kit.update(close, state, session)
    assert update["ideas"]["0"] == {"status": "abandoned", "reason": "budget: x"}
    assert update["answer"]["found"] is False
    assert "Down" in update["answer"]["text"]


def failing(cost: Usage) -> ReasonerError:
    error = ReasonerError("down")
    charge(error, cost)
    return error


async def test_a_synthesis_that_failed_at_the_end_is_paid(kit: Any) -> None:
    session = kit.session({"merge": [failing(Usage(3, 70, 0.2))]})
    state = {**await kit.opened(session), "status": "stopped", "stop_reason": "budget: x"}
    update = await kit.update(close, state, session)
    assert Usage.of_row(update["usage"]) == Usage(3, 70, 0.2)


async def test_a_cap_at_the_end_is_told_in_a_sentence_with_a_mend_that_works(kit: Any) -> None:
    session = kit.session(budget={"max_model_calls": 0})
    state = {**await kit.opened(session), "status": "stopped", "stop_reason": "budget: x"}
    text = (await kit.update(close, state, session))["answer"]["text"]
    assert text.startswith("No answer was reached. The cap max_model_calls=0 is reached (0 spent).")
    assert text.endswith(
        "Ask again with a higher budget.max_model_calls; on the same thread what was read is kept."
    )


async def test_a_cap_has_one_figure_in_a_result(kit: Any) -> None:
    session = kit.session(budget={"max_model_calls": 2})
    reason = "budget: the cap max_model_calls=2 is reached (2 spent)"
    state = {**await kit.opened(session), "status": "stopped", "stop_reason": reason}
    state["usage"] = Usage(3, 10).row()
    text = (await kit.update(close, state, session))["answer"]["text"]
    assert text.startswith(
        "No answer was reached. The cap max_model_calls=2 is reached (2 spent). A run stops"
    )


async def test_a_lesson_that_failed_is_paid_and_not_stored(kit: Any) -> None:
    session = kit.session({"reflect": [failing(Usage(2, 50, 0.1))]})
    update = await learned(kit, session)
    assert Usage.of_row(update["usage"]) == Usage(2, 50, 0.1)
    assert await session.memory.rows("reflections") == []


async def test_an_empty_task_is_refused(kit: Any) -> None:
    with pytest.raises(UsageError, match="the task is empty"):
        await kit.update(open_task, {"task": " "}, kit.session())


async def test_a_follow_up_keeps_the_mind_and_turns_it_to_the_new_task(kit: Any) -> None:
    session = kit.session()
    first = {**await kit.opened(session), "verdicts": {}}
    first = await felt(kit, session, first, OTHER)
    after = await kit.after(open_task, {**first, "task": "What is cheese?"}, session)
    assert after["work"]["root"] == "1"
    assert after["mind"]["x_star"] != first["mind"]["x_star"]
    assert {k: v for k, v in after["mind"].items() if k != "x_star"} == {
        k: v for k, v in first["mind"].items() if k != "x_star"
    }
    assert (after["step"], after["failures"], after["usage"]["model_calls"]) == (0, {}, 0)


async def test_each_participant_of_a_debate_has_one_round_a_task(kit: Any, tmp_path: Path) -> None:
    agents = AgentStore(tmp_path / "agents", clock=lambda: 1.0)
    session = replace(kit.session({"reflect": []}), agents=agents)
    state = await kit.opened(session)
    speeches = [{"speaker": "a"}, {"speaker": "b"}]
    for step, debated in enumerate((True, True, False)):
        row = {
            "task": state["work"]["id"],
            "debated": debated,
            "transcript": speeches if debated else [],
            "models": {"a": "m", "c": "m"} if debated else {"d": "m"},
        }
        await session.memory.log("debates", row, key=str(step))
    for _ in range(2):  # a resumed run reflects again
        await kit.update(reflect, state, session)
    assert {name: agents.load(name)["rounds_participated"] for name in "abcd"} == {
        "a": 1,
        "b": 1,
        "c": 1,
        "d": 0,
    }


def test_lessons_come_from_the_largest_errors_three_of_policy_and_one_of_value() -> None:
    ideas: Any = {
        "0": {"id": "0", "parent": "", "kind": "inner", "Q": 0.2, "N": 6},
        "0.9": {"id": "0.9", "parent": "0", "kind": "merge", "Q": 0.9, "N": 1},
    }
    rows: list[dict[str, Any]] = [
        {"idea": f"0.{k}", "epsilon": 0.1, "value": 0.5, "before": 0.5 - k / 10} for k in range(1, 6)
    ]
    rows.append({"idea": "0.6", "epsilon": 0.95, "value": 0.5, "before": None})
    rows.append({"idea": "0.7", "epsilon": 0.9, "value": None, "before": 0.1})
    rows.append({"idea": "0.9", "epsilon": 0.0, "value": 0.9, "before": 0.8})
    found = [(kind, row["idea"], round(error, 6)) for kind, error, row in contrasts(rows, ideas, 0.3)]
    assert found == [
        ("policy", "0.6", 0.95),
        ("policy", "0.7", 0.9),
        ("policy", "0.5", 0.5),
        ("value", "0.9", 0.7),
    ], "ε where nothing was believed before, else |V − Q|; the merge is judged by what its parent came to"


@cases("message", "task", "asked")
def test_a_message_that_was_the_task_before_is_not_asked_in_place_of_a_new_one(
    message: str, task: str, asked: str
) -> None:
    state = {"work": {"text": "old"}, "task": task, "messages": [HumanMessage(message)]}
    assert _text(state, str) == asked  # type: ignore[arg-type]  # as much of a state as it reads


async def test_a_message_with_a_secret_that_was_the_task_before_is_known_again(kit: Any) -> None:
    message = "Is SECRET-WORD right?"
    session = replace(kit.session(), redactor=Redactor(["SECRET-WORD"]))
    first = await kit.after(open_task, {"task": "", "messages": [HumanMessage(message)]}, session)
    assert "SECRET-WORD" not in first["work"]["text"]
    again = await kit.after(open_task, {**first, "task": "What is cheese?"}, session)
    assert again["work"]["text"] == "What is cheese?"
