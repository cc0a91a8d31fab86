"""A task reaches a model whole where its context has room; where not, what is missing is said."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from ddax.reasoning import protocol as p
from ddax.reasoning.language import LanguageReasoner, Limits
from ddax.reasoning.language.room import left_out, note_of, passage_room, room, told_of
from ddax.types import Passage

LONG = "First words. " + "x " * 20_000 + "When was the pier built?"
SMALL = Limits(context_tokens=8_192)


@pytest.mark.parametrize(
    "limits", [Limits(), Limits(context_tokens=128_000), Limits(context_tokens=1_000_000)]
)
def test_a_task_that_has_room_is_told_whole(limits: Limits) -> None:
    assert told_of(LONG, limits) == LONG
    assert (left_out(LONG, limits), note_of(LONG, limits)) == (0, "")


@pytest.mark.parametrize("tokens", [2_048, 8_192, 16_000])
def test_of_a_longer_one_beginning_and_end_are_told_and_how_much_is_missing(tokens: int) -> None:
    limits = Limits(context_tokens=tokens)
    told = told_of(LONG, limits)
    missing = left_out(LONG, limits)
    assert told.startswith("First words. ") and told.endswith("When was the pier built?")
    assert f"[Here {missing:,} characters of the task are left out" in told
    assert f"did not see {missing:,} of the {len(LONG):,} characters" in note_of(LONG, limits)
    assert len(told) + passage_room(limits, LONG) <= room(limits) + 200


def test_beside_a_short_task_there_is_room_for_what_was_read() -> None:
    assert passage_room(Limits(), "When?") == Limits().passage_characters
    assert 10_000 < passage_room(SMALL, "When?") < Limits().passage_characters


class Answering(BaseChatModel):
    """A chat model that keeps what it is sent and always answers the same."""

    heard: list[str] = []

    @property
    def _llm_type(self) -> str:
        return "answering"

    def _generate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        self.heard.append(str(messages[-1].content))
        said = {"quotes": [{"passage": "P1", "quote": "built in 1902"}], "found": True, "answer": "1902 [1]"}
        text = json.dumps({**said, "short": "1902"})
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text))])


@pytest.mark.parametrize(("limits", "notes"), [(Limits(), 0), (SMALL, 1)])
async def test_what_a_model_did_not_see_is_noted_with_its_answer(limits: Limits, notes: int) -> None:
    model = Answering()
    reasoner = LanguageReasoner.over(
        model, name="x:y", prices={}, clock=lambda: 0.0, rng=np.random.default_rng(0), limits=limits
    )
    page = Passage("m1", "a.md", "Pier", "It was built in 1902.")
    reply = await reasoner.merge(p.MergeRequest(LONG, "i", (), (page,), final=True))
    assert (reply.text, len(reply.notes)) == ("1902", notes)
    assert ("are left out" in model.heard[0]) is bool(notes)
    assert "When was the pier built?" in model.heard[0]
