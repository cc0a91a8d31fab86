"""The length of a request, over real HTTP: no other refusal teaches a window, each process writes alike.

Also what a request costs that is broken off while it is written shorter, and a repair that does not fit.
"""

import asyncio
import json
import time
from contextlib import asynccontextmanager

import pytest

from ddax.configs.models import ModelRecord, Models
from ddax.configs.settings import Budget
from ddax.errors import BudgetExceeded, InvalidReply, ReasonerError
from ddax.reasoning import protocol as p
from ddax.reasoning.budget import BudgetKeeper, usage_of
from ddax.reasoning.factory import Extras, open_reasoner
from ddax.reasoning.language import Limits
from ddax.reasoning.language.provider.abilities import forget
from ddax.reasoning.testing import FakeOpenAI, Say
from ddax.types import Passage, Picture

PAGE = Passage("m1", "a.md", "A", "The weather was mild and the fields were wide. " * 500)
WALL = Passage("a", "a.txt", "Aber", "The harbour wall stands. It was laid in 1501 by masons. " * 300)
CODE = Passage("s", "s.txt", "S", "x = f(a[i], b[j]) * 2; y += g(x)  # short. " * 20)
DENSE = Passage("d", "d.txt", "D", "x = f(a[i], b[j]) * 2; y += g(x)  # short. " * 500)
ABOUT = "What does 'maximum context length exceeded' mean, and has it to do with max_tokens or temperature?"


def asked(passage=PAGE, task="How was the weather?"):
    return p.ExtractRequest(task, "it", (passage,))


def text_of(body):
    return "".join(str(message["content"]) for message in body["messages"])


def answered(body, characters=4.0):
    count = int(len(text_of(body)) / characters)
    usage = {"prompt_tokens": count, "completion_tokens": 5, "total_tokens": count + 5}
    return Say({"claims": [], "summary": "s"}, usage=usage)


@asynccontextmanager
async def opened(answer, *, name="openai:a-model-of-nobody", cache=None, effort="", **record):
    started = []

    def start():
        reasoner = open_reasoner(
            ModelRecord(name=name, base_url=server.base_url, **record), embedder=None,
            prices={}, clock=time.monotonic, extras=Extras(environment={}, cache=cache),
            models=Models(cache=cache is not None, effort=effort), limits=Limits(first_wait=0.0),
        )  # fmt: skip
        started.append(reasoner)
        return reasoner

    with FakeOpenAI(answer=answer) as server:
        try:
            yield server, start
        finally:
            for reasoner in started:
                await reasoner.close()


def error(message):
    return lambda body: json.dumps({"error": {"message": message}})


def echoed(body):
    row = {"type": "missing", "loc": ["body", "user"], "msg": "Field required", "input": body}
    return json.dumps({"detail": [row]})


def echoed_in_words(body):
    return error(str([{"type": "missing", "loc": ("body", "user"), "msg": "needed", "input": body}]))(body)


def said_back(body):
    return error(f"The last message is not allowed here: {ABOUT}")(body)


