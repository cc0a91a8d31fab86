"""A LangChain tool as an action: its schema and description as they are; only its effect has to be said."""

import asyncio
from typing import Annotated

from langchain_core.tools import tool
from stand_in import StandIn

from ddax import Context, Parts, from_tool, open_agent


@tool
def nautical_miles(kilometres: Annotated[float, "A distance on land."]) -> str:
    """Convert kilometres to nautical miles."""
    return f"{kilometres:g} kilometres are {kilometres / 1.852:.1f} nautical miles."


async def main():
    model = StandIn(tool="nautical_miles", arguments={"kilometres": "50"})
    parts = Parts(actions=(from_tool(nautical_miles, effect="none"),))
    async with open_agent(Context(namespace="langchain_tool"), model=model, parts=parts) as agent:
        result = await agent.run("How many nautical miles are 50 kilometres?")
        print(result["status"], "|", result["answer"])
        print(result["citations"][0]["source"])


if __name__ == "__main__":
    asyncio.run(main())
