"""The contract of environments, held by a real Chromium."""

from __future__ import annotations

from typing import Any

import pytest

from ddax.environments.browser.chromium import Chromium
from ddax.environments.browser.options import BrowserOptions
from ddax.environments.browser.world import BrowserWorld
from ddax.environments.protocol import Element, Environment, Move
from ddax.testing import EnvironmentContract
from tests.integration.browser_site import only, site, with_chromium

pytestmark = pytest.mark.integration
PAGES = {
    "/": "<h1>Start</h1><a href=/a>To A</a> <a href=/b>To B</a>"
    "<button onclick='this.innerText=\"Pressed\"'>Press</button>",
    "/a": "<h1>Place A</h1><a href=/>Home</a> <input aria-label=Name> <a href=/b>To B</a>",
    "/b": "<h1>Place B</h1><select aria-label=Which><option>one<option>two</select>"
    "<a href=/>Home</a> <a href=/end>End</a>",
    "/end": "<h1>The end</h1>",
}
NAMES = {"page": "scroll", "textbox": "type", "combobox": "select"}
VALUES = {"textbox": "words", "combobox": "two"}


class EndsThere:
    """The world ends at one page, which brings a reward."""

    async def begin(self, page: Any, seed: int) -> None:
        assert seed >= 0

    async def outcome(self, page: Any) -> tuple[float, bool]:
        there = page.url.endswith("/end")
        return float(there), there


@with_chromium
class TestBrowser(EnvironmentContract):
    word = "click"

    @pytest.fixture(autouse=True)
    def served(self) -> Any:
        with site(PAGES) as found:
            self.url = f"{found.url}/"
            yield

    def make(self) -> Environment:
        options = BrowserOptions(sandbox=True, rules=EndsThere())
        return BrowserWorld(self.url, browser=Chromium(only("127.0.0.1")), options=options)

    def move(self, element: Element) -> Move:
        return Move(NAMES.get(element.kind, "click"), element.id, VALUES.get(element.kind, ""))
