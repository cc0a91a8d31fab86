"""A memory goes over to an embedder of one's own, which `ddax memory rebuild` does not know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ddax import Context, open_agent
from ddax.errors import StateError, ThreadInUse
from ddax.graph.services import Parts
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.renewing import renew
from ddax.testing import QUESTION, PageLibrary

SETTINGS: Any = {"seed": 7, "mood": {"engine": "numpy"}}


class Other(HashEmbedder):
    """The same vectors under another name for them, as after a change of the embedder."""

    def __init__(self) -> None:
        super().__init__()
        self.fingerprint = "other-2"


class Broken(Other):
    def embed(self, texts: Any) -> Any:
        raise RuntimeError("no memory on the card")


async def asked(home: Path, embedder: Any) -> str:
    parts = Parts(embedder=embedder, library=PageLibrary())
    async with open_agent(Context(**SETTINGS), home=home, parts=parts) as agent:
        return (await agent.run(QUESTION))["status"]


async def test_a_memory_is_made_anew_with_an_embedder_of_ones_own(tmp_path: Path) -> None:
    assert await asked(tmp_path, HashEmbedder()) == "done"
    with pytest.raises(StateError, match=r"other-2.*renewing\.renew") as refused:
        await asked(tmp_path, Other())
    assert HashEmbedder().fingerprint in str(refused.value)
    with pytest.raises(StateError, match="no memory on the card"):
        await renew(tmp_path, Broken())
    assert await asked(tmp_path, HashEmbedder()) == "done"
    assert await renew(tmp_path, Other()) > 0
    assert await asked(tmp_path, Other()) == "done"


async def test_a_memory_that_is_open_is_left_as_it_is(tmp_path: Path) -> None:
    parts = Parts(embedder=HashEmbedder(), library=PageLibrary())
    async with open_agent(Context(**SETTINGS), home=tmp_path, parts=parts) as agent:
        await agent.run(QUESTION)
        with pytest.raises(ThreadInUse, match="in use by this process"):
            await renew(tmp_path, Other())
        assert (await agent.run(QUESTION))["status"] == "done"
