"""A runner on a Ray cluster: tasks go to whichever node is free, also after one has died.

What a task writes lies in the output folder, which every node must reach under the same path; so a task
whose node died is resumed by another. Leaves out how a cluster is made (docs/batch.md).
"""

from __future__ import annotations

import contextlib
import importlib
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ddax.batch.pool import RunnerDied
from ddax.batch.tasks import BatchTask
from ddax.errors import StorageError, UsageError
from ddax.types import JsonDict

if TYPE_CHECKING:
    from ddax.configs.settings import Context

CONNECT_SECONDS = 10.0


class RayRunner:
    """One actor on the cluster, made anew, wherever there is room, when it has died."""

    def __init__(
        self, ray: Any, base: Context, cache: Path, environ: dict[str, str], memory: Any = None
    ) -> None:
        self._ray, self._base, self._cache, self._environ = ray, base, cache, environ
        self._memory = memory
        self._actor: Any = None

    async def run(self, task: BatchTask, home: Path) -> JsonDict:
        """Do a task; raises RunnerDied where its actor or its node is gone, or a fault that is not ours."""
        actor = self._actor = self._actor or self._start()
        try:
            row: JsonDict = await actor.do.remote(task.model_dump(mode="json"), str(home))
        except self._ray.exceptions.RayActorError as error:
            self._actor = None
            raise RunnerDied(_shortly(str(error))) from error
        except self._ray.exceptions.RayTaskError as error:  # the actor lives on
            raise RunnerDied(_shortly(f"{type(error.cause).__name__}: {error.cause}")) from error
        return row

    def _start(self) -> Any:
        # No `num_cpus`: a CPU is asked for to be placed and not held. Else a runner whose node died would
        # wait for room for ever, while an idle one holds the last CPU until the batch has ended.
        kind = self._ray.remote(Worker)
        extra = {"runtime_env": {"env_vars": self._environ}} if self._environ else {}
        base = self._base.model_dump(mode="json")
        return kind.options(max_restarts=0, **extra).remote(base, str(self._cache), self._memory)

    def end(self) -> None:
        """End the actor."""
        actor, self._actor = self._actor, None
        if actor is not None:
            self._ray.kill(actor)


def _shortly(said: str) -> str:
    return " ".join(said.split())[:300]


class Worker:
    """What an actor does: one task after the other, with what is heavy opened once."""

    def __init__(self, base: JsonDict, cache: str, memory: Any = None) -> None:
        from ddax.batch.cluster_memory import send_to
        from ddax.batch.worker import Warm
        from ddax.configs.settings import Context

        self._base, self._warm = Context.model_validate(base), Warm(Path(cache))
        self._send = None if memory is None else send_to(importlib.import_module("ray"), memory)

    async def do(self, task: JsonDict, home: str) -> JsonDict:
        """Do one task and return its row."""
        from ddax.batch.worker import done

        return await done(BatchTask.model_validate(task), self._base, Path(home), self._warm, send=self._send)


def connect(address: str) -> Any:
    """Join the cluster at an address, or `auto` for the one of this machine; return the module `ray`.

    Raises UsageError where Ray is not installed, StorageError where no cluster answers.
    """
    try:
        ray = importlib.import_module("ray")
    except ImportError as error:
        raise UsageError(
            "--ray needs a package that is not installed.",
            why="It comes with an extra, which is not installed.",
            mend="Install it: pip install 'ddax[ray]'",
        ) from error
    with _no_cluster(address):
        reach(address)
        ray.init(address=address, log_to_driver=False, ignore_reinit_error=True)
    return ray


def reach(address: str) -> None:
    """Find out whether anybody listens at a host and port: Ray itself waits for many minutes.

    Raises OSError where nobody does, ValueError for a port that cannot be; other addresses are Ray's own.
    """
    place = urlsplit(address if "://" in address else f"//{address}")
    if place.hostname and place.port:
        socket.create_connection((place.hostname, place.port), timeout=CONNECT_SECONDS).close()


@contextlib.contextmanager
def _no_cluster(address: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, RuntimeError) as error:
        said = (isinstance(error, OSError) and error.strerror) or str(error)
        raise StorageError(
            f"No Ray cluster answers at {address!r}.",
            why=f"{' '.join(said.split())[:200].rstrip('.')}.",
            mend="Start one: ray start --head. Or leave --ray out for processes of this machine.",
        ) from error


@contextlib.asynccontextmanager
async def ray_runner(
    ray: Any, base: Context, cache: Path, environ: dict[str, str] | None = None, memory: Any = None
) -> AsyncIterator[RayRunner]:
    """Open a runner; its actor starts with the first task and ends with the block.

    `memory` is the actor with the memory of all tasks, None for one of its own for each.
    """
    runner = RayRunner(ray, base, cache, environ or {}, memory)
    try:
        yield runner
    finally:
        runner.end()
