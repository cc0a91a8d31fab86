"""What the page has done for it goes on behind, and is stopped with it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from ddax.viewer.doing import Doing


async def test_closing_stops_a_job_that_was_still_opening_at_its_first_superstep() -> None:
    opening, told = threading.Event(), []

    class Resumed:
        """An agent that reads up before its first superstep; only in it a run can be asked to stop."""

        running = drained = False

        def drain(self) -> bool:
            self.drained = self.running
            return self.running

        async def resume(self, thread: str, answer: Any) -> None:
            await asyncio.sleep(0.1)
            self.running = True
            told.append(answer)
            while not self.drained:
                await asyncio.sleep(0.01)

    @asynccontextmanager
    async def opener(context: Any = None) -> AsyncIterator[Any]:
        opening.set()
        await asyncio.sleep(0.1)
        yield Resumed()

    doing = Doing(opener)
    await doing.answer("t", {"choice": "go on"}, {"options": ["go on"]})
    assert await asyncio.to_thread(opening.wait, 10)
    async with asyncio.timeout(10):
        await doing.close()
    assert [answer["choice"] for answer in told] == ["go on"] and doing.troubles == {}
