"""Caps are checked before each call, and passed by one call at most."""

import asyncio
import json
import re
import time

import numpy as np
import pytest
from langgraph.errors import GraphInterrupt

from ddax.configs.settings import Budget
from ddax.errors import BudgetExceeded, InvariantError, ReasonerError
from ddax.graph.state import add_numbers
from ddax.reasoning import protocol as p
from ddax.reasoning.breaks import fault_of
from ddax.reasoning.budget import BudgetKeeper, MeteredReasoner, Place, charge, usage_of
from ddax.reasoning.scripted import ScriptedReasoner
from ddax.types import Usage
from tests.cases import cases

ASK = p.AskRequest("t", "s", ())


class Clock:
    """A clock that stands until it is moved."""

    now = 0.0

    def __call__(self):
        return self.now


def keeper(spent=None, seconds=0.0, clock=None, **caps):
    return BudgetKeeper(Budget(**caps), spent, clock=clock or Clock(), seconds=seconds)


def question(tokens=100, usd=0.1):
    return p.Question("q?", Usage(1, tokens, usd))


@pytest.mark.parametrize(
    ("caps", "spent"),
    [
        ({"max_model_calls": 3}, Usage(3, 0, 0.0)),
        ({"max_tokens": 50}, Usage(1, 60, 0.0)),
        ({"max_usd": 0.5}, Usage(1, 1, 0.5)),
        ({"max_usd": 0.0}, Usage()),
        ({"max_model_calls": 0}, Usage()),
    ],
)
def test_a_cap_that_is_reached_is_named(caps, spent):
    (name,) = caps
    with pytest.raises(BudgetExceeded, match=name) as caught:
        keeper(spent, **caps).check()
    assert caught.value.exit_code == 6


@pytest.mark.parametrize(
    ("caps", "spent", "seconds", "said"),
    [
        ({"max_seconds": 8}, Usage(), 8.03271, "the cap max_seconds=8 is reached (8.0 s spent)."),
        ({"max_tokens": 1_000_000}, Usage(1, 1_234_567), 0.0, "=1000000 is reached (1,234,567 spent)."),
        ({"max_usd": 0.5}, Usage(1, 1, 0.512345), 0.0, "the cap max_usd=0.5 is reached ($0.5123 spent)."),
    ],
)  # fmt: skip
def test_what_was_spent_is_told_as_a_person_reads_it(caps, spent, seconds, said):
    with pytest.raises(BudgetExceeded) as caught:
        keeper(spent, seconds=seconds, **caps).check()
    assert caught.value.what.endswith(said)


def test_below_every_cap_nothing_is_raised_and_pending_counts():
    kept = keeper(Usage(2, 10, 0.1), max_model_calls=4)
    kept.check()
    with pytest.raises(BudgetExceeded, match="max_model_calls=4"):
        kept.check(Usage(2, 0, 0.0))


def test_wall_time_counts_over_processes():
    clock = Clock()
    kept = keeper(seconds=50.0, clock=clock, max_seconds=60)
    clock.now = 9.0
    kept.check()
    clock.now = 10.0
    with pytest.raises(BudgetExceeded, match="max_seconds=60"):
        kept.check()


def test_the_time_between_two_goes_of_a_run_is_left_out():
    clock = Clock()
    kept = keeper(clock=clock, max_seconds=60)
    clock.now = 10_000.0
    kept.go_on(seconds=50.0)
    clock.now += 9.0
    kept.check()
    clock.now += 1.0
    with pytest.raises(BudgetExceeded, match="max_seconds=60"):
        kept.check()


def test_an_unknown_price_stays_unknown_and_the_known_part_counts():
    kept = keeper(max_usd=1.0)
    kept.add(Usage(1, 10, 0.9))
    kept.add(Usage(1, 10, None))
    assert kept.spent == Usage(2, 20, None)
    kept.check()
    kept.add(Usage(1, 10, 0.2))
    with pytest.raises(BudgetExceeded, match="max_usd=1"):
        kept.check()


