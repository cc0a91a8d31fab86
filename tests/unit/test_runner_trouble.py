"""Trouble with what is stored: lost or damaged checkpoints, deaths at odd moments, threads in use."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ddax.errors import StateError, ThreadInUse, UsageError
from ddax.graph.builder import Builder, build_graph, splice
from ddax.graph.runner import open_agent
from ddax.graph.sessions import LocalServices
from ddax.graph.threads.manifests import RunInfo
from tests.unit.crashing import Crash

ENDING_SECONDS = 10
"""SQLite's thread tells that the file is closed, and ends a moment later."""


def crash(event: dict[str, Any]) -> None:
    if event["node"] == "evaluate":
        raise Crash


async def broken(kit: Any, home: Path) -> None:
    """Leave a run that died in the middle."""
    async with kit.agent(home, kit.script()) as agent:
        with pytest.raises(Crash):
            await agent.run(kit.question, thread="t", on_event=crash)


async def finished(kit: Any, home: Path) -> Any:
    return await kit.finished(home)


def test_an_agent_that_cannot_be_built_leaves_nothing_open(tmp_path: Path) -> None:
    def build(services: LocalServices) -> Builder:
        raise Crash

    before = set(threading.enumerate())
    with pytest.raises(Crash), open_agent(home=tmp_path, build=build):
        pass
    left = set(threading.enumerate()) - before
    for thread in left:
        thread.join(ENDING_SECONDS)
    assert not {thread for thread in left if thread.is_alive()}, "a thread that lives on holds up the process"


def lose(home: Path) -> None:
    for file in home.glob("checkpoints.sqlite*"):
        file.unlink()


@pytest.mark.parametrize("begin", [broken, finished])
async def test_lost_checkpoints_are_never_a_silent_restart(kit: Any, tmp_path: Path, begin: Any) -> None:
    await begin(kit, tmp_path)
    lose(tmp_path)
    events: list[Any] = []
    async with kit.agent(tmp_path, kit.script()) as agent:
        with pytest.raises(StateError, match="are gone") as caught:
            await agent.resume("t", on_event=events.append)
    assert caught.value.exit_code == 4
    assert events == []


async def test_a_follow_up_on_lost_checkpoints_is_refused(kit: Any, tmp_path: Path) -> None:
    await finished(kit, tmp_path)
    lose(tmp_path)
    async with kit.agent(tmp_path, kit.script()) as agent:
        with pytest.raises(StateError, match="are gone"):
            await agent.run("And its harbour?", thread="t")
        assert agent.threads()[0].status == "done"


def empty(file: Path) -> None:
    file.write_bytes(b"")


def cut(file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 2])


def zero_header(file: Path) -> None:
    file.write_bytes(bytes(100) + file.read_bytes()[100:])


def zero_body(file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data[:4096] + bytes(len(data) - 4096))


@pytest.mark.parametrize("damage", [empty, cut, zero_header, zero_body])
@pytest.mark.parametrize("task", [None, "And its harbour?"])
async def test_a_damaged_checkpoint_file_is_named(
    kit: Any, tmp_path: Path, damage: Callable[[Path], None], task: str | None
) -> None:
    await finished(kit, tmp_path)
    damage(tmp_path / "checkpoints.sqlite")
    with pytest.raises(StateError) as caught:
        async with kit.agent(tmp_path, kit.script()) as agent:
            await (agent.resume("t") if task is None else agent.run(task, thread="t"))
    assert caught.value.exit_code == 4
    assert caught.value.mend


async def test_a_damaged_manifest_is_named_and_listed(kit: Any, tmp_path: Path) -> None:
    await finished(kit, tmp_path)
    (tmp_path / "runs" / "t" / "run.json").write_text('{"thread_id": "t"')
    async with kit.agent(tmp_path, kit.script()) as agent:
        with pytest.raises(StateError, match="damaged"):
            await agent.resume("t")
        assert [info.status for info in agent.threads()] == ["unreadable"]


async def test_a_death_before_the_first_checkpoint_starts_the_whole_task(kit: Any, tmp_path: Path) -> None:
    long = kit.question + " Say it shortly." * 60
    async with kit.agent(tmp_path, kit.script()) as agent:

        async def die(*_: Any, **__: Any) -> Any:
            raise Crash

        agent._drive = die  # the process ends between the manifest and the first checkpoint
        with pytest.raises(Crash):
            await agent.run(long, thread="t")
    async with kit.agent(tmp_path, kit.script()) as agent:
        assert (await agent.resume())["status"] == "done"
    assert [row["text"] for row in await kit.memory.rows("tasks")] == [long]


