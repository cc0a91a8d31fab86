"""Replies in odd forms, over real HTTP: parts of a stream, errors in a 200, counts that cannot be."""

import json
import time

import pytest

from ddax.configs.prices import Price, load_providers
from ddax.configs.settings import Context, Models
from ddax.errors import ReasonerError, Unavailable
from ddax.reasoning import protocol as p
from ddax.reasoning.budget import BudgetKeeper, usage_of
from ddax.reasoning.factory import open_reasoner
from ddax.reasoning.language import Limits
from ddax.reasoning.testing import Say
from ddax.types import Usage

ASK = p.AskRequest("t", "s", ())
QUESTION = '{"text": "Shall I go on?"}'
COUNTED = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
EVENTS = {"content-type": "text/event-stream"}


@pytest.fixture
async def reasoner(server):
    opened = open_reasoner(
        "openai:m", embedder=None, prices={"openai:m": Price(1, 1)}, clock=time.monotonic,
        providers=load_providers(), models=Models(cache=False), limits=Limits(first_wait=0.0),
    )  # fmt: skip
    yield opened
    await opened.close()


@pytest.fixture
def listening(reasoner):
    """Give the reasoner that asks for streams, and the pieces it was told."""
    pieces = []
    keeper = BudgetKeeper(Context().budget, clock=time.monotonic)
    return reasoner.bound(keeper, hear=pieces.append), pieces


def part(delta, ended=None, **more):
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": ended}], **more}


def events(*parts):
    return Say(raw=b"".join(f"data: {json.dumps(each)}\n\n".encode() for each in parts), headers=EVENTS)


def whole(**body):
    return Say(raw=json.dumps(body).encode())


ENDED = part({}, "stop", usage=COUNTED)


@pytest.mark.parametrize(
    "parts",
    [
        [part({"content": [{"type": "text", "text": QUESTION}]}), ENDED],
        [part({"content": [{"type": "thinking", "thinking": ["Hm."]}]}), part({"content": QUESTION}), ENDED],
        [part(None), part({"content": QUESTION}), ENDED],
        [part({"content": QUESTION}), {"choices": [{"finish_reason": "stop"}], "usage": COUNTED}],
        [part({"content": QUESTION}, "stop"), {"choices": None, "usage": COUNTED}],
        [part({"content": QUESTION}, "stop"), {"usage": COUNTED}],
        [part({"content": QUESTION, "tool_calls": [None]}, "stop", usage=COUNTED)],
    ],
)
async def test_a_stream_is_read_whatever_its_parts_leave_out(server, listening, parts):
    bound, pieces = listening
    server.add(events(*parts))
    question = await bound.ask(ASK)
    assert (question.text, "".join(pieces), question.usage.tokens) == ("Shall I go on?", QUESTION, 120)


async def test_a_stream_without_an_end_is_cut_at_a_length_no_reply_has(server, listening):
    bound, pieces = listening
    for _ in range(3):
        server.add(Say(pieces=[events(part({"content": "x" * 50_000})).raw] * 1_000, headers=EVENTS))
    with pytest.raises(ReasonerError) as caught:
        await bound.ask(ASK)
    assert caught.value.mend
    assert len("".join(pieces)) <= len(server.requests) * 1_050_000


@pytest.mark.parametrize("usage", ["many", [1], {"prompt_tokens": "x", "completion_tokens": None}])
async def test_counts_of_a_stream_that_are_none_are_estimated(server, listening, usage):
    bound, _ = listening
    server.add(events(part({"content": QUESTION}), part({}, "stop", usage=usage)))
    assert (await bound.ask(ASK)).usage.tokens > 200


async def test_a_count_that_cannot_be_is_estimated(server, reasoner):
    server.add(Say(QUESTION, usage={"prompt_tokens": 10**30, "completion_tokens": 10**10}))
    assert 200 < (await reasoner.ask(ASK)).usage.tokens < 2000


@pytest.mark.parametrize("streams", [False, True])
async def test_a_page_in_place_of_a_reply_is_told_at_once_by_either_way(server, reasoner, listening, streams):
    server.add(Say(raw=b"<html>Sign in</html>", headers={"content-type": "text/html"}))
    with pytest.raises(ReasonerError, match="no usable answer") as caught:
        await (listening[0] if streams else reasoner).ask(ASK)
    assert not isinstance(caught.value, Unavailable)
    assert len(server.requests) == 1


@pytest.mark.parametrize("code", [429, "503"])
@pytest.mark.parametrize("form", ["whole", "stream"])
async def test_an_error_in_the_body_of_a_200_that_may_pass_is_asked_again(
    server, reasoner, listening, form, code
):
    failed = {"error": {"message": "overloaded behind the gateway", "code": code}}
    server.add(whole(**failed) if form == "whole" else events(part({"content": "{"}), failed), QUESTION)
    question = await (reasoner if form == "whole" else listening[0]).ask(ASK)
    assert (question.text, question.usage.model_calls) == ("Shall I go on?", 2)


@pytest.mark.parametrize(
    ("code", "told"),
    [(401, "HTTP 401"), (402, "HTTP 402"), ("insufficient_quota", "no credit"), (7, "usable")],
)
async def test_an_error_in_the_body_of_a_200_that_stays_is_not_asked_again(server, reasoner, code, told):
    server.add(whole(error={"message": "it is so", "code": code}))
    with pytest.raises(ReasonerError, match=told) as caught:
        await reasoner.ask(ASK)
    assert "it is so" in caught.value.why
    assert len(server.requests) == 1


async def test_a_choice_that_ended_before_it_said_anything_is_paid_and_asked_again(server, reasoner):
    silent = whole(choices=[{"index": 0, "finish_reason": "length"}], usage=COUNTED)
    server.add(silent, silent)
    with pytest.raises(ReasonerError, match=r"models\.output_tokens") as caught:
        await reasoner.ask(ASK)
    assert [body["max_completion_tokens"] for body in server.requests] == [16_000, 32_000]
    assert usage_of(caught.value) == Usage(2, 240, pytest.approx(2.4e-4), prompt_tokens=200)
