"""The end of a task that is solved: by an action that checks, or by a judge who is sure."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from ddax.actions.protocol import Action, ActionContext, ActionResult
from ddax.actions.registry import action
from ddax.ideas.idea import is_final
from ddax.reasoning import protocol as p
from ddax.steps.findings.solved import SOLVED
from ddax.types import Record


class Door(BaseModel):
    number: int


def door(*, key_at: int) -> Action:
    """Return an action that says which door it was at, and settles the task at one of them."""

    @action(effect="none")
    async def knock(context: ActionContext, arguments: Door) -> ActionResult:
        """Knock at a door."""
        text = f"Behind door {arguments.number} there is {'the key' if arguments.number == key_at else 'no'}."
        page = Record("observation", text, source=f"door {arguments.number}", task=context.task,
                      idea=context.idea, step=context.step, created=context.now, end=len(text),
                      meta={"kind": "page"})  # fmt: skip
        return ActionResult(text, records=(page,), settles=arguments.number == key_at)

    return knock


def doors(kit: Any, value: Mapping[int, float], confidence: float = 1.0) -> dict[str, list[Any]]:
    """Return replies: three doors, more of them behind an idea, each with the value a judge gives."""

    def judged(request: p.JudgeRequest) -> p.Judgment:
        number = next((n for n in value if f"door {n} " in request.result), 0)
        return kit.judgment(value.get(number, 0.2), confidence)  # type: ignore[no-any-return]

    later = p.Expansion(tuple(kit.leaf(f"door {n}", "knock", number=n) for n in (4, 5)))
    first = p.Expansion((*(kit.leaf(f"door {n}", "knock", number=n) for n in (1, 2, 3)), kit.inner("more")))
    plans = iter([first])
    return {
        "expand": [lambda _: next(plans, later)], "judge": [judged], "merge": [kit.synthesis("It is there.")],
        "reflect": [p.Lesson("Knock.")], "extract": [p.Extraction((), "read")],
        "ask": [p.Question("Which one?")],
    }  # fmt: skip


async def ended(kit: Any, home: Path, key_at: int, value: Mapping[int, float], **more: Any) -> Any:
    """Return the ideas of a run one door at a time, and the requests that were made for it."""
    settings = {"budget": {"max_parallel": 1}, "selection": {"join": 1.0}, "models": {"quote_below": 1200}}
    replies = doors(kit, value, more.pop("confidence", 1.0))
    async with kit.agent(home, replies, actions=(door(key_at=key_at),), **settings, **more) as agent:
        await agent.run("Find the key.", thread="t")
        state = (await agent.graph.aget_state({"configurable": {"thread_id": "t"}})).values
        session = await agent.services.session(agent.context)
    return state["ideas"], session.reasoner.requests


def knocked(ideas: Mapping[str, Any]) -> list[str]:
    return [i["title"] for i in ideas.values() if i["kind"] == "leaf" and i["status"] == "done"]


@pytest.mark.parametrize("key_at", [1, 2, 4])
async def test_what_a_check_settles_ends_the_task(kit: Any, tmp_path: Path, key_at: int) -> None:
    ideas, asked = await ended(kit, tmp_path, key_at, {})
    assert f"door {key_at}" in knocked(ideas)
    left = [i for i in ideas.values() if i["status"] == "abandoned"]
    assert left and all(SOLVED in i["reason"] for i in left)
    assert all(map(is_final, ideas.values()))
    (last,) = [request for method, request in asked if method == "merge"]
    assert f"door {key_at}" in {finding.title for finding in last.findings}
    assert all(finding.status == "done" for finding in last.findings)


async def test_without_a_check_a_judge_who_is_sure_ends_the_task(kit: Any, tmp_path: Path) -> None:
    ideas, _ = await ended(kit, tmp_path, 0, {2: 0.97}, debate={"ask": "always"})
    assert "door 2" in knocked(ideas)
    assert len(knocked(ideas)) < 5


@pytest.mark.parametrize(("value", "confidence"), [(0.9, 1.0), (0.97, 0.6)])
async def test_a_judge_who_is_not_sure_ends_nothing(
    kit: Any, tmp_path: Path, value: float, confidence: float
) -> None:
    ideas, _ = await ended(kit, tmp_path, 0, {2: value}, confidence=confidence, debate={"ask": "always"})
    assert len(knocked(ideas)) == 5
