"""The state machine is wired as the picture says, its router is total, and a node can be spliced in."""

from __future__ import annotations

import copy
import operator
import re
from dataclasses import dataclass
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, NotRequired, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage
from langgraph.channels import UntrackedValue
from langgraph.types import Command, Overwrite, Send
from pydantic import BaseModel

from ddax.configs.settings import Context
from ddax.errors import InvariantError, UsageError
from ddax.graph.binding import check_update
from ddax.graph.builder import build_graph, graph, splice
from ddax.graph.drawing import draw, svg
from ddax.graph.routing import CHOICES, leaf_packet, route
from ddax.graph.splicing import checked
from ddax.graph.state import State
from ddax.ideas.idea import child, root
from ddax.types import ActionCall, Idea, NodeName

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
leaf_ids = st.lists(st.sampled_from(["0.1", "0.2", "0.2.1"]), unique=True)


@given(st.sampled_from([*CHOICES, "nonsense", ""]) | st.none(), leaf_ids, values)
def test_the_router_is_total_and_pure(chosen: str | None, focus: list[str], extra: Any) -> None:
    state: Any = {"decision": {"next": chosen} if chosen is not None else {}, "focus": focus, "answer": extra}
    before = copy.deepcopy(state)
    went = route(state)
    assert state == before
    if isinstance(went, list):
        assert [send.node for send in went] == ["act"] * len(focus)
        assert [send.arg["leaf"] for send in went] == focus
    else:
        assert went in CHOICES


def test_the_edges_are_those_of_the_picture() -> None:
    drawn = {(e.source, e.target, e.conditional) for e in graph.get_graph().edges}
    plain = {
        ("__start__", "open_task"), ("open_task", "select"), ("expand", "select"), ("protect", "select"),
        ("act", "evaluate"), ("merge", "evaluate"), ("evolve", "evaluate"), ("evaluate", "rigidity"),
        ("rigidity", "metacognition"), ("metacognition", "select"), ("reflect", "close"),
        ("close", "__end__"),
    }  # fmt: skip
    assert drawn == {(a, b, False) for a, b in plain} | {("select", choice, True) for choice in CHOICES}


def test_every_node_of_the_vocabulary_is_wired_once() -> None:
    assert set(build_graph().nodes) == set(get_args(NodeName))


def test_the_exported_graph_has_no_checkpointer() -> None:
    assert graph.checkpointer is None


def test_a_node_is_spliced_between_two_others_in_one_call() -> None:
    builder = splice(build_graph(), "audit", lambda state: {}, after="act", before="evaluate")
    edges = {(e.source, e.target) for e in builder.compile().get_graph().edges}
    assert {("act", "audit"), ("audit", "evaluate")} <= edges
    assert ("act", "evaluate") not in edges


def test_splicing_where_there_is_no_edge_names_those_there_are() -> None:
    with pytest.raises(UsageError, match="act→evaluate"):
        splice(build_graph(), "audit", lambda state: {}, after="select", before="act")


@pytest.mark.parametrize("name", ["act", "__start__", "a:b", "a|b", "", " "])
def test_a_name_that_no_node_may_have_is_told(name: str) -> None:
    builder = build_graph()
    with pytest.raises(UsageError, match=re.escape(repr(name))):
        splice(builder, name, lambda state: {}, after="act", before="evaluate")
    assert ("act", "evaluate") in builder.edges, "what is refused changes nothing"


class Noted(State):
    """The state, and a key that only own nodes have."""

    noted: Annotated[list[int], operator.add]


def note(state: Noted) -> dict[str, Any]:
    return {"noted": [state["step"]]}


SEEN: Any = {"step": 2, "ideas": {"0": root(0, "t")}}


