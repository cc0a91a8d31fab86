"""The reading worker: hostile bytes are parsed in a process of their own, which is killed when it is slow.

Parsing never holds up the run: neither its loop, as the child has an interpreter of its own, nor its
time, as a child that takes longer than the cap is killed and a new one started for the next page. The cap
counts CPU time, so a busy machine reads what an idle one does.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from contextlib import suppress
from typing import Protocol

from ddax.actions.fetch import WEB
from ddax.actions.web.page import NotText, Page, read_page
from ddax.errors import ActionError
from ddax.types import JsonDict

PATIENCE = 60.0
"""How many times its CPU time a page may take by the clock: for a child that waits, or is given no time."""
ENDS_SECONDS = 1.0
"""How long the end of a child that gave no reply is waited for, so that it can be told."""
KEPT = ("PATH", "TMPDIR", "LANG", "SYSTEMROOT", "PYTHONPATH")
"""What of the environment the child needs; no key of anybody's."""
MAX_REPLY = 64_000_000
SMALL = 20_000
"""Bytes of a reply that are decoded at once; larger ones go to a thread."""


class PageReader(Protocol):
    """Who turns the bytes of a page into what it says."""

    async def read(self, content: bytes, kind: str, *, fallback: str, base: str, charset: str) -> Page:
        """Return what a page says; raises ActionError of kind `not_text` or `unreadable`."""
        ...

    async def close(self) -> None:
        """End what reads."""
        ...


class InlineReader:
    """Read pages in this process, where they are known to be harmless: for tests, and one's own pages."""

    async def read(self, content: bytes, kind: str, *, fallback: str, base: str, charset: str) -> Page:
        """Return what a page says; raises ActionError of kind `not_text`."""
        try:
            return read_page(content, kind, fallback=fallback, base=base, charset=charset)
        except NotText as exc:
            raise not_text(base, str(exc)) from exc

    async def close(self) -> None:
        """Hold nothing."""


class Reader:
    """Read pages in a child process, one at a time; `seconds` caps the CPU time of each; to be closed."""

    def __init__(self, *, seconds: float = WEB.read_seconds) -> None:
        self._seconds = seconds
        self._lock = asyncio.Lock()
        self._child: asyncio.subprocess.Process | None = None
        self._next: asyncio.Task[asyncio.subprocess.Process] | None = None
        """The child that takes the place of a killed one, while it starts."""
        self.kills = 0

    async def read(
        self, content: bytes, kind: str, *, fallback: str, base: str, charset: str, whole: bool = False,
        more: float = 0.0,
    ) -> Page:  # fmt: skip
        """Return what a page says, `whole` beyond its main part; raises ActionError as PageReader does.

        A large page may have `more` seconds than others.
        """
        task = {"kind": kind, "fallback": fallback, "base": base, "charset": charset, "whole": whole,
                "bytes": len(content), "seconds": self._seconds + more}  # fmt: skip
        async with self._lock:
            raw = await self._asked(task, content)
        reply = json.loads(raw) if len(raw) < SMALL else await asyncio.to_thread(json.loads, raw)
        if "not_text" in reply:
            raise not_text(base, reply["not_text"])
        return Page(**{**reply, "links": tuple(reply["links"])})

    async def close(self) -> None:
        """End the child."""
        async with self._lock:
            coming, self._next = self._next, None
            if coming is not None:
                coming.cancel()  # one that starts ends its child itself; one that has started brings it
                for child in await asyncio.gather(coming, return_exceptions=True):
                    await _ended(None if isinstance(child, BaseException) else child)
            await _ended(self._child)
            self._child = None

    async def _asked(self, task: JsonDict, content: bytes) -> bytes:
        if self._child is None and self._next is None:
            self._child = await _started()  # the first start is ours, not the page's
        try:
            return await self._in_time(task, content)
        except BaseException as error:  # a cancellation too: the child is in the middle of a page
            self.kills += self._child is not None
            await self._replace(again=isinstance(error, ActionError))
            raise

    async def _in_time(self, task: JsonDict, content: bytes) -> bytes:
        """Ask the child for a page; raises ActionError of kind `unreadable` where it gives none in time."""
        try:
            async with asyncio.timeout(PATIENCE * task["seconds"]):
                return await exchanged(await self._ready(), task, content)
        except TimeoutError as exc:
            why = f"Reading it took longer than {PATIENCE * task['seconds']:g} s by the clock."
            raise unreadable(task, why) from exc
        except (OSError, EOFError, ValueError) as exc:
            raise unreadable(task, await self._ended_by(task)) from exc

    async def _ended_by(self, task: JsonDict) -> str:
        """Say why the child gave no reply: its time was over, or the page brought it down."""
        status = None
        if self._child is not None:
            with suppress(TimeoutError):  # one that replied nonsense still lives
                status = await asyncio.wait_for(self._child.wait(), ENDS_SECONDS)
        if status == -signal.SIGPROF:
            return f"Reading it took longer than {task['seconds']:.3g} s of CPU time."
        return "Reading it brought the reader down."

    async def _ready(self) -> asyncio.subprocess.Process:
        """Return the child; one that took the place of a killed one may still be starting."""
        if self._next is not None:
            self._child = await asyncio.shield(self._next)
            self._next = None
        if self._child is None or self._child.returncode is not None:
            self._child = await _started()
        return self._child

    async def _replace(self, *, again: bool) -> None:
        """End the child; `again` starts the next one at once, so that the next page waits less for it."""
        child, self._child = self._child, None
        await _ended(child)
        failed = self._next is not None and self._next.done() and self._next.exception() is not None
        if again and (self._next is None or failed):
            self._next = asyncio.create_task(_started(), name="ddax-reader")


async def _started() -> asyncio.subprocess.Process:
    """Start a child and wait until it reads; one that is not wanted any more is ended."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "ddax.actions.web.reading_child",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL, env=environment(), limit=2**20,
    )  # fmt: skip
    try:
        nothing = {"kind": "text", "fallback": "-", "base": "", "charset": "", "bytes": 0, "seconds": 0.0}
        await exchanged(child, nothing, b"")
    except BaseException:
        await _ended(child)
        raise
    return child


async def _ended(child: asyncio.subprocess.Process | None) -> None:
    if child is None:
        return
    with suppress(ProcessLookupError):
        child.kill()
    await child.wait()
    transport = getattr(child, "_transport", None)
    if transport is not None:
        transport.close()


async def exchanged(child: asyncio.subprocess.Process, task: JsonDict, content: bytes) -> bytes:
    """Send a page to a child and return its reply; raises EOFError where it died."""
    if child.stdin is None or child.stdout is None:
        raise EOFError("the child has no pipes")
    child.stdin.write(json.dumps(task).encode() + b"\n")
    child.stdin.write(content)
    await child.stdin.drain()
    size = int(await child.stdout.readline() or b"-1")
    if not 0 <= size <= MAX_REPLY:
        raise EOFError("the child died")
    return await child.stdout.readexactly(size)


def environment() -> dict[str, str]:
    """Return what the child gets: where our code lies, and no secret."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    return {**kept, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def not_text(url: str, reason: str) -> ActionError:
    """Name a page that holds no text."""
    return ActionError(f"{url!r} holds no text.", why=f"It cannot be read: {reason}.", kind="not_text")


def unreadable(task: JsonDict, why: str) -> ActionError:
    """Name a page that the reader gave up."""
    return ActionError(f"{task['base']!r} cannot be read.", why=why, kind="unreadable")
