"""Chromium behind the guard: pages that reach out, and pages that hold up who looks at them (battery W5)."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager

from benchmarks.guard_cases import START, Trap, Tried, hosts, names
from benchmarks.guard_site import Site, endless, head, page, redirect, serving
from benchmarks.guard_vectors import HOLDUPS, VECTORS
from ddax.actions.egress import policy_of
from ddax.actions.web.log import Exchange
from ddax.actions.web.proxy import EgressProxy, ProxyLimits, egress_proxy
from ddax.environments.browser.chromium import Chromium
from ddax.environments.browser.options import BrowserOptions
from ddax.environments.browser.world import BrowserWorld
from ddax.errors import ActionError

NAMES = ("localhost", "[::1]", "127.0.0.2", "0.0.0.0", "127.0.0.1")
LOOK_CAP = 40.0
"""Seconds a page may hold up who looks: it is loaded and looked at, each within the cap of a move."""
LIMITS = ProxyLimits(exchanges=1_000_000)
HERE_STILL = "<h1>Still here</h1>"


async def browsing(trap: Trap, *, quick: bool) -> tuple[list[Tried], list[Exchange]]:
    """Try every vector under every name of this machine, then what holds up; returns what was refused too."""
    policy = policy_of(allow_hosts=[START], resolver=names)
    proxies: list[EgressProxy] = []

    @asynccontextmanager
    async def egress() -> AsyncIterator[EgressProxy]:
        async with egress_proxy(policy, clock=time.time, limits=LIMITS) as proxy:
            proxies.append(proxy)
            yield proxy

    chromium, found = Chromium(egress), list[Tried]()
    try:
        async with serving({"/blank": page(""), "/ok": page(HERE_STILL)}) as site:
            site.answers["/auth"] = page("who?", 401, WWW_Authenticate='Basic realm="x"')
            site.answers["/big"] = endless(head(kind="application/octet-stream"), b"x" * 65_536)
            for name, body in VECTORS.items():
                lay(site, name, body, trap, NAMES[:1] if quick else NAMES)
                found.append(await opened(chromium, site, trap, name))
            found.append(await as_images(chromium, site, trap))
            for name, body in HOLDUPS.items():
                site.answers["/"] = page(f"<title>A page</title><h1>Here</h1>{body}")
                found.append(await opened(chromium, site, trap, name, held=True))
    finally:
        await chromium.close()
    return found, [note for proxy in proxies for note in proxy.log if note.ruling == "refused"]


def lay(site: Site, name: str, body: str, trap: Trap, aims: Sequence[str]) -> None:
    """Put up a page that holds a vector for each name, in a frame of its own."""
    for number, aim in enumerate(aims):
        host = f"{aim}:{trap.port}"
        site.answers[f"/redirect{number}"] = redirect(f"http://{host}/hop")
        worker = f"fetch('http://{host}/sw')"
        site.answers[f"/sw{number}.js"] = page(worker, kind="text/javascript")
        text = body.format(trap=f"http://{host}", host=host)
        text = text.replace("/redirect", f"/redirect{number}").replace("/sw.js", f"/sw{number}.js")
        site.answers[f"/{number}"] = page(text)
    frames = "".join(f"<iframe src=/{number}></iframe>" for number in range(len(aims)))
    site.answers["/"] = page(f"<title>{name}</title><h1>Here</h1>{frames}")


async def opened(
    chromium: Chromium, site: Site, trap: Trap, name: str, *, held: bool = False, way: str = "browser"
) -> Tried:
    """Open the page, look, and open another; the trap must not be asked, and the look must end."""
    options = BrowserOptions(writes=True, settle_seconds=1.5, move_seconds=15.0)
    before, start, reason, ok = trap.hits, time.monotonic(), "", False
    world = BrowserWorld(site.url("/", START), browser=chromium, options=options, shared=True)
    with told() as words:
        seen = await world.reset()
        ok = bool(seen.text) and "root:" not in seen.text
    seconds = time.monotonic() - start
    reason = words[0] if words else ""
    if held:
        world.url = site.url("/ok", START)
        with told() as words:
            ok = (ok or bool(reason)) and "Still here" in (await world.reset()).text
        reason = reason or (words[0] if words else "")
    await world.close()
    hits = trap.hits - before
    return Tried("W5", name, way, ok and not hits, reason, seconds, LOOK_CAP, hits)


@contextmanager
def told() -> Iterator[list[str]]:
    """Keep what an action says when it fails: a page that holds up may be given up, with the reason."""
    words: list[str] = []
    try:
        yield words
    except ActionError as error:
        words.append(f"{error.kind}: {error.what} {error.why}")


async def as_images(chromium: Chromium, site: Site, trap: Trap) -> Tried:
    """Show every host of W1 as an image: Chromium reads spellings as it does, the proxy must refuse all."""
    images = "".join(f"<img src='http://{host}:{trap.port}/i'>" for host in hosts())
    site.answers["/"] = page(f"<title>Images</title><h1>Here</h1>{images}")
    return await opened(chromium, site, trap, "every host of W1 as an image")


async def control(trap: Trap) -> int:
    """Return the connections the trap gets where the guard lets them: the battery must be able to fail."""
    policy = policy_of(allow_hosts=[START, "localhost"], resolver=names)
    chromium = Chromium(lambda: egress_proxy(policy, clock=time.time))
    before = trap.hits
    async with serving({}) as site:
        for name in ("image", "fetch", "iframe"):
            lay(site, name, VECTORS[name], trap, NAMES[:1])
            await opened(chromium, site, trap, name)
    await chromium.close()
    return trap.hits - before
