"""An action of one's own: the model plans a call, it is made, and the answer quotes what it returned."""

import asyncio

from stand_in import StandIn

from ddax import Context, Parts, action, open_agent
from ddax.errors import ActionError

STOCK = {"rope": 12, "lantern": 3}


@action(effect="none")
def in_stock(item: str) -> str:
    """Say how many of an item there are in the storehouse."""
    if item not in STOCK:
        raise ActionError(f"There is no {item} in the storehouse.", kind="unknown item")
    return f"There are {STOCK[item]} of the item {item} in the storehouse."


async def main():
    model = StandIn(tool="in_stock", arguments={"item": "rope"})
    context = Context(namespace="own_action")
    async with open_agent(context, model=model, parts=Parts(actions=(in_stock,))) as agent:
        result = await agent.run("How many ropes are there in the storehouse?")
        print(result["status"], "|", result["answer"])
        for citation in result["citations"]:
            print(citation["source"], "|", citation["quote"])


if __name__ == "__main__":
    asyncio.run(main())
