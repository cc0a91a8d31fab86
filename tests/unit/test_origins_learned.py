"""What was learned carries where it was learned from: no lesson or rule takes private words out unasked."""

from __future__ import annotations

from typing import Any

import pytest

from ddax.actions.protocol import ActionContext, ActionResult
from ddax.actions.registry import action
from ddax.graph.routing import leaf_packet
from ddax.ideas.origins import of_kept
from ddax.memory.records import LEDGER, REFLECTIONS
from ddax.nodes.act import act
from ddax.nodes.expand import expand
from ddax.nodes.reflect import reflect
from ddax.reasoning import protocol as p
from ddax.steps.choices.learned_rules import PLANS

TOKEN = "zx-4711-vault"
TASK = "Where does the harbour of Trondby get its water from?"
LESSON = f"Ask with the key {TOKEN} of the water works."


@action(effect="reads")
async def ask_outside(context: ActionContext, query: str) -> ActionResult:
    """Ask somebody outside."""
    return ActionResult(f"asked {query}")


async def learned(session: Any, *, kind: str = "policy", **more: Any) -> None:
    row = {"kind": kind, "text": LESSON, "task": "before", "idea": "0", "epsilon": 0.9, "about": TASK, **more}
    await session.memory.log(REFLECTIONS, row, key="before:policy:0")


async def sent(kit: Any, session: Any, state: dict[str, Any]) -> dict[str, Any]:
    """Plan with what is known, do the first leaf, and return what became of it."""
    after = await kit.after(expand, state, session)
    update = await kit.update(act, leaf_packet({**after, "step": 2}, "0.1"), session)
    return dict(update["ideas"]["0.1"])


def script(kit: Any) -> dict[str, Any]:
    return {"expand": [p.Expansion((kit.leaf("ask", "ask_outside", query=f"water {TOKEN}"),))]}


@pytest.mark.parametrize(
    ("origins", "status"),
    [(["file"], "waiting"), (["tool:bank"], "waiting"), (None, "waiting"), ([], "done")],
)
async def test_a_lesson_takes_no_private_word_out(kit: Any, origins: list[str] | None, status: str) -> None:
    session = kit.session(script(kit), actions=(ask_outside,))
    await learned(session, **({} if origins is None else {"origins": origins}))
    kit.now += 10
    state = await kit.opened(session, TASK, focus=["0"], step=1)
    assert (await sent(kit, session, state))["status"] == status
    (request,) = [request for method, request in session.reasoner.requests if method == "expand"]
    assert request.lessons == (LESSON,), "the lesson was in the prompt"


async def test_a_lesson_is_kept_with_what_it_was_learned_from(kit: Any) -> None:
    session = kit.session({"reflect": [p.Lesson(LESSON)]})
    state = await kit.opened(session, TASK, step=3)
    leaf = {
        **state["ideas"]["0"],
        "id": "0.1",
        "parent": "0",
        "kind": "leaf",
        "origins": ["file"],
        "evidence": ["m1"],
        "action": {"name": "visit", "args": {}, "intent": ""},
    }
    state["ideas"]["0.1"] = leaf
    row = {
        "task": state["work"]["id"],
        "idea": "0.1",
        "step": 1,
        "action": "visit",
        "expected": "a page",
        "actual": TOKEN,
        "epsilon": 0.95,
        "value": None,
        "before": None,
        "ok": True,
    }
    await session.memory.log(LEDGER, row, key="l1")
    await kit.update(reflect, state, session)
    (kept,) = await session.memory.rows(REFLECTIONS)
    assert of_kept(kept) == {"file"}
    assert kept["rests_on"] == ["m1"]


@pytest.mark.parametrize(("origins", "status"), [(["file"], "waiting"), (None, "waiting"), ([], "done")])
async def test_a_rule_takes_no_private_word_out(kit: Any, origins: list[str] | None, status: str) -> None:
    """A rule planned first, and the reasoner went on from there: its words are in titles and forecasts."""
    session = kit.session(script(kit), actions=(ask_outside,))
    state = await kit.opened(session, TASK, focus=["0"], step=1)
    row = {
        "task": state["work"]["id"],
        "idea": "0",
        "stage": -1,
        "rule": "r",
        "rate": 0.7,
        "situation": TOKEN,
        "plan": [{"said": TOKEN, "slot": None, "cue": TOKEN}],
        "answer": TOKEN,
    }
    await session.memory.log(PLANS, row | ({} if origins is None else {"origins": origins}), key="p")
    assert (await sent(kit, session, state))["status"] == status


async def test_the_title_of_the_idea_above_takes_none_out(kit: Any) -> None:
    """The parent was planned with a private page in view; it is open, and nothing private was read since."""
    session = kit.session(script(kit), actions=(ask_outside,))
    state = await kit.opened(session, TASK, focus=["0"], step=1)
    state["ideas"]["0"] = {**state["ideas"]["0"], "title": f"look up {TOKEN}", "origins": ["file"]}
    assert (await sent(kit, session, state))["status"] == "waiting"


@action(effect="reads")
async def plain_tool(context: ActionContext, account: str) -> ActionResult:
    """List the rows of acct_90210_main."""
    return ActionResult("listed")


@pytest.mark.parametrize(
    ("query", "status"), [("rows of acct_90210_main", "waiting"), ("rows of water", "done")]
)
async def test_the_words_of_a_foreign_tool_on_itself_do_not_leave(kit: Any, query: str, status: str) -> None:
    from dataclasses import replace

    tool = replace(plain_tool, described=("web:bank",))
    plan = p.Expansion((kit.leaf("ask", "ask_outside", query=query),))
    session = kit.session({"expand": [plan]}, actions=(ask_outside, tool))
    state = await kit.opened(session, TASK, focus=["0"], step=1)
    assert (await sent(kit, session, state))["status"] == status