@pytest.mark.parametrize("prices", [(0.9, None, 0.05), (None, 0.9, 0.05), (0.9, 0.05, None)])
def test_the_known_part_counts_on_in_another_process(prices):
    kept, row = keeper(max_usd=1.0), {}
    for usd in prices:
        kept.add(Usage(1, 10, usd))
        row = add_numbers(row, Usage(1, 10, usd).row())
    spent = Usage.of_row(json.loads(json.dumps(row)))
    again = keeper(spent, max_usd=1.0)
    assert (row["usd"], again.spent.usd) == (None, None)
    assert again.known_usd == kept.known_usd == pytest.approx(0.95)
    assert add_numbers(row, (Usage(1, 1, 0.01) + Usage(1, 1, None)).row())["priced_usd"] == pytest.approx(
        0.96
    )
    again.add(Usage(1, 10, 0.1))
    with pytest.raises(BudgetExceeded, match="max_usd=1"):
        again.check()


def test_with_every_price_known_or_unknown_a_row_is_as_it_was():
    assert add_numbers(Usage(1, 10, 0.25).row(), Usage(1, 10, 0.5).row())["usd"] == 0.75
    for usd in (0.25, None):
        row = Usage(1, 10, usd).row()
        assert set(add_numbers(row, row)) == set(row) == {"model_calls", "tokens", "usd"}


def test_a_free_model_runs_without_money():
    kept = keeper(max_usd=0.0)
    kept.check(free=True)
    with pytest.raises(BudgetExceeded):
        kept.check()


async def test_a_metered_reasoner_charges_replies_and_failures():
    failed = ReasonerError("no")
    charge(failed, Usage(2, 70, 0.2))
    metered = MeteredReasoner(
        ScriptedReasoner({"ask": [question(), failed, question()]}), keeper(max_tokens=170)
    )
    await metered.ask(ASK)
    with pytest.raises(ReasonerError):
        await metered.ask(ASK)
    assert metered.spent == Usage(3, 170, pytest.approx(0.3))
    with pytest.raises(BudgetExceeded, match="max_tokens"):
        await metered.ask(ASK)
    assert len(metered.inner.requests) == 2


async def test_the_embedded_reasoner_is_never_stopped():
    inner = ScriptedReasoner({"ask": [p.Question("q?")] * 2}, name="embedded")
    metered = MeteredReasoner(inner, keeper(max_model_calls=0, max_usd=0.0, max_seconds=1, seconds=5.0))
    assert (await metered.ask(ASK)).text == "q?"
    assert metered.spent == Usage()


async def test_every_method_is_metered():
    replies = {
        "expand": p.Expansion((), Usage(1, 1, 0.0)), "predict": p.Prediction("e", 1.0, Usage(1, 1, 0.0)),
        "extract": p.Extraction((), "s", Usage(1, 1, 0.0)),
        "argue": p.Argument("a", (), 0.1, Usage(1, 1, 0.0)),
        "judge": p.Judgment(0.1, 0.1, (), Usage(1, 1, 0.0)),
        "merge": p.Synthesis("t", (), True, 1.0, usage=Usage(1, 1, 0.0)),
        "reflect": p.Lesson("l", Usage(1, 1, 0.0)), "propose_patches": p.Patches((), Usage(1, 1, 0.0)),
        "mutate_patch": p.Patches((), Usage(1, 1, 0.0)), "ask": p.Question("q", Usage(1, 1, 0.0)),
    }  # fmt: skip
    metered = MeteredReasoner(ScriptedReasoner({m: [r] for m, r in replies.items()}), keeper())
    for method, reply in replies.items():
        assert await getattr(metered, method)(ASK) is reply
    assert metered.spent == Usage(10, 10, 0.0)


