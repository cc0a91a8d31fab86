"""At an impasse the ACT-R utility chooses: what worked before goes first, what was tried goes last."""

from __future__ import annotations

from typing import Any

import pytest

from ddax.dynamics.pressure import Impasse
from ddax.ideas.idea import apply_patches
from ddax.nodes.expand import expand
from ddax.nodes.select import select
from ddax.reasoning import protocol as p
from ddax.steps.select.impasse import by_utility
from ddax.types import Idea
from tests.unit.test_nodes_select import end

FAILED = {"0.9": {"idea": "0.9", "ok": False, "text": "no", "expected": "a page", "action": "visit"}}
DONE = {"0.9": {**FAILED["0.9"], "ok": True}}


async def task(kit: Any, **outcomes: Any) -> Any:
    """Return a session for two leaves at once, and a state with three open ones of unlike actions."""
    leaves = [
        kit.leaf("think about it", "think", about="it"),
        kit.leaf("read the page", "visit", source="s1"),
        kit.leaf("look it up", "search", query="it"),
    ]
    session = kit.session({"expand": [p.Expansion(tuple(leaves))]}, budget={"max_parallel": 1})
    state = await kit.after(expand, await kit.opened(session, focus=["0"], step=1), session)
    return session, {**state, "step": 4, **outcomes}


async def remember(session: Any, action: str, expected: str, *, ok: bool, n: int) -> None:
    for k in range(n):
        row = {"task": "before", "step": k, "action": action, "expected": expected, "ok": ok, "actual": ""}
        await session.memory.log("ledger", row, key=f"before:{action}:{ok}:{k}")


async def test_a_step_in_which_all_failed_is_resolved_by_what_worked_before(kit: Any) -> None:
    session, state = await task(kit, outcomes=FAILED)
    expected = {
        i["action"]["name"]: i["expected"] or i["title"]
        for i in state["ideas"].values()
        if i["kind"] == "leaf"
    }
    await remember(session, "think", expected["think"], ok=False, n=8)
    await remember(session, "search", expected["search"], ok=True, n=8)
    await remember(session, "visit", expected["visit"], ok=False, n=8)
    later = {**state, "work": {**state["work"], "opened": state["work"]["opened"] + 1e6}}
    update = await kit.update(select, later, session)
    decision = update["decision"]
    assert decision["rule"] == "impasse: no_change, by utility"
    assert later["ideas"][update["focus"][0]]["action"]["name"] == "search"
    row = (await session.memory.rows("decisions"))[-1]["impasse"]
    assert row["kind"] == "no_change"
    totals = [u["total"] for u in row["utilities"]]
    assert totals == sorted(totals, reverse=True)
    for u in row["utilities"]:
        assert abs(u["gain"] - u["cost"] - u["tabu"] + u["noise"] - u["total"]) < 1e-5
        assert abs(u["gain"] - 10 * u["chance"]) < 1e-5


async def test_a_step_that_brought_something_is_no_impasse(kit: Any) -> None:
    session, state = await task(kit, outcomes=DONE)
    update = await kit.update(select, state, session)
    assert update["decision"]["rule"] == "runnable leaves"
    assert "impasse" not in (await session.memory.rows("decisions"))[-1]


async def test_what_was_tried_in_vain_is_not_tried_again_first(kit: Any) -> None:
    """The loop of the same call over and over is what the tabu is there to end."""
    visits = [kit.leaf(f"read {k}", "visit", source=f"s{k}") for k in range(4)]
    session = kit.session({"expand": [p.Expansion(tuple(visits))]}, budget={"max_parallel": 1})
    state = await kit.after(expand, await kit.opened(session, focus=["0"], step=1), session)
    same = {i: Idea(action=state["ideas"]["0.1"]["action"]) for i in ("0.2", "0.3")}
    state = {**state, "step": 4, "outcomes": FAILED, "ideas": apply_patches(state["ideas"], [same])}
    tried = end(state, _1="failed", _2="failed")
    update = await kit.update(select, tried, session)
    assert update["decision"]["rule"].startswith("impasse: no_change")
    assert update["focus"] == ["0.4"]


@pytest.mark.parametrize(
    ("scores", "kind"),
    [
        ({"0.1": ("0", 0.9), "0.2": ("0.7", 0.5), "0.3": ("0.7", 0.5)}, Impasse.TIE),
        ({"0.1": ("0", 0.5), "0.2": ("0.7", 0.5), "0.3": ("0.7", 0.2)}, None),
    ],
)
async def test_leaves_tie_where_the_descent_has_ended_and_nowhere_else(
    kit: Any, scores: dict[str, tuple[str, float]], kind: Impasse | None
) -> None:
    session, state = await task(kit, outcomes=DONE)
    terms = [{"id": i, "at": at, "total": total} for i, (at, total) in scores.items()]
    found = await by_utility(state, session, sorted(scores), terms, step=5)
    assert (found.kind if found else None) is kind
