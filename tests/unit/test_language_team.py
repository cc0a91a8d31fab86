"""Who is asked: roles, fallbacks, effort by what is left; lanes, and replies that are kept."""

import asyncio
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from typing import NamedTuple

import pytest

from ddax.configs.settings import Budget, Models
from ddax.errors import BudgetExceeded, InvalidReply, ReasonerError
from ddax.reasoning.budget import BudgetKeeper, charge, usage_of
from ddax.reasoning.effort import effort_of
from ddax.reasoning.language.asked import Ask, Under
from ddax.reasoning.language.cache import WAITS, Kept, ReplyCache, reply_key
from ddax.reasoning.language.provider.channel import Order, Sampling, chosen
from ddax.reasoning.language.provider.lanes import Lane, Lanes
from ddax.reasoning.language.replies.schemas import AskWire, PredictWire
from ddax.reasoning.language.team import ROLES, Team
from ddax.reasoning.language.usage import Tokens, counted, priced
from ddax.reasoning.prompts import Prompt
from ddax.types import Usage

BUDGET = Budget(max_model_calls=100, max_tokens=1000, max_usd=1.0)
ORDER = Order([("system", "s"), ("human", "h")], AskWire, "schema", Sampling(0.0, 0))


@pytest.mark.parametrize(
    ("spent", "effort"),
    [
        (Usage(), "full"), (Usage(50, 0, 0.0), "full"), (Usage(51, 0, 0.0), "saving"),
        (Usage(1, 510, 0.0), "saving"), (Usage(1, 1, 0.8), "lean"), (Usage(80, 1, None), "lean"),
        (Usage(0, 0, 0.0, hits=60, saved_tokens=900), "lean"), (Usage(0, 0, 0.0, saved_usd=0.6), "saving"),
        (Usage(0, 0, 0.0, hits=30, saved_calls=60), "saving"), (Usage(0, 0, 0.0, hits=60), "saving"),
    ],
)  # fmt: skip
def test_effort_goes_down_with_the_scarcest_of_the_budget(spent, effort):
    assert effort_of(spent, BUDGET, Models()) == effort


def test_a_budget_of_nothing_is_lean_and_no_error():
    assert effort_of(Usage(), Budget(max_usd=0), Models()) == "lean"


class At(NamedTuple):
    """What a key takes of a way to a model."""

    address: str
    traits: str = ""


class Caller:
    """A model that answers or fails."""

    def __init__(self, name, error=None):
        self.name, self.error, self.asked, self.free_of_charge = name, error, [], False
        self.effort = None

    async def ask(self, ask, under):
        self.asked.append(under.effort)
        if self.error is not None:
            charge(self.error, Usage(1, 5, 0.01))
            raise self.error
        return self.name, Usage(1, 10, 0.1)


ASK = Ask(Prompt("s", "u"), AskWire, lambda found: found.text)


def team(*line, lean=None, effort=""):
    return Team(dict.fromkeys(ROLES, line), lean=lean, effort=effort)


async def test_a_failure_falls_back_and_both_are_paid():
    first, second = Caller("a:1", InvalidReply("odd")), Caller("b:1")
    reply, usage = await team(first, second).ask("plan", ASK, Under(), effort="full")
    assert (reply, usage) == ("b:1", Usage(2, 15, pytest.approx(0.11)))


async def test_the_last_failure_is_raised_with_the_whole_bill_and_a_cap_stops_at_once():
    with pytest.raises(ReasonerError, match="second") as caught:
        await team(Caller("a", ReasonerError("first")), Caller("b", ReasonerError("second"))).ask(
            "plan", ASK, Under(), effort="full"
        )
    assert usage_of(caught.value) == Usage(2, 10, pytest.approx(0.02))
    second = Caller("b")
    with pytest.raises(BudgetExceeded):
        await team(Caller("a", BudgetExceeded("cap")), second).ask("plan", ASK, Under(), effort="full")
    assert second.asked == []


