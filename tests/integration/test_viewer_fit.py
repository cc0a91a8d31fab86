"""The page of runs on a wide and on a narrow screen: the answer first, everything in sight, plain words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from ddax import open_agent
from ddax.configs.settings import Context
from ddax.memory.home import Home
from ddax.viewer.serving import served
from tests.integration.browser_page import axe, browser_page
from tests.integration.viewer_parts import see

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="module")]
QUESTION = "When was the harbour of Trondby built?"
PAGES = {
    "tower": "# Tower\n\nThe Corvane Tower is a **lookout tower**. Ilse Maran designed it in 1931.",
    "maran": "Ilse Maran was an architect. She was born in the city of **Trondby** and died in 1970.",
    "trondby": "Trondby is a port city in the north. Its **harbour** was built in 1712.",
}
WIDE = "() => [document.documentElement, ...document.querySelectorAll('.field, aside, .list')]"
WIDE += ".map((one) => one.scrollWidth - one.clientWidth)"
TOP = "(what) => document.querySelector(what).getBoundingClientRect().top"
SEEN = """() => [...document.querySelectorAll('.dag .node')].map((one) => {
    const box = one.getBoundingClientRect(), text = one.querySelector('text');
    return [box.left, box.right, text.getBoundingClientRect().height, text.textContent.length];
})"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home with a run that is done, one that found no answer, and one that asks."""
    place, sources = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("sources")
    for name, text in PAGES.items():
        (sources / f"{name}.md").write_text(text, encoding="utf-8")
    told: dict[str, Any] = {"sources": [str(sources)], "mood": {"engine": "numpy"}}
    with open_agent(Context.model_validate(told), home=place) as agent:
        assert agent.run_sync(QUESTION, thread="done")["status"] == "done"
        assert agent.run_sync(QUESTION, thread="report", output="report")["status"] == "done"
        assert agent.run_sync("What does a fishing licence cost?", thread="absent")["status"] == "not_found"
    careful = Context.model_validate({**told, "human": True, "identity": "traumatized"})
    with open_agent(careful, home=place) as agent:
        agent.run_sync(QUESTION, thread="asks")
    yield place


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
async def test_everything_fits_and_the_answer_is_first(
    viewing: Browser, home: Path, width: int, scheme: Any
) -> None:
    source = axe()
    async with (
        served(Home(home), {}, open_agent) as (where, _),
        browser_page(viewing, color_scheme=scheme) as page,
    ):
        await page.set_viewport_size({"width": width, "height": 844})
        for thread in ("done", "absent", "asks"):
            await page.goto("about:blank")
            watched = await see(page, where, thread)
            assert await page.evaluate(WIDE) == [0, 0, 0], (thread, width)
            if width < 1000:
                assert await page.evaluate(TOP, "aside .answer") < await page.evaluate(TOP, ".dag")
            for left, right, height, length in await page.evaluate(SEEN):
                assert left >= 0 and right <= width and height >= 11 and length, "no zoom is needed"
            if source is not None:
                await page.evaluate(source)
                told = await page.evaluate("axe.run(document, {resultTypes: ['violations']})")
                assert [v["id"] for v in told["violations"] if v["impact"] in ("serious", "critical")] == []
            assert watched.faults == []
        await page.get_by_title("All runs").click()
        await expect(page.locator(".list .pill.not_found")).to_have_text("not found")
        assert await page.evaluate(WIDE) == [0, 0]


async def test_quotes_are_rendered_and_charts_of_nothing_are_left_out(viewing: Browser, home: Path) -> None:
    async with served(Home(home), {}, open_agent) as (where, _), browser_page(viewing) as page:
        await see(page, where, "done")
        quotes = page.locator("aside blockquote")
        assert "**" not in " ".join(await quotes.all_text_contents())
        await page.locator("details.numbers summary").click()
        shown = await page.locator(".chart:visible figcaption b").all_text_contents()
        assert "Rigidity and surprise" in shown and "Tokens" not in shown and "Price" not in shown
        for chart in await page.locator(".chart:visible").all():
            assert await chart.locator("figcaption").get_attribute("title")
            assert "step 0" in (await chart.locator(".axes").text_content() or "")
        assert "ρ" not in (await page.locator("header").text_content() or "")


async def test_a_report_shows_its_sources_once(viewing: Browser, home: Path) -> None:
    async with served(Home(home), {}, open_agent) as (where, _), browser_page(viewing) as page:
        await see(page, where, "report")
        await expect(page.locator("aside .answer")).to_contain_text("What the sources say")
        headings = await page.locator("aside h2, aside h3, aside h4, aside summary").all_text_contents()
        assert [one.strip() for one in headings].count("Sources") == 1, headings
        assert "Sources" not in (await page.locator("aside .answer").text_content() or "")


async def test_the_pointer_reads_the_values_of_a_step(viewing: Browser, home: Path) -> None:
    async with served(Home(home), {}, open_agent) as (where, _), browser_page(viewing) as page:
        await see(page, where, "done")
        await page.locator("details.numbers summary").click()
        chart = page.locator(".chart").first
        before = await chart.locator("figcaption").text_content()
        await chart.locator("svg").hover(position={"x": 30, "y": 20})
        await expect(chart.locator(".where")).to_contain_text("at step")
        await page.mouse.move(5, 5)
        await expect(chart.locator("figcaption")).to_have_text(before or "")


async def test_a_view_that_was_chosen_stays_and_fit_shows_all_of_it(viewing: Browser, home: Path) -> None:
    async with served(Home(home), {}, open_agent) as (where, _), browser_page(viewing) as page:
        await page.set_viewport_size({"width": 390, "height": 844})
        await see(page, where, "done")
        pressed = page.locator('.seg button[aria-pressed="true"]')
        await expect(pressed).to_have_text("Outline")
        await page.get_by_role("button", name="Tree").click()
        await expect(pressed).to_have_text("Tree")
        await page.get_by_role("button", name="Fit", exact=True).click()
        field = "document.querySelector('.field')"
        assert await page.evaluate(f"{field}.scrollWidth <= {field}.clientWidth")
        await page.keyboard.press("t")
        await page.keyboard.press("t")
        await expect(pressed).to_have_text("Tree")


async def test_a_question_is_in_plain_words_and_its_numbers_in_details(viewing: Browser, home: Path) -> None:
    async with served(Home(home), {}, open_agent) as (where, _), browser_page(viewing) as page:
        await see(page, where, "asks")
        ask = page.locator(".ask")
        await expect(ask).to_contain_text("May I")
        await expect(ask.get_by_text("rigidity")).not_to_be_visible()
        await ask.locator("details summary").click()
        await expect(ask.get_by_text("rigidity")).to_be_visible()
