"""What a page says of its numbers, and what stands in its closed sections, in a real Chromium."""

from __future__ import annotations

import pytest

from ddax.environments.browser.chromium import Chromium
from ddax.environments.browser.options import BrowserOptions
from ddax.environments.browser.world import BrowserWorld
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.drivers import DRIVERS
from tests.integration.browser_site import Carry, Site, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]
SAYS = "oninput=\"said.textContent+=this.value+';'\""
NUMBERS = (
    f"<label>Seats <input type=number min=1 max=8 value=1 {SAYS}></label>"
    f"<label>Volume <input type=range max=10 value=3 {SAYS}></label>"
    f"<label>Floor <input type=number max=4 {SAYS}></label><p id=said></p>"
)
CLOSED = (
    "<details><summary>Shipping</summary>"
    "<button onclick=\"said.textContent='express'\">Choose express</button></details>"
    "<details><summary>Payment</summary><label>Card number "
    f"<input {SAYS}></label></details><p id=said></p>"
)


@pytest.mark.parametrize(
    ("task", "said", "told"),
    [
        ("Set the seats to 12", "", "“Seats” takes a number from 1 to 8"),
        ("Set the volume to 11", "", "“Volume” takes a number from 0 to 10"),
        ("Set the floor to 5", "", "“Floor” takes a number up to 4"),
        ("Set the volume to 7", "7;", ""),
    ],
)
async def test_a_number_out_of_the_range_of_its_field_is_not_written(
    carry: Carry, task: str, said: str, told: str
) -> None:
    report, now = await carry(NUMBERS, task)
    assert now == said and (report.failed[:1] or ("",)) == (told,)


async def test_what_stands_in_a_closed_section_is_reached_by_opening_it(carry: Carry) -> None:
    report, now = await carry(CLOSED, "Choose express")
    assert report.ok and now == "express"


async def test_what_a_closed_section_holds_is_not_seen(chromium: Chromium, served: Site) -> None:
    options = BrowserOptions(writes=True)
    world = BrowserWorld(served.page("/", CLOSED), browser=chromium, options=options, shared=True)
    seen = await world.reset()
    assert [node.role for node in seen.nodes] == ["summary", "summary"]
    report = await Pilot(world, DRIVERS).run("Click Shipping")
    await world.close()
    assert [node.name for node in report.seen.nodes if node.role == "button"] == ["Choose express"]
