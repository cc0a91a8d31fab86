"""Which service searches: the one the settings name, or whichever is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from ddax.actions.egress import EgressPolicy, canonical_host
from ddax.actions.web.search import ddg
from ddax.actions.web.search.protocol import Ask, Provider
from ddax.configs.settings import Web
from ddax.errors import SettingsError

KEYS: Mapping[str, tuple[str, ...]] = {
    "tavily": ("TAVILY_API_KEY",),
    "brave": ("BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"),
    "searxng": ("SEARXNG_URL",),
}
ORDER = ("searxng", "tavily", "brave", "ddgs")
"""What `auto` takes first: one's own engine, then what is paid for, then what needs nothing."""


def chosen(settings: Web, environ: Mapping[str, str]) -> str:
    """Return the name of the service that searches; raises SettingsError with the remedy."""
    name: str = settings.search
    if name == "auto":
        name = next((each for each in ORDER if there(each, settings, environ)), "")
        if not name:
            raise SettingsError(
                "No search service is there.",
                why="web.search is 'auto', but there is no key, no SEARXNG_URL and no package ddgs.",
                mend="Set TAVILY_API_KEY, BRAVE_API_KEY or SEARXNG_URL, or: pip install 'ddax[search]'",
            )
    elif name and not there(name, settings, environ):
        needs = " or ".join(KEYS.get(name, ())) or "the package ddgs: pip install 'ddax[search]'"
        raise SettingsError(
            f"The search service {name!r} cannot be used.",
            why="What it needs is not there.",
            mend=f"It needs {needs}.",
        )
    return name


def there(name: str, settings: Web, environ: Mapping[str, str]) -> bool:
    """Tell whether what a service needs is there."""
    return ddg.installed() if name == "ddgs" else bool(value_of(name, settings, environ))


def value_of(name: str, settings: Web, environ: Mapping[str, str]) -> str:
    """Return the key or the address of a service, or ""."""
    if name == "searxng" and settings.searxng_url:
        return settings.searxng_url
    return next((environ[key].strip() for key in KEYS.get(name, ()) if environ.get(key, "").strip()), "")


def service_hosts(settings: Web, environ: Mapping[str, str]) -> frozenset[str]:
    """Return the hosts that only the search may ask, private as they may be; raises SettingsError."""
    if settings.search not in ("searxng", "auto"):
        return frozenset()
    address = value_of("searxng", settings, environ)
    if not address:
        return frozenset()
    try:
        parts = urlsplit(address)
        host = canonical_host(parts.hostname or "")
    except ValueError as exc:
        raise SettingsError(
            f"{address!r} is no address of a SearXNG.", why=f"{exc}.", mend="Write http://HOST:PORT."
        ) from exc
    if parts.scheme not in ("http", "https") or not host:
        raise SettingsError(
            f"{address!r} is no address of a SearXNG.",
            why="It names no scheme and host.",
            mend="Write http://HOST:PORT.",
        )
    return frozenset({host})


def open_provider(
    name: str,
    settings: Web,
    environ: Mapping[str, str],
    *,
    ask: Ask,
    policy: EgressPolicy,
    clock: Callable[[], float],
) -> Provider:
    """Open the service of a name that `chosen` returned."""
    from ddax.actions.web.search.brave import Brave
    from ddax.actions.web.search.searxng import SearXNG
    from ddax.actions.web.search.tavily import Tavily

    value = value_of(name, settings, environ)
    if name == "searxng":
        return SearXNG(value, ask)
    if name == "tavily":
        return Tavily(value, ask)
    if name == "brave":
        return Brave(value, ask)
    # The engines it asks are none of the pages: the lists of domains are for what they find.
    return ddg.Ddgs(EgressPolicy(resolver=policy.resolver), clock=clock)
