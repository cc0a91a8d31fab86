"""A runner that is a process of its own, started anew where it died."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

from ddax.batch.job import settings_of
from ddax.batch.pool import RunnerDied
from ddax.batch.tasks import BatchTask
from ddax.types import JsonDict

if TYPE_CHECKING:
    from ddax.configs.settings import Context

SPARE_SECONDS = 60.0
"""What a task gets beyond its own cap before its process is ended."""
LINE_BYTES = 64 * 1024 * 1024


class ProcessRunner:
    """One worker process."""

    module = "ddax.batch.worker"
    """What the process runs."""

    def __init__(self, base: Context, cache: Path, memory: Path | None = None) -> None:
        self._base, self._cache, self._memory = base, cache, memory
        self._process: asyncio.subprocess.Process | None = None

    async def run(self, task: BatchTask, home: Path) -> JsonDict:
        """Do a task; raises RunnerDied."""
        process = self._process = self._process or await self._start()
        request = {
            "task": task.model_dump(mode="json"), "base": self._base.model_dump(mode="json"),
            "home": str(home), "cache": str(self._cache), "memory": str(self._memory or ""),
        }  # fmt: skip
        seconds = settings_of(task, self._base).budget.max_seconds
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(request).encode() + b"\n")
            await process.stdin.drain()
            line = await asyncio.wait_for(process.stdout.readline(), seconds + SPARE_SECONDS)
        except (ConnectionError, TimeoutError) as error:
            why = "it did not end in its time" if isinstance(error, TimeoutError) else "it was gone"
            await self.end(kill=True)
            raise RunnerDied(why) from error
        except ValueError as error:
            await self.end(kill=True)
            raise RunnerDied(f"its reply is longer than {LINE_BYTES} bytes") from error
        if not line.endswith(b"\n"):
            code = await process.wait()
            self._process = None
            raise RunnerDied(f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}")
        return await self._row(line)

    async def _row(self, line: bytes) -> JsonDict:
        try:
            row: JsonDict = json.loads(line)
        except ValueError as error:
            await self.end(kill=True)  # what it says next would be taken for the next reply
            raise RunnerDied(f"its reply is no JSON: {line[:80]!r}") from error
        return row

    async def _start(self) -> asyncio.subprocess.Process:
        # A signal to the group of the terminal must not end a worker in the middle of a task.
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", self.module, stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE, start_new_session=True, limit=LINE_BYTES,
        )  # fmt: skip

    async def end(self, *, kill: bool = False) -> None:
        """End the process; it stops by itself where its input ends."""
        process, self._process = self._process, None
        if process is None:
            return
        if kill:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        elif process.stdin is not None:
            process.stdin.close()
        await process.wait()


@contextlib.asynccontextmanager
async def process_runner(
    base: Context, cache: Path, memory: Path | None = None
) -> AsyncIterator[ProcessRunner]:
    """Open a runner; its process starts with the first task and ends, or is killed, with the block.

    `memory` is the folder of the memory that all tasks share, None for one of its own for each.
    """
    runner = ProcessRunner(base, cache, memory)
    try:
        yield runner
    except BaseException:
        await runner.end(kill=True)
        raise
    await runner.end()
