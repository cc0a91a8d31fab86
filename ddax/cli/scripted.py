"""An agent that plays a script: for tests of the command line, and of programs around it.

It keeps manifests as the real one does, so `runs`, follow-ups and resume commands work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from ddax.cli.backend import OnEvent, run_folder

if TYPE_CHECKING:
    from ddax.configs.settings import Context


class ScriptedAgent(AbstractAsyncContextManager["ScriptedAgent"]):
    """Play events, then give the result or raise the error; `pause` is in seconds before the end.

    `calls` lists what was asked of it, `models` what it was resumed with, `context` what it was opened with.
    """

    def __init__(
        self,
        result: Mapping[str, Any],
        *,
        events: Sequence[Mapping[str, Any]] = (),
        state: Mapping[str, Any] | None = None,
        error: BaseException | None = None,
        pause: float = 0.0,
        rows: Mapping[str, list[dict[str, Any]]] | None = None,
    ) -> None:
        self.context: Context | None = None
        self.calls: list[tuple[str, Any]] = []
        self.models: list[str | None] = []
        self._result, self._events, self._state = dict(result), events, state or {}
        self._error, self._pause = error, pause
        self._rows = rows or {}

    def open(self, context: Context | None = None) -> Self:
        """Stand in for `open_agent`."""
        self.context = context
        return self

    async def __aenter__(self) -> Self:
        """Open."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""

    async def run(
        self, task: str, *, thread: str | None = None, on_event: OnEvent | None = None
    ) -> Mapping[str, Any]:
        """Play the script for a task."""
        self.calls.append(("run", task))
        return await self._play(task, thread or "scripted", on_event)

    async def resume(
        self,
        thread: str | None = None,
        *,
        on_event: OnEvent | None = None,
        answer: Any = None,
        last_good: bool = False,
        model: str | None = None,
    ) -> Mapping[str, Any]:
        """Play the script for a resumed thread."""
        self.calls.append(("resume", answer))
        self.models.append(model)
        if thread is not None and (known := run_folder().load(thread)):
            run_folder().save(known.with_model(model))
        return await self._play("resumed", thread or "scripted", on_event)

    async def _play(self, task: str, thread: str, on_event: OnEvent | None) -> Mapping[str, Any]:
        self._save(task, thread, "running")
        for event in self._events:
            if on_event is not None:
                on_event(event)
        await asyncio.sleep(self._pause)
        if self._error is not None:
            raise self._error
        result = {**self._result, "thread_id": thread}
        self._save(task, thread, result["status"])
        return result

    def _save(self, task: str, thread: str, status: str) -> None:
        from ddax.graph.threads.manifests import RunInfo

        known = run_folder().load(thread) or RunInfo(thread, "", status)
        context = self.context.model_dump(mode="json") if self.context else known.context
        run_folder().save(RunInfo(thread, task[:500], status, context=context, began_with=known.began_with))

    async def state(self, thread: str) -> Mapping[str, Any]:
        """Return the scripted state."""
        return self._state

    async def result(self, thread: str) -> Mapping[str, Any]:
        """Return the scripted result."""
        return {**self._result, "thread_id": thread}

    async def costs(self, thread: str) -> list[Any]:
        """Return the scripted log of calls."""
        return list(self._state.get("calls", ()))

    async def rows(self, thread: str, table: str, /, **equals: Any) -> list[dict[str, Any]]:
        """Return the scripted rows of a log."""
        return [row for row in self._rows.get(table, []) if all(row.get(k) == v for k, v in equals.items())]

    async def cancel(self, thread: str) -> None:
        """Mark a thread as stopped."""
        self._save("cancelled", thread, "stopped")

    def drain(self) -> bool:
        """Say that nothing here can be asked to stop."""
        return False

    async def history(self, thread: str, *, limit: int | None = None) -> list[Any]:
        """Say that a script has no moments to look back to."""
        return []

    async def sweep(self, rule: Any) -> Mapping[str, Any]:
        """Say that a script keeps nothing to let go of."""
        return {"threads": [], "in_use": [], "unreadable": [], "bytes_before": 0, "bytes_after": 0}
