"""What an agent is given in Python: a checkpointer, a store, a config, state, and LangGraph's own calls."""

from __future__ import annotations

import operator
import os
import re
import subprocess
import sys
from datetime import date
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, Required

import pytest
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.language_models import FakeListChatModel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, Overwrite
from pydantic import BaseModel
from typing_extensions import ReadOnly, TypedDict

import ddax
from ddax import Context, State, build_graph, open_agent, splice
from ddax.errors import StateError, UsageError
from ddax.graph.schemas import check_given
from ddax.testing import QUESTION, small_agent
from tests.cases import cases

PLACE: Any = {"configurable": {"thread_id": "direct"}}
OWN_MODEL = FakeListChatModel(responses=[])
SETTINGS: dict[str, Any] = {"mood": {"engine": "numpy"}}


class Ordered(State):
    """A state with fields of a caller."""

    customer: str
    seen: Annotated[list[int], lambda old, new: (old or []) + new]


def look(state: Ordered) -> dict[str, Any]:
    """Note who asks."""
    return {"seen": [len(state.get("customer", ""))]}


def with_customer(services: Any = None) -> Any:
    return splice(build_graph(services, state_schema=Ordered), "look", look, after="act", before="evaluate")


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "almanac.md").write_text(
        "# The Harbour Almanac\n\nThe Harbour Almanac was written by Ines Calder in 1911.\n"
    )
    return tmp_path / "papers"


ASKED = "Who wrote the Harbour Almanac?"


async def test_own_state_goes_in_is_kept_and_comes_out(tmp_path: Path) -> None:
    async with small_agent(tmp_path, build=with_customer) as agent:
        result = await agent.run(QUESTION, thread="t", state={"customer": "C-17"})
        assert result["status"] == "done"
        assert result["state"]["customer"] == "C-17"
        assert set(result["state"]["seen"]) == {4}
        again = await agent.run("And who was it?", thread="t")
        assert again["state"]["customer"] == "C-17"
        values = await agent.graph.ainvoke({"task": QUESTION, "customer": "D"}, PLACE, context=agent.context)
        assert values["customer"] == "D"


@cases("given", "spelled")
async def test_a_value_of_another_type_is_refused_by_name(
    tmp_path: Path, given: dict[str, Any], spelled: str
) -> None:
    name = next(iter(given))
    async with small_agent(tmp_path, build=partial(build_graph, state_schema=Rich)) as agent:
        with pytest.raises(UsageError, match=f"'{name}' of the state is given a value of another") as told:
            await agent.run(QUESTION, thread="t", state=given)
        assert re.search(spelled, told.value.mend)
        assert agent.threads() == [], "nothing was begun"
        with pytest.raises(UsageError, match=f"'{name}' of the state"):
            await agent.graph.ainvoke({"task": QUESTION, **given}, PLACE, context=agent.context)


def test_what_fits_a_field_or_is_for_its_reducer_to_take_is_let_through() -> None:
    fits = {
        "count": 3, "due": date(2026, 1, 2), "tags": ["a"], "notes": 7, "place": Place(name="Vellin"),
        "when": (1, 2), "colour": "red", "thing": Thing(), "desk": 7, "owner": "Ines",
        "opened": date(2026, 1, 2), "labels": ["vip"], "rank": 1, "score": 0.5, "log": "a line",
    }  # fmt: skip
    as_json = {"due": "2026-01-02", "place": {"name": "Vellin"}, "when": [1, 2], "opened": "2026-01-02"}
    taken = build_graph(state_schema=Rich).compile().takes
    for given in (fits, as_json, {"when": None}, {"tags": Overwrite(["b"])}, None, Command(resume="x")):
        check_given(given, taken)


async def test_a_thread_with_typed_values_is_resumed(tmp_path: Path) -> None:
    values: Any = {"count": 3, "due": date(2026, 1, 2), "when": (1, 2)}
    async with small_agent(tmp_path, build=partial(build_graph, state_schema=Rich)) as agent:
        await agent.graph.ainvoke(
            {"task": QUESTION, **values}, PLACE, context=agent.context, interrupt_before=["close"]
        )
        result = await agent.resume("direct")
        assert result["status"] == "done"
        assert result["state"]["count"] == 3
        again = await agent.run("And who was it?", thread="direct", state={"count": 4})
        assert again["state"]["count"] == 4


