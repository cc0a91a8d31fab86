"""What needs no call: the first search or look, and a synthesis that is read again at once."""

from __future__ import annotations

from typing import Any

import pytest

from ddax.environments.actions import VIEWS, WorldActions
from ddax.environments.grid import GridWorld
from ddax.errors import ReasonerError
from ddax.ideas import dag
from ddax.nodes.expand import expand
from ddax.nodes.merge import merge
from ddax.nodes.select import select
from ddax.reasoning import protocol as p
from ddax.steps.findings.gather import CLAIMS, citation_row
from ddax.steps.findings.unmerged import PASSED_ON
from ddax.types import Citation, Idea

QUOTES = {
    "0.2.1": Citation("p1", "Belmark", "Belmark", "The tower was built in 1712."),
    "0.2.2": Citation("p2", "Trondby", "Trondby", "Its harbour is older."),
}


async def two_levels(
    kit: Any, *, models: dict[str, Any] | None = None, quoted: bool = True
) -> tuple[Any, Any]:
    """Return a state in which a leaf and both leaves of an inner idea are done, and only merges are left."""
    replies = {
        "expand": [
            p.Expansion((kit.leaf("first"), kit.inner("second"))),
            p.Expansion(
                (kit.leaf("one", "visit", source="Belmark"), kit.leaf("two", "visit", source="Trondby"))
            ),
        ],
        "merge": [kit.synthesis()],
    }
    session = kit.session(replies, repeat=True, models=models or {})
    state = await kit.after(expand, await kit.opened(session, focus=["0"], step=1), session)
    state = await kit.after(expand, {**state, "focus": ["0.2"], "step": 2}, session)
    for leaf in ("0.1", *QUOTES):
        state = kit.reduced(state, {"ideas": {leaf: Idea(status="done", result=f"said by {leaf}.")}})
        if quoted and leaf in QUOTES:
            row = {
                "task": state["work"]["id"],
                "idea": leaf,
                "step": 3,
                "citations": [citation_row(QUOTES[leaf])],
            }
            await session.memory.log(CLAIMS, row, key=f"{state['work']['id']}:{leaf}")
    return session, {**state, "focus": ["0.2.3"], "step": 4}


def asked(session: Any, method: str) -> list[Any]:
    return [request for made, request in session.reasoner.requests if made == method]


async def test_what_only_the_last_synthesis_reads_is_passed_on_with_its_quotes(kit: Any) -> None:
    session, state = await two_levels(kit)
    state = await kit.after(merge, state, session)
    assert asked(session, "merge") == []
    assert state["ideas"]["0.2.3"]["reason"] == PASSED_ON
    assert state["ideas"]["0.2"]["result"] == "said by 0.2.1. said by 0.2.2."
    assert state["outcomes"]["0.2.3"]["ok"]
    dag.check(state["ideas"])
    state = await kit.after(merge, {**state, "focus": ["0.3"]}, session)
    (request,) = asked(session, "merge")
    assert request.final
    assert [(f.idea_id, f.citations) for f in request.findings] == [
        ("0.1", ()), *((leaf, (quote,)) for leaf, quote in QUOTES.items())
    ]  # fmt: skip
    assert state["answer"]["found"]


@pytest.mark.parametrize("case", ["off", "too many", "unquoted", "failed", "more is open"])
async def test_findings_are_put_together_where_that_may_say_more(kit: Any, case: str) -> None:
    models = {"off": {"pass_on": 0}, "too many": {"pass_on": 1}}.get(case, {})
    session, state = await two_levels(kit, models=models, quoted=case != "unquoted")
    if case == "failed":
        state["ideas"] = {**state["ideas"], "0.2.2": {**state["ideas"]["0.2.2"], "status": "failed"}}
    if case == "more is open":
        state["ideas"] = {**state["ideas"], "0.1": {**state["ideas"]["0.1"], "status": "open"}}
    found = await kit.after(merge, state, session)
    assert len(asked(session, "merge")) == 1
    assert "reason" not in found["ideas"]["0.2.3"]


@pytest.mark.parametrize(("action", "passed"), [("move", True), ("look", True), ("search", False)])
async def test_what_moves_have_seen_is_passed_on_without_a_quote(kit: Any, action: str, passed: bool) -> None:
    session, state = await two_levels(kit, quoted=False)
    for leaf in QUOTES:
        idea = state["ideas"][leaf]
        state["ideas"] = {**state["ideas"], leaf: {**idea, "action": {**idea["action"], "name": action}}}
    found = await kit.after(merge, state, session)
    assert (found["ideas"]["0.2.3"].get("reason") == PASSED_ON) is passed
    assert len(asked(session, "merge")) == (not passed)


async def test_local_sources_are_searched_before_a_model_plans(kit: Any) -> None:
    replies = {"expand": [p.Expansion((kit.leaf("x"),))]}
    session = kit.session(replies, sources=("notes",), effort="deep")
    state = await kit.after(expand, await kit.opened(session, focus=["0"], step=1), session)
    assert asked(session, "expand") == []
    assert state["ideas"]["0.1"]["action"]["args"] == {"query": kit.question}
    chosen = await kit.after(select, state, session)
    assert (chosen["decision"]["next"], chosen["focus"]) == ("act", ["0.1"])
    state = kit.reduced(state, {"ideas": {"0.1": Idea(status="failed", reason="nothing found")}})
    chosen = await kit.after(select, state, session)
    assert (chosen["decision"]["next"], chosen["focus"]) == ("expand", ["0.2"])
    await kit.after(expand, {**chosen, "step": 3}, session)
    assert len(asked(session, "expand")) == 1


@pytest.mark.parametrize(
    "settings",
    [{}, {"sources": ("https://example.org/a",)}, {"sources": ("notes",), "web": {"search": "ddgs"}},
     {"sources": ("notes",), "models": {"first_search": False}}],
)  # fmt: skip
async def test_a_model_plans_at_once_where_there_is_more_than_local_documents(
    kit: Any, settings: dict[str, Any]
) -> None:
    session = kit.session({"expand": [ReasonerError("asked")]}, **settings)
    state = await kit.after(expand, await kit.opened(session, focus=["0"], step=1), session)
    assert state["failures"]["0"]["cause"] == "asked"


async def test_a_world_is_looked_at_before_a_model_plans_and_its_first_plan_sees_it(kit: Any) -> None:
    replies = {"expand": [p.Expansion((kit.leaf("x"),))]}
    session = kit.session(replies, actions=WorldActions(GridWorld()).actions())
    state = await kit.after(expand, await kit.opened(session, focus=["0"], step=1), session)
    assert (asked(session, "expand"), state["ideas"]["0.1"]["action"]["name"]) == ([], "look")
    chosen = await kit.after(select, state, session)
    assert (chosen["decision"]["next"], chosen["focus"]) == ("act", ["0.1"])
    row = {"task": state["work"]["id"], "idea": "0.1", "step": 2, "mark": "start", "text": "[e] east"}
    await session.memory.log(VIEWS, {**row, "elements": []}, key="1")
    state = kit.reduced(state, {"ideas": {"0.1": Idea(status="done", result="[e] east")}})
    chosen = await kit.after(select, state, session)
    assert (chosen["decision"]["next"], chosen["focus"]) == ("expand", ["0.2"])
    await kit.after(expand, {**chosen, "step": 3}, session)
    (request,) = asked(session, "expand")
    assert (request.seen.text, request.idea) == ("[e] east", kit.question)
