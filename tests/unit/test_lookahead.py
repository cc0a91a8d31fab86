"""Lookahead: what writes or spends is imagined first, apart from what happened; and its ablation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel

from ddax.actions.protocol import Action, ActionContext, ActionResult
from ddax.configs.settings import Actions
from ddax.nodes.expand import expand
from ddax.nodes.select import select
from ddax.reasoning import protocol as p
from ddax.types import Usage

WORTH = {"keep": 0.9, "wreck": 0.05, "then good": 0.95, "then bad": 0.0}


class To(BaseModel):
    to: str


async def _done(to: str, *, context: ActionContext) -> ActionResult:
    return ActionResult(f"sent to {to}")


SEND = Action("send", _done, To, "writes", "Send something.")


def judged(request: p.JudgeRequest) -> p.Judgment:
    return p.Judgment(WORTH[request.result.removeprefix("imagined ")], 0.9, (), Usage(1, 10))


def foreseen(request: p.PredictRequest) -> p.Prediction:
    return p.Prediction(f"imagined {request.action['args']['to']}", 1.0, Usage(1, 10))


async def due(kit: Any, *plan: Any, predict: Any = foreseen, **settings: Any) -> Any:
    """Return a session and a state whose leaves are due."""
    script = {"expand": [p.Expansion(plan)], "predict": [predict], "judge": [judged]}
    session = kit.session(script, actions=(SEND,), repeat=True, **settings)
    return session, await kit.after(expand, await kit.opened(session, focus=["0"], step=1), session)


def send(kit: Any, to: str, *needs: int) -> Any:
    return kit.leaf(to, "send", to=to, needs=needs)


async def test_what_the_user_asked_for_at_the_start_is_done_one_by_one_and_not_imagined(kit: Any) -> None:
    script = {"expand": [p.Expansion((send(kit, "keep"), send(kit, "wreck")))]}
    session = kit.session(script, actions=(replace(SEND, told=True),))
    state = await kit.after(expand, await kit.opened(session, focus=["0"], step=1), session)
    after = await kit.after(select, state, session)
    assert (after["focus"], after["ideas"]["0.2"]["status"]) == (["0.1"], "open")
    assert [method for method, _ in session.reasoner.requests] == ["expand"]


async def test_what_looks_bad_is_given_up_where_nobody_is_there(kit: Any) -> None:
    session, state = await due(kit, send(kit, "keep"), send(kit, "wreck"))
    after = await kit.after(select, state, session)
    assert after["focus"] == ["0.1"]
    assert after["ideas"]["0.2"]["status"] == "abandoned"
    why = "lookahead: its imagined value 0.05 is below 0.30"
    assert after["ideas"]["0.2"]["reason"] == why
    told = {"idea": "0.2", "title": "wreck", "cause": f"nobody there to ask: {why}"}
    assert after["failures"] == {"0.2": told}, "the result says what was given up"


async def test_what_looks_bad_is_asked_about_where_somebody_is(kit: Any) -> None:
    session, state = await due(kit, send(kit, "keep"), send(kit, "wreck"), human=True)
    after = await kit.after(select, state, session)
    assert after["decision"]["next"] == "protect" and set(after["questions"]) == {"0.2"}
    assert after["ideas"]["0.2"]["status"] == "waiting"
    assert "0.2" not in after.get("failures", {})


async def test_an_allowed_action_that_looks_bad_is_asked_about_all_the_same(kit: Any) -> None:
    session, state = await due(kit, send(kit, "wreck"), human=True)
    allowing = session.settings.model_copy(update={"actions": Actions(allow=("send",))})
    session = replace(session, settings=allowing)
    after = await kit.after(select, state, session)
    assert set(after["questions"]) == {"0.1"}, "to be allowed says who may decide, not that it is wise"


async def test_the_imagined_stays_apart_from_the_real(kit: Any) -> None:
    session, state = await due(kit, send(kit, "keep"), send(kit, "wreck"))
    after = await kit.after(select, state, session)
    assert all(idea["N"] == 0 and idea["Q"] == 0.0 for idea in after["ideas"].values())
    rows = await session.memory.rows("imagined")
    assert {row["leaf"]: row["Q"] for row in rows} == {"0.1": 0.9, "0.2": 0.05}
    (decision,) = await session.memory.rows("decisions")
    assert decision["imagined"] == {row["leaf"]: {"Q": row["Q"], "N": row["N"]} for row in rows}
    assert (after["usage"]["model_calls"], after["usage"]["tokens"]) == (4, 40)


async def test_what_rests_on_an_action_counts(kit: Any) -> None:
    plan = (send(kit, "keep"), send(kit, "then bad", 0))
    session, state = await due(kit, *plan)
    await kit.update(select, state, session)
    (row,) = await session.memory.rows("imagined")
    assert (row["N"], row["Q"]) == (2, pytest.approx(0.45))


async def test_what_was_imagined_is_not_paid_for_again(kit: Any) -> None:
    session, state = await due(kit, send(kit, "keep"), send(kit, "then good"))
    await kit.update(select, state, session)
    asked = len(session.reasoner.requests)
    again = await kit.update(select, state, session)
    assert len(session.reasoner.requests) == asked
    assert again["usage"]["model_calls"] == 0


async def test_writes_go_one_at_a_time_the_robust_child_first(kit: Any) -> None:
    plan = (
        send(kit, "keep"),
        send(kit, "then good"),
        kit.leaf("read", "visit", source="s"),
        send(kit, "keep", 1),
    )
    session, state = await due(kit, *plan)
    update = await kit.update(select, state, session)
    assert sorted(update["focus"]) == ["0.2", "0.3"], "0.2 was visited twice in imagination"


async def test_an_unsure_forecast_holds_nothing_back(kit: Any) -> None:
    unsure = p.Prediction("imagined wreck", 0.1)
    session, state = await due(kit, send(kit, "wreck"), predict=unsure)
    assert (await kit.update(select, state, session))["focus"] == ["0.1"]


async def test_reads_are_not_imagined_and_a_budget_ends_it(kit: Any) -> None:
    session, state = await due(kit, kit.leaf("read", "visit", source="s"))
    await kit.update(select, state, session)
    assert [name for name, _ in session.reasoner.requests] == ["expand"]
    session, state = await due(kit, send(kit, "wreck"), budget={"max_model_calls": 0})
    state = {**state, "usage": {"model_calls": 0}}
    assert (await kit.update(select, state, session))["decision"]["next"] in ("act", "reflect")


async def test_ablation_without_lookahead_the_harmful_action_is_taken(kit: Any) -> None:
    taken = {}
    for rollouts in (12, 0):
        session, state = await due(
            kit, send(kit, "keep"), send(kit, "wreck"), selection={"lookahead": rollouts}
        )
        taken[rollouts] = (await kit.update(select, state, session))["focus"]
    assert "0.2" in taken[0] and "0.2" not in taken[12]
