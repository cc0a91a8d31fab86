"""The seat of this process at a memory's folder: it owns the folder, or asks the process that does.

Any number of processes sit at one folder. The lock decides who owns it; the owner opens the record and
serves the others by a local socket, on a thread of its own, so that neither a busy nor an ended event loop
holds them up. When it ends, closes or is killed, the next one that needs the memory takes the lock and
serves, and what was under way is asked again: every call is the same when it is made twice.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import Any, TypeVar

from ddax.errors import StorageError, ThreadInUse, UsageError
from ddax.memory.files import ensure_folder
from ddax.memory.lock import Owner, lock_owner
from ddax.memory.share.host import MemoryHost
from ddax.memory.share.owner import SharedStore, acquire, opened_behind, refuse_a_fork, release
from ddax.memory.share.remote import Answer, Call
from ddax.memory.share.sockets import Door, Line, LineBroken, able, sweep, unreachable

T = TypeVar("T")
PATIENCE_SECONDS = 30.0
"""How long an owner that begins or ends is waited for."""
_WAITS = (0.01, 0.02, 0.02, 0.05, 0.05, 0.1, 0.2)
"""Seconds between the looks for an owner; the last one again and again."""
_TRIES = 20
"""Times that a call is made again, each time to another owner or by another line."""

_SEATS: dict[Path, Seat] = {}
_TURNS: dict[Path, threading.Lock] = {}


class Background:
    """An event loop on a thread of its own."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        # A program that ends without closing anything ends.
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Have something done there, from any thread."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def end(self) -> None:
        """Stop the loop and end its thread."""
        self.submit(self._loop.shutdown_default_executor()).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class Owned:
    """A folder that this process owns: the open store, and the door by which others come."""

    def __init__(self, store: SharedStore) -> None:
        self.store, self.host = store, MemoryHost(store)
        self._door: Door | None = None

    async def ask(self, call: Call) -> Answer:
        """Answer a call of this process."""
        return await self.host.answer(call)

    def build(self) -> None:
        """Make the door and tell of it: who comes now waits before it; blocks."""
        sweep(self.store.before)
        self._door = Door(self.host.answer, secrets.token_hex(16))
        self.store.announce(self._door.address, self._door.token)

    async def serve(self) -> None:
        """Let others in."""
        if self._door is not None:
            await self._door.open()

    async def close(self) -> None:
        """Let nobody in any more, and give the folder back; who shares it in this process keeps it."""
        try:
            if self._door is not None:
                told = None if self.store.users > 1 else ""
                await asyncio.to_thread(self.store.announce, told)
                await self._door.close()
        finally:
            await asyncio.to_thread(self.give_back)

    def give_back(self) -> None:
        """Take the door away and give the folder back; blocks."""
        try:
            if self._door is not None:
                self._door.remove()
        finally:
            release(self.store)


