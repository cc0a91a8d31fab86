"""Opening a session: what is wrong is told before anything slow, and what fails leaves nothing open."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime

from benchmarks.guard_site import HERE, serving
from ddax.actions.web.client import Web
from ddax.configs.settings import Context
from ddax.errors import DdaxError, SourceError, StorageError, ThreadInUse, UsageError
from ddax.graph.binding import bind
from ddax.graph.services import Parts, Session
from ddax.graph.session.collaborators import open_rows, open_session
from ddax.graph.sessions import LocalServices
from ddax.memory.embed.rows import Rows
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.fake import DictMemory
from ddax.memory.home import Home
from ddax.memory.protocol import RecallQuery
from ddax.memory.share.owner import _OPEN
from ddax.metacognition.controller import Controller
from ddax.reasoning.budget import Place
from ddax.types import Record
from tests.cases import cases

OWNS = """
import sys, time
from pathlib import Path
from ddax.memory.lock import OwnerLock
lock = OwnerLock(Path(sys.argv[1]), "the memory", clock=time.time)
lock.acquire()
print("owned", flush=True)
sys.stdin.read()
"""


def clock() -> float:
    return 1_700_000_000.0


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home").ensure()


@pytest.fixture
def owner(home: Home) -> Iterator[None]:
    """Another process that owns the memory and is in the middle of writing into a cache."""
    child = subprocess.Popen(
        [sys.executable, "-c", OWNS, str(home.memory)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stdout.readline() == b"owned\n"
    home.cache.mkdir(exist_ok=True)
    cache = sqlite3.connect(home.cache / "vectors.sqlite")
    cache.execute("BEGIN EXCLUSIVE")
    yield
    cache.close()
    child.stdin.close()
    child.stdout.close()
    child.wait(timeout=60)


@pytest.mark.usefixtures("owner")
async def test_a_home_in_use_is_told_before_anything_waits_for_its_caches(home: Home) -> None:
    with pytest.raises(ThreadInUse, match="memory is in use by pid") as caught:
        await open_session(Context(), home, Parts(), clock=clock, monotonic=clock)
    with pytest.raises(ThreadInUse, match="memory is in use by pid"):
        await open_rows(Context(), home, "moods", clock=clock)
    # Another thread of this home would find the same memory in use.
    assert caught.value.mend == "Wait for it, stop it, or set DDAX_HOME to another home."


class Asked(HashEmbedder):
    """Notes what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> Rows:
        self.texts += texts
        return super().embed(texts)


async def test_what_the_first_node_asks_for_is_embedded_while_the_session_opens(home: Home) -> None:
    embedder, key = Asked(), "sk-" + "a1B2" * 8
    soon = ("When was the harbour built?", f"Use {key}.")
    session = await open_session(
        Context(), home, Parts(embedder=embedder), clock=clock, monotonic=clock, soon=soon
    )
    statement, question, told = embedder.texts
    assert (statement, question) == (session.identity.statement, soon[0])
    assert key not in told  # no vector of a secret is kept
    session.controller.close()
    await session.memory.close()


async def test_sessions_of_one_process_share_the_encoder_and_those_of_a_namespace_what_is_stored(
    home: Home,
) -> None:
    services = LocalServices(home, clock=clock, monotonic=clock)
    try:
        first = await services.session(Context(namespace="a"))
        second = await services.session(Context(namespace="a", seed=7))
        third = await services.session(Context(namespace="b"))
        assert first.embedder is second.embedder is third.embedder
        (row,) = await first.memory.put([Record("observation", "The tower is 40 m high.", source="a.md")])
        assert [len(await s.memory.get([row])) for s in (first, second, third)] == [1, 1, 0]
    finally:
        await services.close()
    assert not _OPEN


async def test_every_session_of_a_namespace_goes_by_its_own_settings_of_the_memory(home: Home) -> None:
    services = LocalServices(home, parts=Parts(embedder=HashEmbedder()), clock=clock, monotonic=clock)
    row = Record("observation", "The tower is 40 m high.", source="a.md", writer="ann", epsilon=1.0)
    query = RecallQuery("The tower is 40 m high.", "task", before_step=0, now=clock() + 1.0)

    async def score(**settings: Any) -> float:
        session = await services.session(Context(**settings))
        (hit,) = await session.memory.recall(query)
        return hit.score

    try:
        first = await services.session(Context())
        await first.memory.put([row])
        assert first.agents is not None
        with first.agents.changing("ann", "overruled nine times") as ann:
            ann["long_term_stats"]["archived"] |= {"overrides": 9, "settled": 9}
        default = await score()
        assert await score(recall={"lambda_epsilon": 0.0}) == pytest.approx(default / 2)
        assert await score(trust={"formula": "source"}) < 0.9 * default
        assert await score() == default
    finally:
        await services.close()


