"""What a model is found to refuse (a form of the reply, a limit, settings, streams), over real HTTP.

It is given up for good and costs one call; one request makes three calls at most beside those. And what a
stream and thoughts cost.
"""

import asyncio
import json
import time

import pytest

from ddax.configs.prices import Price, load_providers
from ddax.configs.settings import Context, Models
from ddax.errors import ReasonerError
from ddax.reasoning import protocol as p
from ddax.reasoning.budget import BudgetKeeper
from ddax.reasoning.factory import open_reasoner
from ddax.reasoning.language import Limits
from ddax.reasoning.testing import Say
from tests.cases import cases

CACHED = {
    "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120,
    "prompt_tokens_details": {"cached_tokens": 60},
}  # fmt: skip


@pytest.fixture
async def reasoner(server, request):
    opened = open_reasoner(
        "openai:m", embedder=None, prices={"openai:m": Price(1, 1)}, clock=time.monotonic,
        providers=load_providers(), models=Models(cache=False, **getattr(request, "param", {})),
        limits=Limits(first_wait=0.0),
    )  # fmt: skip
    yield opened
    await opened.close()


def by_tool(text="{}", times=1, name="ask"):
    return Say("", tools=tuple((name, text.replace('"x"', f'"x{n}"')) for n in range(times)))


@pytest.mark.parametrize("stream", [False, True])
async def test_a_model_without_schemas_is_asked_for_the_arguments_of_one_tool(server, reasoner, stream):
    server.add(
        Say("response_format json_schema is not supported", status=400), by_tool('{"text": "So?"}'),
        by_tool('{"text": "cut'), by_tool('{"text": "Whole?"}'),
        by_tool('{"text": "x"}', times=64), by_tool('{"text": "One?"}', name="ASK"),
    )  # fmt: skip
    pieces = []
    bound = reasoner.bound(
        BudgetKeeper(Context().budget, clock=time.monotonic), hear=pieces.append if stream else None
    )
    ask = p.AskRequest("t", "s", ())
    assert [(await bound.ask(ask)).text for _ in range(3)] == ["So?", "Whole?", "One?"]
    for body in server.requests[1:]:
        assert body["tool_choice"] == {"type": "function", "function": {"name": "ask"}}
        [tool] = body["tools"]
        assert tool["function"]["parameters"]["additionalProperties"] is False
        assert "response_format" not in body
    assert "was called 64 times" in server.requests[-1]["messages"][-1]["content"]
    assert bool(pieces) is stream


async def test_what_a_model_refuses_of_calls_under_way_at_once_is_given_up_once(server, reasoner):
    def answer(body):
        if "temperature" in body:
            return Say("'temperature' is not supported", status=400, delay=0.2)
        if "response_format" in body:
            return Say("json_schema is not supported; use tools", status=400, delay=0.2)
        return by_tool('{"text": "So?"}') if "tools" in body else {"text": "In words?"}

    server._answer = answer
    asks = [p.AskRequest(f"t{n}", "s", ()) for n in range(4)]
    replies = await asyncio.gather(*map(reasoner.ask, asks))
    assert [reply.text for reply in replies] == ["So?"] * 4
    assert [reply.usage.model_calls for reply in replies] == [3] * 4
    assert (await reasoner.ask(asks[0])).usage.model_calls == 1


@cases("status", "said")
@pytest.mark.parametrize("code", [None, "context_length_exceeded"])
async def test_a_limit_of_output_that_is_refused_is_left_out(server, reasoner, status, said, code):
    refused = Say(said, status=status, code=code)
    server._answer = lambda body: refused if "max_completion_tokens" in body else {"text": "So?"}
    replies = [await reasoner.ask(p.AskRequest(f"t{n}", "s", ())) for n in range(2)]
    assert [(reply.text, reply.usage.model_calls) for reply in replies] == [("So?", 2), ("So?", 1)]
    assert [body.get("max_completion_tokens") for body in server.requests] == [16_000, None, None]


async def test_a_request_that_is_too_long_by_itself_is_not_sent_again(server, reasoner):
    server.add(Say("The maximum context length is 8192 tokens.", status=400, code="context_length_exceeded"))
    with pytest.raises(ReasonerError, match="the request is too long"):
        await reasoner.ask(p.AskRequest("t", "s", ()))
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [400, 404, 422, 500, 501])
async def test_a_form_is_refused_by_whatever_status_that_names_it(server, reasoner, status):
    def answer(body):
        if "response_format" in body:
            return Say("No endpoint supports response_format", status=status)
        return Say("No endpoint supports tool use", status=status) if "tools" in body else {"text": "So?"}

    server._answer = answer
    replies = [await reasoner.ask(p.AskRequest(f"t{n}", "s", ())) for n in range(2)]
    assert [(reply.text, reply.usage.model_calls) for reply in replies] == [("So?", 3), ("So?", 1)]


