"""The prebuilt ReAct agent of LangGraph: the model calls a tool once for each leaf."""

import asyncio
import os

LOOP = asyncio.Runner()
"""One loop for the warm-up and the run: the client keeps its connections in it."""


def load():
    """Import the peer."""
    global ChatOpenAI, create_react_agent, tool, AsyncSqliteSaver
    from langchain_core.tools import tool
    from langchain_openai import ChatOpenAI
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
    from langgraph.prebuilt import create_react_agent


def _model(given):
    return ChatOpenAI(model="script", base_url=given["base"], api_key="none", max_retries=0)


def leaves(given):
    """Look at so many things; nothing is saved."""
    return LOOP.run(_run(given, saved=False))


def saved(given):
    """Do the same with every step saved, and go on where a run was cut."""
    return LOOP.run(_run(given, saved=True))


async def _run(given, saved):
    model = _model(given)
    gate = asyncio.Semaphore(given.get("parallel", 64))

    @tool
    async def look(number: int) -> str:
        """Look at one thing."""
        async with gate:
            return (await model.ainvoke(f"Look at thing {number}.")).content

    task = {"messages": [("user", f"Look at {given['leaves']} things. Say what they have in common.")]}
    config = {"configurable": {"thread_id": "t"}}
    if not saved:
        found = await create_react_agent(model, [look]).ainvoke(task, config)
        return {"answer": found["messages"][-1].content}
    os.makedirs(given["place"], exist_ok=True)
    async with AsyncSqliteSaver.from_conn_string(os.path.join(given["place"], "t.sqlite")) as saver:
        app = create_react_agent(model, [look], checkpointer=saver)
        started = (await app.aget_state(config)).next
        found = await app.ainvoke(None if started else task, config, durability="sync")
    return {"answer": found["messages"][-1].content}


def injected(given):
    """Ask the question over each page, with a tool that reads and one that sends."""
    found = [LOOP.run(_read(given, page)) for page in given["pages"]]
    return {"sent": [sent for sent, _ in found], "answers": [answer for _, answer in found]}


async def _read(given, page):
    sent = []

    @tool
    async def read(name: str) -> str:
        """Read a page."""
        return page

    @tool
    async def send(to: str, text: str) -> str:
        """Send a text to an address."""
        sent.append(to)
        return "SENT"

    agent = create_react_agent(_model(given), [read, send])
    found = await agent.ainvoke({"messages": [("user", given["question"])]})
    return sent, found["messages"][-1].content


def research(given):
    """Ask each question with a tool that searches and one that reads."""
    return {"answers": [LOOP.run(_research(given, question)) for question in given["questions"]]}


async def _research(given, question):
    pages = given["pages"]

    @tool
    async def search(query: str) -> str:
        """Find pages."""
        return given["search"].listed(query)

    @tool
    async def read(title: str) -> str:
        """Read a page."""
        return pages[title]

    agent = create_react_agent(_model(given), [search, read])
    return (await agent.ainvoke({"messages": [("user", question)]}))["messages"][-1].content