async def test_a_cap_between_two_models_leaves_the_cost_of_the_first_on_the_bill():
    keeper = BudgetKeeper(Budget(max_model_calls=1), clock=lambda: 0.0)
    second = Caller("b")
    with pytest.raises(BudgetExceeded, match="max_model_calls") as caught:
        await team(Caller("a", ReasonerError("down")), second).ask(
            "plan", ASK, Under(keeper=keeper), effort="full"
        )
    assert second.asked == []
    assert usage_of(caught.value) == Usage(1, 5, 0.01)


async def test_the_lean_model_comes_first_when_little_is_left_and_reasoning_goes_down():
    dear, cheap = Caller("dear"), Caller("cheap")
    people = team(dear, lean=cheap, effort="high")
    assert [(await people.ask("judge", ASK, Under(), effort=e))[0] for e in ("full", "saving", "lean")] == [
        "dear", "dear", "cheap",
    ]  # fmt: skip
    assert (dear.asked, cheap.asked) == (["high", "low"], ["low"])
    for own in ("", "minimal", "low"):
        plain = Caller("plain")
        for effort in ("full", "saving", "lean"):
            await team(plain, effort=own).ask("judge", ASK, Under(), effort=effort)
        assert plain.asked == [own] * 3


class Time:
    """A clock that only sleeping moves."""

    def __init__(self):
        self.now, self.slept = 0.0, []

    def __call__(self):
        return self.now

    async def sleep(self, seconds):
        self.slept.append(round(seconds, 6))
        self.now += seconds


async def begin(lane, n):
    for _ in range(n):
        async with lane.lease():
            pass


async def test_a_lane_lets_a_minute_s_worth_begin_and_then_keeps_the_rate():
    clock = Time()
    lane = Lane(width=4, per_minute=3, clock=clock, sleep=clock.sleep)
    await begin(lane, 3)
    assert clock.slept == []
    await begin(lane, 2)
    assert clock.slept == [20.0, 20.0]
    clock.now += 600
    await begin(lane, 3)
    assert len(clock.slept) == 2


async def test_a_provider_that_asks_for_a_rest_gets_it_and_providers_have_lanes_of_their_own():
    clock = Time()
    lanes = Lanes(width=1, clock=clock, sleep=clock.sleep)
    lanes.of("a:1").pause(7)
    await begin(lanes.of("b:1"), 1)
    assert clock.slept == []
    await begin(lanes.of("a:2"), 1)
    assert clock.slept == [7.0]
    assert lanes.of("a:1") is lanes.of("a:9")


async def most_inside(lane):
    inside = most = 0

    async def work():
        nonlocal inside, most
        async with lane.lease():
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1

    await asyncio.gather(*(work() for _ in range(9)))
    return most


async def test_a_lane_holds_no_more_than_its_width():
    assert await most_inside(Lane(width=2, clock=lambda: 0.0)) == 2
    lanes = Lanes(width=3, clock=lambda: 0.0, singly=("gguf",))
    assert [await most_inside(lanes.of(name)) for name in ("gguf:a.gguf", "openai:a")] == [1, 3]


async def test_a_reply_is_kept_by_all_that_was_sent(tmp_path):
    cache = ReplyCache(tmp_path / "c" / "replies.sqlite", wall=lambda: 5.0)
    key = reply_key("m", At("http://a"), ORDER)
    assert await cache.get(key) is None
    await cache.put(key, Kept("text", 10, None, 3))
    await cache.put(key, Kept("other", 1, 1.0))
    cache.close()
    with closing(ReplyCache(tmp_path / "c" / "replies.sqlite", wall=lambda: 9.0)) as again:
        assert await again.get(key) == Kept("text", 10, None, 3)
    others = {
        reply_key("m2", At("http://a"), ORDER), reply_key("m", At("http://b"), ORDER),
        reply_key("m", At("http://a", "warmer"), ORDER),
        reply_key("m", At("http://a"), Order(ORDER.messages, PredictWire, "schema", ORDER.sampling)),
        reply_key("m", At("http://a"), Order(ORDER.messages, AskWire, "schema", Sampling(0.0, 1))),
        reply_key("m", At("http://a"), replace(ORDER, messages=[("system", "s"), ("human", "x")])),
    }  # fmt: skip
    assert len(others | {key}) == 7
    assert reply_key("m", At("http://a"), Order(ORDER.messages, AskWire, "words", ORDER.sampling)) == key