@pytest.mark.parametrize("given", [{"customer": "C-17"}, {"tenant": 3, "task": "x"}, {"Task": "who?"}])
async def test_a_field_that_no_state_has_is_refused_by_name(tmp_path: Path, given: dict[str, Any]) -> None:
    name = next(key for key in given if key != "task")
    with pytest.raises(UsageError, match=f"the field '{name}', which this graph does not take"):
        await build_graph().compile().ainvoke({"task": QUESTION, **given}, context=Context(**SETTINGS))
    async with small_agent(tmp_path) as agent:
        with pytest.raises(UsageError, match=f"'{name}'"):
            await agent.run(QUESTION, state={name: 1})
        with pytest.raises(UsageError, match=f"'{name}'"):
            await agent.graph.ainvoke({"task": QUESTION, **given}, PLACE, context=agent.context)
        assert agent.threads() == []


def test_narrower_schemas_say_what_goes_in_and_what_comes_out() -> None:
    class Asked(TypedDict):
        task: str
        customer: str

    class Told(TypedDict):
        status: str
        customer: str

    graph = build_graph(state_schema=Ordered, input_schema=Asked, output_schema=Told).compile()
    assert set(graph.takes) == {"task", "customer"}
    assert set(graph.output_channels) == {"status", "customer"}
    loose = build_graph(input_schema=Asked).compile()
    assert {"customer", "answer"} <= set(loose.output_channels)
    assert {"task", "customer", "seen"} <= set(build_graph(state_schema=Ordered).compile().takes)


def test_a_field_has_one_type_in_both_schemas_whether_it_has_to_be_there_or_not() -> None:
    class Asked(TypedDict):
        task: str
        desk: int
        owner: NotRequired[str]
        labels: Annotated[NotRequired[list[str]], operator.add]

    assert {"desk", "owner"} <= set(build_graph(state_schema=Rich, input_schema=Asked).compile().takes)

    class Else(TypedDict):
        task: str
        desk: NotRequired[str]

    with pytest.raises(UsageError, match="'desk' has one type in the state_schema and another"):
        build_graph(state_schema=Rich, input_schema=Else)


class Rich(State):
    """Own fields of many types."""

    count: int
    due: date
    tags: Annotated[list[str], operator.add]
    notes: Annotated[list[str], lambda old, new: [*(old or []), new]]
    place: Place
    when: tuple[int, int] | None
    colour: Literal["red", "blue"]
    thing: Thing
    desk: NotRequired[int]
    owner: Required[str]
    opened: ReadOnly[date]
    labels: NotRequired[Annotated[list[str], operator.add]]
    rank: Annotated[NotRequired[int], "a place"]
    score: NotRequired[ReadOnly[Annotated[float, "of ten"]]]
    log: NotRequired[Annotated[list[str], lambda old, new: [*(old or []), new]]]


class Place(BaseModel):
    """A value of pydantic's."""

    name: str


class Thing:
    """A value of a class that says nothing of itself."""


class Odd(TypedDict):
    """A field of ours with another type."""

    step: str


class Model(BaseModel):
    """No TypedDict."""

    customer: str = ""


