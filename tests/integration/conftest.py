"""What the tests of the browser share: a site of one's own, and one Chromium a module."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from ddax.environments.browser.chromium import Chromium
from tests.integration.browser_site import Site, only, site


@pytest.fixture
def served() -> Iterator[Site]:
    with site() as found:
        yield found


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chromium() -> AsyncIterator[Chromium]:
    running = Chromium(only("127.0.0.1"))
    yield running
    await running.close()