@pytest.mark.parametrize("reasoner", [{"concurrency": 1}], indirect=True)
async def test_what_a_model_refused_while_a_call_waited_is_not_tried_by_it_again(server, reasoner):
    def answer(body):
        refused = "temperature" in body
        return Say("'temperature' is not supported", status=400) if refused else {"text": "So?"}

    server._answer = answer
    replies = await asyncio.gather(*(reasoner.ask(p.AskRequest(f"t{n}", "s", ())) for n in range(4)))
    assert sorted(reply.usage.model_calls for reply in replies) == [1, 1, 1, 2]
    assert sum("temperature" in body for body in server.requests) == 1


async def test_a_stream_that_breaks_off_is_asked_again_and_usage_is_counted(server, reasoner):
    good = Say({"text": "So?"}, usage=CACHED)
    server.add(Say({"text": "So?"}, cut=True), good)
    pieces = []
    bound = reasoner.bound(BudgetKeeper(Context().budget, clock=time.monotonic), hear=pieces.append)
    reply = await bound.ask(p.AskRequest("t", "s", ()))
    assert (reply.text, reply.usage.model_calls) == ("So?", 2)
    assert reply.usage.cached_tokens == 60
    sent = sum(len(m["content"]) for m in server.requests[0]["messages"])
    assert reply.usage.tokens > 120 + sent // 4  # what broke off may be charged for
    assert "".join(pieces).endswith('{"text": "So?"}')


async def test_a_server_that_refuses_streams_is_asked_without_one_from_then_on(server, reasoner):
    def answer(body):
        refused = body.get("stream")
        return Say("Unknown field: stream_options", status=400) if refused else {"text": "So?"}

    server._answer, pieces = answer, []
    bound = reasoner.bound(BudgetKeeper(Context().budget, clock=time.monotonic), hear=pieces.append)
    replies = [await bound.ask(p.AskRequest(f"t{n}", "s", ())) for n in range(2)]
    assert [(reply.text, reply.usage.model_calls) for reply in replies] == [("So?", 2), ("So?", 1)]
    assert ["stream" in body for body in server.requests] == [True, False, False]
    assert pieces == []


async def test_a_word_that_ends_like_one_that_is_refused_refuses_nothing(server, reasoner):
    server.add(Say("The upstream exceeded its deadline", status=400), {"text": "So?"})
    bound = reasoner.bound(BudgetKeeper(Context().budget, clock=time.monotonic), hear=[].append)
    with pytest.raises(ReasonerError, match="HTTP 400"):
        await bound.ask(p.AskRequest("t", "s", ()))
    assert (await bound.ask(p.AskRequest("t", "s", ()))).text == "So?"
    assert ["stream" in body for body in server.requests] == [True, True]


async def test_a_whole_reply_of_a_server_that_heeds_no_stream_is_read(server, reasoner):
    choice = {"message": {"role": "assistant", "content": '{"text": "So?"}'}, "finish_reason": "stop"}
    server.add(Say(raw=json.dumps({"choices": [choice], "usage": CACHED}).encode()))
    pieces = []
    bound = reasoner.bound(BudgetKeeper(Context().budget, clock=time.monotonic), hear=pieces.append)
    reply = await bound.ask(p.AskRequest("t", "s", ()))
    assert (reply.text, reply.usage.model_calls, reply.usage.tokens) == ("So?", 1, 120)
    assert pieces == ['{"text": "So?"}']


async def test_one_request_makes_three_calls_at_most_whatever_goes_wrong(server, reasoner):
    server.add(Say("busy", status=503), Say("busy", status=503), "no json", Say("never asked"))
    with pytest.raises(ReasonerError, match="After 3 calls"):
        await reasoner.ask(p.AskRequest("t", "s", ()))
    assert len(server.requests) == 3


async def test_a_program_that_is_too_long_is_not_sent_and_the_remedy_can_be_done(server, reasoner):
    with pytest.raises(ReasonerError, match="100001 characters") as caught:
        await reasoner.propose_patches(p.PatchRequest("g", "x" * 100_001, ("f",)))
    assert caught.value.mend == "Repair a smaller file."
    assert server.requests == []


@pytest.mark.parametrize("stream", [False, True])
async def test_thoughts_beside_a_reply_are_paid_where_nobody_counts_tokens(server, reasoner, stream):
    server.add(Say({"text": "So?"}, usage=None, thought="hm " * 10_000))
    keeper = BudgetKeeper(Context().budget, clock=time.monotonic)
    reply = await reasoner.bound(keeper, hear=[].append if stream else None).ask(p.AskRequest("t", "s", ()))
    assert (reply.text, reply.usage.model_calls, reply.usage.tokens > 10_000) == ("So?", 1, True)


async def test_thoughts_go_by_another_name_too(server, reasoner):
    message = {"role": "assistant", "content": '{"text": "So?"}', "reasoning": "hm " * 10_000}
    server.add(Say(raw=json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode()))
    assert (await reasoner.ask(p.AskRequest("t", "s", ()))).usage.tokens > 10_000
