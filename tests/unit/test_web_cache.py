"""The HTTP cache: it closes while a request that was given up still writes, and keeps what was whole."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
import time
from pathlib import Path

import httpx

from ddax.actions.web.cache import CachingTransport
from ddax.actions.web.cache_file import open_turns

LONG = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x < 400000) SELECT max(x) FROM n"
ROUNDS = 60


class Origin(httpx.AsyncBaseTransport):
    """Answers every request with a page that stays fresh, and counts them."""

    def __init__(self) -> None:
        self.asked = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        return httpx.Response(200, headers={"Cache-Control": "max-age=600"}, content=b"x" * 200_000)


def test_a_connection_closes_behind_the_call_that_runs(tmp_path: Path) -> None:
    connection = open_turns(tmp_path / "new" / "http.sqlite")
    cursor, found = connection.cursor(), list[int]()

    def count() -> None:
        with connection.turn:
            begun.set()
            found.append(cursor.execute(LONG).fetchone()[0])

    begun, counting = threading.Event(), threading.Thread(target=count)
    counting.start()
    begun.wait()
    connection.close()
    assert found == [400_000]
    counting.join()


async def test_a_cache_closes_while_what_was_given_up_still_waits_for_the_file(tmp_path: Path) -> None:
    path, ends = tmp_path / "http.sqlite", list[object]()
    async with httpx.AsyncClient(transport=CachingTransport(Origin(), path)) as client:
        await client.get("http://a.test/first")
    for number in range(ROUNDS):
        other = sqlite3.connect(path, isolation_level=None)
        client = httpx.AsyncClient(transport=CachingTransport(Origin(), path))
        await client.get("http://a.test/first")
        other.execute("BEGIN IMMEDIATE")
        asked = [asyncio.create_task(client.get(f"http://a.test/{number}/{k}")) for k in range(4)]
        await asyncio.sleep(0.02)
        for one in asked:
            one.cancel()
        ends += await asyncio.gather(*asked, return_exceptions=True)
        closing = asyncio.create_task(client.aclose())
        await asyncio.sleep(0.01)
        other.close()
        await closing
    assert [type(end) for end in ends] == [asyncio.CancelledError] * (4 * ROUNDS)
    with contextlib.closing(sqlite3.connect(path)) as kept:
        assert kept.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    origin = Origin()
    async with httpx.AsyncClient(transport=CachingTransport(origin, path)) as client:
        await client.get("http://a.test/first")
    assert origin.asked == 0


async def test_what_was_kept_is_there_behind_a_request_that_was_given_up(tmp_path: Path) -> None:
    origin, path, began = Origin(), tmp_path / "http.sqlite", time.monotonic()
    async with httpx.AsyncClient(transport=CachingTransport(origin, path)) as client:
        await client.get("http://a.test/whole")
        cut = asyncio.create_task(client.get("http://a.test/cut"))
        await asyncio.sleep(0.005)
        cut.cancel()
        await asyncio.gather(cut, return_exceptions=True)
    before = origin.asked
    async with httpx.AsyncClient(transport=CachingTransport(origin, path)) as client:
        assert len((await client.get("http://a.test/whole")).content) == 200_000
        assert origin.asked == before
        assert len((await client.get("http://a.test/cut")).content) == 200_000
    assert time.monotonic() - began < 60