async def test_a_death_while_the_sources_are_opened_starts_the_whole_task(
    kit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opening = asyncio.Event()

    async def hang(*_: Any, **__: Any) -> None:
        opening.set()
        await asyncio.Event().wait()

    async with kit.agent(tmp_path, kit.script()) as agent:
        monkeypatch.setattr(agent.services, "session", hang)
        run = asyncio.ensure_future(agent.run(kit.question, thread="t"))
        await opening.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        assert agent.threads()[0].status == "interrupted"
    async with kit.agent(tmp_path, kit.script()) as agent:
        assert (await agent.resume("t"))["status"] == "done"


@pytest.mark.parametrize("begin", [None, finished])
async def test_a_run_that_cannot_be_opened_leaves_what_was_there(
    kit: Any, tmp_path: Path, begin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if begin is not None:
        await begin(kit, tmp_path)

    async def fail(*_: Any, **__: Any) -> None:
        assert agent.threads()[0].status == "running"
        raise UsageError("no such source.", why="It is not there.", mend="Name another.")

    async with kit.agent(tmp_path, kit.script()) as agent:
        before = agent.threads()
        monkeypatch.setattr(agent.services, "session", fail)
        with pytest.raises(UsageError, match="no such source"):
            await agent.run("And then?", thread="t")
        assert agent.threads() == before


async def test_a_death_before_a_follow_up_began_starts_the_follow_up(kit: Any, tmp_path: Path) -> None:
    await finished(kit, tmp_path)
    async with kit.agent(tmp_path, kit.script()) as agent:

        async def die(*_: Any, **__: Any) -> Any:
            raise Crash

        agent._drive = die
        with pytest.raises(Crash):
            await agent.run("And its harbour?", thread="t")
    async with kit.agent(tmp_path, kit.script()) as agent:
        await agent.resume("t")
        assert (await agent.state("t"))["work"]["root"] == "1"


async def test_a_death_after_the_last_checkpoint_settles_the_manifest(kit: Any, tmp_path: Path) -> None:
    async with kit.agent(tmp_path, kit.script()) as agent:

        async def die(*_: Any, **__: Any) -> Any:
            raise Crash

        agent._settle = die
        with pytest.raises(Crash):
            await agent.run(kit.question, thread="t")
    async with kit.agent(tmp_path, {}) as agent:
        assert (await agent.resume("t"))["status"] == "done"
        assert agent.threads()[0].status == "done"


async def test_a_thread_that_waits_at_an_own_node_says_so_to_a_graph_without_it(
    kit: Any, tmp_path: Path
) -> None:
    def audit(state: Any) -> dict[str, Any]:
        raise Crash

    def mended(state: Any) -> dict[str, Any]:
        return {}

    def build(services: LocalServices, node: Any = audit) -> Builder:
        return splice(build_graph(services), "audit", node, after="act", before="evaluate")

    async with kit.agent(tmp_path, kit.script(), build=build) as agent:
        with pytest.raises(Crash):
            await agent.run(kit.question, thread="t")
    async with kit.agent(tmp_path, kit.script()) as agent:
        for answer in (None, "yes", None):
            with pytest.raises(UsageError, match="waits at the node 'audit', which this graph has not"):
                await agent.resume("t", answer=answer)
        assert agent.runs.load("t").status == "running", "it can still be resumed where it belongs"
    async with kit.agent(tmp_path, kit.script(), build=lambda s: build(s, mended)) as agent:
        assert (await agent.resume("t"))["status"] == "done"
        assert (await agent.resume("t"))["status"] == "done"


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[None]:
    """Let another live process own the thread `t` of this home."""
    program = (
        "import sys, time; from pathlib import Path; from ddax.memory.home import Home, thread_lock\n"
        "with thread_lock(Home(Path(sys.argv[1])).ensure(), 't', clock=time.time):\n"
        "    print('mine', flush=True); sys.stdin.read()\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stdout.readline() == "mine\n"
    yield
    child.stdin.close()
    child.stdout.close()
    child.wait(timeout=60)


@pytest.mark.usefixtures("owner")
@pytest.mark.parametrize("status", ["", "running", "done"])
async def test_a_thread_of_another_process_is_in_use(kit: Any, tmp_path: Path, status: str) -> None:
    async with kit.agent(tmp_path, kit.script()) as agent:
        if status:
            agent.runs.save(RunInfo("t", kit.question, status))
        with pytest.raises(ThreadInUse, match="pid") as caught:
            await agent.run(kit.question, thread="t")
        if status == "running":
            with pytest.raises(ThreadInUse):
                await agent.resume("t")
    assert caught.value.exit_code == 5


async def test_a_run_of_a_newer_release_is_refused(kit: Any, tmp_path: Path) -> None:
    async with kit.agent(tmp_path, kit.script()) as agent:
        agent.runs.save(replace(RunInfo("t", kit.question, "done"), version=99))
        with pytest.raises(StateError, match="newer release"):
            await agent.resume("t")


async def test_cut_off_at_any_event_it_goes_on_to_the_same_dag(kit: Any, tmp_path: Path) -> None:
    """Leaving a run cancels its node, sometimes between its values and its choice of what is next."""
    events: list[Any] = []
    async with kit.agent(tmp_path / "whole", kit.script()) as agent:
        whole = await agent.run(kit.question, thread="t", on_event=events.append)
        digest = agent.threads()[0].digest
    kit.memory = None
    async with kit.agent(tmp_path / "cut", kit.script()) as agent:
        for last in range(1, len(events) + 1):
            seen: list[Any] = []

            def leave(event: dict[str, Any], seen: list[Any] = seen, last: int = last) -> None:
                seen.append(event)
                if len(seen) == last:
                    raise Crash

            with pytest.raises(Crash):
                await agent.run(kit.question, thread=f"t{last}", on_event=leave)
            result = await agent.resume(f"t{last}")
            info = agent.runs.load(f"t{last}")
            assert info is not None
            assert (result["status"], result["answer"]) == ("done", whole["answer"]), events[last - 1]["node"]
            assert info.digest == digest, events[last - 1]["node"]
