"""`select` takes the first rule that holds, and writes the decision down."""

from __future__ import annotations

from typing import Any

import pytest

from ddax.dynamics.rigidity import enter_protect
from ddax.ideas import dag, grow
from ddax.ideas.idea import apply_patches, root
from ddax.nodes.expand import expand
from ddax.nodes.select import select
from ddax.reasoning import protocol as p
from ddax.steps.choices.frontier import frontier
from ddax.steps.select.choosing import reached
from ddax.types import ActionCall, Idea, Proposal

Change = dict[str, Any]
LEAVES = ("_1", "_2", "_3", "_4")


async def task(kit: Any, **settings: Any) -> Any:
    """Return a session and a state: root 0, leaves 0.1 to 0.3 open, inner 0.4 after 0.1, merge 0.5."""
    visits = [kit.leaf(f"read {k}", "visit", source=f"s{k}") for k in range(3)]
    session = kit.session({"expand": [p.Expansion((*visits, kit.inner("go on", 0)))]}, **settings)
    state = await kit.after(expand, await kit.opened(session, focus=["0"], step=1), session)
    return session, {**state, "step": 4}


def end(state: Any, **statuses: str) -> Any:
    """Give ideas a status; `_1` stands for 0.1, `root` for 0."""
    patch = {f"0.{k[1:]}" if k != "root" else "0": Idea(status=s) for k, s in statuses.items()}  # type: ignore[typeddict-item]
    return {**state, "ideas": apply_patches(state["ideas"], [patch])}


async def chosen(kit: Any, state: Any, session: Any) -> tuple[str, str, list[str], str]:
    update = await kit.update(select, state, session)
    decision = update["decision"]
    return decision["next"], decision["rule"], update["focus"], decision["mode"]


@pytest.mark.parametrize(
    ("changes", "statuses", "expected"),
    [
        ({"status": "stopped"}, {}, ("reflect", "stopped", [], "")),
        ({}, {"root": "done"}, ("reflect", "the root is done", [], "")),
        ({}, {"root": "failed"}, ("reflect", "the root is failed", [], "")),
        ({"step": 60}, {}, ("reflect", "cap", [], "")),
        ({"questions": {"0.1": {}}}, {"_1": "waiting"}, ("protect", "a question waits", [], "")),
        ({}, dict.fromkeys(LEAVES, "done"), ("merge", "children are final", ["0.5"], "")),
        ({}, dict.fromkeys(LEAVES, "failed"), ("merge", "children are final", ["0.5"], "")),
        ({}, {"_1": "done", "_2": "done", "_3": "done"}, ("expand", "an open idea", ["0.4"], "")),
        ({}, dict.fromkeys(LEAVES, "waiting"), ("reflect", "nothing left to do", [], "")),
    ],
)
async def test_each_rule(kit: Any, changes: Change, statuses: dict[str, str], expected: Any) -> None:
    session, state = await task(kit)
    assert await chosen(kit, {**end(state, **statuses), **changes}, session) == expected


async def test_a_value_of_one_ends_no_task(kit: Any) -> None:
    session, state = await task(kit)
    told = grow.backpropagate(state["ideas"], [("0.1", 1.0)])
    state = end({**state, "ideas": apply_patches(state["ideas"], [told])}, _1="done")
    assert state["ideas"]["0"]["Q"] == 1.0
    assert (await chosen(kit, state, session))[:2] == ("act", "runnable leaves")


@pytest.mark.parametrize(("preset", "q"), [("hybrid", 0.8), ("puct", 0.5)])
async def test_what_failed_is_not_held_against_what_is_left(kit: Any, preset: str, q: float) -> None:
    session, state = await task(kit, selection={"preset": preset})
    told = grow.backpropagate(state["ideas"], [("0.1", 0.8), ("0.2", 0.2)])
    state = end({**state, "ideas": apply_patches(state["ideas"], [told])}, _1="done", _2="failed")
    view = await frontier(state, session)
    assert view.Q[view.row["0"]] == view.Q[view.row["0.3"]] == pytest.approx(q), "0.3 takes its parent's"
    assert state["ideas"]["0"]["Q"] == pytest.approx(0.5), "what is kept is the mean over all"


async def test_where_nothing_else_was_valued_failures_count(kit: Any) -> None:
    session, state = await task(kit)
    told = grow.backpropagate(state["ideas"], [("0.1", 0.1), ("0.2", 0.3)])
    state = end({**state, "ideas": apply_patches(state["ideas"], [told])}, _1="failed", _2="failed")
    view = await frontier(state, session)
    assert view.Q[view.row["0.3"]] == pytest.approx(0.2)


async def test_leaves_act_together_up_to_the_cap(kit: Any) -> None:
    session, state = await task(kit, budget={"max_parallel": 2})
    following, rule, focus, _ = await chosen(kit, state, session)
    assert (following, rule) == ("act", "runnable leaves")
    assert len(focus) == len(set(focus)) == 2


async def test_protect_comes_before_work_and_after_the_end(kit: Any) -> None:
    session, state = await task(kit)
    state["mind"] = dict(enter_protect(state["mind"]))
    assert (await chosen(kit, state, session))[0] == "protect"
    assert (await chosen(kit, end(state, root="done"), session))[0] == "reflect"
    state["mind"]["asked"] = True
    assert (await chosen(kit, state, session))[0] == "act"


