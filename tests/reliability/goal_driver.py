"""Run one thread until it is done, or die with SIGKILL at an event of it. Run as a script."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import Any

from ddax import Context, open_agent

QUESTION = "When was the harbour of Trondby built?"
THREAD = "t"


def context(folder: str) -> Context:
    """Return the settings of every run."""
    return Context(sources=(folder,), seed=7, mood={"engine": "numpy"})  # type: ignore[arg-type]


async def main(home: str, folder: str, kill_at: int) -> None:
    """Run the thread; print how many events it had, or die at one (0: at none)."""
    seen = 0

    def on_event(_: dict[str, Any]) -> None:
        nonlocal seen
        seen += 1
        if seen == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    async with open_agent(context(folder), home=home) as agent:
        await agent.run(QUESTION, thread=THREAD, on_event=on_event)
    print(seen)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