@pytest.mark.parametrize("seed", range(100))
async def test_parallel_calls_pass_a_cap_by_one_call_at_most(seed):
    rng = np.random.default_rng(seed)
    price = float(rng.uniform(0.05, 0.3))
    naps = rng.integers(0, 4, 40)
    cap = float(rng.uniform(0.2, 2.0))

    async def reply(_):
        for _ in range(naps[len(metered.inner.requests) % 40]):
            await asyncio.sleep(0)
        return question(usd=price)

    metered = MeteredReasoner(ScriptedReasoner({"ask": [reply]}, repeat=True), keeper(max_usd=cap))
    answers = await asyncio.gather(*(metered.ask(ASK) for _ in range(40)), return_exceptions=True)
    stopped = [a for a in answers if isinstance(a, BudgetExceeded)]
    assert len(stopped) + sum(isinstance(a, p.Question) for a in answers) == 40
    assert stopped
    assert cap <= metered.spent.usd < cap + price + 1e-9


@pytest.mark.parametrize(
    ("first", "at_once"),
    [(Usage(), 7), (Usage(1, 10, 0.0), 7), (Usage(hits=1, saved_tokens=9), 1)],
    ids=["counts nothing", "counts", "from the cache"],
)
async def test_calls_begin_at_once_when_a_first_reply_has_told_what_one_counts(first, at_once):
    inside = most = 0

    async def reply(_):
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        await asyncio.sleep(0)
        inside -= 1
        return p.Question("q?", first)

    metered = MeteredReasoner(ScriptedReasoner({"ask": [reply]}, repeat=True), keeper())
    await asyncio.gather(*(metered.ask(ASK) for _ in range(8)))
    assert most == at_once


async def test_a_reasoner_that_counts_nothing_tells_nothing_of_another():
    kept = keeper(max_model_calls=2)
    own = MeteredReasoner(ScriptedReasoner({"ask": [p.Question("q?")]}, name="own"), kept)
    paid = MeteredReasoner(ScriptedReasoner({"ask": [question()]}, name="paid", repeat=True), kept)
    await own.ask(ASK)
    await asyncio.gather(*(paid.ask(ASK) for _ in range(8)), return_exceptions=True)
    assert kept.spent.model_calls == 2


async def test_a_cancelled_call_frees_its_place():
    started = asyncio.Event()

    async def hang(_):
        started.set()
        await asyncio.sleep(60)

    metered = MeteredReasoner(ScriptedReasoner({"ask": [hang, question()]}), keeper(max_model_calls=5))
    first = asyncio.create_task(metered.ask(ASK))
    await started.wait()
    second = asyncio.create_task(metered.ask(ASK))
    await asyncio.sleep(0)
    first.cancel()
    assert (await asyncio.wait_for(second, 20)).text == "q?"


async def test_the_cap_of_wall_time_ends_a_call_that_is_out_and_the_call_is_paid():
    async def hang(_):
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError as error:
            charge(error, Usage(1, 30, 0.1))
            raise

    place = Place("expand", 1)
    kept = keeper(clock=time.monotonic, seconds=7.0, max_seconds=7.1)
    metered = MeteredReasoner(ScriptedReasoner({"ask": [hang]}), kept, place=place)
    with pytest.raises(BudgetExceeded, match=r"max_seconds=7\.1") as caught:
        await asyncio.wait_for(metered.ask(ASK), 20)
    assert usage_of(caught.value) == metered.spent == Usage(1, 30, 0.1)
    assert [(row["ok"], row["tokens"]) for row in place.calls] == [(False, 30)]


async def test_a_wait_for_a_place_ends_with_the_time_too():
    async def hang(_):
        await asyncio.sleep(60)

    metered = MeteredReasoner(
        ScriptedReasoner({"ask": [hang, question()]}), keeper(clock=time.monotonic, max_seconds=0.1)
    )
    asked = asyncio.gather(metered.ask(ASK), metered.ask(ASK), return_exceptions=True)
    assert [type(end) for end in await asyncio.wait_for(asked, 20)] == [BudgetExceeded, BudgetExceeded]
    assert len(metered.inner.requests) == 1


