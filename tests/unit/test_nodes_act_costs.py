"""What a leaf paid is counted once, and wherever it ends."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from ddax.actions.protocol import ActionResult
from ddax.errors import ReasonerError, StorageError
from ddax.memory.gate.write_gate import GatedMemory
from ddax.reasoning import protocol as p
from ddax.reasoning.budget import charge
from ddax.reasoning.entailment.rules import lexical
from ddax.steps.findings.gather import CLAIMS
from ddax.types import Usage
from tests.unit.test_nodes_act import acted, page, probe
from tests.unit.test_nodes_reading import AGAIN, TOWER, reads
from tests.unit.test_nodes_reading import page as paragraph


async def hangs(*_: Any, **__: Any) -> None:
    """Take longer than any leaf may; what is paid until it is given up is noted."""
    try:
        await asyncio.sleep(5)
    except asyncio.CancelledError as error:
        charge(error, Usage(1, 70, 0.2))
        raise


async def test_a_call_that_the_time_out_of_a_leaf_ended_is_paid(kit: Any) -> None:
    session = kit.session(
        {"extract": [hangs]}, actions=(probe("reads", [page("s")], []),), budget={"leaf_seconds": 0.2}
    )
    update = await acted(kit, session)
    assert update["ideas"]["0.1"]["error"]["kind"] == "timeout"
    assert Usage.of_row(update["usage"]) == Usage(1, 70, 0.2)


async def waits() -> None:
    await asyncio.sleep(5)


async def breaks() -> None:
    raise ZeroDivisionError


async def is_full() -> None:
    await asyncio.sleep(0.1)  # it is being read by then
    raise StorageError("the disk is full.", why="none left", mend="free some")


READ = p.Extraction((), "it is a port", Usage(1, 50, 0.01))


@pytest.mark.parametrize(
    ("reply", "way", "end", "kind", "cost"),
    [
        (hangs, "put", waits, "timeout", Usage(1, 70, 0.2)),
        (READ, "put", waits, "timeout", Usage(1, 50, 0.01)),
        (READ, "claims", waits, "timeout", Usage(1, 50, 0.01)),
        (READ, "claims", breaks, "ZeroDivisionError", Usage(1, 50, 0.01)),
        (READ, "put", is_full, "StorageError", Usage(1, 50, 0.01)),
        (hangs, "put", is_full, "StorageError", Usage(1, 70, 0.2)),
    ],
)
async def test_what_a_leaf_paid_is_counted_wherever_it_ends(
    kit: Any, monkeypatch: pytest.MonkeyPatch, reply: Any, way: str, end: Any, kind: str, cost: Usage
) -> None:
    session = kit.session(
        {"extract": [reply]}, actions=(probe("reads", [page("s")], []),), budget={"leaf_seconds": 0.2}
    )
    log = session.memory.log

    async def put(records: Any) -> Any:
        return await end()

    async def logs(table: str, row: Any, *, key: str) -> None:
        await (end() if table == CLAIMS else log(table, row, key=key))

    monkeypatch.setattr(session.memory, *(("put", put) if way == "put" else ("log", logs)))
    update = await acted(kit, session)
    assert update["ideas"]["0.1"]["error"]["kind"] == kind
    assert Usage.of_row(update["usage"]) == cost
    assert update["usage"]["act.usd"] == cost.usd


def reads_twice(kit: Any, second: Any) -> Any:
    """Return a session whose leaf reads a page that repeats a stored one: the second reading is given."""
    calls: list[p.ExtractRequest] = []

    async def again(request: p.ExtractRequest) -> p.Extraction:
        calls.append(request)
        return reads(request) if len(calls) == 1 else await second(request)

    found = ActionResult("read", (paragraph(AGAIN, step=2),))
    session = kit.session(
        {"extract": [again]},
        repeat=True,
        actions=(probe("reads", [found], []),),
        budget={"leaf_seconds": 0.3},
    )
    return replace(session, memory=GatedMemory(session.memory, lexical))


async def reads_on(request: p.ExtractRequest) -> p.Extraction:
    return reads(request)


async def fails(_: p.ExtractRequest) -> p.Extraction:
    error = ReasonerError("the reply did not fit")
    charge(error, Usage(2, 7, 0.02))
    raise error


@pytest.mark.parametrize(
    ("second", "kind", "cost"),
    [
        (reads_on, "", Usage(2, 20, 0.02)),
        (fails, "ReasonerError", Usage(3, 17, 0.03)),
        (hangs, "timeout", Usage(2, 80, pytest.approx(0.21))),
    ],
)
async def test_both_readings_are_paid_where_a_page_repeats_another(
    kit: Any, second: Any, kind: str, cost: Usage
) -> None:
    session = reads_twice(kit, second)
    await session.memory.put([paragraph(TOWER)])
    update = await acted(kit, session)
    assert update["ideas"]["0.1"].get("error", {}).get("kind", "") == kind
    assert Usage.of_row(update["usage"]) == cost


async def test_what_an_extraction_costs_is_counted(kit: Any) -> None:
    session = kit.session(
        {"extract": [p.Extraction((), "it is a port", Usage(1, 50, 0.01))]},
        actions=(probe("reads", [page("s")], []),),
    )
    update = await acted(kit, session)
    assert Usage.of_row(update["usage"]) == Usage(1, 50, 0.01)
    assert update["usage"]["act.usd"] == 0.01
    assert update["ideas"]["0.1"]["result"] == "it is a port"
    assert len(update["ideas"]["0.1"]["evidence"]) == 1


async def test_what_a_failed_extraction_costs_is_counted_too(kit: Any) -> None:
    error = ReasonerError("the reply did not fit")
    charge(error, Usage(2, 80, 0.02))
    session = kit.session({"extract": [error]}, actions=(probe("reads", [page("s")], []),))
    update = await acted(kit, session)
    assert update["ideas"]["0.1"]["error"]["kind"] == "ReasonerError"
    assert Usage.of_row(update["usage"]) == Usage(2, 80, 0.02)
    assert update["usage"]["act.tokens"] == 80


async def test_replies_given_again_are_told_though_they_cost_nothing(kit: Any) -> None:
    again = Usage(hits=1, saved_tokens=50, saved_usd=0.01)
    session = kit.session(
        {"extract": [p.Extraction((), "it is a port", again)]}, actions=(probe("reads", [page("s")], []),)
    )
    update = await acted(kit, session)
    assert (update["usage"]["hits"], update["usage"]["saved_usd"]) == (1, 0.01)
