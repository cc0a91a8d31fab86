"""A runner that is a coroutine of this process: nothing to start, and a task that raises takes none along."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ddax.batch.pool import RunnerDied
from ddax.batch.tasks import BatchTask
from ddax.batch.worker import Warm, done
from ddax.types import JsonDict

if TYPE_CHECKING:
    from ddax.configs.settings import Context
    from ddax.memory.share.remote import Send


class InlineRunner:
    """One coroutine; all of them share what stays open between tasks."""

    def __init__(self, base: Context, warm: Warm, send: Send | None = None) -> None:
        self._base, self._warm, self._send = base, warm, send

    async def run(self, task: BatchTask, home: Path) -> JsonDict:
        """Do a task; raises RunnerDied for what is no error of ours, with which a process would die."""
        try:
            return await done(task, self._base, home, self._warm, send=self._send)
        except Exception as error:
            raise RunnerDied(f"{type(error).__name__}: {error}") from error
