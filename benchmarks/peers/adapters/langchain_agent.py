"""LangChain's `create_agent`, or deepagents' `create_deep_agent` where that is installed, with one tool."""

import asyncio
import importlib.util

LOOP = asyncio.Runner()


def load():
    """Import the peer."""
    global ChatOpenAI, make_agent, tool
    if importlib.util.find_spec("deepagents"):
        from deepagents import create_deep_agent as make_agent
    else:
        from langchain.agents import create_agent as make_agent
    from langchain_core.tools import tool
    from langchain_openai import ChatOpenAI


def leaves(given):
    """Look at so many things: the model calls a tool once for each; nothing is saved."""
    return {"answer": LOOP.run(_leaves(given))}


async def _leaves(given):
    model = ChatOpenAI(model="script", base_url=given["base"], api_key="none", max_retries=0)
    gate = asyncio.Semaphore(given.get("parallel", 64))

    @tool
    async def look(number: int) -> str:
        """Look at one thing."""
        async with gate:
            return (await model.ainvoke(f"Look at thing {number}.")).content

    task = f"Look at {given['leaves']} things. Say what they have in common."
    found = await make_agent(model, [look]).ainvoke({"messages": [("user", task)]})
    return found["messages"][-1].content


def shown(given):
    """Ask each question with a search that shows pages; an error is the answer to its own question alone."""
    return {"answers": [LOOP.run(_shown(given, question)) for question in given["questions"]]}


async def _shown(given, question):
    @tool
    async def search(query: str) -> str:
        """Search the pages; shows the five best."""
        return given["search"].shown(query)

    model = ChatOpenAI(
        model="local", base_url=given["base"], api_key="none", temperature=0, max_retries=0, timeout=900
    )
    agent = make_agent(model, [search], system_prompt=given["told"])
    try:
        found = await agent.ainvoke({"messages": [("user", question)]}, {"recursion_limit": 12})
    except Exception as error:  # what the peer raises is its own: it is counted as no answer
        return f"error: {type(error).__name__}: {str(error)[:200]}"
    return found["messages"][-1].content
