"""The sessions of one process: opened when a node first asks, shared by equal settings, closed at the end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ddax.collecting import seldom
from ddax.configs.settings import Context
from ddax.graph.services import ALL_ROWS, Clock, Parts, Session, as_context
from ddax.graph.session.callers import Gate
from ddax.graph.session.collaborators import open_rows, open_session
from ddax.types import JsonDict

if TYPE_CHECKING:
    from pydantic import BaseModel

    from ddax.actions.sources.files import Tell
    from ddax.configs.server import Server
    from ddax.memory.home import Home

KEPT_SESSIONS = 8
"""Sessions that stay open: each distinct set of settings has one, and a server is sent any number of them."""


class LocalServices:
    """The services of one process over one home folder.

    Of the sessions the last used ones stay open, and those in use; one that was closed is opened anew.
    `default` and `server` are what a server has itself; they are read where they are not given.
    """

    def __init__(
        self,
        home: Home | None = None,
        *,
        default: Context | None = None,
        parts: Parts | None = None,
        clock: Clock = time.time,
        monotonic: Clock = time.monotonic,
        keep: int = KEPT_SESSIONS,
        server: Server | None = None,
    ) -> None:
        self._keep = keep
        self._home, self._default, self._parts = home, default or Context(), parts or Parts()
        self._clock, self._monotonic = clock, monotonic
        self._gate = Gate(default, server)
        self._sessions: dict[tuple[str | None, str], Session] = {}
        self._last: tuple[Context, str | None, Session] | None = None
        self.listeners: set[Tell] = set()
        """Who is told how many files of the sources were read while a session opens; from another thread."""
        self.forms: dict[str, type[BaseModel]] = {}
        self._opening = asyncio.Lock()
        self._collecting = contextlib.ExitStack()

    async def session(self, context: Context | None, *, soon: Sequence[str] = ()) -> Session:
        """Return the session of these settings, opened at the first call.

        The texts that its first node asks for are embedded while it opens, or while the run does (`soon`).
        """
        return await self._kept(self._default if context is None else as_context(context), None, soon)

    async def served(self, context: Context | None, owner: str) -> Session:
        """Return the session of a run that came over a server, in the home of its owner."""
        home = await self._gate.home(self._home, owner)
        return await self._kept(await self._gate.granted(context and as_context(context), home, owner), owner)

    def _tell(self, read: int, of: int) -> None:
        for listener in [*self.listeners]:
            listener(read, of)

    async def _kept(self, settings: Context, owner: str | None, soon: Sequence[str] = ()) -> Session:
        if self._last is not None and self._last[0] is settings and self._last[1] == owner:
            return self._last[2]  # every leaf asks for the one of its run
        key = owner, settings.model_dump_json()
        async with self._opening:
            session = self._sessions.pop(key, None)
            if session is None:
                session = self._sessions[key] = await self._open(settings, owner, soon)
                await self._close_idle(but=key)
            else:
                self._sessions[key] = session  # the last used one stands last
                if soon:
                    session.ahead.want(partial(session.redactor.value, list(soon)))
        self._last = settings, owner, session
        return session

    async def rows(self, context: Context, table: str, **equals: Any) -> list[JsonDict]:
        """Return the rows of a log of the memory, oldest first, opening nothing but the memory."""
        for session in self._sessions.values():
            if session.settings.namespace == context.namespace:
                with session.used():
                    return await session.memory.rows(table, limit=ALL_ROWS, **equals)
        if self._parts.memory is not None:
            return await self._parts.memory.rows(table, limit=ALL_ROWS, **equals)
        return await open_rows(context, self._home, table, clock=self._clock, **equals)

    async def close(self) -> None:
        """Close every session, and write what embedders brought."""
        from ddax.memory.embed.cache import close_files

        sessions = [*self._sessions.values()]
        self._sessions.clear()
        self._last = None
        with self._collecting.pop_all():
            try:
                await _shut(sessions)
            finally:
                await asyncio.to_thread(close_files)

    async def _close_idle(self, but: tuple[str | None, str]) -> None:
        """Close the sessions that nobody uses, oldest use first, until as many are left as are kept."""
        idle = [key for key, session in self._sessions.items() if key != but and not session.users]
        old = [self._sessions.pop(key) for key in idle[: max(0, len(self._sessions) - self._keep)]]
        if not old:
            return
        self._last = None  # from here on nobody is given them; who wants one waits for the lock
        # Whoever gives up the wait leaves nothing half closed.
        await asyncio.shield(asyncio.ensure_future(self._let_go(old)))

    async def _let_go(self, sessions: Sequence[Session]) -> None:
        memory = self._parts.memory
        try:
            await _shut(sessions, given=(self._parts.reasoner, memory, getattr(memory, "inner", None)))
        except Exception as error:  # who opens another one is not to blame, whatever it is
            logging.getLogger("ddax").warning("a session that nobody used did not close: %s", error)

    async def _open(self, settings: Context, owner: str | None, soon: Sequence[str]) -> Session:
        parts = self._parts
        others = [one for (whose, _), one in self._sessions.items() if (whose or "") == (owner or "")]
        if others:  # it remembers the newest vectors, and none of the settings name another
            parts = replace(parts, embedder=others[0].embedder)
        home = self._home if owner is None else await self._gate.home(self._home, owner)
        with contextlib.ExitStack() as opening:
            if first := not self._sessions:
                opening.enter_context(seldom())
            session = await open_session(
                settings, home, parts, clock=self._clock, monotonic=self._monotonic, soon=soon,
                told=self._tell, served=owner is not None,
            )  # fmt: skip
            if first:
                self._collecting = opening.pop_all()  # set back when the sessions are closed
        return replace(session, forms=self.forms)


async def _shut(sessions: Sequence[Session], *, given: Sequence[object] = ()) -> None:
    """Close the parts of sessions, each once; those that were `given` ready-made stay open."""
    tasks = [s.behind for s in sessions if s.behind is not None]
    for task in tasks:
        task.cancel()
    for ended in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(ended, Exception):
            logging.getLogger("ddax").warning("filling vectors behind the run ended early: %s", ended)
    parts: list[Any] = []
    for session in sessions:
        reasoners = (session.reasoner, *session.benches.values())
        memory = getattr(session.memory, "inner", session.memory)  # one that was given has several gates
        parts += (session.ahead, session.world, session.web, *reasoners, memory)
    kept = {id(part) for part in given}
    once = {id(part): part for part in parts if hasattr(part, "close") and id(part) not in kept}
    controllers = [asyncio.to_thread(s.controller.close) for s in sessions]
    await _closed([*controllers, *(part.close() for part in once.values())])


async def _closed(closing: Sequence[Awaitable[None]]) -> None:
    """Close parts, none of which waits for another; raises the first failure when all have ended."""
    ends = await asyncio.gather(*closing, return_exceptions=True)
    failed = [end for end in ends if isinstance(end, BaseException)]
    for other in failed[1:]:
        logging.getLogger("ddax").warning("another part did not close: %s", other)
    if failed:
        raise failed[0]
