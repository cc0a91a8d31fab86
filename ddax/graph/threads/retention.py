"""Let go of old checkpoints by a rule: only of finished threads, and never of an idea that is still known."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from ddax.errors import ThreadInUse, UsageError
from ddax.graph.threads.manifests import UNREADABLE

if TYPE_CHECKING:
    from ddax.graph.savers.pruning import Store
    from ddax.graph.threads.manifests import RunFolder, RunInfo

DAY = 24 * 3600.0


@dataclass(frozen=True)
class Rule:
    """What goes: finished threads older than `days`, down to `keep` checkpoints or altogether."""

    days: float = 30.0
    keep: int = 1
    delete: bool = False


class Swept(TypedDict):
    """What was let go of, and what stays: it is in use, or its manifest cannot be read."""

    threads: list[str]
    in_use: list[str]
    unreadable: list[str]
    bytes_before: int
    bytes_after: int


def due(infos: list[RunInfo], rule: Rule, *, now: float) -> list[RunInfo]:
    """Return the threads that a rule applies to, oldest first.

    Unfinished ones never are, nor those whose manifest cannot be read: they may be unfinished.
    """
    over = [i for i in infos if not i.resumable and i.status != UNREADABLE]
    old = [i for i in over if now - i.updated >= rule.days * DAY]
    return sorted(old, key=lambda info: (info.updated, info.thread_id))


def unreadable(infos: list[RunInfo]) -> list[str]:
    """Return the names of the threads that no rule applies to, as their manifest cannot be read."""
    return [info.thread_id for info in infos if info.status == UNREADABLE]


async def sweep(
    store: Store,
    runs: RunFolder,
    own: Callable[[str], AbstractAsyncContextManager[None]],
    rule: Rule,
    *,
    now: float,
    locks: Path,
) -> Swept:
    """Let go of what a rule names and give the space back; a thread that is in use stays as it is.

    Where threads are deleted, the folders below `locks` go that belong to none.
    """
    infos, before = await asyncio.to_thread(runs.all), await store.size()
    swept = Swept(threads=[], in_use=[], unreadable=unreadable(infos), bytes_before=before, bytes_after=0)
    for info in due(infos, rule, now=now):
        try:
            async with own(info.thread_id):
                if rule.delete:
                    await store.adelete_thread(info.thread_id)
                    await asyncio.to_thread(runs.remove, info.thread_id)
                else:
                    await store.aprune([info.thread_id], keep=rule.keep)
            swept["threads"].append(info.thread_id)
        except ThreadInUse:
            swept["in_use"].append(info.thread_id)
    if rule.delete:
        await _tidy(locks, runs, own)
    await store.compact()
    swept["bytes_after"] = await store.size()
    return swept


async def _tidy(
    locks: Path, runs: RunFolder, own: Callable[[str], AbstractAsyncContextManager[None]]
) -> None:
    """Take the lock of each thread that was never begun, and give it back: nothing of it stays."""
    known = {info.thread_id for info in await asyncio.to_thread(runs.all)}
    for name in await asyncio.to_thread(_folders, locks):
        # Somebody is just beginning it, or it is nobody's thread at all.
        with contextlib.suppress(ThreadInUse, UsageError):
            if name not in known:
                async with own(name):
                    continue


def _folders(place: Path) -> list[str]:
    return sorted(folder.name for folder in place.iterdir() if folder.is_dir())
