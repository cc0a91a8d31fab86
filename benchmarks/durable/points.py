"""The points at which a process may be killed: before and after each effect, write and superstep."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from functools import wraps
from typing import Any

from benchmarks.durable.world import PaidModel, Witness


class Points:
    """Count the points of a run; at the one chosen the process dies by SIGKILL."""

    def __init__(self, kill_at: int | None, *, stop_at: int | None = None) -> None:
        self.names: list[str] = []
        self._kill_at, self._stop_at = kill_at, stop_at

    def hit(self, name: str) -> None:
        """Pass a point, or die at it, or be stopped at it until somebody continues the process."""
        self.names.append(name)
        if len(self.names) == self._kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        if len(self.names) == self._stop_at:
            os.kill(os.getpid(), signal.SIGSTOP)

    def around(
        self, owner: Any, method: str, *, after: Callable[[Any, Any, Any], None] | None = None
    ) -> None:
        """Put a point before and after each call of an async method; `after` sees what it did."""
        inner = getattr(owner, method)
        name = f"{owner.__name__}.{method}"

        @wraps(inner)
        async def marked(it: Any, *args: Any, **how: Any) -> Any:
            what = f"{name} {args[0]}" if method == "log" else name
            self.hit(f"before {what}")
            result = await inner(it, *args, **how)
            if after is not None:
                after(it, (*args, *how.values()), result)
            self.hit(f"after {what}")
            return result

        setattr(owner, method, marked)


def arm(points: Points, witness: Witness) -> None:
    """Put points around everything that pays, writes or is remembered. For a process of its own."""
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    from ddax.memory.store.namespace import ChromaMemory
    from ddax.reasoning.language.cache import ReplyCache
    from ddax.reasoning.language.call import Caller

    def results(_: Any, args: Any, __: Any) -> None:
        if args[0] == "results" and args[1]["ok"]:
            witness.note("result", args[1]["idem"])

    def remembered(_: Any, __: Any, ids: Any) -> None:
        for key in ids:
            witness.note("remembered", key)

    savers: list[Any] = [AsyncSqliteSaver]
    try:
        from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
    except ImportError:
        pass
    else:
        savers.append(AsyncPostgresSaver)
    for saver in savers:
        points.around(saver, "aput")
        points.around(saver, "aput_writes")
    points.around(ChromaMemory, "log", after=results)
    points.around(ChromaMemory, "put", after=remembered)
    points.around(PaidModel, "say")
    _witness_payments(Caller, ReplyCache, witness)


def _witness_payments(caller: Any, cache: Any, witness: Witness) -> None:
    """Note each paid call by the hash of what is sent, and each reply that was kept."""
    converse, put = caller._converse, cache.put

    @wraps(converse)
    async def conversed(it: Any, ask: Any, order: Any, request: Any) -> Any:
        witness.note("paid", request.key)
        return await converse(it, ask, order, request)

    @wraps(put)
    async def kept(it: Any, key: str, value: Any) -> None:
        await put(it, key, value)
        witness.note("kept", key)

    caller._converse, cache.put = conversed, kept