async def is_open(session: Session) -> bool:
    try:
        await session.memory.count("observation")
    except UsageError as error:
        assert "closed" in error.what
        return False
    return True


async def test_of_many_sessions_the_last_used_ones_stay_open_and_those_in_use(home: Home) -> None:
    services = LocalServices(home, parts=Parts(embedder=HashEmbedder()), clock=clock, monotonic=clock, keep=2)

    async def session(seed: int) -> Session:
        return await services.session(Context(seed=seed))

    first, second = await session(1), await session(2)
    assert await session(1) is first  # so that the second is the one that nobody used for longest
    third = await session(3)
    assert [await is_open(one) for one in (first, second, third)] == [True, False, True]
    with first.used(), third.at(Place("act", 1)).used():
        fourth = await session(4)
        assert await session(1) is first
        assert [await is_open(one) for one in (first, third, fourth)] == [True, True, True]
    anew = await session(2)
    assert anew is not second
    assert [await is_open(one) for one in (first, third, fourth, anew)] == [True, False, False, True]
    await services.close()
    assert not await is_open(anew)
    assert not _OPEN


async def test_a_node_keeps_its_session_open(home: Home) -> None:
    services = LocalServices(home, parts=Parts(embedder=HashEmbedder()), clock=clock, monotonic=clock, keep=1)
    found: list[bool] = []

    async def select(state: Any, *, session: Session) -> Any:
        await services.session(Context(seed=2))
        found.append(await is_open(session))
        return {}

    session = await services.session(Context(seed=1))
    await bind(select, services)({}, Runtime(context=Context(seed=1)))
    await services.session(Context(seed=3))
    assert (found, await is_open(session)) == ([True], False)
    await services.close()


