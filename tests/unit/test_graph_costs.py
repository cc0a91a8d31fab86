"""What each node paid for model calls has a row of its own, each time it ran."""

from __future__ import annotations

from typing import Any

import pytest

from ddax.graph.reports.costs import CALLS, note_calls
from ddax.reasoning.budget import Place
from ddax.types import Usage

STATE = {"work": {"id": "task", "thread": "t"}}


def paid(tokens: int) -> Place:
    place = Place("act", 3, "0.1")
    place.note("extract", Usage(1, tokens, 0.1), ok=True)
    return place


async def test_a_node_that_is_run_again_has_a_row_for_each_time(kit: Any) -> None:
    session = kit.session()
    for tokens in (10, 20, 20):
        await note_calls(paid(tokens), STATE, session)
    rows = await session.memory.rows(CALLS, task="task", thread="t", node="act", step=3, idea="0.1")
    assert [call["tokens"] for row in rows for call in row["calls"]] == [10, 20, 20]


async def test_the_log_is_not_read_before_it_is_written(kit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    session = kit.session()

    async def read(*_: Any, **__: Any) -> None:
        raise AssertionError("a leaf waited for the log")

    with monkeypatch.context() as patch:
        patch.setattr(session.memory, "rows", read)
        await note_calls(paid(10), STATE, session)
    assert len(await session.memory.rows(CALLS)) == 1


async def test_a_node_that_asked_nobody_has_no_row(kit: Any) -> None:
    session = kit.session()
    await note_calls(Place("select", 1), STATE, session)
    assert await session.memory.rows(CALLS) == []
