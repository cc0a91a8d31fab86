"""The DAG of ideas keeps its invariants, whatever grows on it."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddax.errors import InvariantError
from ddax.ideas import dag, grow
from ddax.ideas.idea import Ideas, apply_patches, child, is_final, root
from ddax.types import ActionCall, Idea, Proposal


def search(query: str) -> ActionCall:
    return ActionCall(name="search", args={"query": query}, intent="")


needs_of = st.lists(st.integers(0, 4), max_size=3)
proposals = st.lists(
    st.tuples(st.booleans(), st.floats(0.01, 5.0), needs_of), min_size=1, max_size=5
).map(
    lambda rows: [
        Proposal(
            f"p{k}", expected="something", prior=prior, action=search(f"q{k}") if leaf else None,
            needs=tuple(sorted({n for n in needs if n < k})),
        )
        for k, (leaf, prior, needs) in enumerate(rows)
    ]
)  # fmt: skip


def grown(steps: list[tuple[list[Proposal], int, str]]) -> dict[str, Idea]:
    """Grow a DAG: expand some open inner idea, then finish some runnable leaf or merge."""
    ideas = apply_patches(None, [{"0": root(0, "task")}])
    for number, (children, pick, status) in enumerate(steps):
        inner = dag.open_inner(ideas, "0")
        if inner:
            target = inner[pick % len(inner)]
            ideas = apply_patches(ideas, [grow.expansion(ideas, target, children, step=number)])
        leaves = dag.runnable_leaves(ideas, "0")
        if leaves:
            ideas = apply_patches(ideas, [{leaves[pick % len(leaves)]["id"]: Idea(status=status)}])
        for orphan in dag.orphans(ideas, "0"):
            ideas = apply_patches(ideas, [grow.abandon(ideas, orphan["id"], "all it needs failed")])
        merge = dag.mergeable(ideas, "0")
        if merge is not None:
            ideas = apply_patches(
                ideas, [{merge["id"]: Idea(status="done"), merge["parent"]: Idea(status="done")}]
            )
    return ideas


histories = st.lists(st.tuples(proposals, st.integers(0, 9), st.sampled_from(["done", "failed"])), max_size=8)


@given(histories)
@settings(max_examples=60)
def test_invariants_hold_however_it_grows(history: list[tuple[list[Proposal], int, str]]) -> None:
    ideas = grown(history)
    dag.check(ideas)
    for leaf in dag.runnable_leaves(ideas, "0"):
        assert all(is_final(ideas[n]) for n in leaf["needs"])
    assert [i for i in ideas.values() if not i["parent"]] == [ideas["0"]]


@given(histories, st.integers(0, 8))
@settings(max_examples=40)
def test_reducer_is_pure_and_batching_invariant(
    history: list[tuple[list[Proposal], int, str]], cut: int
) -> None:
    ideas = grown(history)
    writes = [{i: Idea(**{k: v})} for i, idea in ideas.items() for k, v in idea.items()]  # type: ignore[misc]
    start: Ideas = {"0": root(0, "task")}
    before = copy.deepcopy((start, writes))
    at_once = apply_patches(start, writes)
    in_two = apply_patches(apply_patches(start, writes[:cut]), writes[cut:])
    assert at_once == in_two
    assert (start, writes) == before


@given(histories, st.lists(st.floats(0, 1), min_size=1, max_size=6))
@settings(max_examples=40)
def test_backpropagation_is_the_running_mean(
    history: list[tuple[list[Proposal], int, str]], values: list[float]
) -> None:
    ideas = grown(history)
    target = max(ideas, key=dag.sort_key)
    patched = apply_patches(ideas, [grow.backpropagate(ideas, [(target, v) for v in values])])
    for idea in [patched[target], *dag.ancestors(patched, target)]:
        assert idea["N"] == ideas[idea["id"]]["N"] + len(values)
        assert idea["Q"] == pytest.approx(sum(values) / len(values), abs=1e-4)


def test_an_idea_keeps_its_value_where_one_below_it_is_valued_as_well() -> None:
    ideas = {"0": root(0, "q")}
    for here in ("0", "0.1"):
        ideas = apply_patches(ideas, [grow.expansion(ideas, ideas[here], [Proposal("a", "b")], step=1)])
    patch = grow.backpropagate(ideas, [("0.1", 0.5), ("0.1.1", 0.9)])
    assert (patch["0.1"], patch["0.1.1"]["V"]) == ({"Q": 0.7, "N": 2, "V": 0.5}, 0.9)


def test_a_task_that_is_not_there_has_no_ideas() -> None:
    ideas = {"0": root(0, "task"), "1": root(1, "another")}
    assert [[idea["id"] for idea in dag.subtree(ideas, task)] for task in ("1", "2")] == [["1"], []]


def test_a_final_status_does_not_change() -> None:
    ideas = {"0": Idea(**{**root(0, "task"), "status": "done"})}
    with pytest.raises(InvariantError, match="cannot go from 'done' to 'open'"):
        dag.check_patch(ideas, {"0": Idea(status="open")})


def test_an_idea_too_large_for_state_is_refused() -> None:
    ideas = {"0": root(0, "task")}
    with pytest.raises(InvariantError, match="more than 1536"):
        dag.check_patch(ideas, {"0": Idea(result="x" * 2000)})


@pytest.mark.parametrize(
    "change", [{"needs": ["7.7"]}, {"parent": "5"}, {"title": None}, {"parent": None}, {"action": None}]
)
def test_a_new_idea_that_hangs_on_nothing_is_refused(change: dict[str, Any]) -> None:
    ideas = {"0": root(0, "q")}
    call = ActionCall(name="visit", args={"source": "s"}, intent="")
    new = child(ideas["0"], 1, "a", expected="", prior=1.0, step=1, needs=[], action=call)
    dag.check_patch(ideas, {"0.1": new})
    broken: Any = {key: value for key, value in {**new, **change}.items() if value is not None}
    with pytest.raises(InvariantError):
        dag.check_patch(ideas, {"0.1": broken})


def test_a_cycle_is_found() -> None:
    ideas = {i: Idea(**{**root(0, "t"), "id": i, "needs": [n]}) for i, n in (("0", "1"), ("1", "0"))}
    with pytest.raises(InvariantError, match="cycle"):
        dag.check(ideas)


def test_a_late_child_after_the_merge_adds_a_merge_that_supersedes_it() -> None:
    ideas = apply_patches(None, [{"0": root(0, "task")}])
    ideas = apply_patches(
        ideas, [grow.expansion(ideas, ideas["0"], [Proposal("a", "", action=search("a"))], step=1)]
    )
    ideas = apply_patches(ideas, [{"0.1": Idea(status="done"), "0.2": Idea(status="done")}])
    late = grow.expansion(ideas, ideas["0"], [Proposal("b", "", action=search("b"))], step=2)
    ideas = apply_patches(ideas, [late])
    merge = dag.current_merge(ideas, "0")
    assert merge is not None
    assert merge["supersedes"] == "0.2"
    assert merge["needs"] == ["0.1", "0.3"]
    dag.check(ideas)


def test_an_interim_merge_is_superseded_by_the_closing_one() -> None:
    ideas = apply_patches(None, [{"0": root(0, "task")}])
    two = [Proposal("a", "", action=search("a")), Proposal("b", "", action=search("b"))]
    ideas = apply_patches(ideas, [grow.expansion(ideas, ideas["0"], two, step=1)])
    ideas = apply_patches(ideas, [{"0.1": Idea(status="done")}])
    ideas = apply_patches(ideas, [grow.interim_merge(ideas, ideas["0"], step=2)])
    dag.check(ideas)
    current = dag.current_merge(ideas, "0")
    assert current is not None
    assert (current["id"], current["supersedes"]) == ("0.3", "0.4")
    ready = dag.mergeable(ideas, "0")
    assert ready is not None
    assert ready["id"] == "0.4"


def test_what_needs_only_failures_is_an_orphan() -> None:
    ideas = apply_patches(None, [{"0": root(0, "task")}])
    chain = [Proposal("a", "", action=search("a")), Proposal("then", "", needs=(0,))]
    ideas = apply_patches(ideas, [grow.expansion(ideas, ideas["0"], chain, step=1)])
    ideas = apply_patches(ideas, [{"0.1": Idea(status="failed")}])
    assert [o["id"] for o in dag.orphans(ideas, "0")] == ["0.2"]
