"""A follow-up on a thread of many turns reads and stores as much as one on a new thread."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.channels import DeltaChannel
from langgraph.graph import END, START, StateGraph

from ddax import Context, open_agent
from ddax.graph.savers import open_store
from ddax.graph.savers.held import THREADS
from ddax.graph.state import IdeasChannel, MessagesChannel, MessagesDelta, SpreadDelta
from ddax.ideas import dag
from ddax.ideas.idea import merge_ideas, root
from ddax.ideas.indexed import Dag, Index

PLACE: Any = {"configurable": {"thread_id": "t"}}


class Chat(TypedDict, total=False):
    """Messages and ideas as the product stores them."""

    messages: MessagesChannel
    ideas: IdeasChannel


def chat(saver: Any) -> Any:
    """Return a graph that has one idea and one answer for each message."""

    def say(state: Any) -> dict[str, Any]:
        number = len(dag.roots(state["ideas"])) if state.get("ideas") else 0
        return {"ideas": {str(number): root(number, "q")}, "messages": [AIMessage(content=f"a{number}")]}

    builder: Any = StateGraph(Chat)
    builder.add_node("say", say)
    builder.add_edge(START, "say")
    builder.add_edge("say", END)
    return builder.compile(checkpointer=saver)


class Counting:
    """Count the values that a store decodes."""

    def __init__(self, saver: Any) -> None:
        self.loads, self._inner = 0, saver.serde.loads_typed
        saver.serde.loads_typed = self.load

    def load(self, data: Any) -> Any:
        self.loads += 1
        return self._inner(data)


async def turn(graph: Any, number: int, place: Any = PLACE) -> Any:
    await graph.ainvoke({"messages": [HumanMessage(f"q{number}")]}, place)
    return (await graph.aget_state(place)).values


async def test_a_late_turn_decodes_as_many_values_as_an_early_one(tmp_path: Path) -> None:
    async with open_store(tmp_path / "c.sqlite", {}) as saver:
        counting, graph, spent = Counting(saver), chat(saver), []
        for number in range(45):
            before = counting.loads
            state = await turn(graph, number)
            spent.append(counting.loads - before)
        assert spent[19] <= 1.2 * spent[4] and spent[44] <= 1.2 * spent[4]
        assert len(state["messages"]) == 90 and len(state["ideas"]) == 45
    async with open_store(tmp_path / "c.sqlite", {}) as saver:
        again = (await chat(saver).aget_state(PLACE)).values
    assert [m.content for m in again["messages"]] == [m.content for m in state["messages"]]
    assert again["ideas"] == state["ideas"]


async def test_the_index_of_ideas_is_carried_from_turn_to_turn(tmp_path: Path, monkeypatch: Any) -> None:
    made, whole = list[int](), Index.__init__

    def counted(self: Index, ideas: Any) -> None:
        made.append(len(ideas))
        whole(self, ideas)

    monkeypatch.setattr(Index, "__init__", counted)
    async with open_store(tmp_path / "c.sqlite", {}) as saver:
        graph = chat(saver)
        for number in range(6):
            state = await turn(graph, number)
            dag.digest(state["ideas"])
        begun = len(made)
        for number in range(6, 12):
            assert dag.digest((await turn(graph, number))["ideas"])
    assert len(made) == begun, "made once, for the first turn"


class Nested(TypedDict, total=False):
    """Messages of several parts, and ideas that rest on something."""

    messages: MessagesChannel
    ideas: IdeasChannel


def nested(saver: Any) -> Any:
    """Return a graph whose messages and ideas hold lists and dicts of their own."""

    def say(state: Any) -> dict[str, Any]:
        number = len(dag.roots(state["ideas"])) if state.get("ideas") else 0
        idea: Any = {**root(number, "q"), "evidence": ["e"], "action": {"name": "n", "args": {"a": ["b"]}}}
        said = AIMessage([{"type": "text", "text": f"a{number}"}], additional_kwargs={"k": {"deep": [1]}})
        return {"ideas": {str(number): idea}, "messages": [said]}

    builder: Any = StateGraph(Nested)
    builder.add_node("say", say)
    builder.add_edge(START, "say")
    builder.add_edge("say", END)
    return builder.compile(checkpointer=saver)


def forge(values: Any) -> None:
    """Change a state wherever it can be changed, as deep as it goes."""
    for message in values["messages"]:
        message.additional_kwargs["k"] = "forged"
        if isinstance(message.content, list):
            message.content[0]["text"] = "forged"
    for idea in values["ideas"].values():
        idea["title"] = idea["status"] = "forged"
        idea["evidence"].append("forged")
        idea["action"]["args"]["a"].append("forged")
    values["messages"].append(HumanMessage("forged"))


def told(values: Any) -> str:
    return repr((values["messages"], dict(values["ideas"]), dag.digest(dict(values["ideas"]))))


async def test_what_a_reader_does_to_a_message_is_not_read_again(tmp_path: Path) -> None:
    async with open_store(tmp_path / "c.sqlite", {}) as saver:
        graph = chat(saver)
        state = await turn(graph, 0)
        state["messages"][0].content = "forged"
        state["messages"].append(HumanMessage("forged"))
        words = [m.content for m in (await turn(graph, 1))["messages"]]
    assert words == ["q0", "a0", "q1", "a1"]


async def test_what_a_reader_changes_inside_a_value_is_neither_read_again_nor_stored(tmp_path: Path) -> None:
    async with open_store(tmp_path / "c.sqlite", {}) as saver:
        graph = nested(saver)
        before = told(await turn(graph, 0))
        for values in [(await graph.aget_state(PLACE)).values for _ in range(2)]:
            forge(values)
        forge((await anext(graph.aget_state_history(PLACE))).values)
        assert told((await graph.aget_state(PLACE)).values) == before
        await saver.aprune(["t"])
        assert told((await graph.aget_state(PLACE)).values) == before
    async with open_store(tmp_path / "c.sqlite", {}) as saver:
        assert told((await nested(saver).aget_state(PLACE)).values) == before


async def test_what_a_reader_changes_is_in_no_later_turn_and_no_copy(tmp_path: Path) -> None:
    async with open_store(tmp_path / "c.sqlite", {}) as saver:
        graph = nested(saver)
        forge(await turn(graph, 0))
        later = told(await turn(graph, 1))
        forge((await graph.aget_state(PLACE)).values)
        await saver.acopy_thread("t", "copy")
        copied: Any = {"configurable": {"thread_id": "copy"}}
        assert told((await graph.aget_state(copied)).values) == later
        assert "forged" not in later


async def test_what_a_reader_does_to_the_state_of_an_agent_is_in_no_follow_up(tmp_path: Path) -> None:
    context = Context.model_validate({"mood": {"engine": "numpy"}})
    async with open_agent(context, home=tmp_path) as agent:
        await agent.run("What is a dam?", thread="t")
        state = await agent.state("t")
        title = state["ideas"]["0"]["title"]
        state["ideas"]["0"]["title"] = "forged"
        state["messages"][0].content = "forged"
        await agent.run("And what does it cost?", thread="t")
        assert (await agent.state("t"))["ideas"]["0"]["title"] == title
    async with open_agent(context, home=tmp_path) as agent:
        after = await agent.state("t")
    assert after["ideas"]["0"]["title"] == title and "forged" not in repr(after)


async def test_a_follow_up_copies_the_ideas_of_its_thread_once(tmp_path: Path, monkeypatch) -> None:
    copies: list[int] = []
    own = Dag.own
    monkeypatch.setattr(Dag, "own", lambda self: copies.append(len(self)) or own(self))
    context = Context.model_validate({"mood": {"engine": "numpy"}})
    async with open_agent(context, home=tmp_path) as agent:
        await agent.run("What is a dam?", thread="t")
        copies.clear()
        await agent.run("And what does it cost?", thread="t")
        assert len(copies) == 1, "for the graph; before and after it they are only looked at"


def last_two(old: Any, writes: Sequence[Any]) -> list[Any]:
    """Keep the two newest: a reducer that is not the one of ddax."""
    return [*old, *(one for write in writes for one in write)][-2:]


class Inner(TypedDict, total=False):
    """Another graph's messages."""

    messages: Annotated[list[Any], DeltaChannel(last_two)]


