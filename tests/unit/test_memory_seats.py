"""Seats at a memory's folder: who lets in whom, whom a socket file fools, and what a silent owner costs."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from ddax.configs.settings import Recall
from ddax.errors import StorageError, ThreadInUse, UsageError
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.lock import Owner, OwnerLock, lock_owner, this_process
from ddax.memory.share import seats, sockets
from ddax.memory.share.owner import acquire
from ddax.memory.share.reaching import held, reach_memory
from ddax.memory.share.remote import Answer, Call, Maker, RemoteMemory
from ddax.memory.share.seats import leave, take
from ddax.memory.share.sockets import Door, Line, LineBroken, sweep
from ddax.memory.store.namespace import ChromaMemory, open_memory
from ddax.types import Record
from tests.unit.memory_contract.parts import owning

CALL = Call("n", Recall(), 1.0, Maker("hash", "h", 2), "count", ("observation",))


def clock() -> float:
    return 1_000_000.0


async def reached(path: Path, **more: Any) -> Any:
    return await reach_memory(
        path, namespace="n", embedder=HashEmbedder(), clock=clock, recall=Recall(), **more
    )


@asynccontextmanager
async def answering(answer: Any, token: str = "t") -> AsyncIterator[Owner]:
    """Let others in, as the owner that is yielded."""
    door = Door(answer, token)
    await door.open()
    try:
        yield replace(this_process(1.0), address=door.address, token=token)
    finally:
        await door.close()
        door.remove()


async def seven(call: Call) -> Answer:
    return 7, None


async def asked(owner: Owner, call: Call = CALL) -> Answer:
    line = Line(owner)
    try:
        return await line.ask(call)
    finally:
        line.close()


async def test_only_the_user_may_enter_and_nothing_stays_behind(tmp_path: Path) -> None:
    async with answering(seven) as owner:
        assert owner.address is not None
        folder = Path(owner.address).parent
        assert folder.stat().st_mode & 0o777 == 0o700
        assert await asked(owner) == (7, None)
    assert not folder.exists()


async def test_a_process_of_another_user_is_not_spoken_to(monkeypatch: pytest.MonkeyPatch) -> None:
    async with answering(seven) as owner:
        monkeypatch.setattr(os, "getuid", lambda: 12345)
        with pytest.raises(LineBroken):
            await asked(owner)


async def test_who_does_not_know_the_token_is_neither_served_nor_believed() -> None:
    async with answering(seven) as owner:
        with pytest.raises(LineBroken, match="somebody else"):
            await asked(replace(owner, token="another"))
        reader, writer = await asyncio.open_unix_connection(owner.address)
        await sockets._read(reader)
        await sockets._write(writer, json.dumps({**sockets.speaks(), "token": "another"}).encode())
        assert await reader.read() == b""
        writer.close()


@pytest.mark.parametrize("said", [b"", b"null", b"[1", b'{"a": 1}', b'["os.system", "ls"]', b"\xff" * 64])
async def test_what_is_no_message_ends_the_line_and_nothing_else(said: bytes) -> None:
    async with answering(seven) as owner:
        for greeted in (False, True):
            reader, writer = await asyncio.open_unix_connection(owner.address)
            await sockets._read(reader)
            if greeted:
                hello = {**sockets.speaks(), "token": owner.token}
                await sockets._write(writer, json.dumps(hello).encode())
            await sockets._write(writer, said)
            assert await reader.read() == b""
            writer.close()
        reader, writer = await asyncio.open_unix_connection(owner.address)
        writer.write(b"\xff" * 8)  # a message of 2^64 bytes
        await sockets._read(reader)
        assert await reader.read() == b""
        writer.close()
        assert await asked(owner) == (7, None)


async def test_what_is_too_large_is_refused_by_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    async def much(call: Call) -> Answer:
        return "x" * 3000, None

    monkeypatch.setattr(sockets, "MAX_BYTES", 2000)
    async with answering(much) as owner:
        with pytest.raises(UsageError, match="too much for one call"):
            await asked(owner, replace(CALL, args=("y" * 3000,)))
        _, error = await asked(owner)
        assert isinstance(error, UsageError)


async def test_another_release_is_refused_by_name(tmp_path: Path) -> None:
    with owning(tmp_path, "0.0.9") as child:
        with pytest.raises(ThreadInUse, match=rf"pid {child.pid}, of ddax 0\.0\.9 ") as told:
            await reached(tmp_path)
        assert "This is ddax 0.2.0 (record" in told.value.why
        assert told.value.exit_code == 5


async def test_an_owner_that_works_for_long_is_waited_for_and_a_silent_one_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    beats = []

    async def slow(call: Call) -> Answer:
        while len(beats) < 4:
            await asyncio.sleep(0)
        return 7, None

    write = sockets._write

    async def counted(writer: Any, data: bytes) -> None:
        beats.extend([] if data else [1])
        await write(writer, data)

    monkeypatch.setattr(sockets, "_write", counted)
    monkeypatch.setattr(sockets, "BEAT_SECONDS", 0.01)
    async with answering(slow) as owner:
        assert await asked(owner) == (7, None)
    monkeypatch.setattr(sockets, "SILENT_SECONDS", 0.05)
    with socket.socket(socket.AF_UNIX) as mute:
        folder = sockets._folder()
        mute.bind(str(folder / "memory"))
        mute.listen()  # as a process that is stopped
        silent = replace(this_process(1.0), address=str(folder / "memory"), token="t")
        with pytest.raises(
            ThreadInUse, match=rf"pid {os.getpid()}, which does not answer.*kill {os.getpid()}"
        ):
            await asked(silent)
    sweep(silent)
    assert not folder.exists()


def test_only_what_a_dead_owner_left_is_swept(tmp_path: Path) -> None:
    precious = tmp_path / "ddax-notes"
    precious.mkdir()
    (precious / "memory").write_text("notes")
    for address in (None, "", str(precious / "memory"), str(tmp_path / "gone" / "memory")):
        sweep(replace(this_process(1.0), address=address))
    assert (precious / "memory").read_text() == "notes"


async def test_a_stale_owner_file_and_a_foreign_socket_mislead_nobody(tmp_path: Path) -> None:
    async with answering(seven, token="foreign") as foreign:
        stale = replace(foreign, pid=2**22 - 1, token="stale")
        (tmp_path / "owner.json").write_text(json.dumps(asdict(stale)))
        memory = await reached(tmp_path)
        assert isinstance(memory, ChromaMemory), "the lock is free, so nobody is asked"
        await memory.close()
        assert foreign.address is not None
        assert Path(foreign.address).exists() is False or await asked(foreign) == (7, None)


async def test_who_lives_and_cannot_be_reached_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seats, "PATIENCE_SECONDS", 0.1)
    lock = OwnerLock(tmp_path, "the memory", clock=clock, serve=True)
    lock.acquire()
    try:
        lock.announce(str(tmp_path / "nowhere"), "t")
        with pytest.raises(ThreadInUse, match=f"pid {os.getpid()}, which cannot be reached"):
            await reached(tmp_path)
        lock.announce("")  # it closes and does not end
        with pytest.raises(ThreadInUse, match="in use by"):
            await reached(tmp_path)
    finally:
        lock.release()
    assert tmp_path.resolve() not in seats._SEATS
    await (await reached(tmp_path)).close()


async def test_an_owner_that_serves_nobody_is_told_at_once(tmp_path: Path) -> None:
    alone = await open_memory(
        tmp_path / "a", namespace="n", embedder=HashEmbedder(), clock=clock, recall=Recall()
    )
    owner = lock_owner(tmp_path / "a")
    assert owner is not None
    assert not owner.serves
    seat = take(tmp_path / "a", clock=clock)
    served = lock_owner(tmp_path / "a")
    assert served is not None
    assert served.address
    await asyncio.to_thread(leave, seat)
    owner = lock_owner(tmp_path / "a")
    assert owner is not None
    assert not owner.serves
    assert await alone.count("observation") == 0
    await alone.close()
    assert lock_owner(tmp_path / "a") is None


async def test_an_owner_on_another_machine_is_named_with_it(tmp_path: Path) -> None:
    lock = OwnerLock(tmp_path, "the memory", clock=clock, serve=True)
    lock.acquire()
    try:
        far = replace(this_process(1.0), host="elsewhere", address="/tmp/ddax-x/memory")
        (tmp_path / "owner.json").write_text(json.dumps(asdict(far)))
        with pytest.raises(ThreadInUse, match=r"on elsewhere since.*Processes of one machine share a home"):
            await reached(tmp_path)
    finally:
        lock.release()


async def test_no_thread_and_no_socket_outlives_the_last_who_sits(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    async with held(tmp_path, clock=clock):
        first, second = await asyncio.gather(reached(tmp_path), reached(tmp_path))
        owner = lock_owner(tmp_path)
        assert owner is not None
        assert owner.address
        await first.close()
        await first.close()
        assert await second.count("observation") == 0
        await second.close()
        assert Path(owner.address).exists()
    assert not Path(owner.address).exists()
    assert {one.name for one in set(threading.enumerate()) - before if one.name.startswith("ddax-m")} == set()
    assert lock_owner(tmp_path) is None


async def test_where_the_system_has_no_local_sockets_one_process_has_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seats, "able", lambda: False)
    memory = await reached(tmp_path)
    await memory.put([Record("observation", "the river")])
    owner = lock_owner(tmp_path)
    assert owner is not None
    assert not owner.serves
    await memory.close()


async def test_no_folder_for_a_socket_leaves_the_memory_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sockets, "_LONGEST", 5)
        with pytest.raises(StorageError, match="TMPDIR"):
            await reached(tmp_path)
    assert lock_owner(tmp_path) is None
    await (await reached(tmp_path)).close()


async def test_a_client_takes_over_when_its_owner_is_killed_and_goes_on_as_it_was(tmp_path: Path) -> None:
    with owning(tmp_path) as child:
        memory = await reached(tmp_path)
        assert isinstance(memory, RemoteMemory)
        await memory.put([Record("observation", "the river")])
        child.kill()
        child.wait()
        every = [Record("observation", f"the river {n}", start=n) for n in range(8)]
        await asyncio.gather(*(memory.put([record]) for record in every))
    owner = lock_owner(tmp_path)
    assert owner is not None
    assert owner.pid == os.getpid()
    mine = await reached(tmp_path)
    assert isinstance(mine, ChromaMemory)
    assert await mine.count("observation") == await memory.count("observation") == 9
    await mine.close()
    await memory.close()
    with pytest.raises(UsageError, match="closed"):
        await memory.count("observation")
    assert lock_owner(tmp_path) is None


async def test_the_index_is_made_anew_by_the_owner_for_whoever_asks(tmp_path: Path) -> None:
    with owning(tmp_path):
        memory = await reached(tmp_path)
        await memory.put([Record("observation", f"the river {n}", start=n) for n in range(3)])
        again = await reached(tmp_path, rebuild=True)
        assert await again.rebuild() == 3
        await again.close()
        await memory.close()


async def test_who_gives_up_a_call_while_the_memory_is_taken_over_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go = threading.Event(), threading.Event()

    def slow(*args: Any, **more: Any) -> Any:
        begun.set()
        assert go.wait(30)
        return acquire(*args, **more)

    with owning(tmp_path) as child:
        memory = await reached(tmp_path)
        child.kill()
        child.wait()
        monkeypatch.setattr(seats, "acquire", slow)
        counting = asyncio.create_task(memory.count("observation"))
        assert await asyncio.to_thread(begun.wait, 30)
        counting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await counting
    go.set()
    assert await memory.count("observation") == 0
    await memory.close()
    assert lock_owner(tmp_path) is None


async def test_a_memory_lent_to_a_session_stays_open_for_whoever_opened_it(tmp_path: Path) -> None:
    with owning(tmp_path):
        memory = await reached(tmp_path)
        lent = memory.trusting(lambda writer: 1.0)
        await lent.close()
        await lent.close()
        assert await memory.count("observation") == 0
        await memory.close()


async def test_an_answer_that_cannot_be_sent_is_an_error_and_a_line_that_always_breaks_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def odd(call: Call) -> Answer:
        return object(), None

    async with answering(odd) as owner:
        _, error = await asked(owner)
        assert isinstance(error, UsageError)

    async def broken(line: Line, call: Call) -> Answer:
        raise LineBroken("it hangs up")

    with owning(tmp_path):
        monkeypatch.setattr(Line, "ask", broken)
        with pytest.raises(StorageError, match="it hangs up"):
            await reached(tmp_path)
