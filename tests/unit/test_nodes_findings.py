"""What a merge has to say is asked for at once, and comes in the order of its needs."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

from ddax.steps.findings.gather import findings

CITED = {"passage_id": "p", "source": "s", "title": "T", "quote": "q", "start": 0, "end": 1}


class Busy:
    """A memory that answers nobody before everybody has asked."""

    def __init__(self, asking: int) -> None:
        self._everybody = asyncio.Barrier(asking)

    async def rows(self, table: str, **equals: Any) -> list[dict[str, Any]]:
        assert (table, equals["task"]) == ("claims", "t")
        await self._everybody.wait()
        return [{"citations": [{**CITED, "quote": f"of {equals['idea']}"}]}] if equals["idea"] != "1" else []


async def test_every_need_is_asked_for_before_the_first_answer() -> None:
    ideas = {
        str(n): {"id": str(n), "title": f"idea {n}", "status": "done", "result": f"result {n}"}
        for n in range(4)
    }
    state = cast(Any, {"work": {"id": "t"}, "ideas": ideas})
    session = cast(Any, SimpleNamespace(memory=Busy(3)))
    async with asyncio.timeout(30):
        found = await findings(state, session, iter(["3", "1", "0"]))
    assert [finding.result for finding in found] == ["result 3", "result 1", "result 0"]
    assert [[cited.quote for cited in finding.citations] for finding in found] == [["of 3"], [], ["of 0"]]