async def test_a_cache_of_an_earlier_release_is_read_and_written(tmp_path):
    path = tmp_path / "replies.sqlite"
    with closing(sqlite3.connect(path)) as before:
        before.execute(
            "CREATE TABLE replies (key TEXT PRIMARY KEY, text TEXT NOT NULL, tokens INTEGER NOT NULL,"
            " usd REAL, created REAL NOT NULL) WITHOUT ROWID"
        )
        before.execute("INSERT INTO replies VALUES ('old', 't', 7, 0.5, 1.0)")
        before.commit()
    cache = ReplyCache(path, wall=lambda: 0.0)
    await cache.put("new", Kept("t", 1, 0.0, 2))
    assert (await cache.get("old"), await cache.get("new")) == (Kept("t", 7, 0.5, 1), Kept("t", 1, 0.0, 2))
    cache.close()


@pytest.mark.parametrize("released", [True, False])
async def test_a_cache_that_another_holds_is_missed_and_used_again_with_the_loop_going_on(
    tmp_path, monkeypatch, caplog, released
):
    path = tmp_path / "replies.sqlite"
    cache = ReplyCache(path, wall=lambda: 0.0)
    await cache.put("before", Kept("t", 1, 0.0))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        waited = []

        async def sleep(seconds):
            waited.append(seconds)
            if released:
                other.execute("ROLLBACK")

        monkeypatch.setattr(asyncio, "sleep", sleep)  # the wait for the other is all there is to see
        await cache.put("meanwhile", Kept("t", 1, 0.0))
    assert waited == list(WAITS[:1] if released else WAITS)
    assert bool(await cache.get("meanwhile")) is released
    assert await cache.get("before") == Kept("t", 1, 0.0)
    assert caplog.text == ""
    cache.close()


async def test_a_cache_that_another_holds_while_it_is_opened_is_missed(tmp_path):
    path = tmp_path / "replies.sqlite"
    cache = ReplyCache(path, wall=lambda: 0.0)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        began = time.monotonic()
        assert await cache.get("k") is None
        assert time.monotonic() - began < 2
    await cache.put("k", Kept("t", 1, 0.0))
    assert await cache.get("k") is not None
    cache.close()


async def test_a_damaged_cache_is_left_alone_and_said(tmp_path, caplog):
    path = tmp_path / "replies.sqlite"
    path.write_bytes(b"this is no database at all, and long enough to be looked at" * 20)
    cache = ReplyCache(path, wall=lambda: 0.0)
    assert await cache.get("k") is None
    await cache.put("k", Kept("t", 1, 0.0))
    assert await cache.get("k") is None
    assert "is not used" in caplog.text
    assert len(caplog.records) == 1
    with pytest.raises(sqlite3.DatabaseError), closing(sqlite3.connect(path)) as other:
        other.execute("SELECT 1 FROM replies")


@pytest.mark.parametrize(
    ("calls", "reply", "fault"),
    [
        ([("ask", "{}")], "{}", ""), ([("ASK", "{}")], "{}", ""), ([], "", "not called"),
        ([("rm", "{}")], "{}", ""), ([("rm", "{}"), ("ls", "{}")], "", "not called"), ([("ask", "")], "", ""),
        ([("ask", "{}")] * 64, "{}", ""), ([("ask", str(n)) for n in range(9)], "", "9 times"),
    ],
)  # fmt: skip
def test_one_call_of_the_right_tool_is_the_reply(calls, reply, fault):
    text, why = chosen(calls, AskWire)
    assert text == reply
    assert fault in why
    assert bool(why) is bool(fault)


@pytest.mark.parametrize(
    ("said", "cached"),
    [
        ({"cache_read": 40}, 40), ({"cache_read": 999}, 100), ({"cache_read": -1}, 0), ({}, 0), (None, 0),
        ({"cache_read": True}, 0),
    ],
)  # fmt: skip
def test_cached_tokens_are_counted_where_said_and_never_more_than_were_sent(said, cached):
    usage = {"input_tokens": 100, "output_tokens": 10, "input_token_details": said}
    assert counted(usage, sent=1, reply="r") == Tokens(100, 10, cached)
    assert priced(Tokens(100, 10, cached), None, {}).cached_tokens == cached