@pytest.mark.parametrize(
    ("update", "said"),
    [
        ({"colour": 1}, "'audit' returned the unknown key 'colour'"),
        ({"title": "t"}, "'audit' returned the unknown key 'title'"),  # of the packet of a leaf
        ({"step": "three"}, "'audit' returned 'step' with a value"),
        ({"step": Overwrite("three")}, "'audit' returned 'step' with a value"),
        ({"ideas": {"0": {"colour": "red"}}}, "'audit' returned ideas that do not fit.*no field 'colour'"),
        ({"ideas": {"0.7": {"status": "done"}}}, "'audit' returned ideas that do not fit.*does not exist"),
        ({"ideas": {"0": {"status": "odd"}}}, "ideas.0.status"),
        (Command(update={"colour": 1}), "'audit' returned the unknown key 'colour'"),
        ([Command(update={"step": 1}), {"colour": 1}], "'audit' returned the unknown key 'colour'"),
        ([], "'audit' returned a list"),
        ("done", "'audit' returned a str"),
    ],
)
async def test_what_a_spliced_node_returns_is_checked(update: Any, said: str) -> None:
    async def waited(state: Any) -> Any:
        return update

    for node in (lambda state: update, waited):
        with pytest.raises(InvariantError, match=said):
            returned = checked("audit", node, build_graph())(SEEN)
            await returned


def test_a_spliced_node_may_return_keys_of_its_own_state() -> None:
    builder = splice(build_graph(), "note", note, after="act", before="evaluate")
    assert builder.nodes["note"].input_schema is Noted
    assert checked("note", note, builder)(SEEN) == {"noted": [2]}
    with pytest.raises(InvariantError, match="unknown key 'noted'"):
        checked("note", note, build_graph())(SEEN)


class Kept(State):
    """The state, and keys of several types."""

    seen: int
    names: NotRequired[list[str]]
    total: Annotated[list[int], operator.add]
    place: BaseModel | None
    last: Annotated[int, lambda old, new: new]


def keep(state: Kept) -> dict[str, Any]:
    return {}


@pytest.mark.parametrize(
    ("update", "said"),
    [
        ({"seen": "three"}, "declared as int"),
        ({"seen": True}, "declared as int"),
        ({"seen": Overwrite("three")}, "declared as int"),
        ({"names": ["a", 1]}, r"declared as list\[str\].*At 1"),
        ({"total": 3}, r"declared as list\[int\]"),
        (Command(update={"seen": None}), "declared as int"),
    ],
)
def test_a_value_of_another_type_in_a_state_of_ones_own_ends_the_run(update: Any, said: str) -> None:
    builder = splice(build_graph(), "keep", keep, after="act", before="evaluate")
    with pytest.raises(
        InvariantError, match=f"'keep' returned '\\w+' with a value that does not fit.*(?s:.*){said}"
    ):
        checked("keep", lambda state: update, builder)(SEEN)


def test_what_an_own_state_declares_may_be_returned() -> None:
    builder = splice(build_graph(), "keep", keep, after="act", before="evaluate")
    update = {"seen": 3, "names": ["a"], "total": [1], "place": None, "last": "for its reducer"}
    assert checked("keep", lambda state: update, builder)(SEEN) is update


class Open(State):
    """The state, and keys that take anything."""

    anything: Any
    handle: Annotated[Any, UntrackedValue]


def anything(state: Open) -> dict[str, Any]:
    return {}


@dataclass
class Place:
    """A value that a resumed run would get as a dict."""

    name: str


class Kind(Enum):
    A = "a"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (Place("x"), "Place"), ({"deep": [{"down": Place("x")}]}, "Place"), (Context(seed=1), "Context"),
        (Kind.A, "Kind"), (object(), "object"), (lambda: 1, "function"), (np.float64(1), "float64"),
    ],
)  # fmt: skip
def test_what_no_checkpoint_gives_back_as_it_is_is_told_with_its_node(value: Any, told: str) -> None:
    builder = splice(build_graph(), "anything", anything, after="act", before="evaluate")
    for returned in ({"anything": value}, {"anything": Overwrite(value)}, {"metrics": {"kept": value}}):
        with pytest.raises(InvariantError, match=f"'anything' returned .*(?s:.*){told}"):
            checked("anything", lambda state, made=returned: made, builder)(SEEN)


