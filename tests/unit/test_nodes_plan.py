"""Plans: near-duplicates are joined, weak branches pruned, width is learned, surprises plan anew."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ddax.dynamics.widen import Outcomes
from ddax.ideas import dag, grow
from ddax.ideas.idea import apply_patches
from ddax.memory.records import DECISIONS, DOUBTS
from ddax.nodes.expand import expand
from ddax.nodes.select import select
from ddax.reasoning import protocol as p
from ddax.steps.choices import wider_or_deeper
from ddax.steps.choices.wider_or_deeper import NO_MORE, Width
from ddax.types import Idea


async def planned(kit: Any, *replies: Any, **settings: Any) -> Any:
    """Return a session with these expansions, and the state after the first."""
    session = kit.session({"expand": [p.Expansion(children) for children in replies]}, **settings)
    return session, await kit.after(expand, await kit.opened(session, focus=["0"], step=1), session)


def changed(state: Any, **patches: Any) -> Any:
    """Give ideas fields; `_1_2` stands for 0.1.2."""
    patch = {"0" + name.replace("_", "."): Idea(**fields) for name, fields in patches.items()}
    return {**state, "ideas": apply_patches(state["ideas"], [patch])}


def leaves(state: Any) -> dict[str, str]:
    return {i: idea["title"] for i, idea in state["ideas"].items() if idea["kind"] == "leaf"}


async def test_a_near_duplicate_read_is_joined_and_whoever_needs_it_waits_for_the_first(kit: Any) -> None:
    twice = (
        kit.leaf("a", query="the harbour of the old town of Trondby"),
        kit.leaf("b", query="harbour of the old town of Trondby, the"),
        kit.leaf("c", query="cheese"),
        kit.inner("read on", 1, 2),
    )
    session, state = await planned(kit, twice)
    assert leaves(state) == {"0.1": "a", "0.2": "c"}
    assert state["ideas"]["0.3"]["needs"] == ["0.1", "0.2"]
    assert state["ideas"]["0.1"]["P"] == 0.5, "what was proposed twice weighs twice"
    (row,) = await session.memory.rows("cuts")
    assert (row["kind"], row["idea"]) == ("joined", "b") and row["reason"].startswith("cosine")


async def test_an_action_that_writes_is_never_joined_by_likeness(kit: Any) -> None:
    notes = [
        kit.leaf(f"n{k}", "save", title="the harbour of Trondby", text=f"it is old {k}") for k in range(2)
    ]
    session, state = await planned(kit, (*notes,))
    joined = await session.memory.rows("cuts")
    effect = session.actions["save"].effect
    assert effect in ("none", "writes")
    assert (len(leaves(state)) == 2) == (not joined)


async def test_joining_across_branches_feeds_both(kit: Any) -> None:
    session, state = await planned(
        kit, (kit.inner("left"), kit.inner("right")), (kit.leaf("x"),), (kit.leaf("x"), kit.leaf("y"))
    )
    for focus, step in (("0.1", 2), ("0.2", 3)):
        state = await kit.after(expand, {**state, "focus": [focus], "step": step, "decision": {}}, session)
    assert leaves(state) == {"0.1.1": "x", "0.2.1": "y"}
    assert state["ideas"]["0.1.1"]["joined"] == ["0.2"]
    patch = grow.backpropagate(state["ideas"], [("0.1.1", 0.8)])
    assert {i: (f["Q"], f["N"]) for i, f in patch.items()} == dict.fromkeys(
        ("0.1.1", "0.1", "0.2", "0"), (0.8, 1)
    ), "each ancestor once, though two paths lead to the root"


async def test_a_weak_branch_is_given_up_with_its_reason(kit: Any) -> None:
    session, state = await planned(kit, (kit.inner("good"), kit.inner("bad")))
    state = changed(
        state, _1={"Q": 0.9, "N": 4, "status": "waiting"}, _2={"Q": 0.1, "N": 4, "status": "open"}
    )
    after = await kit.after(select, {**state, "step": 4}, session)
    assert after["ideas"]["0.2"]["status"] == "abandoned"
    assert after["ideas"]["0.2"]["reason"].startswith("pruned: value 0.10 is more than 0.50 below 0.90")
    (row,) = await session.memory.rows("cuts")
    assert (row["kind"], row["idea"]) == ("value", "0.2")
    (decision,) = await session.memory.rows("decisions")
    assert decision["cuts"] == {"0.2": row["reason"]}


async def test_nobody_prunes_what_a_human_was_asked_about(kit: Any) -> None:
    session, state = await planned(kit, (kit.inner("good"), kit.inner("bad")))
    state = changed(state, _1={"Q": 0.9, "N": 4}, _2={"Q": 0.1, "N": 4})
    after = await kit.after(select, {**state, "step": 4, "questions": {"0.2": {"text": "?"}}}, session)
    assert after["ideas"]["0.2"]["status"] == "open"


async def test_leaves_beyond_the_beam_are_given_up(kit: Any) -> None:
    many = tuple(kit.leaf(f"read {k}", "visit", source=f"s{k}") for k in range(5))
    session, state = await planned(kit, many, selection={"beam": 3}, budget={"max_reads": 9})
    after = await kit.after(select, {**state, "step": 4}, session)
    given_up = [i for i in dag.subtree(after["ideas"], "0") if i["status"] == "abandoned"]
    assert len(given_up) == 2 and all("the beam is 3 wide" in i["reason"] for i in given_up)
    assert after["decision"]["next"] == "act"


def draw(first: str, known: float, new: float, *, room: bool = True) -> tuple[str, list[str]]:
    """Return what a draw says at idea 0 with a visited inner child 0.1 and perhaps an unvisited 0.2."""
    ideas: dict[str, Idea] = {"0": Idea(id="0", parent="", kind="inner", status="waiting", N=9, needs=[])}
    for k in range(12):
        for parent, value in (("0", new), ("0.1", known)):
            name = f"{parent}.{k + 10}"
            ideas[name] = Idea(id=name, parent=parent, kind="leaf", status="done", N=1, V=value, step=1)
    lead = [Idea(id="0.1", parent="0", kind="inner", status="waiting", N=12, step=1)]
    if first == "fresh":
        lead.append(Idea(id="0.2", parent="0", kind="inner", status="open", N=0, step=1))
    ideas |= {i["id"]: i for i in lead}
    side = Width(np.random.default_rng(0), room).side(ideas, "0", lead)
    return ("wider" if not side else "go"), [i["id"] for i in side]


def test_width_is_learned_from_what_each_side_brought() -> None:
    assert draw("fresh", known=0.9, new=0.1) == ("go", ["0.1"])
    assert draw("fresh", known=0.1, new=0.9) == ("go", ["0.2"])
    assert draw("none", known=0.1, new=0.9) == ("wider", [])
    assert draw("none", known=0.1, new=0.9, room=False) == ("go", ["0.1"])


async def test_going_wider_expands_a_waiting_idea_again(kit: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(wider_or_deeper, "goes_wider", lambda new, known, rng: isinstance(new, Outcomes))
    session, state = await planned(
        kit, (kit.inner("deep"), kit.leaf("z")), (kit.leaf("a"), kit.inner("b", 0)), (kit.leaf("new"),), ()
    )
    state = await kit.after(expand, {**state, "focus": ["0.1"], "step": 2, "decision": {}}, session)
    ended = {"status": "done", "N": 1, "V": 0.1}
    state = changed(state, _1={"N": 1, "Q": 0.1}, _1_1=ended, _2=ended)
    selection = session.settings.selection.model_copy(update={"wider": True})
    session = replace(session, settings=session.settings.model_copy(update={"selection": selection}))
    chosen = await kit.after(select, {**state, "step": 4}, session)
    assert (chosen["decision"]["rule"], chosen["decision"]["mode"], chosen["focus"]) == (
        "wider",
        "wider",
        ["0"],
    )
    wider = await kit.after(expand, chosen, session)
    assert wider["ideas"]["0.4"]["title"] == "new" and "0.4" in wider["ideas"]["0.3"]["needs"]
    nothing = await kit.after(expand, {**chosen, "focus": ["0"]}, session)
    assert nothing["ideas"]["0"]["reason"] == NO_MORE and nothing["ideas"]["0"]["status"] == "waiting"
    assert not wider_or_deeper.may_widen(nothing["ideas"], "0")


async def surprised(kit: Any, *replies: Any, surprise: float = 0.9, **settings: Any) -> Any:
    """Return a session and a state in which 0.1 surprised, 0.2 rests on it, and 0.3 does not."""
    plan = (kit.leaf("a"), kit.leaf("b", needs=(0,)), kit.leaf("c"))
    session, state = await planned(kit, plan, *replies, **settings)
    state = changed(state, _1={"status": "done", "N": 1, "Q": 0.2, "V": 0.2, "result": "odd"})
    verdicts = {"0.1": {"surprise": surprise, "epsilon": surprise, "value": 0.2}}
    return session, {**state, "step": 4, "verdicts": verdicts, "decision": {}}


async def test_a_surprise_plans_anew_only_what_rests_on_it(kit: Any) -> None:
    session, state = await surprised(kit, (kit.leaf("d"),))
    chosen = await kit.after(select, state, session)
    assert (chosen["decision"]["rule"], chosen["focus"]) == ("surprise: plan anew", ["0.1"])
    after = await kit.after(expand, chosen, session)
    assert after["ideas"]["0.2"]["status"] == "abandoned"
    assert after["ideas"]["0.2"]["reason"] == "planned anew after a surprise at 0.1"
    assert after["ideas"]["0.3"]["status"] == "open", "the rest of the plan is followed"
    (new,) = [i for i in after["ideas"].values() if i["title"] == "d"]
    assert new["needs"] == ["0.1"] and new["parent"] == "0"
    dag.check(after["ideas"])


async def test_a_plan_proposed_again_is_kept(kit: Any) -> None:
    session, state = await surprised(kit, (kit.leaf("b"), kit.leaf("d")))
    after = await kit.after(expand, await kit.after(select, state, session), session)
    assert after["ideas"]["0.2"]["status"] == "open"
    assert "d" in leaves(after).values()


async def test_without_a_better_plan_the_old_one_stays(kit: Any) -> None:
    session, state = await surprised(kit, ())
    after = await kit.after(expand, await kit.after(select, state, session), session)
    assert after["ideas"] == state["ideas"]


async def test_what_was_nearly_expected_plans_nothing_anew(kit: Any) -> None:
    session, state = await surprised(kit, surprise=0.5)
    assert (await kit.after(select, state, session))["decision"]["next"] == "act"


@pytest.mark.parametrize(("surprise", "held"), [(0.99, True), (0.71, False)])
async def test_a_small_surprise_is_not_worth_a_new_plan_where_answers_are_cheap(
    kit: Any, surprise: float, held: bool
) -> None:
    async def weighed(**models: Any) -> tuple[Any, Any, Any]:
        session, state = await surprised(kit, (kit.leaf("d"),), surprise=surprise, models=models)
        chosen = await kit.after(select, state, session)
        assert chosen["decision"]["mode"] == "replan" and chosen["decision"]["surprise"] == surprise
        (entry,) = await session.memory.rows(DECISIONS, task=state["work"]["id"], step=chosen["step"])
        assert entry["surprise"] == surprise, "the ledger tells by how much"
        after = await kit.after(expand, chosen, session)
        rows = await session.memory.rows(DOUBTS, task=state["work"]["id"], step=chosen["step"])
        (doubt,) = [one for row in rows for one in row["doubts"] if one["why"] == "a surprise"]
        return doubt, after, state

    price = (await weighed())[0]["tokens"]
    doubt, after, before = await weighed(worth=round(price / 0.9))
    assert (doubt["change"], doubt["held"]) == (surprise, held)
    assert (after["ideas"] != before["ideas"]) is held


async def test_a_run_left_off_before_decisions_told_a_surprise_goes_on(kit: Any) -> None:
    session, state = await surprised(kit, (kit.leaf("d"),), models={"worth": 1})
    chosen = await kit.after(select, state, session)
    del chosen["decision"]["surprise"]
    await kit.after(expand, chosen, session)
    rows = await session.memory.rows(DOUBTS, task=state["work"]["id"], step=chosen["step"])
    assert [one["change"] for row in rows for one in row["doubts"] if one["why"] == "a surprise"] == [1.0]


async def test_planning_anew_has_an_end(kit: Any) -> None:
    session, state = await surprised(kit)
    gone = {
        f"0.{k}": Idea(**{**state["ideas"]["0.3"], "id": f"0.{k}", "status": "abandoned",
                          "reason": f"planned anew after a surprise at 0.{k}"})
        for k in (7, 8, 9)
    }  # fmt: skip
    state = {**state, "ideas": apply_patches(state["ideas"], [gone])}
    assert (await kit.after(select, state, session))["decision"]["rule"] != "surprise: plan anew"
