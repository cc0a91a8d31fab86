"""A rubric of one's own: the criteria that results are judged by."""

import asyncio
from pathlib import Path

from ddax import Context, open_agent
from ddax.debate.rubric import load_rubric

RUBRIC = Path(__file__).with_name("own_rubric.yaml")


async def main():
    print("criteria:", ", ".join(load_rubric(RUBRIC).names))
    context = Context(sources=("python:statistics",), trust={"rubric": str(RUBRIC)})
    async with open_agent(context) as agent:
        result = await agent.run("Which function returns the median of numeric data?")
        print(result["status"], result["short"] or result["answer"])


if __name__ == "__main__":
    asyncio.run(main())
