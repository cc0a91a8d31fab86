"""Serve the page of runs as `ddax view` does, at a port and with a token that are given.

A server that is started again with both is the same one to a page that had lost it.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path


async def serve(home: Path, port: int, token: str) -> None:
    """Serve until the process is ended; the port is told on one line."""
    from ddax import open_agent
    from ddax.memory.home import Home
    from ddax.viewer.serving import served

    async with served(Home(home), {}, open_agent, port=port, token=token) as (where, serving):
        print(where.port, flush=True)
        await serving


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
