"""deepagents' `create_deep_agent` with one tool beside its own for plans, files and helpers."""

import asyncio

LOOP = asyncio.Runner()


def load():
    """Import the peer."""
    global ChatOpenAI, create_deep_agent, tool
    from deepagents import create_deep_agent
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
    found = await create_deep_agent(model=model, tools=[look]).ainvoke({"messages": [("user", task)]})
    return found["messages"][-1].content
