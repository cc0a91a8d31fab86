"""A thread that works for event loops: in order, in few trips, and every end told to who asked."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from ddax.memory.share.busy_thread import BEHIND, Lane


@pytest.fixture
def lane() -> Iterator[Lane]:
    made = Lane("test")
    yield made
    made.shutdown()


async def test_everything_is_done_in_the_order_it_was_asked_for(lane: Lane) -> None:
    done: list[int] = []
    found = await asyncio.gather(*(lane.run(lambda n=n: (done.append(n), n * n)[1]) for n in range(100)))  # type: ignore[misc]
    assert done == list(range(100))
    assert found == [n * n for n in range(100)]


@pytest.mark.skipif(sys.platform != "linux", reason="threads have a niceness of their own on Linux alone")
async def test_a_thread_that_gives_way_and_those_it_starts_are_nice_and_no_others() -> None:
    own = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    nice = Lane("nice", nice=BEHIND)

    def told() -> list[int]:
        with ThreadPoolExecutor(1) as pool:
            return [niceness(), pool.submit(niceness).result()]

    def niceness() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    assert await nice.run(told) == [min(19, own + BEHIND)] * 2
    assert niceness() == own
    nice.shutdown()


async def test_what_is_asked_while_it_is_busy_shares_one_trip(lane: Lane) -> None:
    started, go = threading.Event(), threading.Event()
    busy = asyncio.ensure_future(lane.run(lambda: (started.set(), go.wait(30))))
    await asyncio.to_thread(started.wait, 30)
    loop = asyncio.get_running_loop()
    told = 0
    call = loop.call_soon_threadsafe

    def counted(*arguments: object, **named: object) -> asyncio.Handle:
        nonlocal told
        told += 1
        return call(*arguments, **named)  # type: ignore[arg-type]

    waiting = [asyncio.ensure_future(lane.run(lambda n=n: n)) for n in range(50)]  # type: ignore[misc]
    await asyncio.sleep(0)
    loop.call_soon_threadsafe = counted  # type: ignore[method-assign]
    go.set()
    assert await asyncio.gather(*waiting) == list(range(50))
    await busy
    assert told == 2  # the one it was busy with, and all of the others


async def test_an_error_reaches_who_asked_and_nobody_else(lane: Lane) -> None:
    def fails() -> None:
        raise ValueError("broken")

    found = await asyncio.gather(
        lane.run(lambda: 1), lane.run(fails), lane.run(lambda: 3), return_exceptions=True
    )
    assert (found[0], found[2]) == (1, 3)
    assert isinstance(found[1], ValueError)


async def test_what_nobody_waits_for_is_not_begun(lane: Lane) -> None:
    started, go = threading.Event(), threading.Event()
    busy = asyncio.ensure_future(lane.run(lambda: (started.set(), go.wait(30))))
    await asyncio.to_thread(started.wait, 30)
    done: list[str] = []
    given_up = asyncio.ensure_future(lane.run(lambda: done.append("given up")))
    kept = asyncio.ensure_future(lane.run(lambda: done.append("kept")))
    await asyncio.sleep(0)
    given_up.cancel()
    await asyncio.sleep(0)
    go.set()
    await asyncio.gather(busy, kept)
    assert done == ["kept"]


def test_two_loops_are_told_each_its_own(lane: Lane) -> None:
    found: dict[str, list[str]] = {}

    async def ask(name: str) -> None:
        found[name] = await asyncio.gather(*(lane.run(lambda: name) for _ in range(20)))

    threads = [threading.Thread(target=lambda n=n: asyncio.run(ask(n))) for n in ("one", "two")]  # type: ignore[misc]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {"one": ["one"] * 20, "two": ["two"] * 20}


def test_a_loop_that_has_ended_is_not_told(lane: Lane) -> None:
    go = threading.Event()
    done: list[int] = []

    async def leave() -> None:
        waiting = asyncio.ensure_future(lane.run(lambda: done.append(go.wait(30))))
        await asyncio.sleep(0)
        assert not waiting.done()

    asyncio.run(leave())
    go.set()
    assert lane.submit(lambda: "still working").result(30) == "still working"


async def test_questions_of_one_trip_are_answered_by_one_call(lane: Lane) -> None:
    calls: list[list[int]] = []

    def squares(numbers: Sequence[int]) -> list[int]:
        calls.append(list(numbers))
        return [n * n for n in numbers]

    started, go = threading.Event(), threading.Event()
    busy = asyncio.ensure_future(lane.run(lambda: (started.set(), go.wait(30))))
    await asyncio.to_thread(started.wait, 30)
    asked = [asyncio.ensure_future(lane.ask(squares, n)) for n in range(20)]
    await asyncio.sleep(0)
    go.set()
    assert await asyncio.gather(*asked) == [n * n for n in range(20)]
    await busy
    assert calls == [list(range(20))]


async def test_what_was_queued_between_two_questions_is_done_between_them(lane: Lane) -> None:
    known: list[int] = []
    started, go = threading.Event(), threading.Event()
    busy = asyncio.ensure_future(lane.run(lambda: (started.set(), go.wait(30))))
    await asyncio.to_thread(started.wait, 30)

    def count(questions: Sequence[str]) -> list[int]:
        return [len(known) for _ in questions]

    before = asyncio.ensure_future(lane.ask(count, "before"))
    await asyncio.sleep(0)
    added = lane.submit(lambda: known.append(1))
    after = asyncio.ensure_future(lane.ask(count, "after"))
    await asyncio.sleep(0)
    go.set()
    assert (await before, await after) == (0, 1)
    assert added.done()
    await busy


async def test_where_no_answer_is_found_everybody_who_asked_is_told(lane: Lane) -> None:
    def fails(questions: Sequence[int]) -> list[int]:
        raise ValueError(f"{len(questions)} asked")

    found = await asyncio.gather(*(lane.ask(fails, n) for n in range(5)), return_exceptions=True)
    assert all(isinstance(error, ValueError) for error in found)
