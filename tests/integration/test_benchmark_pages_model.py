"""Orders of the benchmark `pages` with its scripted model: a real browser, and real HTTP to the model."""

from __future__ import annotations

import pytest

from benchmarks import pages_model
from benchmarks.core import Options, WrongOption
from benchmarks.model_server import model_server
from benchmarks.pages_site import read_pages, served_pages
from tests.integration.browser_site import with_chromium

pytestmark = [pytest.mark.integration, with_chromium]


async def test_a_scripted_model_carries_orders_out_and_the_oracle_judges_them() -> None:
    pages = {page.name: page for page in read_pages()}
    button, files = pages["w01_button"], pages["c02_confirm"]
    orders = [button.orders[0], button.orders[2], files.orders[0]]
    served = served_pages({page.name: page.html for page in (button, files)})
    with served as address, model_server(pages_model.SCRIPT) as door:
        driven = await pages_model.drive(address, orders, door, {})
    assert [one.tried.verdict for one in driven] == ["done", "rightly refused", "done"]
    assert all(one.calls > 1 and one.tokens > 1_000 for one in driven)
    figures = {one.name: one.value for one in pages_model._figures(driven, None)}
    assert (figures["wrong or falsely claimed"], figures["told that it was not done"]) == (0, 1)


def test_a_model_that_it_does_not_know_is_named() -> None:
    with pytest.raises(WrongOption, match="knows scripted and local"):
        pages_model.run("pages", Options(model="other"), 4)