async def test_a_channel_of_another_reducer_is_read_by_its_own(tmp_path: Path) -> None:
    inner: Any = StateGraph(Inner)
    inner.add_node("see", lambda _: {"messages": ["m0", "m1", "m2"]})
    inner.add_edge(START, "see")
    inner.add_edge("see", END)
    builder: Any = StateGraph(Chat)
    builder.add_node("inner", inner.compile(checkpointer=True), input_schema=Chat)
    builder.add_edge(START, "inner")
    builder.add_edge("inner", END)
    async with open_store(tmp_path / "c.sqlite", {}) as saver:
        kept: Any = builder.compile(checkpointer=saver)
        below: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": "inner"}}
        for number in range(3):
            await turn(kept, number)
            assert (await kept.aget_state(below)).values["messages"] == ["m1", "m2"]
            assert [m.content for m in (await kept.aget_state(PLACE)).values["messages"]][-1] == "m2"


async def test_time_travel_forks_and_a_rewind_read_what_was_there(tmp_path: Path) -> None:
    async with open_store(tmp_path / "c.sqlite", {}) as saver:
        graph = chat(saver)
        for number in range(4):
            await turn(graph, number)
        past = [one async for one in graph.aget_state_history(PLACE)]
        (old,) = [one for one in past if len(one.values.get("messages", ())) == 4 and not one.next]
        fork = await graph.aupdate_state(old.config, {"messages": [HumanMessage("other")]}, as_node="say")
        words = [m.content for m in (await graph.aget_state(fork)).values["messages"]]
        assert words == ["q0", "a0", "q1", "a1", "other"]
        assert len((await graph.aget_state(past[0].config)).values["messages"]) == 8
        await saver.rewind("t", old.config["configurable"]["checkpoint_id"])
        assert [m.content for m in (await turn(graph, 9))["messages"]] == [*words[:-1], "q9", "a2"]
        await saver.adelete_thread("t")
        assert [m.content for m in (await turn(graph, 5))["messages"]] == ["q5", "a0"]


