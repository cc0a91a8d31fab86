"""The index of one namespace beside its record: made when it begins to pay, and kept in step until it fails.

Nothing here is of record. What changes the index waits on its own thread, behind what the record holds.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial

from ddax.errors import DdaxError
from ddax.memory.records import MEMORY_TYPES
from ddax.memory.scoring import Floats
from ddax.memory.share.owner import SharedStore
from ddax.memory.store.chroma import IndexFailure
from ddax.memory.store.namespace_upkeep import Change
from ddax.types import MemoryType

logger = logging.getLogger("ddax")


class Indexing:
    """The index of a namespace; `ready` where it is in step and may be asked."""

    def __init__(self, shared: SharedStore, ns: str, fingerprint: str, *, few: int) -> None:
        self._shared, self._record, self._index = shared, shared.record, shared.index
        self._ns, self._fingerprint = ns, fingerprint
        self._few, self._wanted, self.ready = few, False, False
        self._near = partial(shared.index.nearest, ns, fingerprint)

    def want(self, made: bool) -> None:
        """Begin to bring the index in step, where there is one or it begins to pay; on the record's thread.

        It takes longer to open than so `few` rows take to be searched, and holds nothing the record has not.
        """
        if made or not self._few or self._count_rows() >= self._few:
            self._wanted = True
            self._shared.on_index(self._reconcile)

    async def rebuild(self) -> int:
        """Make the index anew; return how many rows it holds. Raises `IndexFailure`."""
        self._wanted = True

        def work() -> int:
            self.ready = False
            self._index.drop(self._ns, self._fingerprint)
            return self._reconciled()

        return await asyncio.wrap_future(self._shared.on_index(work))

    async def nearest(self, kind: MemoryType, vector: Floats, k: int) -> list[str] | None:
        """Ask the index; None where it is not open yet or has failed."""
        if not self.ready:
            return None
        try:
            return await self._shared.ask_index(self._near, (kind, vector, k))
        except (IndexFailure, DdaxError) as exc:
            self._give_up(exc)
            return None

    def take(self, changes: Sequence[Change]) -> None:
        """Queue what leaves did together, in one go, which is quicker; the last word on a row holds."""
        if not self._wanted:  # all that was written till then goes into it at once
            self.want(made=False)
            return
        last = {row_id: (of, vector) for of, row_id, vector in changes}
        for kind in MEMORY_TYPES:
            rows = {row_id: vector for row_id, (of, vector) in last.items() if of == kind}
            if new := [(row_id, vector) for row_id, vector in rows.items() if vector is not None]:
                self._change(self._index.add, kind, new)
            if gone := [row_id for row_id, vector in rows.items() if vector is None]:
                self._change(self._index.remove, kind, gone)

    def _count_rows(self) -> int:
        return sum(self._record.count(self._ns, kind) for kind in MEMORY_TYPES)

    def _reconcile(self) -> None:
        try:
            self._reconciled()
        except (IndexFailure, DdaxError, OSError) as exc:
            self._give_up(exc)

    def _reconciled(self) -> int:
        """Bring the index in step, on its own thread; return how many rows it holds."""
        ns, record = self._ns, self._shared.on_record
        self._index.reconcile(
            ns,
            self._fingerprint,
            lambda kind: record(lambda: self._record.ids(ns, kind)).result(),
            lambda kind, ids: record(lambda: self._record.vectors(ns, ids)).result(),
        )
        self.ready = True
        return record(self._count_rows).result()

    def _change(self, change: Callable[..., object], *what: object) -> None:
        def work() -> None:
            try:
                if self.ready:
                    change(self._ns, self._fingerprint, *what)
            except Exception as exc:  # nobody waits for it: whatever it is, it is told, and no row is missed
                self._give_up(exc)

        self._shared.on_index(work)

    def _give_up(self, exc: BaseException) -> None:
        """Go on without the index; it stays marked, and the next start makes it anew."""
        self.ready = False
        known = isinstance(exc, (IndexFailure, DdaxError, OSError))
        logger.warning(
            "The index failed, so recall searches the record: %s", exc, exc_info=None if known else exc
        )
        self._index.fail()
