"""Tasks and questions in a real browser without a model: what is pressed, what is opened, what is not."""

from __future__ import annotations

from typing import Any

import pytest

from ddax.actions.protocol import ActionContext
from ddax.environments.pilot.browse import BrowseArguments, Browsing
from ddax.environments.pilot.disclose import disclosed
from ddax.environments.pilot.drivers.table import DRIVERS
from ddax.environments.pilot.pilot import Pilot
from tests.integration.browser_site import Open, Site, id_of, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]


async def test_the_model_free_policy_fills_a_form_and_follows_a_link(opened: Open, served: Site) -> None:
    served.page("/done", "<h1>All set</h1>")
    world, _ = await opened(
        "<form action=/done><label>Name <input name=n></label><label>City <input name=c></label>"
        "<label><input type=checkbox name=k> I agree</label><button>Send</button></form>"
    )
    report = await Pilot(world, DRIVERS).run(
        'Enter "Ada" into the name field, enter "Oslo" into the city field, check "I agree", '
        "then click Send.",
    )
    assert report.ok and "All set" in report.seen.text
    assert "GET /done?n=Ada&c=Oslo&k=on" in served.asked


async def test_the_policy_unticks_and_drags(opened: Open) -> None:
    world, _ = await opened(
        "<label><input type=checkbox checked> News</label><p id=r draggable=true>Red</p>"
        "<p id=b style='height:60px' ondragover='event.preventDefault()' ondrop='b.append(r)'>Blue</p>"
    )
    report = await Pilot(world, DRIVERS).run('Uncheck "News" and drag "Red" to "Blue".')
    [red] = [node for node in report.seen.nodes if node.name == "Red"]
    assert report.ok and red.parent == id_of(report.seen, "Blue Red")
    assert not any("checked" in node.state for node in report.seen.nodes)


async def test_the_policy_presses_nothing_that_was_not_named(opened: Open, served: Site) -> None:
    served.page("/sold", "<h1>Sold</h1>")
    world, _ = await opened("<form action=/sold><button>Sell everything</button></form>")
    report = await Pilot(world, DRIVERS).run("Click the button Launch rocket.")
    assert not report.ok and not report.moves and not any("/sold" in asked for asked in served.asked)


HIDING = """<main><h1>Harbour</h1>
<details><summary>Mooring fees</summary><p>A boat of 12 metres pays 40 euros a night.</p></details>
<div role=tablist><button role=tab aria-selected=true>News</button>
<button role=tab onclick="document.getElementById('t').hidden=false">Berths</button></div>
<p id=t hidden>Berth 7 is free.</p>
<button aria-expanded=false onclick="this.setAttribute('aria-expanded',true);m.hidden=false">More</button>
<p id=m hidden>The bar is on the pier.</p>
<button onclick="fetch('/pressed');o.hidden=false">Opening hours</button>
<p id=o hidden>The office opens at 7.</p>
<button onclick="fetch('/ordered')">Order fuel</button>
<form method=post action=/booked><button>Open a booking</button></form>
<button onclick="fetch('/sent',{method:'POST'})">Send opening hours</button></main>
<footer><details><summary>Imprint</summary>Harbour office, Calder</details></footer>"""
ASKED = "When does the harbour office open?"


async def test_a_question_opens_what_hides_text_and_nothing_that_has_an_effect(
    opened: Open, served: Site
) -> None:
    world, seen = await opened(HIDING)
    _, text = await disclosed(world, seen, ASKED)
    lines = text.split("\n\n")
    hidden = {
        "A boat of 12 metres pays 40 euros a night.", "Berth 7 is free.", "The bar is on the pier.",
        "The office opens at 7.", "Harbour office, Calder",
    }  # fmt: skip
    assert hidden <= set(lines)
    assert len(lines) == len(set(lines))
    assert "GET /pressed" in served.asked, "its words are those of the question"
    assert not [asked for asked in served.asked if "/ordered" in asked or not asked.startswith("GET")]


async def test_where_pages_may_be_written_to_a_question_presses_only_what_shows(
    opened: Open, served: Site
) -> None:
    world, seen = await opened(HIDING, writes=True)
    _, text = await disclosed(world, seen, ASKED)
    assert "A boat of 12 metres pays 40 euros a night." in text
    assert "The office opens at 7." not in text
    assert set(served.asked) <= {"GET /", "GET /favicon.ico"}


async def test_opening_ends_where_it_leads_away_and_a_question_of_the_page_is_dismissed(
    opened: Open, served: Site
) -> None:
    served.page("/gone", "<h1>Elsewhere</h1>")
    world, seen = await opened(
        "<button onclick='if (confirm(1)) fetch(\"/yes\")'>Open the office</button>"
        "<button onclick='location.href=\"/gone\"'>Office</button><details><summary>X</summary>late</details>"
    )
    after, text = await disclosed(world, seen, "What office opens when?")
    assert after.url.endswith("/gone")
    assert "late" not in text and "Elsewhere" not in text
    assert "GET /yes" not in served.asked


async def test_the_action_answers_from_a_closed_section_with_its_page(opened: Open, served: Site) -> None:
    world, _ = await opened(HIDING)
    action = Browsing(world).action()
    nothing: Any = None
    context = ActionContext(nothing, nothing, "t", "", "0.1", 1, 0.0, "key")
    result = await action.function(context, BrowseArguments(task="What does a boat of 12 metres pay?"))
    assert result.sources[0] == f"{served.url}/"
    assert "A boat of 12 metres pays 40 euros a night." in result.pages[0].text
