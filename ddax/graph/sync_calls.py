"""Wait in code without async: an event loop on a thread of its own, which lives while its agent is open."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, wait
from contextvars import Context, copy_context
from functools import partial
from threading import Thread
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from ddax.errors import UsageError
from ddax.graph.agent_life import not_open
from ddax.loops import loop_factory

if TYPE_CHECKING:
    from ddax.graph.results import RunResult

T = TypeVar("T")


def waited(doing: Coroutine[Any, Any, T], own: OwnLoop | None, *, opened: bool) -> T:
    """Wait in the loop of a plain `with` and return what is done there; raises UsageError without one."""
    if own is not None and not _in_a_loop():
        return own.run(doing)
    doing.close()  # nobody will await it
    if own is None and not opened:
        raise not_open()
    raise UsageError(
        "a synchronous call cannot wait for this agent.",
        why="It was opened with `async with`, or the call stands inside a running event loop.",
        mend="Await it: await agent.run(...) instead of agent.run_sync(...), and resume alike.",
    )


def refuse_a_loop() -> None:
    """Refuse to open an agent for synchronous code inside a running event loop; raises UsageError."""
    if _in_a_loop():
        raise UsageError(
            "a plain `with` cannot open an agent inside a running event loop.",
            why="A notebook and an async function have a loop already, and only one can run.",
            mend="Use `async with`: async with open_agent() as agent: result = await agent.run(...)",
        )


class OwnLoop:
    """An event loop that any number of threads may wait for at once.

    It also runs while nobody waits: what LangGraph offers without async hands its work to it.
    """

    def __enter__(self) -> Self:
        """Start the loop."""
        begun: Future[asyncio.AbstractEventLoop] = Future()
        self._thread = Thread(target=_live, args=(begun,), name="ddax-loop", daemon=True)
        self._thread.start()
        self._loop = begun.result()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the loop, with what is left in it."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def run(self, doing: Coroutine[Any, Any, T]) -> T:
        """Return what a coroutine brings, which sees the context of its caller.

        Ctrl-C cancels it, and is raised when it has ended.
        """
        job: Future[T] = Future()
        begun: list[asyncio.Task[T]] = []

        def begin(context: Context) -> None:
            begun.append(self._loop.create_task(doing, context=context))
            begun[0].add_done_callback(partial(_hand_on, job))

        self._loop.call_soon_threadsafe(begin, copy_context())
        try:
            return job.result()
        except BaseException:
            if not job.done():  # the wait was broken off, and not what was waited for
                self._loop.call_soon_threadsafe(lambda: begun[0].cancel())
                wait((job,))
            raise


def _hand_on(job: Future[T], task: asyncio.Task[T]) -> None:
    """Tell who waits for a job how the task of it has ended."""
    if task.cancelled():
        job.set_exception(asyncio.CancelledError())
    elif (error := task.exception()) is not None:
        job.set_exception(error)
    else:
        job.set_result(task.result())


def _in_a_loop() -> bool:
    """Tell whether this thread runs an event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _live(begun: Future[asyncio.AbstractEventLoop]) -> None:
    """Run a loop until it is stopped; whoever starts it is told where there can be none."""
    try:
        runner = asyncio.Runner(loop_factory=loop_factory())
        loop = runner.get_loop()
    except BaseException as error:
        begun.set_exception(error)
        return
    begun.set_result(loop)
    with runner:
        while True:
            try:
                loop.run_forever()
            except (SystemExit, KeyboardInterrupt):  # of a task: who waits for it is told, others go on
                continue
            return


class Plainly:
    """What an agent offers to code without async: a plain `with`, and calls that wait."""

    if TYPE_CHECKING:
        run: Callable[..., Coroutine[Any, Any, RunResult]]
        resume: Callable[..., Coroutine[Any, Any, RunResult]]
        __aenter__: Callable[..., Coroutine[Any, Any, Any]]
        __aexit__: Callable[..., Coroutine[Any, Any, None]]

    def __init__(self) -> None:
        self._loop: OwnLoop | None = None

    def __enter__(self) -> Self:
        """Open the agent for synchronous code."""
        refuse_a_loop()
        with contextlib.ExitStack() as undo:
            self._loop = undo.enter_context(OwnLoop())
            self._loop.run(self.__aenter__())
            undo.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close an agent opened with `with`."""
        loop, self._loop = self._loop, None
        if loop is not None:
            with contextlib.ExitStack() as ending:
                ending.push(loop)
                loop.run(self.__aexit__(kind, error, trace))

    def run_sync(self, task: str, **asked: Any) -> RunResult:
        """Run a task from synchronous code, inside a plain `with`; it takes what `run` takes."""
        return self.wait(self.run(task, **asked))

    def resume_sync(self, thread: str | None = None, **asked: Any) -> RunResult:
        """Resume a thread from synchronous code, inside a plain `with`; it takes what `resume` takes."""
        return self.wait(self.resume(thread, **asked))

    def wait(self, doing: Coroutine[Any, Any, T]) -> T:
        """Wait in synchronous code, inside a plain `with`: `agent.wait(agent.history("t"))`.

        Several threads may wait at once. Raises UsageError where nothing can be waited for.
        """
        return waited(doing, self._loop, opened="store" in self.__dict__)