async def test_a_time_out_of_the_reasoner_itself_is_not_that_of_the_cap():
    metered = MeteredReasoner(ScriptedReasoner({"ask": [TimeoutError("silent")]}), keeper())
    with pytest.raises(InvariantError, match="silent"):
        await metered.ask(ASK)


def test_an_error_without_a_cost_costs_nothing():
    assert usage_of(ValueError("x")) == Usage()


class Own(ScriptedReasoner):
    """A reasoner of one's own that breaks its contract in two methods."""

    async def expand(self, request):
        return None

    async def merge(self, request):
        raise RuntimeError("my model is gone")


@cases("method", "says")
@pytest.mark.parametrize("name", ["own", "embedded"])
async def test_a_break_of_the_contract_names_reasoner_and_method(name, method, says):
    place = Place("expand", 1)
    replies = {"ask": [{"text": "q"}], "judge": [ConnectionRefusedError("nobody listens")]}
    inner = Own({"ask": []}, name=name)
    inner.ask = inner.judge = lambda request: given(replies[method][0])
    with pytest.raises(InvariantError, match=re.escape(says.replace("own", name))):
        await getattr(MeteredReasoner(inner, keeper(), place=place), method)(ASK)
    assert [call["ok"] for call in place.calls] == ([] if name == "embedded" else [False])


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (p.Question(None), "gave no whole reply to 'ask'. In its Question 'text' is a NoneType, not a str"),
        (SystemExit(7), "broke off in 'ask'. It raised SystemExit: 7"),
    ],
)
async def test_half_a_reply_and_an_exit_are_breaks_too(reply, says):
    inner = ScriptedReasoner({}, name="own")
    inner.ask = lambda request: given(reply)
    with pytest.raises(InvariantError, match=re.escape(says)):
        await MeteredReasoner(inner, keeper()).ask(ASK)


@pytest.mark.parametrize(
    ("reply", "method", "says"),
    [
        (p.Synthesis("x", (), True, 1), "merge", ""),
        (p.Synthesis("x", [], True, 0.5), "merge", ""),
        (p.Synthesis("x", (), True, np.float32(0.5)), "merge", ""),
        (p.Synthesis("x", None, True, 0.5), "merge", "'citations' is a NoneType, not a tuple"),
        (p.Synthesis("x", ("q",), True, 0.5), "merge", "'citations' holds a str, not a Citation"),
        (p.Synthesis("x", (), "yes", 0.5), "merge", "'found' is a str, not a bool"),
        (p.Synthesis("x", (), True, True), "merge", "'support' is a bool, not a float"),
        (p.Question("x", usage=None), "ask", "'usage' is a NoneType, not a Usage"),
    ],
)
def test_the_fields_of_a_reply_have_their_types(reply, method, says):
    assert fault_of(reply, method) == says


async def test_a_number_of_numpy_becomes_a_plain_one():
    inner = ScriptedReasoner({}, name="own")
    inner.merge = lambda request: given(p.Synthesis("x", (), True, np.float32(0.5)))
    reply = await MeteredReasoner(inner, keeper()).merge(ASK)
    assert type(reply.support) is float


async def test_half_a_reply_is_paid():
    inner, own = ScriptedReasoner({}, name="own"), keeper()
    inner.ask = lambda request: given(p.Question(None, usage=Usage(1, 500, 0.2)))
    with pytest.raises(InvariantError):
        await MeteredReasoner(inner, own).ask(ASK)
    assert own.spent == Usage(1, 500, 0.2)


async def given(reply):
    if isinstance(reply, BaseException):
        raise reply
    return reply


@pytest.mark.parametrize("error", [ReasonerError("no"), GraphInterrupt(), OSError(28, "disk full")])
async def test_what_a_reasoner_may_raise_goes_on_as_it_is(error):
    metered = MeteredReasoner(ScriptedReasoner({"ask": [error]}), keeper())
    with pytest.raises(type(error)) as caught:
        await metered.ask(ASK)
    assert caught.value is error
