"""A manifest is told of the first checkpoint beside the run, and never in place of what ended it."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from ddax.errors import ReasonerError, StorageError
from ddax.graph.threads.snapshots import noting

CONFIG = {"configurable": {"thread_id": "t", "checkpoint_id": "c"}}


class Kept:
    """A store with one checkpoint, and the manifests beside it; `broken` is the disk of these."""

    def __init__(self, *, broken: bool = False) -> None:
        self.broken, self.told = broken, list[tuple[str, dict[str, Any]]]()

    async def aget_tuple(self, config: Any) -> Any:
        return SimpleNamespace(config=config)

    def update(self, thread: str, **changes: Any) -> None:
        if self.broken:
            raise StorageError("the disk is full.", why="", mend="")
        self.told.append((thread, changes))


def noted(kept: Any) -> Any:
    return noting(kept, kept, CONFIG)


async def test_the_first_of_many_calls_is_noted_before_the_run_is_over() -> None:
    kept = Kept()
    async with noted(kept) as note:
        for _ in range(3):
            note()
    assert kept.told == [("t", {"checkpoint_id": "c"})]


async def test_a_run_without_a_word_notes_nothing() -> None:
    kept = Kept()
    async with noted(kept):
        pass
    assert not kept.told


@pytest.mark.parametrize("ended", [asyncio.CancelledError(), ReasonerError("down.", why="", mend="")])
async def test_what_ended_a_run_is_told_where_the_disk_fails_too(
    ended: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(type(ended)):
        async with noted(Kept(broken=True)) as note:
            note()
            raise ended
    assert [record.message for record in caplog.records] == [
        "the manifest could not be written: the disk is full."
    ]
