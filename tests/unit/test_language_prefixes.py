"""A beginning that comes again is marked for a provider that keeps only what is marked, and not before."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from ddax.reasoning import protocol as p
from ddax.reasoning.language import LanguageReasoner
from ddax.reasoning.prompts import render
from ddax.types import Passage

LONG = "Read the notes with care. " * 400


class Answering(BaseChatModel):
    """A chat model that keeps what it is sent and always answers the same."""

    kind: str = "anthropic-chat"
    heard: list[Any] = []

    @property
    def _llm_type(self) -> str:
        return self.kind

    def _generate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        self.heard.append(messages[-1].content)
        said = {"claims": [], "summary": "", "text": "It is so.", "citations": [], "strength": 0.5}
        return ChatResult(generations=[ChatGeneration(message=AIMessage(json.dumps(said)))])


async def asked(model: Answering, requests: list[Any]) -> list[Any]:
    reasoner = LanguageReasoner.over(
        model, name="x:y", prices={}, clock=lambda: 0.0, rng=np.random.default_rng(0)
    )
    for request in requests:
        await (reasoner.argue if isinstance(request, p.ArgueRequest) else reasoner.extract)(request)
    return model.heard


def marks(content: Any) -> list[str]:
    blocks = content if isinstance(content, list) else []
    return [block["text"] for block in blocks if block.get("cache_control") == {"type": "ephemeral"}]


def extracts(task: str, count: int) -> list[p.ExtractRequest]:
    pages = [Passage(f"m{n}", "a.md", "A", f"Page {n} says so. " * 300) for n in range(count)]
    return [p.ExtractRequest(task, "what is said", (page,)) for page in pages]


async def test_a_long_task_is_marked_from_its_second_time_on_and_a_page_read_once_is_not() -> None:
    first, second, third = await asked(Answering(heard=[]), extracts(LONG, 3))
    assert isinstance(first, str)
    for content in (second, third):
        assert [text.startswith("TASK\nRead the notes") for text in marks(content)] == [True]
        assert "".join(block["text"] for block in content).startswith("TASK\nRead the notes")
        assert "Page" in content[-1]["text"]


async def test_what_was_read_is_marked_where_two_sides_argue_over_it() -> None:
    page = Passage("m", "a.md", "A", "The pier was built in 1871. " * 300)
    sides = [
        p.ArgueRequest("When was it?", side, "i", "1871", "a year", (page,))  # type: ignore[arg-type]  # a word
        for side in ("proponent", "opponent", "proponent")
    ]
    first, *others = await asked(Answering(heard=[]), sides)
    assert isinstance(first, str)
    assert all("The pier was built" in marks(content)[-1] for content in others)


@pytest.mark.parametrize(("kind", "task"), [("anthropic-chat", "When?"), ("chat-of-another", LONG)])
async def test_a_short_beginning_and_another_provider_have_no_marks(kind: str, task: str) -> None:
    assert all(isinstance(x, str) for x in await asked(Answering(heard=[], kind=kind), extracts(task, 3)))


def test_what_may_come_again_stands_first_in_a_request() -> None:
    prompt = render("extract", task="When?", passages="[P1]", limit="3", intent="")
    task, passages = prompt.stable
    assert prompt.user[:task] == "TASK\nWhen?\n\n"
    assert prompt.user[task:passages] == "PASSAGES\n[P1]\n\n"
    assert render("settle", brief="", earlier="", passages="p", knowledge="", task="t", findings="").stable
