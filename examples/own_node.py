"""A node of one's own, put between two others: it tells what each step brought."""

import asyncio

from ddax import Context, build_graph, open_agent, splice


def tell(state):
    """Say what came of the ideas of this step; nothing in the state changes."""
    for idea, outcome in sorted(state["outcomes"].items()):
        print(f"{idea}: {outcome['text'][:70]}")
    return {}


def build(services):
    """Return our graph with the node between acting and judging."""
    return splice(build_graph(services), "tell", tell, after="act", before="evaluate")


async def main():
    async with open_agent(Context(sources=("python:statistics",)), build=build) as agent:
        result = await agent.run("Which function returns the median of numeric data?")
        print(result["status"], result["short"] or result["answer"])


if __name__ == "__main__":
    asyncio.run(main())