@pytest.mark.parametrize("gone", ["deleted", "rewound"])
async def test_a_read_that_a_deletion_waits_for_leaves_nothing_of_it(tmp_path: Path, gone: str) -> None:
    async with open_store(tmp_path / "c.sqlite", {}) as saver:
        graph = chat(saver)
        await turn(graph, 0)
        first = (await graph.aget_state(PLACE)).config["configurable"]["checkpoint_id"]
        await turn(graph, 1)
        newest = (await graph.aget_state(PLACE)).config
    async with open_store(tmp_path / "c.sqlite", {}) as saver:
        read = saver.aget_delta_channel_history(config=newest, channels=["messages", "ideas"])
        ends = saver.adelete_thread("t") if gone == "deleted" else saver.rewind("t", first)
        found, _ = await asyncio.gather(read, ends)
        assert [m.content for m in found["messages"]["seed"]] == ["q0", "a0", "q1", "a1"]
        assert [*kept_of(saver, "t")] == []
        left = [m.content for m in (await chat(saver).aget_state(PLACE)).values.get("messages", ())]
        assert left == ([] if gone == "deleted" else ["q0", "a0"])


def kept_of(saver: Any, thread: str) -> Iterator[Any]:
    """Yield what a store has in memory of a thread."""
    yield from (one for place, one in saver._histories.held._kept.items() if place[0] == thread)
    yield from (one for name, one in saver._whole.items() if name == thread)


async def test_only_so_many_threads_are_kept(tmp_path: Path) -> None:
    async with open_store(tmp_path / "c.sqlite", {}) as saver:
        graph = chat(saver)
        for number in range(THREADS + 3):
            await turn(graph, number, {"configurable": {"thread_id": f"t{number}"}})
        assert len(saver._histories.held._kept) == THREADS
        first: Any = {"configurable": {"thread_id": "t0"}}
        assert [m.content for m in (await turn(graph, 1, first))["messages"]] == ["q0", "a0", "q1", "a1"]


def test_a_long_value_is_stored_whole_more_seldom() -> None:
    ideas: Any = SpreadDelta(merge_ideas, dict, snapshot_frequency=50)
    short = ideas.from_checkpoint({str(n): root(n, "q") for n in range(9)})
    long = ideas.from_checkpoint({str(n): root(n, "q") for n in range(400)})
    assert (short.snapshot_frequency, long.snapshot_frequency) == (50, 400)
    emptied = long.copy().from_checkpoint({})
    assert emptied.snapshot_frequency == 50, "it goes by what it holds, not by what it held"
    messages: Any = MessagesDelta(lambda old, new: old, list).from_checkpoint([HumanMessage("q")] * 800)
    assert messages.snapshot_frequency == 200
