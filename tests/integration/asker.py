"""A process with an agent over a home: a command a line in, its result a line out, as JSON.

`ask` runs a task; with `pause` it stops at that event until the next line, whatever it is. `put` writes
rows, `count` counts them, `block` keeps the event loop from running until the next line.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from ddax import Context, open_agent
from ddax.graph.services import Parts
from ddax.ideas import dag
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.protocol import Memory
from ddax.memory.share.remote import RemoteMemory
from ddax.types import Record


def told(**values: Any) -> None:
    """Print a result."""
    print(json.dumps(values), flush=True)


def rows(prefix: str, first: int, count: int) -> list[Record]:
    """Return rows that nobody else writes."""
    return [Record("observation", f"{prefix} river {n}", start=n) for n in range(first, first + count)]


async def put(memory: Memory, prefix: str, count: int) -> None:
    """Write rows one by one, and tell each that is acknowledged."""
    for n in range(count):
        (row,) = await memory.put(rows(prefix, n, 1))
        told(row=row)


async def main(home: Path, folder: str, embedder: str) -> None:
    """Do what is asked until the input ends, with embeddings by hashes or by the shipped model."""
    parts = Parts(embedder=HashEmbedder()) if embedder == "hash" else Parts()
    context = Context(sources=(folder,), seed=7, mood={"engine": "numpy"})  # type: ignore[arg-type]
    async with open_agent(context, home=home, parts=parts) as agent:
        session = await agent.services.session(None)
        memory = getattr(session.memory, "inner", session.memory)
        told(remote=isinstance(memory, RemoteMemory))
        while line := await asyncio.to_thread(sys.stdin.readline):
            asked = json.loads(line)
            match asked["do"]:
                case "ask":
                    seen = 0

                    async def pause(event: Any, at: int = asked.get("pause", 0)) -> None:
                        nonlocal seen
                        seen += 1
                        if seen == at:
                            told(paused=seen)
                            await asyncio.to_thread(sys.stdin.readline)

                    result = await agent.run(asked["task"], thread=asked["thread"], on_event=pause)
                    state = await agent.state(asked["thread"])
                    told(status=result["status"], short=result["short"], digest=dag.digest(state["ideas"]))
                case "put":
                    await put(memory, asked["prefix"], asked["count"])
                    told(done=True)
                case "count":
                    told(count=await memory.count("observation"))
                case "block":
                    told(blocked=True)
                    sys.stdin.readline()
                    told(done=True)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), *sys.argv[2:4]))
