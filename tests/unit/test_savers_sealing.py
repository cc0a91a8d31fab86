"""A database that is not as it was written is found, named, and gone on with from what is whole."""

from __future__ import annotations

import sqlite3
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ddax.errors import StateError
from ddax.graph.savers.sealing import checkpoint_errors
from ddax.graph.savers.serializing import serializer
from ddax.ideas import dag
from ddax.memory.home import Home
from ddax.viewer.reading import Reader

LATE = "SELECT checkpoint_id FROM checkpoints ORDER BY checkpoint_id DESC LIMIT 1 OFFSET 4"
EARLY = "SELECT checkpoint_id FROM checkpoints ORDER BY checkpoint_id LIMIT 1 OFFSET 6"
DAMAGE = {
    "a lost idea": "DELETE FROM writes WHERE rowid = (SELECT max(rowid) FROM writes WHERE channel = 'ideas')",
    "an idea of another superstep": (
        "UPDATE writes SET value = (SELECT value FROM writes WHERE channel = 'ideas' ORDER BY rowid LIMIT 1)"
        " WHERE rowid = (SELECT max(rowid) FROM writes WHERE channel = 'ideas')"
    ),
    "a lost superstep": f"DELETE FROM checkpoints WHERE checkpoint_id = ({LATE})",
    "a superstep of another time": (
        f"UPDATE checkpoints SET checkpoint ="
        f" (SELECT checkpoint FROM checkpoints WHERE checkpoint_id = ({EARLY}))"
        f" WHERE checkpoint_id = ({LATE})"
    ),
    "a changed byte": (
        "UPDATE checkpoints SET checkpoint = zeroblob(1) || substr(checkpoint, 2)"
        f" WHERE checkpoint_id = ({LATE})"
    ),
    "another state at the head": (
        f"UPDATE checkpoints SET checkpoint ="
        f" (SELECT checkpoint FROM checkpoints WHERE checkpoint_id = ({LATE}))"
        " WHERE checkpoint_id = (SELECT max(checkpoint_id) FROM checkpoints)"
    ),
    "a foreign superstep": f"DELETE FROM seals WHERE checkpoint_id = ({LATE})",
}


def change(home: Path, statement: str) -> None:
    with sqlite3.connect(home / "checkpoints.sqlite") as db:
        assert db.execute(statement).rowcount > 0
    db.close()


@pytest.mark.parametrize("name", DAMAGE)
async def test_damage_is_named_and_the_last_whole_checkpoint_goes_on_to_the_same_dag(
    kit: Any, tmp_path: Path, name: str
) -> None:
    result = await kit.finished(tmp_path, embedded=True)
    async with kit.agent(tmp_path) as agent:
        digest = dag.digest((await agent.state("t"))["ideas"])
    change(tmp_path, DAMAGE[name])
    async with kit.agent(tmp_path) as agent:
        with pytest.raises(StateError) as found:
            await agent.resume("t")
        assert found.value.exit_code == 4
        assert all(choice in found.value.mend for choice in ("--last-good", "backup", "new thread"))
        with pytest.raises(StateError):
            await agent.run(kit.question, thread="t")
        again = await agent.resume("t", last_good=True)
        assert (again["status"], again["answer"]) == (result["status"], result["answer"])
        assert dag.digest((await agent.state("t"))["ideas"]) == digest


@pytest.mark.parametrize("damage", ["no database", "cut", "hole", "empty", "gone"])
async def test_where_nothing_is_whole_nobody_is_sent_to_the_last_whole_checkpoint(
    kit: Any, tmp_path: Path, damage: str
) -> None:
    await kit.finished(tmp_path, embedded=True)
    file = tmp_path / "checkpoints.sqlite"
    whole = file.read_bytes()
    left = {
        "no database": b"\x93" * len(whole), "cut": whole[: len(whole) // 2], "empty": b"",
        "hole": whole[:4096] + b"\x93" * (len(whole) - 8192) + whole[-4096:],
    }  # fmt: skip
    file.unlink()
    if damage in left:
        file.write_bytes(left[damage])

    async def told(last_good: bool) -> None:
        async with kit.agent(tmp_path) as agent:
            await agent.resume("t", last_good=last_good)

    async def read() -> None:
        async with Reader(Home(tmp_path), {}) as reader:
            await reader.state("t")

    for call in (read, partial(told, False), partial(told, True)):
        with pytest.raises(StateError) as found:
            await call()
        assert "ackup" in found.value.mend and "--last-good" not in found.value.mend, found.value


async def test_what_is_meant_to_change_stays_whole(kit: Any, tmp_path: Path) -> None:
    await kit.finished(tmp_path, embedded=True)
    async with kit.agent(tmp_path) as agent:
        await agent.store.acopy_thread("t", "copy")
        await agent.store.aprune(["t"], keep=3)
        await agent.store.compact()
        for thread in ("t", "copy"):
            assert (await agent.store.check(thread)).fault == ""
        await agent.run(kit.question, thread="t")
        config: Any = {"configurable": {"thread_id": "t"}}
        moments = [one async for one in agent.graph.aget_state_history(config)]
        change_of_old = {"ideas": {"0": {"Q": 0.25}}}
        await agent.graph.aupdate_state(moments[5].config, change_of_old, as_node="evaluate")
        assert (await agent.store.check("t")).fault == ""


async def test_a_thread_from_before_the_seals_is_taken_as_it_is(kit: Any, tmp_path: Path) -> None:
    result = await kit.finished(tmp_path, embedded=True)
    change(tmp_path, "DELETE FROM seals")
    async with kit.agent(tmp_path) as agent:
        assert (await agent.resume("t"))["answer"] == result["answer"]


def test_a_copy_of_an_encrypting_serializer_takes_nothing_that_its_key_did_not_write(tmp_path: Path) -> None:
    pytest.importorskip("Crypto", reason="the extra encryption is not installed")
    from langgraph.checkpoint.base import BaseCheckpointSaver

    written, other = serializer("the first key of two"), serializer("another key, the second")
    copied: Any = BaseCheckpointSaver(serde=written).with_allowlist({("some", "Thing")}).serde
    assert copied is not written, "as a compiled graph has it"
    for reading in (written, copied):
        assert reading.loads_typed(written.dumps_typed({"a": 1})) == {"a": 1}
        for row, what in (
            (serializer("").dumps_typed({"a": 1}), "not encrypted"), (other.dumps_typed(1), "another key"),
        ):  # fmt: skip
            with pytest.raises(StateError, match=what) as caught, checkpoint_errors(tmp_path):
                reading.loads_typed(row)
            assert "DDAX_ENCRYPTION_KEY" in caught.value.mend and "--last-good" not in caught.value.mend
    with pytest.raises(StateError, match="are encrypted") as found, checkpoint_errors(tmp_path):
        serializer("").loads_typed(written.dumps_typed(1))
    assert "DDAX_ENCRYPTION_KEY" in found.value.mend
