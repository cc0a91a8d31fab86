"""Several warm workers, one for each core: jobs are shared out among them, reports come in their order."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import Any

from ddax.cores import usable_cores
from ddax.evolution.sandbox.protocol import Limits, Sandbox
from ddax.evolution.sandbox.worker import UNLIMITED, Worker

MOST = 4
"""Workers at most; each holds the program and its libraries in memory."""
SHARE = 4
"""Jobs that a worker is handed at once."""


def at_once() -> int:
    """Say how many workers a crew has: one for each core that this process may use."""
    return min(MOST, usable_cores())


class Crew:
    """Runs jobs in as many sandboxes as there are cores; which worker ran a job makes no difference."""

    def __init__(
        self, sandbox: Sandbox, suite: Mapping[str, Any], *, limits: Limits, size: int | None = None
    ) -> None:
        number = at_once() if size is None else size
        self.workers = [Worker(sandbox, suite, limits=limits) for _ in range(number)]
        # They stay: a sandbox ends with the thread that started it.
        self.threads: ThreadPoolExecutor | None = None

    def recast(self, units: Sequence[Mapping[str, Any]]) -> None:
        """Take other units of the same tests from here on."""
        for worker in self.workers:
            worker.recast(units)

    def close(self) -> None:
        """End every worker; a later job starts new ones."""
        for worker in self.workers:
            worker.close()
        if self.threads is not None:
            self.threads.shutdown()
            self.threads = None

    def run(
        self, jobs: Sequence[Mapping[str, Any]], *, seconds: float = UNLIMITED, share: int = SHARE
    ) -> list[bytes]:
        """Return the raw report of each job, in order; b"null" for those not begun within so many `seconds`.

        Each worker takes the next `share` of jobs where it has done one.
        """
        shares = [jobs[i : i + share] for i in range(0, len(jobs), share)]
        left: SimpleQueue[int] = SimpleQueue()
        for index in range(len(shares)):
            left.put(index)
        done: dict[int, list[bytes]] = {}
        end = time.monotonic() + seconds

        def work(worker: Worker) -> None:
            while True:
                try:
                    index = left.get_nowait()
                except Empty:
                    return
                done[index] = list(worker.run(shares[index], seconds=max(0.0, end - time.monotonic())))

        busy = self.workers[: len(shares)]
        if len(busy) == 1:
            work(busy[0])
        elif busy:
            self.threads = self.threads or ThreadPoolExecutor(len(self.workers))
            list(self.threads.map(work, busy))
        return [body for index in range(len(shares)) for body in done[index]]
