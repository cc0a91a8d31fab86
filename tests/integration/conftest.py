"""What the tests of the browser share: a site of one's own, and one Chromium a module."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from ddax.environments.browser.chromium import Chromium
from ddax.environments.browser.options import BrowserOptions
from ddax.environments.browser.world import BrowserWorld
from ddax.environments.pilot.pilot import Pilot, Report
from tests.integration.browser_site import Carry, Site, only, site


@pytest.fixture
def served() -> Iterator[Site]:
    with site() as found:
        yield found


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chromium() -> AsyncIterator[Chromium]:
    running = Chromium(only("127.0.0.1"))
    yield running
    await running.close()


@pytest.fixture
def carry(chromium: Chromium, served: Site) -> Carry:
    """Carry out a task on a page, and return the report with what the page says then."""

    async def made(body: str, task: str) -> tuple[Report, str]:
        options = BrowserOptions(writes=True)
        world = BrowserWorld(served.page("/", body), browser=chromium, options=options, shared=True)
        await world.reset()
        report = await Pilot(world).run(task)
        said = "".join(node.own for node in report.seen.nodes if node.hints == "said")
        await world.close()
        return report, said

    return made