FOREIGN = {
    "the body, echoed": (422, echoed),
    "the body, echoed in the message": (400, echoed_in_words),
    "the question, said back": (400, said_back),
    "the question, said back as the server's own fault": (500, said_back),
    "no memory": (500, error("failed to allocate the context window: out of memory")),
    "no memory, and numbers": (
        500, error("Request id 483920 failed: the maximum context size takes an allocation of 1024 MB."),
    ),
    "a field nobody knows": (400, error("Unknown parameter: 'context_size'.")),
    "a field nobody knows, of another": (422, error("Extra inputs are not permitted: 'n_ctx'")),
    "bytes": (413, error("request too large: limit 10MB (10485760 bytes)")),
    "characters of a field": (
        400, error("The request exceeded the maximum input length for the field 'user': 512 characters"),
    ),
    "an address and a time": (
        400, error("Prompt is too long. See https://docs.invalid/2024/limits (request 7f) at 1732718203"),
    ),
    "a window told by a server that fails": (500, error("maximum context length is 4096 tokens")),
}  # fmt: skip


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", FOREIGN)
async def test_a_refusal_that_tells_no_window_changes_no_later_request(name, stream):
    status, words = FOREIGN[name]
    odd = [True]
    async with opened(
        lambda body: Say(status=status, raw=words(body).encode()) if odd[0] else answered(body)
    ) as (server, start):
        reasoner = start()
        twin = reasoner.bound(None, hear=[].append) if stream else reasoner
        with pytest.raises(ReasonerError):
            await twin.extract(asked(task=ABOUT))
        first, odd[0] = server.requests[0], False
        reply = await twin.extract(asked(task=ABOUT))
    assert server.requests[-1] == first
    assert (reply.usage.model_calls, reply.usage.unshown) == (1, 0)


async def test_a_refusal_that_says_the_question_back_is_not_told_as_one_of_the_length():
    async with opened(lambda body: Say(status=422, raw=echoed(body).encode())) as (server, start):
        reasoner = start()
        with pytest.raises(ReasonerError, match="HTTP 422"):
            await reasoner.extract(asked(task=ABOUT))
    assert len(server.requests) == 1


async def test_without_a_number_this_request_alone_is_written_shorter():
    def answer(body):
        if len(text_of(body)) <= 20_000:
            return answered(body)
        return Say(status=400, raw=error("the input length exceeds the context length")(body).encode())

    async with opened(answer) as (server, start):
        reasoner = start()
        first = await reasoner.extract(asked())
        second = await reasoner.extract(asked(WALL))
    assert (first.usage.model_calls, first.usage.unshown > 10_000) == (2, True)
    assert (second.usage.model_calls, second.usage.unshown) == (1, 0)
    assert server.requests[-1]["max_completion_tokens"] == 16_000


REFUSED = Say(status=400, raw=b'{"error":{"message":"prompt is too long: 9000 tokens > 4096 maximum"}}')


async def test_what_is_broken_off_while_it_is_written_shorter_is_charged_with_all_calls():
    sent = []

    def answer(body):
        sent.append(body)
        return REFUSED if len(sent) == 1 else Say({"claims": [], "summary": ""}, delay=30)

    async with opened(answer) as (_, start):
        reasoner = start()
        task = asyncio.create_task(reasoner.extract(asked()))
        while len(sent) < 2:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await task
    assert usage_of(caught.value).model_calls == 2


@pytest.mark.parametrize("calls", [1, 2])
async def test_a_cap_counts_the_call_that_was_refused_and_its_error_has_all(calls):
    sent = []

    def answer(body):
        sent.append(body)
        return REFUSED if len(sent) == 1 else Say("no object")

    async with opened(answer) as (_, start):
        reasoner = start()
        keeper = BudgetKeeper(Budget(max_model_calls=calls), clock=time.monotonic)
        with pytest.raises(BudgetExceeded) as caught:
            await reasoner.bound(keeper).extract(asked())
    assert (len(sent), usage_of(caught.value).model_calls) == (calls, calls)


def babbled(body):
    count = len(text_of(body)) // 2
    usage = {"prompt_tokens": count, "completion_tokens": 300, "total_tokens": count + 300}
    return Say("I cannot say anything about that at all. " * 60, usage=usage)


async def test_a_repair_quotes_as_much_of_the_reply_as_there_is_room_for():
    first = []

    def answer(body):
        if not first:
            first.append(body)
            return Say("I cannot say anything about that at all. " * 500)
        return answered(body)

    async with opened(answer, context_tokens=4096) as (server, start):
        reasoner = start()
        reply = await reasoner.extract(asked(WALL))
    one, two = server.requests
    repair = two["messages"][-1]["content"]
    assert reply.usage.model_calls == 2
    assert "could not be used" in repair and "characters cut]" in repair
    assert len(text_of(two)) // 3 + two["max_completion_tokens"] <= 4096
    assert text_of(two).startswith(text_of(one))


