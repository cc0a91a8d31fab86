"""Open the web of a run by the settings."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

from ddax.actions.egress import EgressPolicy, policy_of
from ddax.actions.protocol import Library
from ddax.actions.web.client import Render, Time, Web
from ddax.actions.web.library import WebLibrary
from ddax.actions.web.search.choose import chosen, open_provider, service_hosts
from ddax.actions.web.search.engine import ResultCache, WebSearch, pace
from ddax.actions.web.search.protocol import Provider, Result
from ddax.actions.web.tape import open_tape
from ddax.configs.settings import Context
from ddax.errors import ActionError
from ddax.memory.protocol import Embedder

Clock = Callable[[], float]


def policy_for(settings: Context, *hosts: str) -> EgressPolicy:
    """Return where the settings let requests go; `hosts` are named by the user, and may be private too."""
    return policy_of(
        allow_hosts=(*settings.allow_hosts, *hosts),
        only_domains=settings.web.only_domains,
        deny_domains=settings.web.deny_domains,
    )


def open_web(
    settings: Context,
    folder: Path,
    environ: Mapping[str, str],
    *,
    clock: Clock,
    monotonic: Clock,
    rendering: Callable[[EgressPolicy], Render | None] | None = None,
) -> Web:
    """Open the web; nothing is fetched. `rendering` opens a browser for the pages that need one.

    Raises SettingsError for a wrong name of a host, or a bad tape.
    """
    wanted, policy = settings.web, policy_for(settings)
    return Web(
        wanted,
        policy,
        folder=folder,
        time=Time(clock, monotonic),
        tape=open_tape(wanted.record, wanted.replay),
        render=rendering(policy) if rendering is not None else None,
        services=service_hosts(wanted, environ),
    )


def with_search(
    local: Library,
    web: Web,
    environ: Mapping[str, str],
    *,
    embedder: Embedder,
    folder: Path,
    clock: Clock,
    provider: Provider | None = None,
) -> Library:
    """Return a library that also searches the web, by a given service or by one that the settings name."""
    settings = web.settings
    if provider is None and not settings.search:
        return local
    search = WebSearch(
        Taped() if settings.replay else provider or _provider(web, environ, clock),
        web.policy,
        embedder,
        ResultCache(folder / "searches.sqlite", clock=clock, hours=settings.search_hours),
        web.tape,
        pace(settings.searches_per_minute, monotonic=web.monotonic, sleep=asyncio.sleep),
        settings.results,
    )
    return WebLibrary(local, search)


def _provider(web: Web, environ: Mapping[str, str], clock: Clock) -> Provider:
    name = chosen(web.settings, environ)
    return open_provider(name, web.settings, environ, ask=web.ask, policy=web.policy, clock=clock)


class Taped:
    """The service of a tape: what it found stands there, so that it is never asked."""

    name = "tape"

    async def search(self, query: str, *, count: int) -> list[Result]:
        """Refuse to search."""
        raise ActionError("A tape is not asked.", why=f"{query[:80]!r} is not on it.", kind="not_recorded")
