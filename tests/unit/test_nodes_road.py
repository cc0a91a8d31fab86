"""The quick road: without a model until the answer, one call for it, and a plan where that was not enough."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ddax.reasoning import protocol as p
from ddax.steps.findings.quick_road import MISSING, chosen
from ddax.types import Passage

pytestmark = pytest.mark.asyncio


def requests(agent: Any, method: str) -> list[Any]:
    """Return the requests of one kind that were made of the model."""
    return [request for made, request in agent._parts.reasoner.requests if made == method]


def finals(agent: Any) -> list[p.MergeRequest]:
    """Return the requests for the answer."""
    return [request for request in requests(agent, "merge") if request.final]


def calls(agent: Any) -> dict[str, int]:
    """Return how often each request was made of the model."""
    return dict(Counter(made for made, _ in agent._parts.reasoner.requests))


async def test_a_question_over_documents_asks_a_model_once(kit: Any, tmp_path: Path) -> None:
    async with kit.agent(tmp_path, kit.script(), sources=("notes",), debate={"ask": "deciding"}) as agent:
        result = await agent.run(kit.question, thread="t")
        state = await agent.state("t")
    assert result["status"] == "done" and result["short"] == "Trondby"
    assert calls(agent) == {"merge": 1}
    leaves = [i["action"]["name"] for i in state["ideas"].values() if i["kind"] == "leaf"]
    assert "search" in leaves and "visit" in leaves
    assert sum(i["kind"] == "merge" and i["parent"] == "0" for i in state["ideas"].values()) == 1


async def test_where_something_is_missing_a_model_plans_and_answers_again(kit: Any, tmp_path: Path) -> None:
    replies = kit.script(kit.leaf("tower in Belmark"))
    replies["merge"] = [kit.synthesis(found=False), kit.synthesis()]
    async with kit.agent(tmp_path, replies, sources=("notes",)) as agent:
        result = await agent.run(kit.question, thread="t")
        state = await agent.state("t")
    assert result["status"] == "done"
    assert calls(agent)["expand"] == 1 and len(finals(agent)) == 2
    opened = next(i for i in state["ideas"].values() if i["title"] == MISSING)
    assert opened["parent"] == "0" and opened["status"] == "done"
    merges = [i for i in state["ideas"].values() if i["kind"] == "merge" and i["parent"] == "0"]
    assert merges[1]["supersedes"] == merges[0]["id"]


@pytest.mark.parametrize("effort", ["quick", "normal", "deep"])
async def test_the_effort_says_how_far_a_model_goes(kit: Any, tmp_path: Path, effort: str) -> None:
    replies = kit.script(kit.leaf("tower in Belmark"))
    replies["merge"] = [kit.synthesis(found=False)]
    async with kit.agent(tmp_path, replies, sources=("notes",), effort=effort) as agent:
        result = await agent.run(kit.question, thread="t")
    assert result["status"] == "not_found" and result["stop_reason"] == "not found in the sources"
    assert (calls(agent).get("expand", 0) > 0) == (effort != "quick")
    assert len(finals(agent)) == (2 if effort == "normal" else 1)


async def test_the_passages_that_fit_are_the_best_in_the_order_they_were_read() -> None:
    evidence = [Passage(name, name, name, "x" * 100) for name in "abcd"]
    assert [x.id for x in chosen(evidence, ["d", "b"], 250)] == ["b", "d"]
    assert [x.id for x in chosen(evidence, ["d"], 10)] == ["d"]
    assert [x.id for x in chosen(evidence, [], 1000)] == list("abcd")


async def test_the_one_call_gets_each_passage_once_and_no_thoughts(kit: Any, tmp_path: Path) -> None:
    async with kit.agent(tmp_path, kit.script(), sources=("notes",), debate={"ask": "deciding"}) as agent:
        await agent.run(kit.question, thread="t")
    (request,) = requests(agent, "merge")
    assert isinstance(request, p.MergeRequest) and request.final and request.thoughts == ()
    assert len({x.text for x in request.evidence}) == len(request.evidence) > 0
    assert len(request.findings) <= 1


async def test_a_follow_up_is_looked_for_as_it_is_meant_and_told_with_the_turn_before(
    kit: Any, tmp_path: Path
) -> None:
    async with kit.agent(tmp_path, kit.script(), sources=("notes",), debate={"ask": "deciding"}) as agent:
        await agent.run("Who designed the tower in Belmark?", thread="t")
        await agent.run("And where was it built?", thread="t")
        state = await agent.state("t")
    (_, last) = finals(agent)
    assert last.task == "And where was it built?"
    assert [turn.question for turn in last.earlier] == ["Who designed the tower in Belmark?"]
    searched = [
        i["action"]["args"]["query"] for i in state["ideas"].values()
        if i["id"].startswith("1.") and i.get("action", {}).get("name") == "search"
    ]  # fmt: skip
    assert searched and all("Belmark" in query for query in searched)
