"""The walk back to what was stored whole finds what LangGraph's own finds, on every kind of history."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import REMOVE_ALL_MESSAGES, add_messages
from langgraph.types import Overwrite

from ddax.graph.savers import open_store
from ddax.graph.savers.pruning import delta_channels
from ddax.graph.state import MessagesChannel, MessagesDelta, SpreadDelta

PLACE: Any = {"configurable": {"thread_id": "t"}}


async def own(saver: Any, config: Any, channels: Sequence[str]) -> Any:
    return await saver.aget_delta_channel_history(config=config, channels=channels)


def folded(found: Any) -> dict[str, Any]:
    """Return what histories come to, whichever part of them was put together before."""
    values = {}
    for key, history in found.items():
        channel = delta_channels()[key].from_checkpoint(history.get("seed", []))
        channel.replay_writes(history["writes"])
        values[key] = channel.get() or None
    return values


async def theirs(saver: Any, config: Any, channels: Sequence[str]) -> Any:
    return await AsyncSqliteSaver.aget_delta_channel_history(saver, config=config, channels=channels)


class Small(TypedDict, total=False):
    """A state with the same kinds of channels, that are stored whole more often."""

    ideas: Annotated[dict[str, Any], SpreadDelta(
        delta_channels()["ideas"].reducer, dict, snapshot_frequency=5
    )]  # fmt: skip
    messages: Annotated[list[AnyMessage], MessagesDelta(
        delta_channels()["messages"].reducer, list, snapshot_frequency=3
    )]  # fmt: skip
    said: str


def graph_of(saver: Any, rng: random.Random) -> Any:
    """Return a graph of three nodes that write now and then to either channel."""

    def write(state: Any) -> dict[str, Any]:
        made: dict[str, Any] = {"said": str(rng.random())}
        if rng.random() < 0.6:
            made["ideas"] = {str(rng.randrange(9)): {"N": rng.randrange(99)}}
        if rng.random() < 0.3:
            made["messages"] = [AIMessage(content=str(rng.random()))]
        if rng.random() < 0.1:
            made["messages"] = Overwrite([HumanMessage(content="anew", id="h")])
        return made

    builder: Any = StateGraph(Small)
    for name in ("a", "b", "c"):
        builder.add_node(name, write)
    builder.add_edge(START, "a")
    builder.add_edge("a", "b")
    builder.add_edge("b", "c")
    builder.add_edge("c", END)
    return builder.compile(checkpointer=saver)


@pytest.mark.parametrize("seed", range(6))
async def test_it_finds_what_langgraph_finds_over_turns_forks_updates_and_prunings(
    tmp_path: Path, seed: int
) -> None:
    rng = random.Random(seed)
    async with open_store(tmp_path / "c.sqlite", {}) as saver:
        graph = graph_of(saver, rng)
        for turn in range(9):
            durability: Any = rng.choice(["sync", "async", "exit"])
            given = {"messages": [HumanMessage(content=f"turn {turn}")]}
            await graph.ainvoke(given, PLACE, durability=durability)
            past = [one.config async for one in graph.aget_state_history(PLACE)]
            if turn == 3:
                await graph.aupdate_state(rng.choice(past), {"said": "forked"}, as_node="a")
                await graph.ainvoke(None, PLACE)
            if turn == 5:
                await graph.aupdate_state(PLACE, {"ideas": {"7": {"N": 7}}}, as_node="b")
                await graph.ainvoke(None, PLACE)
            if turn == 7:
                await saver.aprune(["t"], keep=rng.choice([1, 5, 12]))
        whole = [one.config async for one in graph.aget_state_history(PLACE)]
        for config in whole:
            for channels in (["ideas"], ["messages"], ["ideas", "messages"], []):
                assert folded(await own(saver, config, channels)) == folded(
                    await theirs(saver, config, channels)
                )
        assert folded(await own(saver, PLACE, ["ideas"])) == folded(await theirs(saver, PLACE, ["ideas"]))
        nobody: Any = {"configurable": {"thread_id": "nobody"}}
        assert await own(saver, nobody, ["ideas"]) == await theirs(saver, nobody, ["ideas"])
    async with open_store(tmp_path / "c.sqlite", {}) as saver:  # as a process that has read nothing before
        found = await own(saver, PLACE, ["ideas", "messages"])
        assert folded(found) == folded(await theirs(saver, PLACE, ["ideas", "messages"]))
        assert folded(await own(saver, PLACE, ["ideas", "messages"])) == folded(found)


class Old(TypedDict, total=False):
    """The messages as they were stored before."""

    messages: Annotated[list[AnyMessage], add_messages]


class New(TypedDict, total=False):
    """The messages as they are stored now."""

    messages: MessagesChannel


def chat(kind: Any, saver: Any) -> Any:
    """Return a graph that answers each message."""
    builder: Any = StateGraph(kind)
    builder.add_node("say", lambda state: {"messages": [AIMessage(content=f"{len(state['messages'])}")]})
    builder.add_edge(START, "say")
    builder.add_edge("say", END)
    return builder.compile(checkpointer=saver)


def words(state: Any) -> list[str]:
    return [message.content for message in state["messages"]]


async def sizes(saver: Any) -> list[int]:
    rows = await saver.conn.execute_fetchall(
        "SELECT length(checkpoint) FROM checkpoints ORDER BY checkpoint_id"
    )
    return [size for (size,) in rows]


async def test_an_old_thread_of_hundreds_of_turns_is_stored_as_changes_from_its_next_turn_on(
    tmp_path: Path,
) -> None:
    async with open_store(tmp_path / "c.sqlite", {}) as saver:
        old = chat(Old, saver)
        for turn in range(150):
            await old.ainvoke({"messages": [("user", f"q{turn}")]}, PLACE)
        before = words((await old.aget_state(PLACE)).values)
        assert not (await saver.check("t")).fault
        new = chat(New, saver)
        assert words((await new.aget_state(PLACE)).values) == before
        done = await new.ainvoke({"messages": [("user", "next")]}, PLACE)
        assert words(done) == [*before, "next", "301"]
        assert words((await new.aget_state(PLACE)).values) == words(done)
        assert max((await sizes(saver))[-2:]) < min((await sizes(saver))[-9:-6]) / 20
        assert not (await saver.check("t")).fault
        past = [one async for one in new.aget_state_history(PLACE, limit=8)]
        assert words(past[-1].values) == before[: len(words(past[-1].values))]


@pytest.mark.parametrize(
    "given", [("user", "hi"), {"role": "user", "content": "hi"}, "hi", HumanMessage("hi")]
)
async def test_messages_come_in_every_form_and_keep_their_id_and_are_removed_as_clients_ask(
    tmp_path: Path, given: Any
) -> None:
    async with open_store(tmp_path / "c.sqlite", {}) as saver:
        graph = chat(New, saver)
        first = await graph.ainvoke({"messages": [given]}, PLACE)
        assert words(first) == ["hi", "1"]
        ids = [message.id for message in first["messages"]]
        assert all(ids)
        assert [m.id for m in (await graph.aget_state(PLACE)).values["messages"]] == ids
        again = await graph.ainvoke({"messages": [HumanMessage("hello", id=ids[0])]}, PLACE)
        assert words(again) == ["hello", "1", "2"], "the same id replaces"
        one_less = await graph.ainvoke({"messages": [RemoveMessage(id=ids[1]), HumanMessage("b")]}, PLACE)
        assert words(one_less) == ["hello", "2", "b", "3"]
        clear = [RemoveMessage(id=REMOVE_ALL_MESSAGES), HumanMessage("anew")]
        assert words(await graph.ainvoke({"messages": clear}, PLACE)) == ["anew", "1"]
        assert words((await graph.aget_state(PLACE)).values) == ["anew", "1"]


async def test_a_lost_message_is_found(tmp_path: Path) -> None:
    async with open_store(tmp_path / "c.sqlite", {}) as saver:
        graph = chat(New, saver)
        for turn in range(3):
            await graph.ainvoke({"messages": [("user", f"q{turn}")]}, PLACE)
        assert not (await saver.check("t")).fault
        rows = list(await saver.conn.execute_fetchall(
            "SELECT rowid FROM writes WHERE channel = 'messages' ORDER BY checkpoint_id"
        ))  # fmt: skip
        await saver.conn.execute("DELETE FROM writes WHERE rowid = ?", rows[2])
        await saver.conn.commit()
    async with open_store(tmp_path / "c.sqlite", {}) as saver:
        assert "rests on" in (await saver.check("t")).fault


async def test_a_thread_is_looked_at_from_where_the_last_look_ended(tmp_path: Path) -> None:
    async with open_store(tmp_path / "c.sqlite", {}) as saver:
        graph = chat(New, saver)
        looked_at = []
        for turn in range(6):
            await graph.ainvoke({"messages": [("user", f"q{turn}")]}, PLACE)
            found, rows = await saver.check("t"), await saver._sealed(("t", ""), since=saver._whole["t"])
            assert not found.fault and found.last_good == saver._whole["t"]
            looked_at.append(len(rows[0]))
        assert set(looked_at) == {1}, "what comes next is all that is left to look at"
        middle = [one.config async for one in graph.aget_state_history(PLACE)][9]
        await graph.aupdate_state(middle, {"messages": [("user", "another way")]}, as_node="say")
        assert not (await saver.check("t")).fault
        await graph.ainvoke({"messages": [("user", "behind it")]}, PLACE)
        newest = "(SELECT max(checkpoint_id) FROM checkpoints)"
        await saver.conn.execute(f"UPDATE checkpoints SET metadata = '{{}}' WHERE checkpoint_id = {newest}")
        assert "is not what was written" in (await saver.check("t")).fault
