"""The stores on disk keep the contracts of the conformance kit."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from langgraph.errors import EmptyInputError

from ddax.configs.settings import Recall
from ddax.graph.savers.serializing import serializer
from ddax.graph.savers.sqlite import open_sqlite
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.protocol import Memory
from ddax.memory.store.namespace import open_memory
from ddax.testing import MemoryContract, SaverContract

pytestmark = pytest.mark.integration


class TestStoredMemory(MemoryContract):
    @pytest.fixture(autouse=True)
    def place(self, tmp_path: Path) -> None:
        self.folder = tmp_path

    def make(self, namespace: str, clock: Any) -> Awaitable[Memory]:
        return open_memory(
            self.folder, namespace=namespace, embedder=HashEmbedder(), clock=clock, recall=Recall()
        )


class TestSqlite(SaverContract):
    def open(self, place: Path) -> AbstractAsyncContextManager[Any]:
        return open_sqlite(place / "checkpoints.sqlite", serializer(""))


def test_a_saver_that_forgets_the_writes_of_a_step_is_found(tmp_path: Path) -> None:
    from langgraph.checkpoint.memory import InMemorySaver

    class Forgetful(SaverContract):
        @asynccontextmanager
        async def open(self, place: Path) -> AsyncIterator[Any]:
            yield InMemorySaver()  # opened again it is empty

    with pytest.raises(EmptyInputError):
        Forgetful().test_a_stopped_run_goes_on_with_the_same_dag()  # type: ignore[attr-defined]
