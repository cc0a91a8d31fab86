"""How pages come into a real browser: late, never to their end, with an error, or not at all."""

from __future__ import annotations

import socket
import time
from dataclasses import replace
from pathlib import Path

import pytest

from ddax.actions.web.opening import open_web
from ddax.configs.settings import Context
from ddax.configs.settings import Web as WebSettings
from ddax.environments.browser.chromium import Chromium
from ddax.environments.browser.render import open_rendering
from ddax.environments.browser.world import BrowserWorld
from ddax.environments.protocol import Move
from ddax.errors import ActionError
from tests.integration.browser_site import Open, Site, id_of, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]


async def test_a_page_that_asks_while_it_loads_is_seen_by_its_question(opened: Open) -> None:
    world, seen = await opened("<script>prompt('Who?')</script><h1>Here</h1>")
    assert "Who?" in seen.dialog
    seen = await world.act(Move("dismiss", "dialog"))
    assert "Here" in seen.text


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://127.0.0.1:{port}/", "cannot be reached"),
        ("https://127.0.0.1:{port}/", "cannot be reached"),
        ("http://10.0.0.1/", "not public"),
        ("https://10.0.0.1/", "not public"),
    ],
)
async def test_a_page_that_cannot_be_had_is_an_error_with_the_reason(
    chromium: Chromium, url: str, why: str
) -> None:
    with socket.socket() as held:  # bound and not listening: nobody answers there
        held.bind(("127.0.0.1", 0))
        world = BrowserWorld(url.format(port=held.getsockname()[1]), browser=chromium, shared=True)
        with pytest.raises(ActionError, match="was not opened") as caught:
            await world.reset()
        await world.close()
    assert why in caught.value.why


async def test_the_status_of_an_answer_is_told(opened: Open, served: Site) -> None:
    served.page("/gone", "<h1>Gone</h1>", status="410")
    world, _ = await opened("<p>Here")
    seen = await world.act(Move("goto", "page", served.url + "/gone"))
    assert "answered with status 410" in seen.text and "Gone" in seen.text


LATE = (
    "<script>setTimeout(() => { document.querySelector('#d').outerHTML = '<p>High water is at 14:35.' }, 900)"
    "</script>"
)


@pytest.mark.parametrize(
    "body",
    [
        "<div id=d>loading</div>", "<p id=d>Please wait …</p>", "<p id=d>The tides are loading...</p>",
        "<section aria-busy=true id=d>Tides</section>", "<h1>Tides</h1><progress id=d></progress>",
        "<div id=d></div>",
    ],
    ids=["a word", "please wait", "a sentence", "a busy region", "a bar without a value", "nothing yet"],
)  # fmt: skip
async def test_a_page_that_says_it_is_loading_is_waited_for(opened: Open, body: str) -> None:
    _, seen = await opened(body + LATE)
    assert "High water is at 14:35." in seen.text


@pytest.mark.parametrize("body", ["<p>Loading dock: berth 7</p><img src=x alt=Crane>", "<p>High water</p>"])
async def test_a_still_page_is_not_waited_for(opened: Open, body: str) -> None:
    world, _ = await opened(body, settle_seconds=30.0)
    start = time.monotonic()
    await world.reset()
    assert time.monotonic() - start < 30


async def test_a_page_that_says_for_ever_that_it_loads_is_waited_for_once(opened: Open) -> None:
    world, seen = await opened("<p>Loading</p><button>Go</button>", settle_seconds=8.0)
    start = time.monotonic()
    await world.act(Move("click", id_of(seen, "Go")))
    assert time.monotonic() - start < 8


async def test_a_page_that_never_ends_is_read_as_far_as_it_came(opened: Open, served: Site) -> None:
    served.page("/endless", "<p>The slow page says seven knots.</p>", endless="yes")
    short = {"move_seconds": 5.0, "end_seconds": 1.0, "settle_seconds": 1.0}
    world, seen = await opened("<a href=/endless>Slow</a>", **short)
    assert "had not ended" not in seen.text
    for move in (Move("goto", "page", served.url + "/endless"), Move("click", id_of(seen, "Slow"))):
        after = await world.act(move)
        assert "seven knots" in after.text and "the page had not ended when it was read" in after.text
        await world.reset()


APP = """<title>App</title><div id=app></div><style>.no {display: none}</style><script>
document.title = 'The harbour';
app.innerHTML = '<h1>Mooring</h1><p>A boat of 12 metres pays 34 euros a night.</p><p class=no>Obey me</p>'
  + '<a href=/next>Next page</a>'
fetch('/count', {method: 'POST', body: 'seen'}).catch(() => 0)</script>"""


async def test_a_page_that_is_empty_without_its_scripts_is_read_as_it_is_seen(
    served: Site, tmp_path: Path
) -> None:
    settings = Context(allow_hosts=("127.0.0.1",), web=WebSettings(robots=False))
    web = open_web(
        settings, tmp_path, {}, clock=time.time, monotonic=time.monotonic, rendering=open_rendering
    )
    try:
        found = await web.read(served.page("/app", APP))
    finally:
        await web.close()
    assert found.title == "The harbour" and "34 euros a night" in found.text and "Obey" not in found.text
    assert any(link.endswith("/next") for link in found.links)
    assert not any(asked.startswith("POST") for asked in served.asked)


async def test_a_page_that_spins_is_given_up_and_the_next_task_goes_on(opened: Open) -> None:
    world, seen = await opened("<button onclick='while(true);'>Spin</button>", move_seconds=2.0)
    with pytest.raises(ActionError) as caught:
        await world.act(Move("click", id_of(seen, "Spin")))
    assert caught.value.kind == "timeout"
    world.options = replace(world.options, move_seconds=20.0)
    assert id_of(await world.reset(), "Spin")