class Seat:
    """What this process has of a folder; `users` share it, and with the last one it is given back."""

    def __init__(self, folder: Path, *, clock: Callable[[], float]) -> None:
        self.folder, self.users, self.pid, self._clock = folder, 0, os.getpid(), clock
        self._background = Background("ddax-memory")
        self._way: Owned | Line | None = None
        self._looking: asyncio.Task[None] | None = None
        """What looks for the way, for all who wait for it; who gives up the wait does not stop it."""
        self._closed = False

    @property
    def owned(self) -> Owned | None:
        """What this process owns; None where another process does."""
        return self._way if isinstance(self._way, Owned) else None

    def begin(self, wait_seconds: float) -> None:
        """Own the folder or find its owner, whom one who serves nobody keeps out; blocks."""
        self._background.submit(self._found(time.monotonic() + wait_seconds)).result()

    async def send(self, call: Call) -> Answer:
        """Have a call answered by whoever owns the folder by then; for any event loop."""
        return await asyncio.wrap_future(self._background.submit(self._answer(call)))

    def end(self) -> None:
        """Give back what this process owns, or hang up; blocks."""
        try:
            self._background.submit(self._end()).result()
        finally:
            self._background.end()

    async def _answer(self, call: Call) -> Answer:
        begun, asked, why = time.monotonic(), call, ""
        for _ in range(_TRIES):
            way = await self._found(begun)
            try:
                return await way.ask(asked)
            except LineBroken as error:
                why = str(error)
                self._forget(way)
                # What is asked again is asked later, and may be written behind what a new owner has heard.
                asked = replace(call, now=call.now + time.monotonic() - begun)
        raise StorageError(
            f"The memory does not answer {call.name!r}.",
            why=f"{_TRIES} times whoever owned it broke off: {why}.",
            mend="Look what ends those processes; what was acknowledged is safe.",
        )

    async def _found(self, until: float) -> Owned | Line:
        while self._way is None:
            if self._closed:
                raise UsageError(
                    "The memory is closed.",
                    why="The agent that had it open was closed.",
                    mend="Open it again for the next task.",
                )
            if self._looking is None:
                self._looking = asyncio.create_task(self._settle(until))
            await asyncio.shield(self._looking)
        return self._way

    async def _settle(self, until: float) -> None:
        try:
            self._way = await self._look(until)
        finally:
            self._looking = None

    def _forget(self, way: Owned | Line) -> None:
        if self._way is way and isinstance(way, Line):
            way.close()
            self._way = None

    async def _look(self, until: float) -> Owned | Line:
        """Take the folder, or find who has it; an owner that begins or ends is waited for."""
        patience = max(until, time.monotonic() + PATIENCE_SECONDS)
        waits = chain(_WAITS, repeat(_WAITS[-1]))
        while True:
            try:
                return await self._taken()
            except ThreadInUse as error:
                in_use = error
            owner = await asyncio.to_thread(lock_owner, self.folder)
            if owner is not None and owner.address and owner.serves:
                try:
                    return await _connected(owner)
                except LineBroken as error:
                    in_use = unreachable(owner, str(error))
            passing = owner is None or owner.serves
            if self._closed or time.monotonic() >= (patience if passing else until):
                raise in_use
            await asyncio.sleep(next(waits))

    async def _taken(self) -> Owned:
        owned = await asyncio.to_thread(self._take)
        try:
            await owned.serve()
        except BaseException:
            await asyncio.to_thread(owned.give_back)
            raise
        return owned

    def _take(self) -> Owned:
        owned = Owned(acquire(self.folder, clock=self._clock, wait_seconds=0.0, serve=able()))
        try:
            if able():
                owned.build()
        except BaseException:
            owned.give_back()
            raise
        return owned

    async def _end(self) -> None:
        self._closed = True
        if self._looking is not None:
            await asyncio.gather(self._looking, return_exceptions=True)
        way, self._way = self._way, None
        left = asyncio.all_tasks() - {asyncio.current_task()}
        if isinstance(way, Owned):
            await way.close()
        elif way is not None:
            way.close()
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


async def _connected(owner: Owner) -> Line:
    line = Line(owner)
    await line.open()
    return line


def take(folder: Path, *, clock: Callable[[], float], wait_seconds: float = 0.0) -> Seat:
    """Sit down at a folder, or share the seat this process has there; blocks.

    Raises `ThreadInUse` naming the owner where another live process has the folder for itself.
    """
    path = ensure_folder(folder).resolve()
    with _turn(path):
        seat = _SEATS.get(path)
        if seat is None:
            seat = Seat(path, clock=clock)
            try:
                seat.begin(wait_seconds)
            except BaseException:
                seat.end()
                raise
            _SEATS[path] = seat
        refuse_a_fork(seat.pid)
        seat.users += 1
        return seat


async def taken(folder: Path, *, clock: Callable[[], float], wait_seconds: float = 0.0) -> Seat:
    """Sit down as `take` does, for an event loop; who gives up the wait leaves nothing open."""
    return await opened_behind(
        partial(take, folder, clock=clock, wait_seconds=wait_seconds), give_back=leave
    )  # fmt: skip


def leave(seat: Seat) -> None:
    """Leave a seat; the last one who does gives back what the process owns; blocks."""
    with _turn(seat.folder):
        seat.users -= 1
        if seat.users:
            return
        _SEATS.pop(seat.folder, None)
        seat.end()


def _turn(path: Path) -> threading.Lock:
    return _TURNS.setdefault(path, threading.Lock())
