"""The columns of unfinished ideas, carried on from change to change, are those a fresh look would make."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddax.dynamics.aims import KEPT, Aims
from ddax.dynamics.score import lengths_of
from ddax.dynamics.state import decode_vector, encode_vector
from ddax.ideas import dag, grow
from ddax.ideas.idea import Patch, merge_ideas, root
from ddax.nodes.expand import expand
from ddax.reasoning import protocol as p
from ddax.steps.choices.frontier import _ways, directions_of, frontier, inherited_q
from ddax.types import LOST, ActionCall, Idea, Proposal

KINDS = ("expand", "done", "abandoned", "waiting", "value", "number", "prior", "text", "task", "joined")
LEAF = Proposal("a", "b", 1.0, action=ActionCall(name="visit", args={"source": "a page"}, intent=""))
STEPS = st.lists(st.tuples(st.integers(0, 60), st.sampled_from(KINDS), st.booleans()), max_size=25)


def changed(ideas: Any, at: int, what: str) -> Patch:
    here = ideas[sorted(ideas, key=dag.sort_key)[at % len(ideas)]]
    if what == "expand":
        if here["kind"] != "inner":
            return {}
        call = ActionCall(name="visit", args={"source": f"page {at % 3}"}, intent="")
        proposals = [Proposal("a", "b", 0.4), Proposal("c", "d", 0.6, action=call)]
        return grow.expansion(ideas, here, proposals, step=1)
    if what == "task":
        number = len({dag.task_of(i) for i in ideas})
        return {str(number): root(number, "another task")}
    if what == "value":
        return grow.backpropagate(ideas, [(here["id"], at / 60)])
    if what == "joined":  # an earlier idea that is no ancestor proposed it as well
        earlier = [i for i in ideas if dag.sort_key(i) < dag.sort_key(here["id"]) and i != here["parent"]]
        return {here["id"]: Idea(joined=earlier[-1:])} if dag.task_of(here["id"]) == "0" else {}
    fields = {
        "number": Idea(N=at % 3, Q=at / 60), "prior": Idea(P=at / 60), "text": Idea(expected=f"e{at}"),
    }  # fmt: skip
    return {here["id"]: fields.get(what, Idea(status=what))}  # type: ignore[typeddict-item]


@settings(max_examples=60, deadline=None)
@given(STEPS)
def test_carried_on_they_are_as_made_anew(steps: list[tuple[int, str, bool]]) -> None:
    ideas = merge_ideas(None, [{"0": root(0, "q")}])
    seen: list[tuple[Any, list[float]]] = []
    for at, what, asked in steps:
        ideas = merge_ideas(ideas, [changed(ideas, at, what)])
        if not asked:
            continue
        rows, plain = dag.rows(ideas, "0"), dict(ideas)
        fresh, unfinished = dag.rows(plain, "0"), dag.unfinished(plain, "0")
        assert list(rows.frame.ids) == [i["id"] for i in unfinished] == list(fresh.frame.ids)
        for name in ("row", "below", "texts", "final", "merges"):
            assert getattr(rows.frame, name) == getattr(fresh.frame, name)
        for name in ("up", "end", "P"):
            assert np.array_equal(getattr(rows.frame, name), getattr(fresh.frame, name))
        assert dag.lost_values(ideas, "0") == dag.lost_values(plain, "0")
        assert rows.Q.tolist() == [inherited_q(plain, i) for i in unfinished]
        assert rows.N.tolist() == [i["N"] for i in unfinished]
        assert rows.frame.P.tolist() == [i["P"] for i in unfinished]
        for k, idea in enumerate(unfinished):
            inside = [i["id"] for i in unfinished if f"{i['id']}.".startswith(f"{idea['id']}.")]
            assert list(rows.frame.ids[k : rows.frame.end[k]]) == inside
        seen.append((rows, rows.Q.tolist()))
    assert all(rows.Q.tolist() == values for rows, values in seen), "older columns stay as they were"


def test_a_value_keeps_the_structure_and_an_end_makes_it_anew() -> None:
    ideas = merge_ideas(None, [{"0": root(0, "q")}])
    ideas = merge_ideas(ideas, [grow.expansion(ideas, ideas["0"], [Proposal("a", "b", 1.0)] * 3, step=1)])
    first = dag.rows(ideas, "0")
    valued = merge_ideas(ideas, [grow.backpropagate(ideas, [("0.2", 0.7)])])
    assert dag.rows(valued, "0").frame is first.frame and dag.rows(ideas, "0") is first
    assert dag.rows(valued, "0").Q.tolist() == [0.7] * 4, "the others take it from the root"
    ended = merge_ideas(valued, [{"0.2": Idea(status="done")}])
    assert dag.rows(ended, "0").frame.ids == ("0", "0.1", "0.3")


def test_what_lost_branches_hold_is_kept_until_something_lost_changes() -> None:
    ideas = merge_ideas(None, [{"0": root(0, "q")}])
    ideas = merge_ideas(ideas, [grow.expansion(ideas, ideas["0"], [LEAF] * 3, step=1)])
    ideas = merge_ideas(ideas, [grow.backpropagate(ideas, [("0.1", 0.2)]), {"0.1": Idea(status="failed")}])
    first = dag.lost_values(ideas, "0")
    assert first == {"0": (1, 0.2)}
    valued = merge_ideas(ideas, [grow.backpropagate(ideas, [("0.2", 0.9)])])
    assert dag.lost_values(valued, "0") is first
    again = merge_ideas(valued, [grow.backpropagate(valued, [("0.1", 0.6)])])
    assert dag.lost_values(again, "0") == {"0": (2, 0.8)}
    joined = merge_ideas(again, [{"0.1": Idea(joined=["0.2"])}])
    assert dag.lost_values(joined, "0") == {"0": (2, 0.8), "0.2": (2, 0.8)}
    above = merge_ideas(joined, [{"0.2": Idea(joined=["0.3"])}])
    assert set(dag.lost_values(above, "0")) == {"0", "0.2", "0.3"}
    ended = merge_ideas(above, [{"0.3": Idea(status="abandoned")}])
    assert dag.lost_values(ended, "0") == dag.lost_values(dict(ended), "0")
    assert dag.lost_values(ideas, "0") is first, "an older DAG keeps its own"


def test_a_value_with_two_ways_up_is_lost_once_and_only_where_both_are() -> None:
    ideas = merge_ideas(None, [{"0": root(0, "q")}])
    ideas = merge_ideas(ideas, [grow.expansion(ideas, ideas["0"], [Proposal("a", "b", 1.0)] * 3, step=1)])
    ideas = merge_ideas(ideas, [grow.expansion(ideas, ideas["0.1"], [LEAF], step=2)])
    ideas = merge_ideas(ideas, [{"0.1.1": Idea(joined=["0.2"])}])
    ideas = merge_ideas(ideas, [grow.backpropagate(ideas, [("0.1.1", 0.0), ("0.3", 1.0)])])
    one = merge_ideas(ideas, [{"0.1": Idea(status="failed")}])
    assert dag.lost_values(one, "0") == {}, "the other one goes on from it"
    both = merge_ideas(one, [{"0.2": Idea(status="failed")}])
    assert dag.lost_values(both, "0") == {"0": (1, 0.0)}
    itself = merge_ideas(ideas, [{"0.1.1": Idea(status="failed")}])
    assert dag.lost_values(itself, "0") == dict.fromkeys(("0", "0.1", "0.2"), (1, 0.0))


def two_branches() -> Any:
    """Return a root with 0.1, which has a leaf, and 0.2, which has two parts."""
    part = Proposal("a", "b", 1.0)
    ideas = merge_ideas(None, [{"0": root(0, "q")}])
    for parent, plan in (("0", [part] * 2), ("0.1", [LEAF]), ("0.2", [part] * 2)):
        ideas = merge_ideas(ideas, [grow.expansion(ideas, ideas[parent], plan, step=1)])
    return ideas


def test_a_value_is_lost_above_a_lost_branch_that_proposed_its_leaf_as_well() -> None:
    ideas = two_branches()
    ideas = merge_ideas(ideas, [{"0.1.1": Idea(joined=["0.2.1"]), "0.2.1": Idea(status="failed")}])
    assert dag.lost_values(ideas, "0") == {}
    ideas = merge_ideas(ideas, [grow.backpropagate(ideas, [("0.1.1", 0.2), ("0.2.2", 0.8)])])
    assert {i: (ideas[i]["N"], ideas[i]["Q"]) for i in ("0", "0.1", "0.2", "0.2.1")} == {
        "0": (2, 0.5), "0.1": (1, 0.2), "0.2": (2, 0.5), "0.2.1": (1, 0.2),
    }  # fmt: skip
    assert dag.lost_values(ideas, "0") == {"0.2": (1, 0.2)}, "0.1 goes on from it, and the root with it"


def _ways_up(ideas: Any, below: str, above: str, met: tuple[str, ...] = ()) -> list[set[str]]:
    """Return, of each way up from an idea to another, what it leads through, the lower end included."""
    if below == above:
        return [set(met)]
    higher = [above for above in (ideas[below]["parent"], *ideas[below].get("joined", [])) if above]
    ways = (_ways_up(ideas, h, above, (*met, below)) for h in higher if h not in met)
    return [way for some in ways for way in some]


SOME_INNER = st.sets(st.sampled_from(["0.1", "0.2", "0.2.1", "0.2.2"]), min_size=1, max_size=2)


@settings(max_examples=150, deadline=None)
@given(SOME_INNER, SOME_INNER, st.permutations(["joined", "failed", "valued"]))
def test_a_value_is_lost_to_an_idea_where_every_way_up_to_it_is(
    joined: set[str], failed: set[str], order: list[str]
) -> None:
    ideas = two_branches()
    mine = [i["id"] for i in dag.subtree(ideas, "0")]
    for what in order:
        patches: dict[str, Patch] = {
            "joined": {"0.1.1": Idea(joined=sorted(joined))},
            "failed": {i: Idea(status="failed") for i in failed},
            "valued": grow.backpropagate(ideas, [("0.1.1", 0.25), ("0.2.3", 0.5)]),
        }
        ideas = merge_ideas(ideas, [patches[what]])
        dag.lost_values(ideas, "0")
    lost = {i for i in mine if ideas[i]["status"] in LOST}
    expected = dict.fromkeys(mine, 0)
    for valued in (i for i in mine if ideas[i]["kind"] != "inner"):
        for above in set(mine) - lost - {valued}:
            ways = _ways_up(ideas, valued, above)
            expected[above] += ideas[valued]["N"] * bool(ways and all(way & lost for way in ways))
    found = {i: n for i, (n, _) in dag.lost_values(ideas, "0").items()}
    assert found == {i: n for i, n in expected.items() if n}


@pytest.mark.parametrize("drawn", [set(), {"0.2"}, {"0", "0.1", "0.4"}])
async def test_ways_count_the_targets_at_and_below(kit: Any, drawn: set[str]) -> None:
    leaves = tuple(kit.leaf(f"x{k}") for k in range(3))
    session = kit.session({"expand": [p.Expansion((*leaves, kit.inner("go on")))]})
    state = await kit.after(expand, await kit.opened(session, focus=["0"], step=1), session)
    view = await frontier(state, session)
    below = {i: sum(f"{t}.".startswith(f"{i}.") for t in drawn) for i in view.row}
    assert dict(zip(view.row, _ways(view, frozenset(drawn)).tolist(), strict=True)) == below


async def test_directions_are_kept_while_neither_texts_nor_place_change(kit: Any) -> None:
    session = kit.session({"expand": [p.Expansion(tuple(kit.leaf(f"x{k}") for k in range(3)))]})
    state = await kit.after(expand, await kit.opened(session, focus=["0"], step=1), session)
    state = {**state, "ideas": merge_ideas(state["ideas"], [])}  # the graph's reducer keeps a Dag
    first = await frontier(state, session)
    valued = {**state, "ideas": merge_ideas(state["ideas"], [{"0.1": Idea(N=1, Q=0.9)}])}
    second = await frontier(valued, session)
    assert second.D is first.D and second.F.tolist() != first.F.tolist()
    x = decode_vector(state["mind"]["x"])
    moved = {**valued, "mind": {**state["mind"], "x": encode_vector(x[::-1])}}
    third = await frontier(moved, session)
    unfinished = dag.unfinished(moved["ideas"], "0")
    anew = await directions_of(unfinished, moved["mind"], session)
    assert third.D.tolist() == anew.tolist() != first.D.tolist()
    with pytest.raises(ValueError, match="read-only"):
        third.D[0] = 0.0
    elsewhere = await frontier(moved, kit.session())
    assert elsewhere.cosine.tolist() == third.cosine.tolist(), "a new process comes to the same"


def test_only_the_newest_aims_are_kept() -> None:
    mind: Any = {"x": encode_vector(np.ones(3)), "x_star": encode_vector(np.zeros(3))}
    aims, asked = Aims(), [(f"text {k}",) for k in range(KEPT + 1)]
    made = [aims.take(texts, mind, np.eye(3)[:1]) for texts in asked]
    assert aims.of(asked[0], mind) is None and aims.of(asked[-1], mind) is made[-1]
    assert aims.of((f"text {KEPT}",), mind) is None, "equal texts of another frame are gathered anew"
    assert made[0].lengths.tolist() == lengths_of(made[0].D).tolist()
