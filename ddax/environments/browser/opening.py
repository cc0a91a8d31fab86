"""Open the browser that a source names, as `browser:https://example.org/start`."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

from ddax.actions.egress import EgressPolicy, checked_url
from ddax.actions.web.opening import policy_for
from ddax.actions.web.proxy import connected, egress_proxy
from ddax.configs.secrets import Redactor
from ddax.configs.settings import Context
from ddax.environments.browser.chromium import Chromium, find_chromium
from ddax.environments.browser.options import BrowserOptions
from ddax.environments.browser.secrets import open_vault
from ddax.environments.browser.world import BrowserWorld
from ddax.errors import ActionError, SourceError, UsageError

SCHEME = "browser:"


def is_browser(spec: str) -> bool:
    """Tell whether a source names a page to open in a browser."""
    return spec.startswith(SCHEME)


def page_of(spec: str) -> str:
    """Return the address in a source; raises UsageError where it is none a browser goes to."""
    url = spec.removeprefix(SCHEME)
    try:
        checked_url(url)
    except ActionError as exc:
        raise UsageError(
            f"{url!r} is no page for a browser.",
            why=exc.why,
            mend=exc.mend or "Write it as http://… or https://…",
        ) from exc
    return url


async def find_page(spec: str, settings: Context, *, trusted: bool = True) -> None:
    """See that somebody answers at the address in a source, and ask nothing; raises SourceError."""
    url = page_of(spec)
    parts = checked_url(url)
    try:
        addresses = await _policy(settings, url, trusted).addresses(parts)
        _, writer, _ = await connected(parts, addresses)
    except ActionError as exc:
        raise SourceError(
            f"The page {url!r} cannot be opened.",
            why=" ".join(part for part in (exc.what, exc.why) if part),
            mend=exc.mend or "Check the address and the network.",
        ) from exc
    writer.close()
    with suppress(OSError):  # the other side may have hung up first
        await writer.wait_closed()


def _policy(settings: Context, url: str, trusted: bool) -> EgressPolicy:
    return policy_for(settings, *([checked_url(url).hostname or ""] if trusted else []))


def open_browser(spec: str, settings: Context, *, trusted: bool = True) -> BrowserWorld:
    """Open a browser world; raises UsageError without a Chromium, or where a secret has no value.

    The host that the user names may be private where the user is `trusted`; no other private one may be
    reached but those of `allow_hosts`.
    """
    url = page_of(spec)
    find_chromium()
    chosen = settings.browser
    policy = _policy(settings, url, trusted)
    options = BrowserOptions(
        writes=chosen.writes,
        vault=open_vault(chosen.secrets, os.environ),
        redactor=Redactor.of_process(),
        downloads=Path(chosen.downloads) if chosen.downloads else None,
        uploads=Path(chosen.uploads) if chosen.uploads else None,
    )
    browser = Chromium(lambda: egress_proxy(policy, clock=time.time))
    return BrowserWorld(url, browser=browser, options=options)
