"""A reasoner of one's own: the embedded one, with answers that end in what they rest on."""

import asyncio
from dataclasses import replace

from ddax import Context, open_agent
from ddax.graph.services import Parts
from ddax.memory.embeddings import open_embedder
from ddax.reasoning.embedded import EmbeddedReasoner


class Sourced(EmbeddedReasoner):
    """Merge as the embedded reasoner does, and name the sources in the text."""

    name = "sourced"

    async def merge(self, request):
        reply = await super().merge(request)
        titles = ", ".join(dict.fromkeys(citation.title for citation in reply.citations))
        return replace(reply, text=f"{reply.text} (from {titles})") if reply.found else reply


async def main():
    parts = Parts(reasoner=Sourced(open_embedder()))
    async with open_agent(Context(sources=("python:statistics",)), parts=parts) as agent:
        result = await agent.run("Which function returns the median of numeric data?")
        print(result["status"], result["answer"])


if __name__ == "__main__":
    asyncio.run(main())
