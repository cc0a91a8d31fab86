"""A question of a run is answered on the page of runs, in a real Chromium."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, expect
from pydantic import BaseModel

from ddax import open_agent
from ddax.actions.protocol import ActionContext, ActionResult
from ddax.actions.registry import action
from ddax.configs.settings import Context
from ddax.errors import StorageError
from ddax.graph.services import Parts
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.home import Home
from ddax.reasoning import protocol as p
from ddax.reasoning.scripted import ScriptedReasoner
from ddax.types import ActionCall, Proposal
from ddax.viewer.serving import served
from tests.integration.browser_page import browser_page
from tests.integration.viewer_parts import see

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="module")]


class Letter(BaseModel):
    """What is sent."""

    to: str
    text: str


SENT: list[Letter] = []


@action(effect="writes")
async def send(context: ActionContext, arguments: Letter) -> ActionResult:
    """Send a letter."""
    SENT.append(arguments)
    return ActionResult(summary=f"sent to {arguments.to}")


def scripted(place: Path) -> Any:
    """Return an agent that wants to send a letter, and asks before."""
    call = ActionCall(name="send", args={"to": "<b>Trondby</b>", "text": "When was it built?"}, intent="ask")
    child = Proposal("send a letter", "it is sent", action=call)
    replies: dict[str, list[Any]] = {
        "expand": [p.Expansion((child,))],
        "extract": [p.Extraction((), "read")],
        "ask": [p.Question("May I?")],
        "judge": [p.Judgment(0.9, 0.9, (("coverage", 0.9, "so it is"),))],
        "predict": [p.Prediction("sent", 0.9)],
        "merge": [p.Synthesis("In 1712.", (), True, 0.9, short="1712")],
        "reflect": [p.Lesson("Ask again.")],
    }
    parts = Parts(reasoner=ScriptedReasoner(replies, repeat=True), embedder=HashEmbedder(), actions=(send,))
    settings = {"human": True, "mood": {"engine": "numpy"}, "namespace": "letters", "effort": "deep"}
    context = Context.model_validate(settings)
    return open_agent(context, home=place, parts=parts)


async def test_an_action_is_approved_with_its_exact_arguments_changed(
    viewing: Browser, tmp_path: Path
) -> None:
    async with scripted(tmp_path) as agent:
        assert (await agent.run("When was the harbour built?", thread="letters"))["status"] == "waiting"
    assert SENT == []
    async with (
        served(Home(tmp_path), {}, lambda _: scripted(tmp_path)) as (where, _),
        browser_page(viewing) as page,
    ):
        watched = await see(page, where, "letters")
        ask = page.locator(".ask")
        exact = (await ask.locator("pre").text_content()) or ""
        assert exact.startswith("send ")
        assert json.loads(exact.removeprefix("send ")) == {
            "to": "<b>Trondby</b>",
            "text": "When was it built?",
        }
        await ask.locator("label", has_text="edit").click()
        given = ask.get_by_label("Arguments as JSON")
        assert json.loads(await given.input_value()) == json.loads(exact.removeprefix("send "))
        await page.screenshot(path=tmp_path / "question.png")
        await given.fill("{")
        await ask.get_by_role("button", name="Answer").click()
        await expect(ask.get_by_role("alert")).to_contain_text("JSON")
        assert SENT == []
        await given.fill('{"to": "Belmark", "text": "Please."}')
        await ask.get_by_role("button", name="Answer").click()
        await expect(page.locator("header .pill")).to_have_text("done")
        await expect(ask).to_have_count(0)
        assert watched.faults == []
    assert [Letter(to="Belmark", text="Please.")] == SENT


async def test_an_answer_that_could_not_be_given_can_be_given_again(viewing: Browser, tmp_path: Path) -> None:
    async with scripted(tmp_path) as agent:
        await agent.run("When was the harbour built?", thread="letters")

    @asynccontextmanager
    async def broken(_: Any = None) -> AsyncIterator[Any]:
        raise StorageError("The disk is full.", mend="Free some space.")
        yield

    async with served(Home(tmp_path), {}, broken) as (where, _), browser_page(viewing) as page:
        await see(page, where, "letters")
        button = page.locator(".ask").get_by_role("button", name="Answer")
        await button.click()
        await expect(page.locator(".notice")).to_contain_text("The disk is full. Free some space.")
        await expect(button).to_be_enabled()
        await expect(page.locator(".ask").get_by_role("alert")).to_have_text("Not answered.")
