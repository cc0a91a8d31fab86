"""The bare LangGraph loop: a plan, one task for each leaf, and a node that puts them together."""

import asyncio
import operator
import os
from typing import Annotated, TypedDict

LOOP = asyncio.Runner()
"""One loop for the warm-up and the run: the client keeps its connections in it."""


def load():
    """Import the peer."""
    global ChatOpenAI, Send, StateGraph, START, END, AsyncSqliteSaver
    from langchain_openai import ChatOpenAI
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
    from langgraph.graph import END, START, StateGraph
    from langgraph.types import Send


class State(TypedDict):
    """What the nodes share."""

    things: list[int]
    seen: Annotated[list[str], operator.add]
    answer: str


def leaves(given):
    """Look at so many things; nothing is saved."""
    return LOOP.run(_run(given, saved=False))


def saved(given):
    """Do the same with every step saved, and go on where a run was cut."""
    return LOOP.run(_run(given, saved=True))


def saved_with_its_limit(given):
    """Do the same, `max_concurrency` bounding what runs at once instead of a semaphore in the node."""
    return LOOP.run(_run(given, saved=True, limit=True))


async def _run(given, saved, limit=False):
    gate = asyncio.Semaphore(1000 if limit else given.get("parallel", 64))
    model = ChatOpenAI(model="script", base_url=given["base"], api_key="none", max_retries=0)
    task = f"Look at {given['leaves']} things."

    async def plan(state):
        said = await model.ainvoke(task)
        return {"things": list(range(len(said.content.splitlines())))}

    async def look(number):
        async with gate:
            return await _look(number)

    async def _look(number):
        said = await model.ainvoke(f"Look at thing {number}.")
        return {"seen": [said.content]}

    async def merge(state):
        said = await model.ainvoke("\n".join([task, *state["seen"], "Say what they have in common"]))
        return {"answer": said.content}

    graph = StateGraph(State)
    graph.add_node("plan", plan)
    graph.add_node("look", look)
    graph.add_node("merge", merge)
    graph.add_edge(START, "plan")
    graph.add_conditional_edges("plan", lambda s: [Send("look", n) for n in s["things"]], ["look"])
    graph.add_edge("look", "merge")
    graph.add_edge("merge", END)
    config = {"configurable": {"thread_id": "t"}}
    if limit:
        config["max_concurrency"] = given["parallel"]
    if not saved:
        found = await graph.compile().ainvoke({}, config)
        return {"answer": found["answer"]}
    os.makedirs(given["place"], exist_ok=True)
    async with AsyncSqliteSaver.from_conn_string(os.path.join(given["place"], "t.sqlite")) as saver:
        app = graph.compile(checkpointer=saver)
        started = (await app.aget_state(config)).next
        found = await app.ainvoke(None if started else {}, config, durability="sync")
    return {"answer": found["answer"]}
