"""`protect` asks once, settles what was asked, and takes the conservative path where nobody is there."""

from __future__ import annotations

from typing import Any

import pytest

from ddax.dynamics.rigidity import enter_protect
from ddax.errors import ReasonerError
from ddax.ideas.idea import apply_patches
from ddax.nodes import protect as module
from ddax.nodes.protect import protect
from ddax.nodes.select import select
from ddax.reasoning import protocol as p
from ddax.steps.accounts.long_arguments import KEPT
from ddax.types import Idea

QUESTION = {
    "kind": "approval",
    "text": "approval: it writes",
    "action": {"name": "send", "args": {"to": "x"}, "intent": ""},
}


async def waiting(kit: Any, *leaves: str, replies: dict[str, Any] | None = None, human: bool = True) -> Any:
    """Return a session and a state in which these leaves wait for an approval."""
    children = [kit.leaf(f"send {k}", "send", to=f"x{k}") for k in range(len(leaves))]
    dependent = kit.leaf("afterwards", needs=tuple(range(len(leaves)))) if leaves else kit.leaf("other")
    session = kit.session({"expand": [p.Expansion((*children, dependent))], **(replies or {})}, human=human)
    from ddax.nodes.expand import expand

    state = await kit.after(expand, await kit.opened(session, focus=["0"], step=1), session)
    patch = {leaf: Idea(status="waiting", reason="approval") for leaf in leaves}
    ideas = apply_patches(state["ideas"], [patch])
    questions = {leaf: {"idea": leaf, **QUESTION} for leaf in leaves}
    return session, {**state, "ideas": ideas, "questions": questions, "step": 2}


async def test_an_answer_that_does_not_fit_is_asked_for_again_and_is_no_veto(
    kit: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = [{"choice": "choose", "idea": "0.1"}, {"choice": "teach", "lesson": "x"}, {"choice": "go on"}]
    asked: list[dict[str, Any]] = []

    def interrupt(question: dict[str, Any], **_: Any) -> dict[str, Any]:
        asked.append(question)
        return given[len(asked) - 1]

    monkeypatch.setattr(module, "interrupt", interrupt)
    session, state = await waiting(kit, "0.1")
    state["questions"]["0.1"]["options"] = ["go on", "edit", "veto", "stop"]
    after = await kit.after(protect, state, session)
    problem = "choice: this question takes go on, edit, veto, stop"
    assert [question.get("problem", "") for question in asked] == ["", problem, problem]
    assert after["ideas"]["0.1"]["status"] == "open"


async def test_go_on_opens_the_leaf_again_and_is_on_record(kit: Any, asks: Any) -> None:
    session, state = await waiting(kit, "0.1")
    after = await kit.after(protect, state, session)
    assert after["ideas"]["0.1"]["status"] == "open"
    assert after["questions"] == {}
    rows = await session.memory.rows("approvals")
    assert [(r["leaf"], r["approved"]) for r in rows] == [("0.1", True)]
    assert asks[0]["idea"] == "0.1"


async def test_an_answer_is_for_the_question_that_was_asked_alone(kit: Any, asks: Any) -> None:
    asks[-1] = {"choice": "go on", "arguments": {"to": "changed"}}
    session, state = await waiting(kit, "0.1", "0.2")
    after = await kit.after(protect, state, session)
    assert asks[0]["pending"] == 2
    assert after["ideas"]["0.1"]["action"]["args"] == {"to": "changed"}
    assert after["ideas"]["0.2"]["status"] == "waiting"
    assert set(after["questions"]) == {"0.2"}
    assert [r["leaf"] for r in await session.memory.rows("approvals")] == ["0.1"]
    assert (await kit.update(select, after, session))["decision"]["next"] == "protect"


async def test_a_veto_gives_the_leaf_up_and_what_needs_it(kit: Any, asks: Any) -> None:
    asks[-1] = {"choice": "veto"}
    session, state = await waiting(kit, "0.1")
    after = await kit.after(protect, state, session)
    assert [after["ideas"][i]["status"] for i in ("0.1", "0.2")] == ["abandoned", "abandoned"]
    assert (await kit.update(select, after, session))["decision"]["next"] == "merge"


async def test_stop_stops(kit: Any, asks: Any) -> None:
    asks[-1] = {"choice": "stop"}
    session, state = await waiting(kit, "0.1")
    update = await kit.update(protect, state, session)
    assert (update["status"], update["stop_reason"]) == ("stopped", "a human stopped the run")


async def test_a_lesson_is_remembered_as_taught(kit: Any, asks: Any) -> None:
    asks[-1] = {"choice": "go on", "lesson": "Never write to x."}
    session, state = await waiting(kit, "0.1")
    await kit.update(protect, state, session)
    from ddax.memory.protocol import RecallQuery

    hits = await session.memory.recall(
        RecallQuery("never write to x", state["work"]["id"], before_step=9, now=kit.now)
    )
    assert [(h.record.text, h.record.writer) for h in hits] == [("Never write to x.", "human")]


async def stiff(kit: Any, *, human: bool, replies: dict[str, Any]) -> Any:
    session, state = await waiting(kit, human=human, replies=replies)
    return session, {**state, "mind": dict(enter_protect(state["mind"]))}


async def test_protect_mode_asks_the_question_of_the_reasoner(kit: Any, asks: Any) -> None:
    session, state = await stiff(kit, human=True, replies={"ask": [p.Question("Which tower is meant?")]})
    after = await kit.after(protect, state, session)
    assert asks[0]["text"] == "Which tower is meant?"
    assert after["mind"]["protect"] is False


async def test_a_silent_reasoner_does_not_keep_the_question_from_the_human(kit: Any, asks: Any) -> None:
    session, state = await stiff(kit, human=True, replies={"ask": [ReasonerError("down")]})
    await kit.update(protect, state, session)
    assert asks[0]["text"].endswith("?") and "otherwise than I expected" in asks[0]["text"]


async def test_one_question_an_entry(kit: Any) -> None:
    session, state = await stiff(kit, human=False, replies={})
    after = await kit.after(protect, state, session)
    assert (after["mind"]["protect"], after["mind"]["asked"]) == (True, True)
    assert (await kit.update(select, after, session))["decision"]["next"] == "act"


async def test_with_nobody_there_what_waits_is_given_up_and_said(kit: Any) -> None:
    session, state = await waiting(kit, "0.1", human=False)
    after = await kit.after(protect, state, session)
    assert after["ideas"]["0.1"]["status"] == "abandoned"
    assert after["failures"]["0.1"]["cause"].startswith("nobody there to ask: ")
    assert after["ideas"]["0.2"]["status"] == "abandoned"
    assert (await kit.update(select, after, session))["decision"]["next"] == "merge"


@pytest.mark.parametrize(("choice", "status"), [("veto", "abandoned"), ("stop", "waiting")])
async def test_a_lost_long_argument_holds_up_no_refusal(
    kit: Any, asks: list[Any], choice: str, status: str
) -> None:
    asks[-1] = {"choice": choice}
    session, state = await waiting(kit, "0.1")
    lost = {"name": "send", "args": {"to": {KEPT: "0" * 32}}, "intent": ""}
    state["ideas"]["0.1"]["action"] = lost
    after = await kit.after(protect, state, session)
    assert after["ideas"]["0.1"]["status"] == status
    assert (after["status"] == "stopped") is (choice == "stop")
