"""The index of a DAG, carried on from change to change, is the one a fresh look would make."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddax.ideas import dag, grow
from ddax.ideas.calls import content_of
from ddax.ideas.idea import apply_patches, merge_ideas, root
from ddax.ideas.indexed import Dag, Index, as_dag
from ddax.ideas.tally import BUCKETS
from ddax.types import ActionCall, Idea, Proposal

TABLES = ("order", "below", "live", "calls")
STEPS = st.lists(
    st.tuples(
        st.integers(0, 50),
        st.sampled_from(["expand", "done", "failed", "waiting", "value", "root"]),
        st.booleans(),
    ),
    max_size=12,
)


def _patch(ideas: dict[str, Idea], at: int, what: str) -> dict[str, Idea]:
    here = ideas[sorted(ideas, key=dag.sort_key)[at % len(ideas)]]
    if what == "root":
        number = len({dag.task_of(i) for i in ideas})
        return {str(number): root(number, "another task")}
    if what == "value":
        return grow.backpropagate(ideas, [(here["id"], 0.5)])
    if what == "expand" and here["kind"] == "inner":
        call = ActionCall(name="visit", args={"source": f"page {at % 3}"}, intent="")
        return grow.expansion(ideas, here, [Proposal("a", "b"), Proposal("c", "d", action=call)], step=1)
    ended: Any = Idea(status=what, origins=[f"web:{at}"])  # type: ignore[typeddict-item]
    return {} if what == "expand" else {here["id"]: ended}


@settings(max_examples=40, deadline=None)
@given(STEPS)
def test_carried_on_it_is_as_made_anew(steps: list[tuple[int, str, bool]]) -> None:
    ideas = merge_ideas(None, [{"0": root(0, "q")}])
    for at, what, looked_at in steps:
        old, kept = as_dag(ideas).index if looked_at else None, dict(ideas)
        known = {task: old.origins(task) for task in old.order} if old else {}
        before = copy.deepcopy({t: getattr(old, t) for t in TABLES}) if old else {}
        lost = _sets(old.lost) if old else {}
        ideas = merge_ideas(ideas, [_patch(ideas, at, what)])
        index, fresh = as_dag(ideas).index, Index(dict(ideas))
        assert {t: getattr(index, t) for t in TABLES} == {t: getattr(fresh, t) for t in TABLES}
        assert _sets(index.lost) == _sets(fresh.lost) and (old is None or _sets(old.lost) == lost)
        for table in ("visits",):
            assert _counts(getattr(index, table)) == _counts(getattr(fresh, table))
        assert [_counts(index.tried.get(t, {})) for t in index.order] == [
            _counts(fresh.tried.get(t, {})) for t in index.order
        ]
        assert index.digest() == fresh.digest() == dag.digest(dict(ideas))
        assert {t: getattr(old, t) for t in TABLES if old} == before
        assert old is None or dict(old.ideas) == kept
        assert [index.origins(task) for task in index.order] == [fresh.origins(task) for task in fresh.order]
        assert {task: old.origins(task) for task in known if old} == known


def _sets(table: dict[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    return {key: ids for key, ids in table.items() if ids}


def _counts(table: dict[str, int]) -> dict[str, int]:
    return {key: n for key, n in table.items() if n}


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_the_digest_tells_any_change_and_no_order(data: Any) -> None:
    ids = data.draw(st.lists(st.integers(1, 400), min_size=1, max_size=30, unique=True))
    ideas = {"0": root(0, "q"), **{f"0.{k}": {**root(0, "c"), "id": f"0.{k}", "parent": "0"} for k in ids}}
    other = {i: ideas[i] for i in data.draw(st.permutations(list(ideas)))}
    assert dag.digest(other) == dag.digest(ideas)  # type: ignore[arg-type]
    one = data.draw(st.sampled_from(sorted(ideas)))
    for changed in (
        {**ideas, one: {**ideas[one], "Q": 0.25}},
        {i: idea for i, idea in ideas.items() if i != one},
        {**ideas, one: {**ideas[one], "title": ideas[one]["title"] + " "}},
    ):
        assert dag.digest(changed) != dag.digest(ideas)  # type: ignore[arg-type]


def test_two_ideas_cannot_change_places() -> None:
    one, other = root(0, "a"), root(0, "b")
    assert dag.digest({"0": one, "1": other}) != dag.digest({"0": other, "1": one})
    assert len(as_dag({"0": one}).index.digest()) == 64
    assert BUCKETS == 256  # a part of what a stored digest means


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.__setitem__("0", {}), lambda d: d.update({}), lambda d: d.pop("0"),
        lambda d: d.setdefault("1", {}), lambda d: d.clear(), lambda d: d.__ior__({}),
    ],
)  # fmt: skip
def test_it_is_not_changed_in_place(change: Any) -> None:
    ideas = Dag({"0": root(0, "q")})
    with pytest.raises(TypeError, match="write a patch"):
        change(ideas)
    assert list(ideas) == ["0"]


def test_it_travels_as_the_plain_dict_it_is() -> None:
    from ddax.graph.savers.serializing import serializer

    ideas = merge_ideas(None, [{"0": root(0, "q")}])
    serde = serializer("")
    back = [pickle.loads(pickle.dumps(ideas)), copy.deepcopy(ideas), json.loads(json.dumps(ideas))]
    for found in [*back, serde.loads_typed(serde.dumps_typed(ideas))]:
        assert type(found) is dict
        assert found == ideas
    assert copy.copy(ideas) is ideas
    assert type(apply_patches(dict(ideas), [])) is dict


def test_a_call_is_the_same_whatever_the_order_of_its_arguments() -> None:
    one, other = {"at": {"x": 1, "y": 2}, "n": 3}, {"n": 3, "at": {"y": 2, "x": 1}}
    calls = [ActionCall(name="visit", args=args, intent=why) for args, why in ((one, "a"), (other, "b"))]
    plan = [Proposal("a", "b", action=call) for call in calls]
    ideas = merge_ideas(None, [{"0": root(0, "q")}])
    ideas = merge_ideas(ideas, [grow.expansion(ideas, ideas["0"], plan, step=1)])
    ideas = merge_ideas(ideas, [{i: Idea(status="done") for i in ("0.1", "0.2")}])
    assert list(as_dag(ideas).index.tried["0"].values()) == [2]
    assert content_of(calls[0]) == content_of(calls[1])


def test_counts_of_calls_of_an_older_dag_stay_as_they_were() -> None:
    call = ActionCall(name="visit", args={"source": "page"}, intent="")
    twice = [Proposal("a", "b", action=call), Proposal("c", "d", action=call)]
    ideas = merge_ideas(None, [{"0": root(0, "q")}])
    ideas = merge_ideas(ideas, [grow.expansion(ideas, ideas["0"], twice, step=1)])
    one = as_dag(merge_ideas(ideas, [{"0.1": Idea(status="done")}]))
    assert list(one.index.tried["0"].values()) == [1]
    both = as_dag(merge_ideas(one, [{"0.2": Idea(status="done")}]))
    assert list(both.index.tried["0"].values()) == [2]
    assert list(one.index.tried["0"].values()) == [1]