async def test_the_mood_forces_an_interim_merge(kit: Any) -> None:
    session, state = await task(kit)
    state = {**end(state, _1="done", _2="done"), "mood": {"action": "CONSOLIDATE", "step": 4}}
    assert await chosen(kit, state, session) == ("merge", "mood: consolidate", ["0"], "interim")


async def test_the_mood_forces_a_verify_leaf_on_the_weak_claim_that_counts_most(kit: Any) -> None:
    session, state = await task(kit)
    state = {**end(state, _1="done", _2="done"), "mood": {"action": "VERIFY", "step": 4}}
    values = {"0.1": Idea(N=1, V=0.4), "0.2": Idea(N=1, V=0.2)}
    state["ideas"] = apply_patches(state["ideas"], [values])
    assert await chosen(kit, state, session) == ("expand", "mood: verify", ["0.1"], "verify")
    after = await kit.after(expand, await kit.after(select, state, session), session)
    added = after["ideas"]["0.6"]
    assert (added["title"], added["kind"]) == ("verify: read 0", "leaf")
    assert "0.6" in after["ideas"]["0.5"]["needs"]


@pytest.mark.parametrize("mood", [{"action": "CONSOLIDATE", "step": 3}, {"action": "EXPLORE", "step": 4}, {}])
async def test_a_mood_of_an_earlier_step_forces_nothing(kit: Any, mood: Change) -> None:
    session, state = await task(kit)
    assert (await chosen(kit, {**end(state, _1="done", _2="done"), "mood": mood}, session))[0] == "act"


async def test_a_mood_that_is_switched_off_forces_nothing(kit: Any) -> None:
    session, state = await task(kit, mood={"engine": "numpy", "enabled": False})
    state = {**end(state, _1="done", _2="done"), "mood": {"action": "CONSOLIDATE", "step": 4}}
    assert (await chosen(kit, state, session))[0] == "act"


async def test_only_the_ideas_of_this_task_are_looked_at(kit: Any) -> None:
    session, state = await task(kit)
    other = {"1": Idea(**{**state["ideas"]["0"], "id": "1", "status": "open"})}
    state = {**state, "ideas": apply_patches(state["ideas"], [other]), "work": {**state["work"], "root": "1"}}
    assert (await chosen(kit, state, session))[:3] == ("expand", "an open idea", ["1"])


async def test_a_step_is_counted_and_the_last_outcomes_are_gone(kit: Any) -> None:
    session, state = await task(kit)
    state = {**state, "outcomes": {"0.1": {}}, "verdicts": {"0.1": {}}}
    kit.ticks = 5.0
    first = kit.reduced(state, await kit.update(select, state, session))
    kit.ticks = 7.5
    second = kit.reduced(first, await kit.update(select, first, session))
    assert (second["step"], second["outcomes"], second["verdicts"]) == (6, {}, {})
    assert second["usage"]["seconds"] == 2.5


async def test_decisions_are_chained_and_keep_every_term(kit: Any) -> None:
    session, state = await task(kit)
    first = await kit.after(select, state, session)
    second = await kit.after(select, first, session)
    rows = await session.memory.rows("decisions")
    assert [r["hash"] for r in rows] == [first["decision"]["hash"], second["decision"]["hash"]]
    assert rows[1]["before"] == rows[0]["hash"]
    assert {t["id"] for t in rows[0]["terms"]} >= {"0.1", "0.2", "0.3"}
    assert len(first["decision"]["top"]) <= 8


async def test_a_text_is_embedded_once_a_session(kit: Any) -> None:
    session = kit.session()
    seen: list[list[str]] = []
    embed = session.embedder.embed
    session.embedder.embed = lambda texts: (seen.append(list(texts)), embed(texts))[1]
    first = await session.encode("a", "b", "a")
    again = await session.encode("b", "c")
    assert seen == [["a", "b"], ["c"]]
    assert (first[0] == first[2]).all() and (first[1] == again[0]).all()
    with pytest.raises(ValueError, match="read-only"):
        first[0][0] = 1.0


def test_a_lost_branch_counts_once_with_its_uppermost_idea() -> None:
    ideas = {"0": root(0, "q")}
    call = ActionCall(name="visit", args={"source": "a page"}, intent="")
    leaves = [Proposal(title, "", action=call) for title in "bcd"]
    plans = [[Proposal("a", ""), leaves[0]], leaves[1:]]
    for here, plan in zip(("0", "0.1"), plans, strict=True):
        ideas = apply_patches(ideas, [grow.expansion(ideas, ideas[here], plan, step=1)])
    values = [("0.1.1", 0.2), ("0.1.2", 0.4), ("0.2", 0.9)]
    ideas = apply_patches(ideas, [grow.backpropagate(ideas, values), {"0.1.1": Idea(status="failed")}])
    assert dag.lost_values(ideas, "0") == {i: (1, pytest.approx(0.2)) for i in ("0", "0.1")}
    ideas = apply_patches(ideas, [{"0.1": Idea(status="abandoned")}])
    assert dag.lost_values(ideas, "0") == {"0": (2, pytest.approx(0.6))}


async def test_the_cap_that_is_reached_is_told_with_its_own_figure(kit: Any) -> None:
    session = kit.session(budget={"max_model_calls": 200})
    assert [reached({"usage": {"model_calls": n}}, session, 1, 0.0) for n in (200, 201)] == [
        "", "max_model_calls = 200 reached",
    ]  # fmt: skip
