"""Rules: learned from what worked, used while they work, given up where they fail."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.configs.settings import Recall, Rules
from ddax.memory.context import UnifiedMemory, goal_stack
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.fake import DictMemory
from ddax.memory.protocol import RecallQuery
from ddax.memory.rules import PlanStep, Rule, count_use, learn, matching, standing
from ddax.nodes.expand import expand
from ddax.reasoning import protocol as p
from ddax.steps.choices.learned_rules import _carrier
from ddax.types import Record

NOW = 1_000_000.0
PLAN = (
    PlanStep("⟨0⟩ was designed by a person", slot=0),
    PlanStep("born in a city", cue="designed by ⟨target⟩"),
)
RULE = Rule("where was the architect of something born", 1, PLAN, "⟨title⟩ was born in a city")
BOUNDS = {"slots": 1, "minimum": 0.5, "decay": 0.01, "min_rate": 0.6}
TASKS = (
    "In which city was the architect of the Corvane Tower born?",
    "In which city was the architect of the Lantern Bridge born?",
)
WORLD = {
    "Corvane Tower": "The Corvane Tower stands on a hill. It was designed by Ilse Maran in 1931.",
    "Ilse Maran": "Ilse Maran was an architect. Ilse Maran was born in the city of Trondby.",
    "Trondby": "Trondby is a port city in the north.",
    "Lantern Bridge": "The Lantern Bridge stands in a valley. It was designed by Otto Vell in 1952.",
    "Otto Vell": "Otto Vell was an architect. Otto Vell was born in the city of Skarn.",
    "Skarn": "Skarn is a town known for its cheese.",
}


@pytest.fixture
def memory() -> DictMemory:
    return DictMemory("n", HashEmbedder(), lambda: NOW - 1, Recall())


def use(ok: bool, at: float = NOW) -> dict[str, Any]:
    return {"rule": "r", "task": "t", "ok": ok, "at": at}


async def test_a_rule_is_found_for_a_like_situation_with_its_standing(memory: DictMemory) -> None:
    await learn(memory, RULE, task="t", at=NOW - 3600)
    (match,) = await matching(memory, "where was the architect of something else born", now=NOW, **BOUNDS)
    assert match.rule == RULE and 0.5 < match.similarity < 1
    assert match.standing.rate == pytest.approx(2 / 3) and match.standing.age_hours == pytest.approx(1.0)
    assert await matching(memory, "bake a bread", now=NOW, **BOUNDS) == []
    assert await matching(memory, RULE.situation, now=NOW, **{**BOUNDS, "slots": 2}) == []
    assert await matching(memory, RULE.situation, now=NOW - 1, **BOUNDS) == []


async def test_a_rule_that_fails_is_retracted_and_may_come_back(memory: DictMemory) -> None:
    await learn(memory, RULE, task="a", at=NOW)
    await count_use(memory, RULE.id, task="b", ok=False, at=NOW)
    assert await matching(memory, RULE.situation, now=NOW, **BOUNDS) == []
    for task in "cde":
        await learn(memory, RULE, task=task, at=NOW)
    assert len(await matching(memory, RULE.situation, now=NOW, **BOUNDS)) == 1


async def test_a_use_is_counted_once_a_task(memory: DictMemory) -> None:
    for _ in range(3):
        await count_use(memory, RULE.id, task="a", ok=False, at=NOW)
    assert len(await memory.rows("rule_uses")) == 1


@given(st.lists(st.booleans(), max_size=40))
def test_the_standing_follows_its_formulas(outcomes: list[bool]) -> None:
    found = standing([use(ok) for ok in outcomes], now=NOW)
    assert found.rate == pytest.approx((sum(outcomes) + 1) / (len(outcomes) + 2))
    assert 0 < found.rate < 1
    later = standing([use(ok) for ok in outcomes], now=NOW + 3600)
    assert later.activation(0.1) <= found.activation(0.1)
    if outcomes[-2:] == [False, False]:
        assert found.retracted


async def runs(kit: Any, home: Path, *tasks: str) -> list[dict[str, Any]]:
    results = []
    # Hashed embeddings are surprised by everything: planning anew is left out of what is tested here.
    calm = {"replan_above": 1.0, "wider": False}
    async with kit.agent(home, selection=calm) as agent:
        for task in tasks:
            kit.now += 100
            number = len(await kit.memory.rows("tasks")) if kit.memory else 0
            results.append(await agent.run(task, thread=f"t{number}"))
    return results


async def test_the_second_task_of_a_kind_follows_the_plan_of_the_first(kit: Any, tmp_path: Path) -> None:
    kit.pages = dict(list(WORLD.items())[:3])
    (first,) = await runs(kit, tmp_path, TASKS[0])
    kit.pages = dict(WORLD)
    (second,) = await runs(kit, tmp_path / "second", TASKS[1])
    assert first["status"] == second["status"] == "done"
    assert "Skarn" in second["answer"] and second["steps"] < first["steps"]
    plans = await kit.memory.rows("rule_plans")
    assert [row["stage"] for row in plans] == [0, 1, 2] and len({row["task"] for row in plans}) == 1
    uses = await kit.memory.rows("rule_uses")
    assert [row["ok"] for row in uses] == [True, True]


async def test_a_plan_that_no_longer_holds_falls_back_and_is_retracted(kit: Any, tmp_path: Path) -> None:
    kit.pages = dict(list(WORLD.items())[:3])
    await runs(kit, tmp_path, TASKS[0])
    kit.pages = WORLD | {"Lantern Bridge": "The Lantern Bridge stands in a valley. Its plans are lost."}
    (result,) = await runs(kit, tmp_path / "later", TASKS[1])
    assert result["status"] in ("done", "not_found")
    plans = await kit.memory.rows("rule_plans")
    assert [row["stage"] for row in plans] == [0, -1]
    assert [row["ok"] for row in await kit.memory.rows("rule_uses", rule=plans[0]["rule"])] == [True, False]
    (third,) = await runs(kit, tmp_path / "third", TASKS[0])
    assert third["status"] == "done" and len(await kit.memory.rows("rule_plans")) == 2


async def test_where_a_plan_no_longer_holds_the_answer_is_searched_for(kit: Any, tmp_path: Path) -> None:
    kit.pages = dict(list(WORLD.items())[:3])
    await runs(kit, tmp_path, TASKS[0])
    moved = "Otto Vell, the architect of the Lantern Bridge, was born in the city of Skarn."
    kit.pages = WORLD | {"Lantern Bridge": "The Lantern Bridge stands in a valley.", "Otto Vell": moved}
    (result,) = await runs(kit, tmp_path / "later", TASKS[1])
    assert [row["stage"] for row in await kit.memory.rows("rule_plans")] == [0, -1]
    assert result["status"] == "done" and "Skarn" in result["answer"] and "Trondby" not in result["answer"]


def test_an_answer_that_rests_on_more_than_a_plan_leads_to_makes_no_rule() -> None:
    named, led, other = ({"source": f"{name}.md"} for name in ("named", "led", "other"))
    taken = ["named.md", "led.md"]
    assert _carrier([named, led], taken, 1) == named and _carrier([led, other], taken, 1) == led
    assert _carrier([named, other, led], taken, 1) == led
    assert _carrier([named, other], taken, 1) is None and _carrier([other], taken, 1) is None


async def test_rules_that_are_switched_off_are_neither_learned_nor_used(kit: Any, tmp_path: Path) -> None:
    kit.pages = dict(WORLD)
    async with kit.agent(tmp_path, rules={"enabled": False}) as agent:
        await agent.run(TASKS[0], thread="a")
    assert await kit.memory.rows("rules") == [] == await kit.memory.rows("rule_uses")


async def test_one_view_holds_the_goal_stack_what_is_recalled_and_rules(kit: Any) -> None:
    session = kit.session({"expand": [p.Expansion((kit.leaf("look"), kit.inner("go on", 0)))]})
    state = await kit.after(expand, await kit.opened(session, focus=["0"], step=1), session)
    kit.now = NOW * 1700 - 1
    await learn(session.memory, RULE, task="o", at=NOW)
    await session.memory.put([Record("observation", "an architect of something was born here", task="o")])
    unified = UnifiedMemory(session.memory, Rules(min_similarity=0.5))
    query = RecallQuery(RULE.situation, "t", 1, now=NOW * 1700)
    view = await unified.view(state["ideas"], "0.2", query, slots=1)
    assert [(node.id, node.status) for node in view.stack] == [("0", "waiting"), ("0.2", "open")]
    assert view.stack[1].waits_for == ("0.1",) and view.stack[1].goal == "go on"
    assert [match.rule.id for match in view.rules] == [RULE.id] and len(view.hits) == 1
    over = {**state["ideas"], "0.2": {**state["ideas"]["0.2"], "status": "done"}}
    assert [node.id for node in goal_stack(over, "0.2")] == ["0"]
