"""The page of runs in a real Chromium: it follows a run, goes back, forks, answers, and lets nothing in."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.async_api import Browser, Page, Route, expect

from benchmarks.view_world import ideas_of, state_at
from ddax import open_agent
from ddax.configs.settings import Context
from ddax.graph.threads.manifests import RunInfo
from ddax.memory.home import Home
from ddax.viewer.serving import served
from tests.integration.browser_page import Watched, axe, browser_page
from tests.integration.viewer_parts import picture_of, said, see

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="module")]
QUESTION = "When was the harbour of Trondby built?"
PAGES = {
    "tower": "The Corvane Tower is a lookout tower in Belmark. Ilse Maran designed it in 1931.",
    "maran": "Ilse Maran was an architect. She was born in the city of Trondby and died in 1970.",
    "trondby": "Trondby is a port city in the north. Its harbour was built in 1712.",
}


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sources")
    for name, text in PAGES.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return folder


def settings(sources: Path, **more: Any) -> Context:
    return Context.model_validate({"sources": [str(sources)], "mood": {"engine": "numpy"}, **more})


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, sources: Path) -> Iterator[Path]:
    """A home with one real run that is done, and one that waits for a human."""
    place = tmp_path_factory.mktemp("home")
    with open_agent(settings(sources), home=place) as agent:
        assert agent.run_sync(QUESTION, thread="done")["status"] == "done"
    with open_agent(settings(sources, human=True, identity="traumatized"), home=place) as agent:
        assert agent.run_sync(QUESTION, thread="asks")["status"] == "waiting"
    yield place


async def test_a_run_is_looked_into(viewing: Browser, home: Path, tmp_path: Path) -> None:
    async with (
        served(Home(home), {}, open_agent) as (where, _),
        browser_page(viewing) as page,
    ):
        watched = await see(page, where, "done")
        assert where.token not in page.url
        await page.screenshot(path=tmp_path / "run.png")
        states = await picture_of(page)
        await page.locator('.dag .node[aria-label^="read: trondby;"]').click()
        side = page.locator("aside")
        for words in (
            "What it did",
            "Expected",
            "Got",
            "Its score",
            "ed in step 4",
            "vote beside it",
            "visit",
        ):
            await expect(side).to_contain_text(words)
        await expect(side.locator("mark.cited").first).to_contain_text("Trondby")
        await expect(side.locator(".marks .cited")).to_have_text("cited in a result")
        if await side.locator(".speech button").count():  # what an argument quotes is a click away
            await side.locator(".speech button").first.click()
            await expect(side.locator("mark.pointed").first).to_be_in_viewport()
        await page.screenshot(path=tmp_path / "idea.png")

        slider = page.locator('input[type="range"]')
        await slider.fill("6")
        await expect(page.locator(".notes")).to_contain_text("the run as it stood then")
        await expect(page.locator(".dag .node")).not_to_have_count(len(states))
        await expect(side).to_contain_text("was not there yet")
        await page.screenshot(path=tmp_path / "moment.png")
        await page.locator('.dag .node[aria-label^="When was"]').click()
        await page.keyboard.press("Escape")
        await expect(side).to_contain_text(said("Moment 5, step \\d"))
        await page.get_by_role("button", name="Back to now").click()
        await expect(page.locator(".dag .node")).to_have_count(len(states))

        await page.keyboard.press("/")
        await page.keyboard.type("read: trondby")
        await page.keyboard.press("Enter")
        await expect(page.locator(".dag .node.chosen")).to_have_attribute("aria-label", said("read: trondby"))
        await page.keyboard.press("Escape")
        await expect(side).to_contain_text("Answer")
        await page.keyboard.press("t")
        await expect(page.locator("tbody tr")).to_have_count(1)
        await page.get_by_label("Search ideas").fill("")
        await expect(page.locator("tbody tr")).to_have_count(len(states))
        await page.screenshot(path=tmp_path / "table.png")
        assert watched.faults == []
        assert watched.outside(f"http://127.0.0.1:{where.port}/") == []


async def test_the_picture_is_walked_by_keys(viewing: Browser, home: Path) -> None:
    async with served(Home(home), {}, open_agent) as (where, _), browser_page(viewing) as page:
        await see(page, where, "done")
        count = await page.locator(".dag .node").count()
        await page.locator('.dag .node[tabindex="0"]').focus()
        await page.keyboard.press("ArrowLeft")
        await expect(page.locator(".dag .node")).to_have_count(1)
        assert await page.locator(".dag .node .foldtext").text_content() == f"+{count - 1}"
        await page.keyboard.press("ArrowRight")
        await expect(page.locator(".dag .node")).to_have_count(count)
        await page.keyboard.press("ArrowRight")
        await page.keyboard.press("Enter")
        assert "idea=0.1" in page.url
        await page.reload()
        await expect(page.locator(".dag .node.chosen")).to_have_count(1)
        await page.keyboard.press("?")
        await expect(page.get_by_role("dialog")).to_contain_text("search")
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog")).to_have_count(0)


async def test_a_question_of_protect_mode_is_answered_and_the_run_goes_on_before_the_eyes(
    viewing: Browser, home: Path, sources: Path, tmp_path: Path
) -> None:
    def opener(_: Any = None) -> Any:
        return open_agent(settings(sources, human=True, identity="traumatized"), home=home)

    async with served(Home(home), {}, opener) as (where, _), browser_page(viewing) as page:
        watched = await see(page, where, "asks")
        ask = page.locator(".ask")
        await expect(ask).to_contain_text("otherwise than I expected. May I")
        await expect(ask.locator("label", has_text="choose")).to_be_visible()
        await page.screenshot(path=tmp_path / "protect.png")
        await ask.locator("label", has_text="teach").first.click()
        await ask.get_by_label("Lesson").fill("Read the page about the architect.")
        before = await page.locator(".time .what").text_content()
        await ask.get_by_role("button", name="Answer").click()
        await expect(page.locator(".time .what")).not_to_have_text(before or "")
        await expect(page.locator("header .pill")).to_have_text(said("done|stopped|waiting"))
        assert watched.faults == []


MEAN = '''def mean(values):
    """Return the mean.

    >>> mean([2, 4])
    3.0
    """
    return sum(values) / (len(values) - 1)
'''


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap")
async def test_a_repair_shows_its_diff_and_its_tests(viewing: Browser, tmp_path: Path) -> None:
    code = tmp_path / "code"
    code.mkdir()
    (code / "mean.py").write_text(MEAN, "utf-8")
    (code / "test_mean.py").write_text(
        "from mean import mean\n\n\ndef test_mean():\n    assert mean([1, 2, 3]) == 2\n"
        + "".join(f"\n\ndef test_{n}():\n    assert mean([{n}, 0, 0, 0]) == {n / 4}\n" for n in range(1, 6)),
        encoding="utf-8",
    )
    async with open_agent(settings(code), home=tmp_path / "home") as agent:
        assert (await agent.run("Repair the code so that its tests pass.", thread="code"))["status"] == "done"
    async with served(Home(tmp_path / "home"), {}, open_agent) as (where, _), browser_page(viewing) as page:
        watched = await see(page, where, "code")
        await page.locator('.dag .node[aria-label^="repair the code"]').click()
        side = page.locator("aside")
        await expect(side.locator(".diff .minus")).to_have_text(said("len\\(values\\) - 1"))
        await expect(side.locator(".diff .plus")).to_have_count(1)
        rows = side.locator("table").first.locator("tbody tr")
        assert await rows.all_inner_texts() == ["before\t0\t6", "after\t6\t6"]
        await expect(side).to_contain_text(said("passes now test_mean.py::test_mean: AssertionError"))
        await expect(side).to_contain_text("Trust: separate")
        await page.screenshot(path=tmp_path / "repair.png")
        assert watched.faults == []


async def test_a_picture_that_grows_fits_until_a_size_is_chosen(viewing: Browser, home: Path) -> None:
    wide = "() => document.querySelector('.dag').clientWidth"
    async with served(Home(home), {}, open_agent) as (where, _), browser_page(viewing) as page:
        await see(page, where, "done")
        room = await page.evaluate("() => document.querySelector('.field').clientWidth")
        plan = await page.evaluate("() => document.querySelector('.dag').viewBox.baseVal.width")
        assert await page.evaluate(wide) <= max(room, 0.82 * plan) + 1
        await page.get_by_role("button", name="Natural size").click()
        await page.locator('input[type="range"]').fill("4")
        await expect(page.locator(".notes")).to_contain_text("Moment")
        await page.get_by_role("button", name="Back to now").click()
        await expect(page.locator(".notes .notice")).to_have_count(0)
        assert await page.evaluate(wide) == pytest.approx(plan, abs=1)


async def test_a_fork_runs_on_as_a_thread_of_its_own(
    viewing: Browser, home: Path, sources: Path, tmp_path: Path
) -> None:
    def opener(_: Any = None) -> Any:
        return open_agent(settings(sources), home=home)

    async with served(Home(home), {}, opener) as (where, _), browser_page(viewing) as page:
        watched = await see(page, where, "done")
        await page.locator('input[type="range"]').fill("12")
        await expect(page.locator(".notes")).to_contain_text("Moment 11")
        await page.get_by_role("button", name="Fork from here").click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("Changes").fill("mind.rho 0.9")
        await dialog.get_by_role("button", name="Fork and run on").click()
        await expect(dialog).to_contain_text("is no PATH=VALUE")
        await dialog.get_by_label("Changes").fill("mind.rho=0.4")
        await page.screenshot(path=tmp_path / "fork.png")
        await dialog.get_by_role("button", name="Fork and run on").click()
        await expect(page.locator("header .facts")).to_contain_text("done-fork-11")
        await expect(page.locator("header .pill")).to_have_text("done")
        assert watched.faults == []
        await page.get_by_title("All runs").click()
        await expect(page.locator(".list")).to_contain_text("from done")
        await page.screenshot(path=tmp_path / "runs.png")


async def test_the_list_is_kept_up_to_date_in_place_and_leaves_the_screen_to_a_run(
    viewing: Browser, home: Path
) -> None:
    asked, held = 0, asyncio.Event()

    async def answer(route: Route) -> None:
        nonlocal asked
        asked += 1
        if asked == 3:
            await held.wait()
        reply = await route.fetch()
        runs = (await reply.json())["runs"]
        await route.fulfill(json={"runs": [{**run, "steps": 1000 + asked} for run in runs]})

    async with served(Home(home), {}, lambda _: None) as (where, _), browser_page(viewing) as page:
        await page.route("**/api/runs", answer)
        await page.goto(where.address())
        await page.get_by_label("Filter the runs").fill("done")
        await expect(page.locator(".list tbody tr").first).to_contain_text("1002")
        await expect(page.get_by_label("Filter the runs")).to_be_focused()
        await expect(page.get_by_label("Filter the runs")).to_have_value("done")
        while asked < 3:
            await asyncio.sleep(0.05)
        await page.locator("button.task").first.click()
        await page.wait_for_selector(".dag .node")
        async with page.expect_response("**/api/runs"):
            held.set()
        await asyncio.sleep(0.5)  # nothing tells that the page has done nothing with it
        assert await page.locator(".list").count() == 0 and await page.locator(".stage").count() == 1


async def test_events_are_followed_without_growth_and_taken_up_after_a_loss(
    viewing: Browser, tmp_path: Path
) -> None:
    """A stream of moments is drawn to the last, also over a lost connection, and the page does not grow."""
    rng = np.random.default_rng(0)
    ideas = {idea["id"]: idea for idea in ideas_of(60)}
    config: Any = {"configurable": {"thread_id": "live"}}
    async with open_agent(Context(), home=tmp_path) as agent:
        work = {"id": "w", "root": "0", "thread": "live", "text": "t", "opened": 0.0}
        start = {"work": work, "status": "running", "ideas": ideas, **state_at(0, rng)}
        made = await agent.graph.aupdate_state(config, start, as_node="open_task")
        head = str(made["configurable"]["checkpoint_id"])
        agent.runs.save(RunInfo("live", "Follow me", "running", checkpoint_id=head, created=1.0, updated=1.0))

        async def happen(first: int, last: int) -> None:
            for step in range(first, last):
                patch = {f"0.{1 + step % 7}": {"Q": round(float(rng.random()), 6), "N": step}}
                await agent.graph.aupdate_state(
                    config, {"ideas": patch, **state_at(step, rng)}, as_node="expand"
                )

        async with browser_page(viewing) as page:
            async with served(Home(tmp_path), {}, open_agent) as (where, _):
                watched = await see(page, where, "live")
                await happen(1, 60)
                await expect(page.locator(".time .what")).to_contain_text("step 59:")
                await expect(page.locator("aside")).to_contain_text("60 ideas in 59 steps")
                nodes = await page.evaluate("document.querySelectorAll('*').length")
                await happen(60, 200)
                await expect(page.locator(".time .what")).to_contain_text("step 199:")
                await expect(page.locator("aside")).to_contain_text("60 ideas in 199 steps")
                assert await page.evaluate("document.querySelectorAll('*').length") == nodes
                port, token = where.port, where.token
            await expect(page.locator(".notes")).to_contain_text("connection is lost")
            await happen(200, 260)
            async with served(Home(tmp_path), {}, open_agent, port=port, token=token):
                await expect(page.locator(".time .what")).to_contain_text("step 259:")
                await expect(page.locator(".notes .notice")).to_have_count(0)
                numbers = await page.evaluate("document.querySelector('input[type=range]').max")
                assert int(numbers) == 259, "every moment came, none twice"
        assert [fault for fault in watched.faults if "ERR_" not in fault] == []


async def test_a_run_of_another_process_is_followed(viewing: Browser, sources: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ddax", "run", QUESTION, "--sources", str(sources), "--thread", "other"]
    env = {**os.environ, "DDAX_HOME": str(tmp_path)}
    async with served(Home(tmp_path), {}, open_agent) as (where, _), browser_page(viewing) as page:
        watched = Watched(page)
        process = await asyncio.create_subprocess_exec(
            *command, env=env, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
        )
        await page.goto(where.address())
        await page.locator("button.task", has_text="Trondby").click(timeout=120_000)
        await page.wait_for_selector(".dag .node")
        await expect(page.locator("header .pill")).to_have_text("done", timeout=120_000)
        assert await process.wait() == 0
        await expect(page.locator(".time .what")).to_contain_text("→ end")
        await expect(page.locator("aside")).to_contain_text("1712")
        assert watched.faults == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_axe_finds_no_serious_fault(viewing: Browser, home: Path, scheme: str) -> None:
    source = axe()
    if source is None:
        pytest.skip("needs the package axe-playwright-python (in the extra dev)")
    async with (
        served(Home(home), {}, open_agent) as (where, _),
        browser_page(viewing, color_scheme=scheme) as page,
    ):
        await see(page, where, "done")
        await page.evaluate(source)
        found: dict[str, Any] = {"run": await _faults(page)}
        await page.locator('.dag .node[aria-label^="read: trondby;"]').click()
        await expect(page.locator("aside mark").first).to_be_visible()
        found["idea"] = await _faults(page)
        await page.keyboard.press("t")
        found["table"] = await _faults(page)
        await page.keyboard.press("?")
        found["keys"] = await _faults(page)
        await page.keyboard.press("Escape")
        await page.locator('input[type="range"]').fill("6")
        await page.get_by_role("button", name="Fork from here").click()
        found["fork"] = await _faults(page)
        await page.goto(where.address("asks"))
        await page.reload()
        await page.wait_for_selector(".dag .node")
        await page.evaluate(source)
        found["question or end"] = await _faults(page)
        await page.get_by_title("All runs").click()
        await page.wait_for_selector(".list")
        found["runs"] = await _faults(page)
    assert found == {name: [] for name in found}


async def _faults(page: Page) -> list[Any]:
    told = await page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        (one["id"], one["impact"], [node["html"][:160] for node in one["nodes"]][:4])
        for one in told["violations"]
        if one["impact"] in ("serious", "critical")
    ]