async def test_what_fails_in_closing_an_old_session_fails_nobody_who_opens_another(
    home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    memory = Given("n", HashEmbedder(), clock, Context().recall)
    parts = Parts(embedder=HashEmbedder(), memory=memory)
    services = LocalServices(home, parts=parts, clock=clock, monotonic=clock, keep=1)
    first = await services.session(Context(seed=1))
    broken = Closing(StorageError("the disk is full.", why="", mend=""))
    object.__setattr__(first, "benches", {"one": broken})
    second = await services.session(Context(seed=2))
    assert (broken.closed, memory.closed) == (1, 0)  # the memory is the caller's
    assert "the disk is full" in caplog.text
    assert await is_open(second)
    await services.close()
    assert memory.closed == 1


class Given(DictMemory):
    """Counts how often it was closed."""

    closed = 0

    async def close(self) -> None:
        self.closed += 1


async def test_a_memory_that_was_given_is_closed_once_however_many_sessions_use_it(home: Home) -> None:
    embedder = HashEmbedder()
    memory = Given("n", embedder, clock, Context().recall)
    services = LocalServices(
        home, parts=Parts(embedder=embedder, memory=memory), clock=clock, monotonic=clock
    )
    for seed in (1, 2):
        await services.session(Context(seed=seed))
    await services.close()
    assert memory.closed == 1


class Closing:
    """Notes that it was closed, and fails at it where it is told to."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error, self.closed = error, 0

    async def close(self) -> None:
        self.closed += 1
        if self.error is not None:
            raise self.error


class Unclosing:
    """A controller whose child is gone."""

    def close(self) -> None:
        raise OSError("no such child")


async def test_everything_of_a_session_is_closed_once_also_beside_what_fails(
    home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    services = LocalServices(home, clock=clock, monotonic=clock)
    session = await services.session(Context())
    broken, bench = Closing(StorageError("the disk is full.", why="", mend="")), Closing()
    own: Any = {"reasoner": broken, "benches": {"one": bench, "two": bench}, "controller": Unclosing()}
    services._sessions = {"": replace(session, **own)}
    session.controller.close()
    with pytest.raises(OSError, match="no such child"):
        await services.close()
    assert (broken.closed, bench.closed) == (1, 1)
    assert [record.message for record in caplog.records] == ["another part did not close: the disk is full."]
    assert not _OPEN
    await services.close()


@cases("wrong")
async def test_a_wrong_setting_is_told_before_the_sources_are_read(
    home: Home, tmp_path: Path, wrong: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    left = closings(monkeypatch)
    monkeypatch.chdir(tmp_path)
    Path("broken.yaml").write_text("criteria: [", encoding="utf-8")
    settings = Context.model_validate({"sources": [str(tmp_path / "missing.md")], **wrong})
    with pytest.raises(DdaxError) as caught:
        await open_session(settings, home, Parts(), clock=clock, monotonic=clock)
    assert "missing.md" not in str(caught.value)
    assert left == {"controller": 0, "web": 0}
    assert not _OPEN


async def test_a_source_that_cannot_be_read_leaves_nothing_open(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = closings(monkeypatch)
    settings = Context.model_validate({"sources": [str(tmp_path / "missing.md")]})
    with pytest.raises(UsageError, match="missing"):
        await open_session(settings, home, Parts(), clock=clock, monotonic=clock)
    assert left == {"controller": 0, "web": 0}
    assert not _OPEN


@cases("caps", "said")
async def test_a_page_that_never_answers_is_waited_for_no_longer_than_the_nearest_cap(
    home: Home, monkeypatch: pytest.MonkeyPatch, caps: dict[str, object], said: str
) -> None:
    left = closings(monkeypatch)
    async with serving({"/hang": never}) as site:
        given = {"sources": [site.url("/hang")], "allow_hosts": [HERE], **caps}
        before, began = asyncio.all_tasks(), time.monotonic()
        with pytest.raises(SourceError) as caught:
            await open_session(Context.model_validate(given), home, Parts(), clock=clock, monotonic=clock)
        assert time.monotonic() - began < 15
        assert not [task for task in asyncio.all_tasks() - before if task.get_name().startswith("ddax")]
    assert said in str(caught.value)
    assert left == {"controller": 0, "web": 0}
    assert not _OPEN


async def never(writer: asyncio.StreamWriter) -> None:
    """Answer nothing for longer than any cap of the tests."""
    await asyncio.sleep(60)


def closings(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Count what is opened and not closed again; the parts are real, only watched."""
    left = {"controller": 0, "web": 0}
    watch(monkeypatch, left, "controller", Controller)
    watch(monkeypatch, left, "web", Web)
    return left


def watch(monkeypatch: pytest.MonkeyPatch, left: dict[str, int], name: str, kind: Any) -> None:
    make, end = kind.__init__, kind.close

    def made(self: object, *args: object, **kwargs: object) -> None:
        left[name] += 1
        make(self, *args, **kwargs)

    def ended(self: object) -> object:
        left[name] -= 1
        return end(self)

    monkeypatch.setattr(kind, "__init__", made)
    monkeypatch.setattr(kind, "close", ended)


@pytest.mark.skipif(sys.platform != "linux", reason="what looks for blocking calls is installed on Linux")
def test_no_part_of_a_session_blocks_the_event_loop_as_it_opens_and_closes(
    home: Home, tmp_path: Path
) -> None:
    from blockbuster import BlockingError, blockbuster_ctx

    (tmp_path / "pier.md").write_text("# Pier\n\nThe pier was built by Jan Orr in 1902.\n", encoding="utf-8")
    context = Context(sources=(str(tmp_path / "pier.md"), "python:statistics"))

    async def used(place: Home) -> None:
        services = LocalServices(place, clock=clock, monotonic=clock)
        session = await services.session(context)
        assert (await session.library.read("python:statistics.median")).title == "statistics.median"
        await services.close()

    async def blocks() -> None:
        (tmp_path / "pier.md").stat()

    asyncio.run(used(home))  # what is imported at its first use may be read on the loop
    other = Home(tmp_path / "other").ensure()
    with blockbuster_ctx():
        asyncio.run(used(other))
        with pytest.raises(BlockingError):  # so that what looks for blocking calls is known to look
            asyncio.run(blocks())
