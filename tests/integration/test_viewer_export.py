"""Hostile text shown by the page of runs and by its export, and the export beside the page."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from benchmarks.view_world import write_run
from ddax import open_agent
from ddax.ideas import dag
from ddax.memory.home import Home
from ddax.viewer.export import page as exported_page
from ddax.viewer.kept import kept
from ddax.viewer.reading import Reader
from ddax.viewer.serving import served
from tests.cases import tables
from tests.integration.browser_page import Watched, browser_page
from tests.integration.viewer_parts import picture_of, said, see

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="module")]


PAYLOADS: list[str] = tables(__file__)["payloads"]
WRAPS = ("{}", " {}", "{}\n{}", "\u202e{}", "a{}b")


def payload(number: int) -> str:
    """Return one of 200 payloads."""
    text = PAYLOADS[number % len(PAYLOADS)].replace("OUT", "http://evil.example/x")
    return WRAPS[number // len(PAYLOADS) % len(WRAPS)].replace("{}", text)


@pytest.mark.long
async def test_two_hundred_payloads_run_nowhere(viewing: Browser, tmp_path: Path) -> None:
    assert len({payload(number) for number in range(200)}) == 200
    ideas = await write_run(tmp_path, "xss", 201, words=payload, batch=40)
    ids = sorted((idea["id"] for idea in ideas), key=dag.sort_key)
    async with Reader(Home(tmp_path), {}) as reader:
        run = await kept(reader, "xss")
    file = tmp_path / "out.html"
    file.write_text(exported_page(run), encoding="utf-8")
    async with served(Home(tmp_path), {}, open_agent) as (where, _), browser_page(viewing) as page:
        watched = await see(page, where, "xss")
        await _open_everything(page, ids)
        assert await page.evaluate("window.pwned") is None
        assert watched.faults == []
        assert watched.outside(f"http://127.0.0.1:{where.port}/") == []
        await page.screenshot(path=tmp_path / "hostile.png")
    async with browser_page(viewing, offline=True) as page:
        watched = Watched(page)
        await page.goto(file.as_uri())
        await page.wait_for_selector(".dag .node")
        await _open_everything(page, ids)
        assert await page.evaluate("window.pwned") is None
        assert watched.faults == []
        assert watched.asked == [file.as_uri()]


async def _open_everything(page: Page, ids: list[str]) -> None:
    """Show each idea's details, the search, the table, and the question's words."""
    await page.keyboard.press("t")
    await page.wait_for_selector("tbody tr")
    for key in ids[:200]:  # what the table shows at once
        await page.evaluate(
            """(key) => [...document.querySelectorAll('tbody tr')]
               .find((row) => row.cells[0].textContent === key)
               .querySelector('button').click()""",
            key,
        )
        await expect(page.locator("aside .head .mono")).to_have_text(key)
    await page.get_by_label("Search ideas").fill("script")
    await expect(page.locator(".hits button").first).to_be_visible()


async def test_the_export_opens_from_disk_with_the_same_picture(viewing: Browser, tmp_path: Path) -> None:
    await write_run(tmp_path, "big", 1000, batch=100)
    async with Reader(Home(tmp_path), {}) as reader:
        text = exported_page(await kept(reader, "big"))
    file = tmp_path / "out.html"
    file.write_text(text, encoding="utf-8")
    assert file.stat().st_size <= 5_000_000
    async with served(Home(tmp_path), {}, open_agent) as (where, _), browser_page(viewing) as page:
        await see(page, where, "big")
        live = await picture_of(page)
        await page.locator('input[type="range"]').fill("5")
        await expect(page.locator(".notes")).to_contain_text("Moment")
        then = await picture_of(page)
    async with browser_page(viewing, offline=True) as page:
        watched = Watched(page)
        await page.goto(file.as_uri())
        await page.wait_for_selector(".dag .node")
        await expect(page.locator(".time .what")).to_have_text(said("moment"))
        assert await picture_of(page) == live
        await page.locator('input[type="range"]').fill("5")
        await expect(page.locator(".notes")).to_contain_text("Moment")
        assert await picture_of(page) == then
        await page.locator(".dag .node").nth(3).click()
        await expect(page.locator("aside")).to_contain_text("What it saw")
        await page.screenshot(path=tmp_path / "export.png")
        assert (watched.faults, watched.asked) == ([], [file.as_uri()])


async def test_a_long_name_of_a_thread_takes_no_room_from_what_stands_beside_it(
    viewing: Browser, tmp_path: Path
) -> None:
    name = "long-name-" * 12
    await write_run(tmp_path, name, 20)
    async with Reader(Home(tmp_path), {}) as reader:
        (tmp_path / "out.html").write_text(exported_page(await kept(reader, name)), encoding="utf-8")
    async with browser_page(viewing, offline=True) as page:
        await page.goto((tmp_path / "out.html").as_uri())
        await page.wait_for_selector(".dag .node")
        for width, highest in ((1100, 80), (380, 200)):
            await page.set_viewport_size({"width": width, "height": 800})
            assert await page.locator("header.top").evaluate("one => one.offsetHeight") <= highest
            outer = await page.locator(".facts").evaluate("one => one.getBoundingClientRect().right")
            rights = await page.locator(".facts span").evaluate_all(
                "all => all.map(one => one.getBoundingClientRect().right)"
            )
            assert max(rights) <= outer + 1, (width, rights, outer)
        await expect(page.locator(".facts .name")).to_have_attribute("title", name)
