"""A browser has one way out: every vector aims at a trap on this machine, which must stay unasked."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from benchmarks.guard_vectors import VECTORS
from ddax.environments.browser.chromium import Chromium
from ddax.environments.browser.options import BrowserOptions
from ddax.environments.browser.world import BrowserWorld
from ddax.environments.protocol import Move
from ddax.errors import ActionError
from tests.integration.browser_site import Site, only, site, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]


# The site is named 127.0.0.1, which the policy allows; the trap answers to names that it does not.
@pytest.fixture(scope="module")
def trap() -> Iterator[Site]:
    with site() as found:
        yield found


NAMES = ("localhost", "[::1]", "127.0.0.2", "0.0.0.0")
"""Other names for this machine, none of which the policy allows."""
TURNS = 3
"""Vectors whose pages are open at the same time."""


def laid(served: Site, vector: str, trap: Site) -> str:
    """Put a page up that holds a vector for each name, in a frame of its own, and the first in itself."""
    frames = []
    for number, name in enumerate(NAMES):
        host = f"{name}:{trap.port}"
        served.page(f"/redirect{number}", "", status="302", location=f"http://{host}/hop")
        served.page(f"/sw{number}.js", f"fetch('http://{host}/sw')", content_type="text/javascript")
        body = VECTORS[vector].format(trap=f"http://{host}", host=host)
        body = body.replace("/redirect", f"/redirect{number}").replace("/sw.js", f"/sw{number}.js")
        served.page(f"/{number}", body)
        frames.append(f"<iframe src=/{number}></iframe>")
    return served.page("/", "<h1>Here</h1>" + "".join(frames))


Asked = tuple[list[str], list[str]]
"""What a site was asked for, and what its trap."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def asked(chromium: Chromium) -> dict[str, Asked]:
    """Open the pages of every vector, which mostly wait, several beside each other: each has its own trap."""
    await chromium.running()  # once, before all want it
    turns = asyncio.Semaphore(TURNS)

    async def opened(vector: str) -> Asked:
        async with turns:
            with site() as served, site() as trap:
                await visited(laid(served, vector, trap), served.url + "/0", browser=chromium)
            return served.asked, trap.asked

    return dict(zip(VECTORS, await asyncio.gather(*map(opened, VECTORS)), strict=True))


async def visited(*urls: str, browser: Chromium) -> None:
    """Open pages beside each other, and leave them once they have had time to reach out."""
    options = BrowserOptions(writes=True, settle_seconds=1.5)
    worlds = [BrowserWorld(url, browser=browser, options=options, shared=True) for url in urls]
    await asyncio.gather(*(world.reset() for world in worlds))
    for world in worlds:
        await world.close()


@pytest.mark.parametrize("vector", VECTORS)
async def test_a_page_reaches_nothing_but_its_own_host(vector: str, asked: dict[str, Asked]) -> None:
    """The vector is tried in frames, and in a page of its own."""
    served, trap = asked[vector]
    assert {"GET /", "GET /0", "GET /1", "GET /2", "GET /3"} <= set(served)
    assert trap == []


async def test_the_trap_would_tell(trap: Site) -> None:
    """The same vectors hit where the policy allows the names: the trap and the vectors work."""
    hits = {}
    allowed = Chromium(only("127.0.0.1", "localhost"))
    with site() as served:
        for vector in ("image", "fetch", "iframe", "redirect", "script location", "prefetch", "beacon"):
            trap.asked.clear()
            options = BrowserOptions(writes=True)
            world = BrowserWorld(laid(served, vector, trap), browser=allowed, options=options, shared=True)
            await world.reset()
            hits[vector] = len(trap.asked)
            await world.close()
    await allowed.close()
    assert all(hits.values()), hits


@pytest.mark.parametrize(
    "url", [
        "file:///etc/passwd", "view-source:http://127.0.0.1/", "chrome://version", "javascript:alert(1)",
        "data:text/html,x", "ftp://127.0.0.1/", "FILE:///etc/passwd", "http://user:word@127.0.0.1/",
        "about:blank", "blob:http://127.0.0.1/x",
    ],
)  # fmt: skip
async def test_only_http_is_gone_to(url: str, chromium: Chromium) -> None:
    with site({"/": "<h1>Here</h1>"}) as served:
        world = BrowserWorld(served.url + "/", browser=chromium, shared=True)
        before = await world.reset()
        with pytest.raises(ActionError) as caught:
            await world.act(Move("goto", "page", url))
        assert caught.value.kind in ("bad_scheme", "bad_url")
        assert (await world.observe()).url == before.url
        await world.close()


async def test_a_refused_host_is_told_in_plain_words(chromium: Chromium, trap: Site) -> None:
    trap.asked.clear()
    with site({"/": f"<a href='http://localhost:{trap.port}/'>Inside</a>"}) as served:
        world = BrowserWorld(served.url + "/", browser=chromium, shared=True)
        seen = await world.reset()
        link = next(e.id for e in seen.elements if e.kind == "link")
        seen = await world.act(Move("click", link))
        assert "may not be fetched" in seen.text and "not public" in seen.text
        await world.close()
    assert trap.asked == []


CHILD = """
import asyncio, os, sys
from ddax.environments.browser.chromium import Chromium
from ddax.environments.browser.world import BrowserWorld
from tests.integration.browser_site import only

async def main():
    world = BrowserWorld(sys.argv[1], browser=Chromium(only("127.0.0.1")))
    try:
        await world.reset()
        print("ready", flush=True)
        if sys.argv[2] == "error":
            raise ValueError("boom")
        await asyncio.sleep(600)
    finally:
        await world.close()

asyncio.run(main())
"""


def family(root: int) -> set[int]:
    """Return the processes that descend from one."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, ValueError):
                continue
    found = {root}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def alive(pids: set[int]) -> list[str]:
    """Return what still runs of some processes; the dead that nobody has read yet do not count."""
    names = []
    for pid in pids:
        try:
            text = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            continue
        if text.rsplit(")", 1)[1].split()[0] not in "ZX":
            names.append(text)
    return names


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("end", ["error", "SIGINT", "SIGTERM", "SIGKILL"])
async def test_no_process_and_no_profile_is_left_behind(end: str, tmp_path: Path, repo: Path) -> None:
    temporary = tmp_path / "a-long-name-of-a-folder-in-which-no-socket-of-chromium-would-find-a-place-to-be"
    temporary.mkdir()
    env = {**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": str(repo)}
    with site({"/": "<h1>Here</h1>"}) as served:
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, served.url + "/", end], cwd=repo, env=env,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True,
        )  # fmt: skip
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        pids = family(child.pid)
        assert end == "error" or len(pids) > 3
        if end != "error":
            os.kill(child.pid, getattr(signal, end))
        child.wait(60)
        child.stdout.close()
        until = time.monotonic() + 60
        while alive(pids) and time.monotonic() < until:
            time.sleep(0.1)
    assert alive(pids) == []
    assert [path.name for path in temporary.iterdir() if "profile" in path.name] == []


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
async def test_no_process_of_the_browser_has_our_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY_API_KEY", "sk-canary-0123456789abcdef")
    browser = Chromium(only("127.0.0.1"))
    try:
        await browser.running()
        ours = [Path(f"/proc/{pid}") for pid in family(os.getpid()) - {os.getpid()}]
        pages = [one for one in ours if b"--headless" in (one / "cmdline").read_bytes()]
        assert pages  # Playwright's own helper is none of them: it runs no page
        assert [one for one in pages if b"sk-canary" in (one / "environ").read_bytes()] == []
    finally:
        await browser.close()
