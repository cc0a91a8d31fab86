"""`expand`, `merge` and `evaluate`: how the DAG grows, closes and learns its values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ddax.errors import BudgetExceeded, InvalidReply, ReasonerError
from ddax.graph.routing import leaf_packet
from ddax.graph.state import Outcome
from ddax.ideas import dag, grow
from ddax.ideas.idea import child, merge_idea, root
from ddax.nodes import act
from ddax.nodes.evaluate import evaluate
from ddax.nodes.expand import expand
from ddax.nodes.merge import merge
from ddax.nodes.select import select
from ddax.reasoning import protocol as p
from ddax.reasoning.budget import charge
from ddax.types import ActionCall, Idea, Proposal, Usage


def grown(*children: Proposal, usage: Usage | None = None) -> dict[str, list[Any]]:
    return {"expand": [p.Expansion(children, usage or Usage())]}


async def expanded(kit: Any, *children: Proposal, **options: Any) -> tuple[Any, dict[str, Any]]:
    """Return the session and the state after the root was expanded into these children."""
    replies = {**grown(*children), **options.pop("replies", {})}
    session = kit.session(replies, **options)
    state = await kit.opened(session, focus=["0"], step=1)
    return session, await kit.after(expand, state, session)


async def test_expand_writes_ideas_and_usage_alone(kit: Any) -> None:
    session = kit.session(grown(kit.leaf("a"), kit.leaf("b", needs=(0,)), usage=Usage(1, 20, 0.1)))
    state = await kit.opened(session, focus=["0"], step=1)
    update = await kit.update(expand, state, session)
    assert set(update) == {"ideas", "usage"}
    assert Usage.of_row(update["usage"]) == Usage(1, 20, 0.1)
    assert update["usage"]["expand.usd"] == 0.1
    ideas = kit.reduced(state, update)["ideas"]
    dag.check(ideas)
    assert [(i["id"], i["kind"], i["needs"]) for i in dag.subtree(ideas, "0")] == [
        ("0", "inner", []), ("0.1", "leaf", []), ("0.2", "leaf", ["0.1"]), ("0.3", "merge", ["0.1", "0.2"]),
    ]  # fmt: skip
    assert ideas["0"]["status"] == "waiting"


async def test_a_proposal_seen_before_is_dropped_and_needs_stay_in_step(kit: Any) -> None:
    _, state = await expanded(
        kit,
        kit.leaf("a"),
        kit.leaf("a again", query="A"),
        kit.leaf("b", needs=(1,)),
        kit.leaf("c", needs=(2,)),
    )
    titles = {i["title"]: i["needs"] for i in dag.subtree(state["ideas"], "0") if i["kind"] == "leaf"}
    assert titles == {"a": [], "b": ["0.1"], "c": ["0.2"]}


async def test_the_cap_on_ideas_counts_the_merge(kit: Any) -> None:
    _, state = await expanded(kit, *[kit.leaf(f"q{k}") for k in range(9)], budget={"max_ideas": 5})
    assert len(state["ideas"]) == 5
    dag.check(state["ideas"])


async def test_the_cap_on_reads_drops_visits_alone(kit: Any) -> None:
    visits = [kit.leaf(f"v{k}", "visit", source=f"s{k}") for k in range(4)]
    _, state = await expanded(kit, *visits, kit.leaf("a", needs=(3,)), budget={"max_reads": 2})
    names = [i["title"] for i in dag.subtree(state["ideas"], "0") if i["kind"] == "leaf"]
    assert names == ["v0", "v1", "a"]
    assert state["ideas"]["0.3"]["needs"] == []


async def test_at_the_cap_on_depth_inner_ideas_are_dropped_and_needs_stay_in_step(kit: Any) -> None:
    _, state = await expanded(
        kit, kit.inner("think"), kit.leaf("a", needs=(0,)), kit.leaf("b", needs=(1,)), budget={"max_depth": 1}
    )
    dag.check(state["ideas"])
    assert {i["title"]: i["needs"] for i in state["ideas"].values() if i["kind"] == "leaf"} == {
        "a": [],
        "b": ["0.1"],
    }


async def test_a_question_may_be_taken_apart_into_inner_ideas(kit: Any) -> None:
    _, state = await expanded(kit, kit.inner("first half"), kit.inner("second half"))
    assert [i["kind"] for i in dag.subtree(state["ideas"], "0")] == ["inner", "inner", "inner", "merge"]


async def test_an_inner_idea_whose_leaves_were_all_seen_is_nothing_new(kit: Any) -> None:
    session, state = await expanded(
        kit, kit.leaf("a"), kit.inner("go on", 0),
        replies={"expand": [p.Expansion((kit.leaf("a"), kit.inner("go on", 0)))] * 2},
    )  # fmt: skip
    after = await kit.after(expand, {**state, "focus": ["0.2"], "step": 2}, session)
    assert after["ideas"]["0.2"]["status"] == "done"


async def test_no_proposal_ends_the_idea(kit: Any) -> None:
    _, state = await expanded(kit)
    assert state["ideas"]["0"]["status"] == "done"


async def test_a_silent_reasoner_fails_the_idea_with_its_cause(kit: Any) -> None:
    session = kit.session({"expand": [InvalidReply("no JSON in the reply.")]})
    state = await kit.opened(session, focus=["0"], step=1)
    update = await kit.update(expand, state, session)
    assert update["ideas"]["0"]["status"] == "failed"
    assert update["ideas"]["0"]["error"] == {"kind": "InvalidReply"}
    assert update["failures"]["0"]["cause"] == "no JSON in the reply."


async def test_what_needs_a_failed_idea_is_given_up_so_that_the_merge_can_close(kit: Any) -> None:
    session, state = await expanded(
        kit, kit.inner("find"), kit.leaf("use", needs=(0,)), kit.leaf("other"),
        replies={"expand": [
            p.Expansion((kit.inner("find"), kit.leaf("use", needs=(0,)), kit.leaf("other"))),
            ReasonerError("down"),
        ]},
    )  # fmt: skip
    after = await kit.after(expand, {**state, "focus": ["0.1"], "step": 2}, session)
    assert after["ideas"]["0.1"]["status"] == "failed"
    assert after["ideas"]["0.2"]["status"] == "abandoned"


async def test_expand_asks_for_fewer_children_in_rest(kit: Any) -> None:
    session = kit.session(grown(kit.leaf("a")), selection={"branching": 5})
    state = await kit.opened(session, focus=["0"], step=1, mood={"action": "REST"})
    await kit.update(expand, state, session)
    assert session.reasoner.requests[0][1].width == 3


calls = st.builds(
    lambda name, source: ActionCall(name=name, args={"source": source}, intent=""),
    st.sampled_from(["visit", "search"]), st.sampled_from("abc"),
)  # fmt: skip
proposed = st.lists(st.tuples(st.none() | calls, st.lists(st.integers(0, 5), max_size=3)), max_size=6).map(
    lambda rows: tuple(
        Proposal(f"p{k}", "", action=call, needs=tuple(sorted({n for n in needs if n < k})))
        for k, (call, needs) in enumerate(rows)
    )
)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    children=proposed, max_ideas=st.integers(1, 8), max_reads=st.integers(0, 3), max_depth=st.integers(1, 2)
)
def test_whatever_is_proposed_the_dag_holds_within_the_caps(
    kit: Any, children: tuple[Proposal, ...], max_ideas: int, max_reads: int, max_depth: int
) -> None:
    import asyncio

    budget = {"max_ideas": max_ideas, "max_reads": max_reads, "max_depth": max_depth}
    ideas = asyncio.run(expanded(kit, *children, budget=budget))[1]["ideas"]
    dag.check(ideas)
    assert len(ideas) <= max_ideas
    assert sum(i["kind"] == "leaf" and i["action"]["name"] == "visit" for i in ideas.values()) <= max_reads
    assert all(i["depth"] < max_depth for i in ideas.values() if i["kind"] == "inner")


async def ended(kit: Any, *statuses: str, replies: dict[str, Any] | None = None, **settings: Any) -> Any:
    """Return a session and a state whose root has leaves that ended so."""
    leaves = [kit.leaf(f"q{k}") for k in range(len(statuses))]
    session, state = await expanded(kit, *leaves, replies=replies or {}, **settings)
    for number, status in enumerate(statuses, start=1):
        patch = Idea(status=status, result=f"r{number}", reason=f"why{number}")  # type: ignore[typeddict-item]
        state = kit.reduced(state, {"ideas": {f"0.{number}": patch}})
    return session, {**state, "step": 3}


async def test_a_failed_child_is_a_finding(kit: Any) -> None:
    session, state = await ended(kit, "done", "failed", replies={"merge": [kit.synthesis()]})
    state["ideas"]["0.2"] = {k: v for k, v in state["ideas"]["0.2"].items() if k != "result"}
    await kit.update(merge, {**state, "focus": ["0.3"]}, session)
    request = next(r for m, r in session.reasoner.requests if m == "merge")
    assert [(f.idea_id, f.status, f.result) for f in request.findings] == [
        ("0.1", "done", "r1"), ("0.2", "failed", "why2")
    ]  # fmt: skip


async def test_the_merge_of_the_root_is_the_answer(kit: Any) -> None:
    session, state = await ended(kit, "done", replies={"merge": [kit.synthesis("It is Trondby.")]})
    update = await kit.update(merge, {**state, "focus": ["0.2"]}, session)
    assert set(update) == {"ideas", "outcomes", "usage", "answer"}
    assert (update["answer"]["text"], update["answer"]["found"]) == ("It is Trondby.", True)
    assert {i: f["status"] for i, f in update["ideas"].items()} == {"0.2": "done", "0": "done"}
    thought = (await session.memory.get(update["ideas"]["0"]["evidence"]))[0]
    assert thought.text == "It is Trondby."


async def test_an_interim_merge_leaves_the_rest_to_the_closing_one(kit: Any) -> None:
    session, state = await ended(kit, "done", "done", "open", replies={"merge": [kit.synthesis()]})
    state = {**state, "focus": ["0"], "decision": {"mode": "interim"}}
    update = await kit.update(merge, state, session)
    assert "answer" not in update
    ideas = kit.reduced(state, update)["ideas"]
    dag.check(ideas)
    closing = dag.current_merge(ideas, "0")
    assert closing is not None
    assert (closing["id"], closing["status"], closing["supersedes"]) == ("0.4", "open", "0.5")
    assert (ideas["0.5"]["status"], ideas["0"]["status"]) == ("done", "waiting")


async def test_a_failed_synthesis_fails_the_parent_with_its_cause(kit: Any) -> None:
    session, state = await ended(kit, "done", replies={"merge": [ReasonerError("the provider is down.")]})
    update = await kit.update(merge, {**state, "focus": ["0.2"]}, session)
    assert "outcomes" not in update
    assert update["ideas"]["0"]["status"] == update["ideas"]["0.2"]["status"] == "failed"
    assert update["failures"]["0.2"]["cause"] == "the provider is down."


def outcome(leaf: str, *, ok: bool = True) -> Outcome:
    return Outcome(idea=leaf, ok=ok, text="what came", expected="what should", action="search")


async def test_values_go_up_to_every_ancestor(kit: Any) -> None:
    judged = {"judge": [kit.judgment(0.8), kit.judgment(0.4)]}
    session, state = await ended(kit, "done", "done", replies=judged, debate={"enabled": False})
    state = {**state, "outcomes": {i: outcome(i) for i in ("0.1", "0.2")}}
    update = await kit.update(evaluate, state, session)
    assert set(update) == {"ideas", "verdicts", "failures", "usage"}
    ideas = kit.reduced(state, update)["ideas"]
    # Both are judged at once, so which of them gets the first reply is not fixed.
    assert sorted((ideas["0.1"]["V"], ideas["0.2"]["V"])) == [0.4, 0.8]
    assert (ideas["0"]["N"], ideas["0"]["Q"]) == (2, pytest.approx(0.6))
    assert update["verdicts"]["0.1"]["before"] is None


async def test_a_failed_leaf_is_worth_nothing_without_a_judge(kit: Any) -> None:
    session, state = await ended(kit, "failed")
    update = await kit.update(evaluate, {**state, "outcomes": {"0.1": outcome("0.1", ok=False)}}, session)
    assert update["verdicts"]["0.1"]["value"] == 0.0


async def test_an_outcome_that_could_not_be_judged_has_no_value(kit: Any) -> None:
    session, state = await ended(kit, "done", replies={"judge": [ReasonerError("no judge")]})
    update = await kit.update(evaluate, {**state, "outcomes": {"0.1": outcome("0.1")}}, session)
    assert update["verdicts"] == {}
    assert update["ideas"] == {}
    assert update["failures"]["0.1:verdict"]["cause"] == "no judge"


async def test_a_spent_budget_leaves_the_verdicts_that_were_paid_for(kit: Any) -> None:
    spent = BudgetExceeded("the cap max_model_calls=1 is reached.")
    session, state = await ended(kit, "done", "done", replies={"judge": [kit.judgment(0.8), spent]})
    update = await kit.update(
        evaluate, {**state, "outcomes": {i: outcome(i) for i in ("0.1", "0.2")}}, session
    )
    assert [row["value"] for row in update["verdicts"].values()] == [0.8]
    assert len(update["failures"]) == 1 and "status" not in update


async def test_orphans_are_given_up_down_to_the_last(kit: Any) -> None:
    session, state = await expanded(kit, kit.leaf("a"), kit.leaf("b", needs=(0,)), kit.leaf("c", needs=(1,)))
    state = kit.reduced(state, {"ideas": {"0.1": Idea(status="failed")}})
    state = {**state, "step": 3, "outcomes": {"0.1": outcome("0.1", ok=False)}}
    after = await kit.after(evaluate, state, session)
    assert [after["ideas"][i]["status"] for i in ("0.1", "0.2", "0.3")] == [
        "failed",
        "abandoned",
        "abandoned",
    ]
    assert (await kit.update(select, after, session))["decision"]["next"] == "merge"


async def test_a_spent_budget_stops_the_run_instead_of_failing_it(kit: Any) -> None:
    session = kit.session(grown(kit.leaf("a")), budget={"max_model_calls": 0})
    update = await kit.update(expand, await kit.opened(session, focus=["0"], step=1), session)
    assert update["status"] == "stopped"
    assert update["stop_reason"].startswith("budget: the cap max_model_calls")
    assert "usage" not in update


async def test_what_a_node_paid_before_the_budget_ended_it_is_counted(kit: Any) -> None:
    spent = BudgetExceeded("the cap max_seconds=5 is reached.")
    charge(spent, Usage(1, 70, 0.2))
    session = kit.session({"expand": [spent]})
    update = await kit.update(expand, await kit.opened(session, focus=["0"], step=1), session)
    assert (update["status"], update["usage"]["expand.tokens"]) == ("stopped", 70)
    assert Usage.of_row(update["usage"]) == Usage(1, 70, 0.2)


async def test_what_an_idea_or_a_merge_cannot_hold_is_left_out_and_the_run_goes_on(
    kit: Any, tmp_path: Path
) -> None:
    long = kit.leaf("long", "visit", source="https://example.com/?u=" + "a" * 1300)
    mail = kit.leaf("mail", "mail", **{name: name * 90 for name in ("to", "sub", "body", "copy")})
    many = [kit.leaf(f"thing {k * 7919}", "visit", source=f"s{k}") for k in range(170)]
    async with kit.agent(tmp_path, kit.script(long, mail, *many), budget={"max_reads": 300}) as agent:
        assert (await agent.run(kit.question, thread="t"))["status"] == "done"
        titles = {idea["title"] for idea in (await agent.state("t"))["ideas"].values()}
    assert {"mail", "thing 0"} <= titles and "long" not in titles
    assert [row["idea"] for row in await kit.memory.rows("cuts", kind="large")] == ["long"]


@pytest.mark.parametrize("length", [100, 300, 500, 600, 700, 900])
def test_a_leaf_that_has_room_holds_what_it_finds(length: int) -> None:
    call = ActionCall(name="visit", args={"source": "https://example.org/" + "a" * length}, intent="i" * 100)
    proposal = Proposal("Read " + "t" * 100, expected="e" * 150, prior=0.5, action=call)
    parent = root(0, "q")
    leaf = child(parent, 1, proposal.title, expected="e" * 150, prior=0.5, step=3, needs=[], action=call)
    packet: Any = leaf_packet({"ideas": {"0.1": leaf}}, "0.1")  # type: ignore[typeddict-item]
    row = {"ok": True, "text": "x" * 260, "evidence": [f"{k:064}" for k in range(6)], "usage": {}}
    patch = act._update(packet, {**row, "origins": ["web:example.org"]})["ideas"]["0.1"]
    ideas = {"0": parent, "0.1": Idea(**{**leaf, **patch})}
    if grow.has_room(parent, proposal):
        dag.check_patch(ideas, {"0.1": Idea(Q=0.512345, N=11, V=0.512345)})
        assert patch["evidence"] == row["evidence"][: len(patch["evidence"])]
    assert length > 100 or patch["evidence"]


def test_a_merge_of_many_children_holds_what_it_rests_on() -> None:
    parent = root(0, "Q" * 160)
    room = grow.room_for_children({"0": parent}, parent)
    me = merge_idea(parent, room + 1, needs=[f"0.{k}" for k in range(1, room + 1)], step=3)
    done = Idea(status="done", result="x" * 260, evidence=[f"{k:064}" for k in range(6)])
    patch = dag.held(done, dag.size_of(me))
    values = Idea(Q=0.512345, N=11, V=0.512345)
    dag.check_patch({"0": parent, me["id"]: me}, {me["id"]: Idea(**{**patch, **values})})
    assert 0 < len(patch["evidence"]) < 6
