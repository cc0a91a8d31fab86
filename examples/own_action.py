"""An action of one's own: the number of words of a text, used in a run like the built-in ones."""

from __future__ import annotations

import asyncio

from pydantic import BaseModel

from ddax import Context, open_agent
from ddax.actions.protocol import ActionContext, ActionResult
from ddax.actions.registry import action
from ddax.graph.services import Parts


class CountArguments(BaseModel):
    """The document whose words are counted."""

    source: str


@action(effect="reads")
async def count_words(context: ActionContext, arguments: CountArguments) -> ActionResult:
    """Count the words of a document."""
    page = await context.library.read(arguments.source)
    return ActionResult(f"{page.title} has {len(page.text.split())} words", sources=(page.source,))


async def main() -> None:
    """Run a question with the action registered beside the built-in ones."""
    context = Context(sources=("python:statistics",))
    async with open_agent(context, parts=Parts(actions=(count_words,))) as agent:
        result = await agent.run("Which function computes the median?")
        print(result["status"], result["answer"])


if __name__ == "__main__":
    asyncio.run(main())
