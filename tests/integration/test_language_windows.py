"""A window that a server tells in refusing is learned, over real HTTP: one further call, and never again."""

import json
import time
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import yaml

from ddax.configs.models import ModelRecord, Models
from ddax.errors import ReasonerError
from ddax.reasoning import protocol as p
from ddax.reasoning.factory import Extras, open_reasoner
from ddax.reasoning.language import Limits
from ddax.reasoning.testing import FakeOpenAI, Say
from ddax.types import Passage

WINDOW = 4_096
FILL = "The weather of that year was mild and the fields were wide. "
ANSWER = "The lighthouse of Belmark was built by Ann Orde in 1871."
PAGE = Passage("m1", "a.md", "A", FILL * 380 + ANSWER + " " + FILL * 4)
OTHER = Passage("m2", "b.md", "B", FILL * 200 + "Its lamp was lit by Tom Vey in 1872. " + FILL * 180)
FORMS = yaml.safe_load(Path(__file__).with_name("window_refusals.yaml").read_text())


class Served:
    """A server with a window: what it counts of each request, and how it refuses one that is longer."""

    def __init__(self, form, characters=4):
        self.status, self.body = FORMS[form]["status"], FORMS[form]["body"]
        self.characters, self.counts = characters, []

    def answer(self, body):
        sent = "".join(message["content"] for message in body["messages"])
        count = len(json.dumps(sent, ensure_ascii=False)) // self.characters
        self.counts.append(count)
        if count > WINDOW or count + body.get("max_completion_tokens", 0) > 4 * WINDOW + 2_000:
            text = self.body % {"sent": count, "window": WINDOW, "both": count + 16_000}
            return Say(status=self.status, raw=text.encode())
        claims = [
            {"text": one, "passage": f"P{n}", "quote": one, "score": 0.9}
            for n, one in ((1, ANSWER), (2, "Its lamp was lit by Tom Vey in 1872."))
            if one in sent
        ]
        usage = {"prompt_tokens": count, "completion_tokens": 9, "total_tokens": count + 9}
        return Say({"claims": claims, "summary": "s"}, usage=usage)


@asynccontextmanager
async def opened(answer, **record):
    with FakeOpenAI(answer=answer) as server:
        reasoner = open_reasoner(
            ModelRecord(name="openai:a-model-of-nobody", base_url=server.base_url, **record), embedder=None,
            prices={}, clock=time.monotonic, extras=Extras(environment={}), models=Models(cache=False),
            limits=Limits(first_wait=0.0),
        )  # fmt: skip
        try:
            yield reasoner, server
        finally:
            await reasoner.close()


def asked(task="Who built the lighthouse of Belmark, and who lit its lamp?"):
    return p.ExtractRequest(task, "the lighthouse and its lamp", (PAGE, OTHER))


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("form", FORMS)
async def test_a_refusal_costs_one_further_call_and_a_told_window_is_never_overrun(form, stream):
    served = Served(form)
    async with opened(served.answer) as (reasoner, _):
        twin = reasoner.bound(None, hear=[].append) if stream else reasoner
        first = await twin.extract(asked())
        again = await twin.extract(asked("What is known of the lighthouse and its lamp?"))
    assert [claim.citation.quote[:8] for claim in first.claims] == ["The ligh", "Its lamp"]
    told = "%(window)d" in FORMS[form]["body"]  # without a number the next request is tried whole
    assert (first.usage.model_calls, again.usage.model_calls) == (2, 1 if told else 2)
    assert served.counts[0] > WINDOW >= max(served.counts[1 if told else 3 :])
    assert served.counts[1] <= WINDOW
    assert first.usage.unshown > 10_000


async def test_denser_text_than_was_thought_is_learned_from_the_same_refusal():
    async with opened(Served("llama.cpp", characters=2).answer) as (reasoner, _):
        reply = await reasoner.extract(asked())
    assert (reply.usage.model_calls, len(reply.claims)) == (2, 2)


@pytest.mark.parametrize("tokens", [2_048, WINDOW])
async def test_a_window_that_is_known_is_never_overrun(tokens):
    served = Served("openai")
    async with opened(served.answer, context_tokens=tokens) as (reasoner, server):
        reply = await reasoner.extract(asked())
    assert (reply.usage.model_calls, len(reply.claims)) == (1, 2)
    assert served.counts[0] + server.requests[0]["max_completion_tokens"] <= tokens


async def test_a_request_in_which_nothing_can_be_cut_ends_in_its_error_and_is_not_sent():
    async with opened(None, context_tokens=512) as (reasoner, server):
        with pytest.raises(ReasonerError, match="the request is too long"):
            await reasoner.propose_patches(p.PatchRequest("add", "x = 1\n" * 2_000, ("x != 2",), n=3))
    assert not server.requests


async def test_one_refusal_after_another_ends_and_says_so():
    refusal = Say(status=400, raw=b'{"error":{"message":"prompt is too long"}}')
    async with opened(lambda body: refusal) as (reasoner, server):
        with pytest.raises(ReasonerError, match="the request is too long"):
            await reasoner.extract(asked())
    assert len(server.requests) == 2