@pytest.mark.parametrize(
    "value",
    [
        None, [1, 2.5, "three", True, b"x"], {"a": {1, 2}, "b": (1, 2)}, date(2024, 1, 1), Path("x"),
        AIMessage("noted"), np.zeros(2),
    ],
)  # fmt: skip
def test_what_a_checkpoint_keeps_may_be_returned(value: Any) -> None:
    builder = splice(build_graph(), "anything", anything, after="act", before="evaluate")
    update = {"anything": value, "handle": object()}  # the second is kept by no checkpoint
    assert checked("anything", lambda state: update, builder)(SEEN) is update


def test_a_spliced_node_that_sees_a_part_of_the_state_may_change_ideas() -> None:
    patch = {"ideas": {"0": {"reason": "noted"}}}
    assert checked("note", lambda state: patch, build_graph())({"step": 2}) == patch


def test_a_packet_holds_ids_and_stays_small() -> None:
    action = {"name": "search", "args": {"query": "q" * 200}, "intent": "i"}
    leaf = Idea(id="0.1", parent="0", kind="leaf", status="open", action=action, expected="e" * 200)  # type: ignore[typeddict-item]
    state: Any = {
        "ideas": {"0": root(0, "t"), "0.1": leaf},
        "step": 3,
        "work": {"id": "w", "text": "x" * 2000},
    }
    packet = leaf_packet(state, "0.1")
    assert "text" not in packet["work"]  # type: ignore[operator]
    assert len(str(packet)) < 1024
    assert isinstance(route({**state, "decision": {"next": "act"}, "focus": ["0.1"]})[0], Send)  # type: ignore[index]


ACTION: ActionCall = {"name": "search", "args": {"query": "q"}, "intent": "i"}


@pytest.mark.parametrize(("focus", "left"), [(["0.1", "0.2"], 1), (["0.1"], 2), (["0.1", "0.2", "0.4"], 0)])
def test_a_packet_says_how_many_ideas_stay_open(focus: list[str], left: int) -> None:
    ideas = {"0": root(0, "t")}
    for name, status in (("0.1", "open"), ("0.2", "open"), ("0.3", "done"), ("0.4", "open")):
        made = child(ideas["0"], int(name[-1]), name, expected="", prior=1.0, step=1, needs=[], action=ACTION)
        ideas[name] = {**made, "status": status}  # type: ignore[typeddict-item]
    state: Any = {"ideas": ideas, "work": {"root": "0"}, "decision": {"next": "act"}, "focus": focus}
    ideas["0"] = {**ideas["0"], "status": "waiting"}
    assert [send.arg["left"] for send in route(state)] == [left] * len(focus)  # type: ignore[union-attr]


def test_an_unknown_key_of_an_update_is_refused() -> None:
    with pytest.raises(InvariantError, match="unknown key 'colour'"):
        check_update("expand", {}, {"colour": 1})


def test_a_spliced_node_is_drawn_between_the_two_it_was_put_between() -> None:
    spliced = splice(build_graph(), "weigh", lambda state: {}, after="act", before="evaluate")
    spliced = splice(spliced, "look", lambda state: {}, after="act", before="weigh")
    spliced.add_node("alone", lambda state: Command(goto="close"))
    mine, places = spliced.compile(), _boxes(svg(spliced.compile()))
    down = ["act", "look", "weigh", "evaluate", "metacognition", "alone"]
    assert [y for _, y in map(places.__getitem__, down)] == sorted({places[name][1] for name in down})
    assert places["act"][0] == places["look"][0] == places["weigh"][0]
    assert len(set(places.values())) == len(places) == len(mine.get_graph().nodes)
    assert "act --> look;" in draw("mermaid", mine).decode()
    assert _boxes(svg()).keys() == places.keys() - {"look", "weigh", "alone"}


def _boxes(picture: str) -> dict[str, tuple[int, int]]:
    """Return where the name of each node stands."""
    found = re.findall(r'<text x="(\d+)" y="(\d+)"[^>]*>(\w+)<', picture)
    return {name: (int(x), int(y)) for x, y, name in found}