@pytest.mark.parametrize("told", [True, False])
async def test_a_repair_that_fits_in_no_way_ends_in_the_error_of_the_reply_and_is_not_asked_whole(told):
    def answer(body):
        last = str(body["messages"][-1]["content"])
        return REFUSED if not told and "could not be used" in last else babbled(body)

    record = {"context_tokens": 4096} if told else {}
    async with opened(answer, **record) as (server, start):
        reasoner = start()
        with pytest.raises(InvalidReply, match="no usable reply") as caught:
            await reasoner.extract(asked(WALL))
    first, *others = server.requests
    assert len(others) == (0 if told else 1)
    assert all(text_of(body).startswith(text_of(first)) for body in others)
    assert usage_of(caught.value).model_calls == len(server.requests)


async def both(start, *requests):
    """Ask in one process, and the last again in another; return the cost of the last in the second."""
    forget()
    reasoner = start()
    for request in requests:
        await reasoner.extract(request)
    forget()
    reasoner = start()
    again = await reasoner.extract(requests[-1])
    return again.usage


async def test_denser_text_before_it_changes_no_prompt(tmp_path):
    async with opened(
        lambda body: answered(body, 1.6), cache=tmp_path / "replies.sqlite", context_tokens=4096
    ) as (server, start):
        cost = await both(start, asked(CODE), asked(WALL))
    assert (len(server.requests), cost.hits, cost.model_calls) == (2, 1, 0)


@pytest.mark.parametrize("record", [{}, {"context_tokens": 4096}])
@pytest.mark.parametrize("characters", [1.6, 2.0, 4.0])
async def test_a_window_that_is_told_again_leads_to_the_prompt_that_was_paid(tmp_path, characters, record):
    paid = []

    def answer(body):
        count = int(len(text_of(body)) / characters)
        words = f"prompt is too long: {count} tokens > 4096 maximum"
        if count > 4096:
            return Say(status=400, raw=error(words)(body).encode())
        paid.append(body)
        return answered(body, characters)

    async with opened(answer, cache=tmp_path / "replies.sqlite", **record) as (_, start):
        cost = await both(start, asked(PAGE), asked(DENSE))
    assert (len(paid), cost.hits) == (2, 1)


async def test_an_effort_that_a_form_was_found_to_need_changes_no_key(tmp_path):
    def answer(body):
        thinks = body.get("reasoning_effort") == "medium"
        usage = {
            "prompt_tokens": 50, "completion_tokens": 9, "total_tokens": 59,
            "completion_tokens_details": {"reasoning_tokens": 9},
        }  # fmt: skip
        return Say("", finish_reason="length", usage=usage) if thinks else answered(body)

    async with opened(answer, cache=tmp_path / "replies.sqlite", effort="medium") as (_, start):
        cost = await both(start, asked(WALL), asked(CODE))
    assert (cost.hits, cost.model_calls) == (1, 0)


async def test_a_picture_that_was_refused_changes_no_key(tmp_path):
    picture = Picture("d" * 64, 1280, 800, b"\xff\xd8 as good as a picture")

    def answer(body):
        if "image_url" in json.dumps(body):
            return Say(status=400, raw=error("this model takes no image")(body).encode())
        return Say({"children": []})

    def plan(task):
        return p.ExpandRequest(task, task, 0, (), (), (), ("move",), seen=p.Seen("a page", (), picture))

    async with opened(answer, cache=tmp_path / "replies.sqlite", name="openai:gpt-4.1-mini") as (_, start):
        for tasks in (["one", "two"], ["two"]):
            forget()
            reasoner = start()
            replies = [await reasoner.expand(plan(task)) for task in tasks]
    assert (replies[-1].usage.hits, replies[-1].usage.model_calls) == (1, 0)
