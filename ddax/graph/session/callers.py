"""Runs that come over a LangGraph server: who asks, and what of the settings and the state is theirs to say.

Whoever can send a request can write the context and the state of a run. So its settings are granted here,
once, on the way from LangGraph's runtime to the services, and its state is looked over at every node.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from ddax.configs.reach import Own, granted
from ddax.configs.server import Server
from ddax.configs.settings import Context
from ddax.errors import StateError, UsageError
from ddax.memory.home import Home, opened_home

AUTH = "LANGGRAPH_AUTH"
AUTH_TYPE = "LANGGRAPH_AUTH_TYPE"
"""The variables by which LangGraph's server is told how callers show who they are."""
GRAPHS, HTTP = "LANGSERVE_GRAPHS", "LANGGRAPH_HTTP"
"""The variables by which it is told what it serves, and how its routes are guarded."""
KEPT = "kept"
"""The folder in an owner's home of what the server's settings let runs write."""


def asks_for_key(environ: Mapping[str, str]) -> bool:
    """Say whether this process is a server that asks its callers who they are."""
    return bool(environ.get(AUTH)) or environ.get(AUTH_TYPE, "noop") != "noop"


def _is_guarded(environ: Mapping[str, str]) -> bool:
    """Say whether the server was given an app to go before its routes; what is no server needs none."""
    return not environ.get(GRAPHS) or '"app"' in environ.get(HTTP, "")


def owner_of_run(runtime: Runtime[Any], environ: Mapping[str, str] = os.environ) -> str | None:
    """Return who sent a run over a server, "" where it asks nobody, None for a run that came over none.

    Raises UsageError where a server that asks for a key passes on a run of nobody, and where one that asks
    for none lets any page of a browser call it.
    """
    info = runtime.server_info
    if info is None:
        return None
    if not (asks_for_key(environ) or _is_guarded(environ)):
        raise UsageError(
            "This server lets any page of a browser send it runs.",
            why="It asks for no key, and its langgraph.json names no guard against pages of other sites.",
            mend='Add to langgraph.json: "http": {"app": "ddax.graph.origins:app"}',
        )
    owner = str(info.user.identity) if info.user is not None else ""
    if not owner and asks_for_key(environ):
        raise UsageError(
            "The run has no owner.",
            why="This server asks for a key, and nobody's key came with the run.",
            mend="Send the run with an API key.",
        )
    return owner


class Gate:
    """Grants runs their settings; what the server has itself is read once, at the first of them."""

    def __init__(self, settings: Context | None, server: Server | None = None) -> None:
        self._given = (settings, server)
        self._own: Own | None = None
        self._last: tuple[object, str, Context] | None = None
        self._homes: dict[str, Home] = {}

    async def home(self, base: Home | None, owner: str) -> Home:
        """Return the home of an owner within the base, opened at the first call."""
        if owner not in self._homes:
            self._homes[owner] = await asyncio.to_thread(opened_home, base, owner)
        return self._homes[owner]

    async def granted(self, asked: Context | None, home: Home, owner: str) -> Context:
        """Return the settings of a run; raises SettingsError for what a run may not set."""
        if self._last is not None and self._last[0] is asked and self._last[1] == owner:
            return self._last[2]  # every leaf asks for the ones of its run
        settings = await asyncio.to_thread(self._granted, asked or Context(), home, owner)
        self._last = asked, owner, settings
        return settings

    def _granted(self, asked: Context, home: Home, owner: str) -> Context:
        if self._own is None:
            self._own = _own(*self._given)
        settings = granted(asked, self._own)
        return settings if not owner else _apart(settings, home.path / KEPT)


def _own(settings: Context | None, server: Server | None) -> Own:
    if settings is not None and server is not None:
        return Own(settings, server)
    from ddax.configs.layers import load_context

    loaded = load_context()
    return Own(settings or loaded.context, server or loaded.server)


def _apart(settings: Context, folder: Path) -> Context:
    """Return the settings with what the server lets be written moved into the folder of one owner."""

    def own(path: str) -> str:
        return str(folder / (Path(path).name or KEPT)) if path else ""

    web = settings.web.model_copy(update={"record": own(settings.web.record)})
    browser = settings.browser.model_copy(update={"downloads": own(settings.browser.downloads)})
    return settings.model_copy(update={"record": own(settings.record), "web": web, "browser": browser})


def check_state(state: Any, settings: Context) -> None:
    """Refuse a state whose folder of code is no source of the run; raises StateError.

    The state of a thread can be written over the server, and code of that folder is run.
    """
    work = state.get("work")
    code = work.get("code", "") if isinstance(work, Mapping) else ""
    if code and code not in {str(Path(source)) for source in settings.sources}:
        raise StateError(
            f"The state names the folder of code {str(code)[:200]!r}.",
            why="It is no source of this run.",
            mend="Name it in the sources, or begin a new thread.",
        )