class Mute(TypedDict):
    """An input without a task."""

    customer: str


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"state_schema": Odd}, "the field 'step', which ddax has with another type"),
        ({"state_schema": Model}, "'Model' is no TypedDict"),
        ({"state_schema": dict}, "'dict' is no TypedDict"),
        ({"input_schema": Mute}, "'Mute' takes no task"),
        ({"output_schema": Mute}, "the field 'customer', which the state has not"),
    ],
)
def test_a_schema_that_cannot_be_had_is_refused_by_name(asked: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        build_graph(**asked)


async def test_inside_another_graph_it_takes_what_is_shared(docs: Path, tmp_path: Path) -> None:
    class Whole(TypedDict, total=False):
        task: str
        answer: Any
        ticket: int

    async with open_agent(Context(sources=(str(docs),), **SETTINGS), home=tmp_path / "home") as agent:
        outer = StateGraph(Whole, context_schema=Context)
        outer.add_node("ask", agent.graph)
        outer.add_edge(START, "ask")
        found = await outer.compile().ainvoke({"task": ASKED, "ticket": 7}, context=agent.context)
        assert found["ticket"] == 7
        assert "Ines Calder" in found["answer"]["text"]
        assert agent.threads() == []  # the thread, if any, is the other graph's


async def test_threads_of_langgraphs_own_calls_are_known(docs: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with open_agent(Context(sources=(str(docs),), **SETTINGS), home=home) as agent:
        await agent.graph.ainvoke({"task": ASKED}, agent.config("invoked"))
        messages = {"messages": [("user", ASKED)]}
        async for _ in agent.graph.astream(messages, agent.config("streamed"), stream_mode="updates"):
            pass
        events = agent.graph.astream_events({"task": ASKED}, agent.config("told"), version="v2")
        assert [event async for event in events]
        found = {info.thread_id: info for info in agent.threads()}
        assert set(found) == {"invoked", "streamed", "told"}
        assert {(info.status, info.task) for info in found.values()} == {("done", ASKED)}
        assert all(info.steps and info.digest and info.checkpoint_id for info in found.values())
        follow_up = await agent.run("And when was it written?", thread="streamed")
        assert follow_up["status"] == "done"
    shown = ddax_command("runs", "--json", home=home)
    assert all(name in shown for name in ("invoked", "streamed", "told"))
    assert "Ines Calder" in ddax_command("show", "invoked", home=home)


async def test_a_direct_thread_that_waits_is_resumed(tmp_path: Path) -> None:
    from langgraph.types import interrupt

    def stop(state: State) -> dict[str, Any]:
        interrupt("go on?")
        return {}

    def build(services: Any) -> Any:
        return splice(build_graph(services), "stop", stop, after="act", before="evaluate")

    async with small_agent(tmp_path, build=build) as agent:
        await agent.graph.ainvoke({"task": QUESTION}, agent.config("direct"), context=agent.context)
        assert [info.status for info in agent.threads()] == ["waiting"]
        result = await agent.resume("direct", answer="yes")
        while result["status"] == "waiting":
            asked = Command(resume="yes")
            await agent.graph.ainvoke(asked, agent.config("direct"), context=agent.context)
            result = await agent.result("direct")
        assert result["status"] == "done"
        assert [info.status for info in agent.threads()] == ["done"]


async def test_a_direct_run_that_is_left_can_be_resumed(tmp_path: Path) -> None:
    async with small_agent(tmp_path) as agent:
        parts = agent.graph.astream({"task": QUESTION}, agent.config("left"), context=agent.context)
        async for _ in parts:
            break
        await parts.aclose()
        assert [info.status for info in agent.threads()] == ["interrupted"]
        assert (await agent.resume("left"))["status"] == "done"


async def test_a_checkpointer_of_ones_own_has_the_threads(docs: Path, tmp_path: Path) -> None:
    saver, home = InMemorySaver(), tmp_path / "home"
    context = Context(sources=(str(docs),), **SETTINGS)
    async with open_agent(context, home=home, checkpointer=saver) as agent:
        result = await agent.run(ASKED, thread="mine")
        assert result["short"] == "Ines Calder"
    assert saver.get({"configurable": {"thread_id": "mine"}}) is not None
    assert not (home / "checkpoints.sqlite").exists()
    async with open_agent(context, home=home, checkpointer=saver) as agent:
        assert (await agent.result("mine"))["short"] == "Ines Calder"
        follow_up = await agent.run("And when was it written?", thread="mine")
        assert "1911" in follow_up["answer"]
        assert (await agent.history("mine"))[0]
    async with open_agent(context, home=home) as agent:
        with pytest.raises(StateError, match="a checkpointer of its own, InMemorySaver"):
            await agent.result("mine")


async def test_a_store_reaches_the_nodes(tmp_path: Path) -> None:
    from langgraph.runtime import Runtime

    def note(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
        assert runtime.store is not None
        runtime.store.put(("seen",), str(state["step"]), {"task": state["task"]})
        return {}

    store = InMemoryStore()
    build = lambda services: splice(build_graph(services), "note", note, after="act", before="evaluate")  # noqa: E731
    agent = open_agent(Context(sources=("python:json",), **SETTINGS), home=tmp_path, store=store, build=build)
    async with agent:
        await agent.run("Which function of json parses a text?")
    assert store.search(("seen",))


class Heard(AsyncCallbackHandler):
    """Counts what it hears."""

    def __init__(self) -> None:
        self.tags: set[str] = set()
        self.kept: set[str] = set()

    async def on_chain_start(self, serialized: Any, inputs: Any, **kwargs: Any) -> None:
        self.tags |= set(kwargs.get("tags") or ())
        self.kept |= set(kwargs.get("metadata") or ())


async def test_a_config_of_the_agent_is_that_of_every_run(docs: Path, tmp_path: Path) -> None:
    heard, more = Heard(), Heard()
    config: Any = {"callbacks": [heard], "tags": ["nightly"], "metadata": {"team": "blue"}}
    context = Context(sources=(str(docs),), **SETTINGS)
    async with open_agent(context, home=tmp_path / "home", config=config) as agent:
        await agent.run(ASKED)
        assert "nightly" in heard.tags
        assert "team" in heard.kept
        heard.tags.clear()
        await agent.run(ASKED, config={"callbacks": [more], "tags": ["once"]})
        assert {"nightly", "once"} <= heard.tags
        assert {"nightly", "once"} <= more.tags
        heard.tags.clear()
        await agent.graph.ainvoke({"task": ASKED}, agent.config("direct"))
        assert "nightly" in heard.tags


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"checkpointer": InMemoryStore()}, "a checkpointer that is none"),
        ({"checkpointer": "memory"}, "a checkpointer that is none. This is a str"),
        ({"store": InMemorySaver()}, "a store that is none"),
        ({"config": {"configurable": {"thread_id": "t"}}}, "'configurable' in its config"),
        ({"config": "tags"}, "a config that is none"),
    ],
)
def test_what_is_none_of_langgraphs_is_told_at_once(asked: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        open_agent(**asked)


def test_a_saver_that_cannot_be_awaited_is_told() -> None:
    import sqlite3

    from langgraph.checkpoint.sqlite import SqliteSaver

    class Plain(InMemorySaver):
        aput = SqliteSaver.__mro__[1].aput

    with pytest.raises(UsageError, match="cannot be awaited"):
        open_agent(checkpointer=Plain())
    with (
        sqlite3.connect(":memory:") as base,
        pytest.raises(UsageError, match="SqliteSaver cannot be awaited"),
    ):
        open_agent(checkpointer=SqliteSaver(base))


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"model": "openai:gpt-4.1-mini"}, "OPENAI_API_KEY"),
        ({"context": Context(model="openai:gpt-4.1-mini")}, "OPENAI_API_KEY"),
        ({"models": {"judge": "openai:gpt-4.1"}, "model": OWN_MODEL}, "gpt-4.1 needs a key.*OPENAI_API_KEY"),
        ({"context": Context(debate={"panel": "PANEL.yaml"})}, "gpt-4.1 needs a key.*OPENAI_API_KEY"),
        ({"model": "gpt-4.1"}, "model"),
        ({"model": "nobody:at-all"}, "nobody"),
    ],
)
def test_a_missing_key_or_a_wrong_model_is_told_as_the_agent_is_made(
    asked: dict[str, Any], told: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    (tmp_path / "PANEL.yaml").write_text("debaters: {judge: {role: any, model: 'openai:gpt-4.1'}}")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ddax.errors.DdaxError, match=told):
        open_agent(**asked, home=tmp_path)


def test_the_names_people_look_for_are_there_before_their_first_use() -> None:
    wanted = {"open_agent", "Context", "build_graph", "splice", "action", "State", "Parts"}
    assert wanted <= set(ddax.__all__)
    program = "import ddax; print(*dir(ddax)); print(*(getattr(ddax, n).__name__ for n in ddax.__all__))"
    listed, found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert wanted <= set(listed.split())
    assert wanted <= {*found.split(), "Parts"}


def ddax_command(*words: str, home: Path) -> str:
    return subprocess.run(
        [sys.executable, "-m", "ddax", *words], capture_output=True, text=True, check=True,
        env={**os.environ, "DDAX_HOME": str(home)},
    ).stdout  # fmt: skip


async def test_a_state_without_fields_is_refused(tmp_path: Path) -> None:
    async with small_agent(tmp_path) as agent:
        with pytest.raises(UsageError, match="A state is given that is a str"):
            await agent.run(QUESTION, state="C")  # type: ignore[arg-type]  # what a caller may do
