"""A leaf is given its own time: what the machine withheld from this process is not counted against it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator

import pytest

from ddax import cores
from ddax.steps.act import leaf_time
from ddax.steps.act.leaf_time import LeafTime


def steals(monkeypatch: pytest.MonkeyPatch, seconds: Iterator[float]) -> None:
    monkeypatch.setattr(leaf_time, "withheld", lambda: next(seconds))


async def waited(limit: LeafTime, seconds: float = 30.0) -> bool:
    """Tell whether a wait was ended by the limit."""
    try:
        async with limit:
            await asyncio.sleep(seconds)
    except TimeoutError:
        return True
    return False


async def test_what_was_withheld_puts_the_end_off(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter([0.0, 0.15, 0.15, 0.15, 0.15])
    steals(monkeypatch, looks)
    limit = LeafTime(0.1, math.inf, math.inf)
    assert await waited(limit) and limit.expired() and limit.told == "no result within 0.1 s"
    assert len(list(looks)) <= 2, "it was looked at again, not ended at the first look"


async def test_the_clock_on_the_wall_is_the_last_resort_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    steals(monkeypatch, iter(range(1000)))
    limit = LeafTime(0.05, math.inf, math.inf)
    assert await waited(limit)
    assert limit.told == (
        "no result within 0.05 s of its own time, nor within 0.25 s by the clock: the machine was too busy"
    )


async def test_the_time_of_a_run_is_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    steals(monkeypatch, iter(range(1000)))
    for left in (0.05, -1.0):
        limit = LeafTime(120.0, left, 3.0)
        assert await waited(limit)
        assert limit.told.endswith("all that was left of max_seconds = 3")


async def test_what_ends_in_time_is_not_ended_later() -> None:
    limit = LeafTime(0.02, math.inf, math.inf)
    assert not await waited(limit, 0.0)
    await asyncio.sleep(0.05)
    assert not limit.expired()


def test_what_is_withheld_only_grows_and_is_nothing_where_nobody_counts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    first = cores.withheld()
    assert 0.0 <= first <= cores.withheld()
    monkeypatch.setattr(cores, "_THREADS", tmp_path)
    assert cores.withheld() == 0.0
