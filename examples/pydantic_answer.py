"""An answer as an object of a pydantic class, and for each of its values the quote it was read from."""

import asyncio

from langchain_core.documents import Document
from pydantic import BaseModel, Field
from stand_in import StandIn

from ddax import Context, open_agent

PAPER = Document(
    "Ines Calder was born in the port of Vellin in 1870.", metadata={"source": "calder.txt", "page": 2}
)


class Person(BaseModel):
    name: str
    born: int = Field(description="year of birth", ge=1000)
    place: str = Field(description="where that was")


async def main():
    told = {"name": "Ines Calder", "born": 1870, "place": "Vellin"}
    model = StandIn(tool="search", arguments={"query": "Ines Calder born"}, data=told)
    async with open_agent(Context(namespace="pydantic_answer"), model=model, documents=[PAPER]) as agent:
        result = await agent.run("When and where was Ines Calder born?", output=Person)
        person = result["output"]
        print(type(person).__name__, "|", person.name, person.born + 1, person.place)
        for span in result["spans"]:
            quotes = [result["citations"][number - 1]["quote"] for number in span["citations"]]
            print(result["answer"][span["start"] : span["end"]], "|", *quotes)


if __name__ == "__main__":
    asyncio.run(main())
