"""What a human decides in the page is done here: answers and forks, by the functions of the command line.

Each job runs in a loop of its own thread, so that a run never holds up the page that shows it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from ddax.errors import DdaxError, UsageError
from ddax.graph.results import fitting_answer
from ddax.types import JsonDict

Opener = Callable[..., AbstractAsyncContextManager[Any]]
"""Opens an agent, as `ddax.open_agent` does."""
AGAIN = 0.05
"""Seconds after which what could not be stopped yet is asked again."""


class Doing:
    """The jobs of one page; closing asks what runs to stop at its next superstep, to be resumed."""

    def __init__(self, opener: Opener) -> None:
        self._opener = opener
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="ddax-view-jobs", daemon=True)
        self._jobs: dict[asyncio.Task[None], Any] = {}
        """What resumes threads, each with the agent it has opened; None before it has."""
        self.troubles: dict[str, JsonDict] = {}
        self._thread.start()

    async def answer(self, thread: str, reply: JsonDict, question: JsonDict) -> None:
        """Answer the question a thread waits with and let it go on; raises UsageError for a misfit."""
        given = fitting_answer(reply, question)
        self._begin(thread, given)

    async def fork(
        self, thread: str, at: int, *, values: JsonDict, identity: str | None, to: str | None
    ) -> str:
        """Leave a thread at a moment, let the fork run on, and return its name."""
        made = asyncio.run_coroutine_threadsafe(
            self._fork(thread, at, values=values, identity=identity, to=to), self._loop
        )
        name = await asyncio.wrap_future(made)
        self._begin(name, None)
        return name

    async def _fork(
        self, thread: str, at: int, *, values: JsonDict, identity: str | None, to: str | None
    ) -> str:
        from ddax.graph import forking
        from ddax.memory.home import safe_name

        change = forking.Change(values, identity or None, safe_name(to) if to else None)
        async with self._opener(None) as agent:
            return (await forking.fork(agent, thread, at, change)).thread_id

    def _begin(self, thread: str, answer: Any) -> None:
        self.troubles.pop(thread, None)
        self._loop.call_soon_threadsafe(self._start, thread, answer)

    def _start(self, thread: str, answer: Any) -> None:
        job = self._loop.create_task(self._told(thread, answer))
        self._jobs[job] = None
        job.add_done_callback(self._jobs.pop)

    async def _told(self, thread: str, answer: Any) -> None:
        try:
            await self._resume(thread, answer)
        except DdaxError as error:
            self.troubles[thread] = trouble(error)
        except Exception as error:  # the outermost loop of a job: shown in the page, and raised for the log
            self.troubles[thread] = {"what": f"{type(error).__name__}: {error}", "why": "", "mend": ""}
            raise

    async def _resume(self, thread: str, answer: Any) -> None:
        job = asyncio.current_task()
        assert job is not None
        async with self._opener(None) as agent:
            self._jobs[job] = agent
            await agent.resume(thread, answer=answer)

    async def close(self) -> None:
        """Stop what runs at its next superstep, and end the thread."""
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._stopped(), self._loop))
        self._loop.call_soon_threadsafe(self._loop.stop)
        await asyncio.to_thread(self._thread.join)
        self._loop.close()

    async def _stopped(self) -> None:
        """Ask again and again: what only opens yet takes its answer in before it can be stopped."""
        while self._jobs:
            for agent in filter(None, self._jobs.values()):
                agent.drain()
            await asyncio.wait(list(self._jobs), timeout=AGAIN)


def trouble(error: DdaxError) -> JsonDict:
    """Return an error as the page shows it: what, why and the mend."""
    return {"what": error.what, "why": error.why, "mend": error.mend}


def reply_of(body: JsonDict) -> JsonDict:
    """Return the answer of a human from what the page sent; raises UsageError for what is none."""
    known = ("choice", "idea", "arguments", "lesson", "by")
    wrong = set(body) - set(known)
    if wrong:
        raise UsageError(
            f"An answer has no {min(wrong)!r}.",
            why="What is not understood is not done.",
            mend=f"It has: {', '.join(known)}.",
        )
    return {key: value for key, value in body.items() if value not in (None, "")}
