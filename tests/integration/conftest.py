"""What several tests share: a server that speaks as OpenAI's, a site of one's own, one Chromium a module."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from ddax.environments.browser.chromium import Chromium
from ddax.environments.browser.options import BrowserOptions
from ddax.environments.browser.seen import PageSeen
from ddax.environments.browser.world import BrowserWorld
from ddax.environments.pilot.drivers.table import DRIVERS
from ddax.environments.pilot.pilot import Pilot, Report
from ddax.reasoning.testing import FakeOpenAI
from tests.integration.browser_page import NAMES, Find, running_browser
from tests.integration.browser_site import Carry, Open, Site, only, site


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOpenAI]:
    """Run a server that speaks as OpenAI's does, and send everybody to it."""
    with FakeOpenAI() as running:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-a-key-of-the-test-alone")
        for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE"):
            monkeypatch.setenv(name, running.base_url)
        yield running


@pytest.fixture
def served() -> Iterator[Site]:
    with site() as found:
        yield found


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chromium(request: pytest.FixtureRequest) -> AsyncIterator[Chromium]:
    """Give a browser that reaches this machine alone, by the names in the module's HOSTS."""
    running = Chromium(only(*getattr(request.module, "HOSTS", ("127.0.0.1",))))
    yield running
    await running.close()


@pytest_asyncio.fixture(loop_scope="module")
async def opened(chromium: Chromium, served: Site) -> AsyncIterator[Open]:
    worlds: list[BrowserWorld] = []

    async def open_page(body: str, **options: Any) -> tuple[BrowserWorld, PageSeen]:
        url = served.page("/", body)
        made = BrowserWorld(url, browser=chromium, options=BrowserOptions(**options), shared=True)
        worlds.append(made)
        return made, await made.reset()

    yield open_page
    for made in worlds:
        await made.close()


@pytest.fixture
def carry(chromium: Chromium, served: Site) -> Carry:
    """Carry out a task on a page, and return the report with what the page says then."""

    async def made(body: str, task: str) -> tuple[Report, str]:
        options = BrowserOptions(writes=True)
        world = BrowserWorld(served.page("/", body), browser=chromium, options=options, shared=True)
        await world.reset()
        report = await Pilot(world, DRIVERS).run(task)
        said = "".join(node.own for node in report.seen.nodes if node.hints == "said")
        await world.close()
        return report, said

    return made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def viewing(need: Find) -> AsyncIterator[Browser]:
    """Give the browser in which a module looks at pages of its own, each in a context of its own."""
    async with running_browser(need(*NAMES)) as running:
        yield running
