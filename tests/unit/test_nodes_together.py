"""Several ideas in one plan: how many, which of them, and what comes of the reply."""

from __future__ import annotations

from typing import Any

import pytest

from ddax.errors import InvalidReply
from ddax.ideas import dag
from ddax.nodes.expand import expand
from ddax.nodes.select import select
from ddax.reasoning import protocol as p
from ddax.reasoning.language.replies import planned, schemas
from ddax.steps.findings.unmerged import EMPTY
from ddax.steps.select import planned_together


async def parts(kit: Any, replies: list[Any], **models: Any) -> tuple[Any, Any]:
    """Return a state whose root has four open ideas, over a reasoner that plans several at once."""
    first = p.Expansion(tuple(kit.inner(name) for name in ("north", "east", "south", "west")))
    session = kit.session(
        {"expand": [first, *replies]}, models=models, selection={"join": 1.0}, mood={"enabled": False}
    )
    session.reasoner.plans_together = True
    state = await kit.after(expand, await kit.opened(session, focus=["0"], step=1), session)
    return session, {**state, "step": 2}


def answered(kit: Any, *each: tuple[str, ...]) -> p.Expansion:
    plans = [tuple(kit.leaf(title) for title in titles) for titles in each]
    return p.Expansion(plans[0], others=tuple(plans[1:]))


async def test_the_second_plan_is_of_two_ideas_and_each_grows_its_own_children(kit: Any) -> None:
    session, state = await parts(kit, [answered(kit, ("a tower", "a gate"), ())])
    state = await kit.after(select, state, session)
    assert (state["decision"]["next"], len(state["focus"])) == ("expand", 2)
    first, second = state["focus"]
    state = await kit.after(expand, state, session)
    request = session.reasoner.requests[-1][1]
    assert (request.idea, request.others) == (
        state["ideas"][first]["title"],
        (state["ideas"][second]["title"],),
    )
    assert [i["title"] for i in dag.children(state["ideas"], first)] == ["a tower", "a gate"]
    assert state["ideas"][second]["status"] == "done" and state["ideas"][second]["result"] == EMPTY
    dag.check(state["ideas"])


@pytest.mark.parametrize(("plans", "samples", "most"), [(8, 1, 2), (1, 1, 1), (8, 3, 1)])
async def test_how_many_go_together_grows_with_the_plans_and_keeps_to_the_settings(
    kit: Any, plans: int, samples: int, most: int
) -> None:
    session, state = await parts(kit, [], plans=plans, samples=samples)
    assert planned_together.most(state, session) == most


async def test_a_reasoner_that_plans_one_idea_is_asked_for_one(kit: Any) -> None:
    session, state = await parts(kit, [])
    session.reasoner.plans_together = False
    state = await kit.after(select, state, session)
    assert len(state["focus"]) == 1


async def test_where_the_reply_is_of_no_use_the_first_idea_is_planned_by_itself(kit: Any) -> None:
    lost = InvalidReply("the model gave no usable reply.", why="It is a test.", mend="None.")
    session, state = await parts(kit, [lost, answered(kit, ("a tower",))])
    state = await kit.after(select, state, session)
    first, second = state["focus"]
    state = await kit.after(expand, state, session)
    assert session.reasoner.requests[-1][1].others == ()
    assert [i["title"] for i in dag.children(state["ideas"], first)] == ["a tower"]
    assert state["ideas"][second]["status"] == "open"


async def test_ideas_of_other_depth_or_by_a_rule_are_planned_apart(kit: Any) -> None:
    _, state = await parts(kit, [])
    ideas = {**state["ideas"]}
    ideas["0.2"] = {**ideas["0.2"], "title": "by rule: read on"}
    ideas["0.3"] = {**ideas["0.3"], "depth": 2}
    assert planned_together.alike(ideas, ["0.1", "0.2", "0.3", "0.4"]) == ["0.1", "0.4"]
    assert planned_together.alike(ideas, ["0.2", "0.1"]) == ["0.2"]
    assert planned_together.alike(ideas, ["0", "0.1"]) == ["0"]


def plan(idea: int, *titles: str) -> dict[str, Any]:
    child = {"expected": "a page", "prior": 0.5, "needs": [], "action": None}
    return {"idea": idea, "children": [{"title": title, **child} for title in titles]}


def read(plans: list[dict[str, Any]]) -> p.Expansion:
    request = p.ExpandRequest("t", "one", 1, (), (), (), ("search",), others=("two", "three"))
    return planned.expansions(schemas.PlansWire.model_validate({"plans": plans}), request, {}, {})


def test_plans_are_read_by_their_numbers_and_those_left_out_are_empty() -> None:
    found = read([plan(3, "c"), plan(1, "a", "b"), plan(9, "x"), plan(1, "again")])
    assert [[child.title for child in one] for one in (found.children, *found.others)] == [
        ["a", "b"],
        [],
        ["c"],
    ]


def test_plans_of_no_idea_that_was_asked_for_do_not_fit() -> None:
    with pytest.raises(schemas.Unfit, match="none of the 3 ideas"):
        read([plan(7, "x")])
