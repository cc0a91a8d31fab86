"""Read runs without touching them: manifests, checkpoints and the record of the memory, all read-only.

May stand beside a process that runs the thread; nothing is locked, created or changed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Self, TypeVar

from ddax.errors import UsageError
from ddax.graph.results import result_of
from ddax.graph.threads.manifests import RunFolder, RunInfo
from ddax.graph.threads.standing import as_noted, standing
from ddax.viewer.story import Story, chain, patches, picture, spent, started, state_names, weights_of

if TYPE_CHECKING:
    from pathlib import Path

    from ddax.graph.savers.pruning import Store
    from ddax.memory.home import Home
    from ddax.memory.store.sqlite import RecordStore
    from ddax.types import Document, JsonDict, Record

T = TypeVar("T")
TASK = 500
LISTED = ("thread_id", "status", "stop_reason", "task", "steps", "ideas", "created", "updated", "forked_from")
EVERY = 1_000_000
FOREVER = 1e18


class Reader:
    """Everything there is to see of the runs of one home; enter it with `async with`."""

    def __init__(self, home: Home, environ: Mapping[str, str]) -> None:
        self.home, self._environ = home, environ
        self.runs = RunFolder(home.runs)
        self._stack = AsyncExitStack()
        self._store: Store | None = None
        self._graph: Any = None
        self._record: RecordStore | None = None
        self._opening = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        """Close what was opened."""
        await self._stack.aclose()

    def listed(self) -> list[JsonDict]:
        """Return a row for each run, newest first."""
        return [self._row(standing(info, self.home)) for info in self.runs.all()]

    def run(self, thread: str) -> RunInfo:
        """Return the manifest of a thread; raises `UsageError` for one there is not. It blocks."""
        from ddax.memory.home import safe_name

        return self.runs.known(safe_name(thread))

    async def known(self, thread: str) -> RunInfo:
        """Return the manifest as `run` does, for an event loop."""
        return await asyncio.to_thread(self.run, thread)

    def row(self, thread: str) -> JsonDict:
        """Return the row of one run."""
        return self._row(standing(self.run(thread), self.home))

    async def counted(self, info: RunInfo) -> RunInfo:
        """Return a manifest as its thread stands, with the counts of its checkpoints where it has no end."""
        if info.status != "running" or not info.checkpoint_id:
            return await asyncio.to_thread(standing, info, self.home)
        values = (await self._snapshot(info.thread_id)).values
        return await asyncio.to_thread(standing, info, self.home, values)

    async def state(self, thread: str) -> JsonDict:
        """Return the values of a thread's newest state."""
        return dict((await self._snapshot(thread)).values)

    async def ideas(self, thread: str, checkpoint: str = "") -> tuple[JsonDict, str, str]:
        """Return the whole DAG at a moment, the id of its task, and the newest checkpoint there is."""
        newest = await self._snapshot(thread)
        last = str(newest.config["configurable"].get("checkpoint_id", ""))
        values = newest.values
        if checkpoint and checkpoint != last:
            config = {"configurable": {"thread_id": thread, "checkpoint_ns": "", "checkpoint_id": checkpoint}}
            values = (await (await self.graph()).aget_state(config)).values
        return dict(values.get("ideas", {})), str(values.get("work", {}).get("id", "")), last

    def _row(self, info: RunInfo) -> JsonDict:
        values = {**asdict(info), "task": info.task[:TASK]}
        return {key: values[key] for key in LISTED}

    async def standing(self, thread: str) -> JsonDict:
        """Return how a thread stands: its row, its result, and the question it waits with."""
        snapshot = await self._snapshot(thread)
        info = await self.known(thread)
        return await asyncio.to_thread(self._standing, info, snapshot.values, tuple(snapshot.interrupts))

    def _standing(self, info: RunInfo, values: Mapping[str, Any], interrupts: tuple[Any, ...]) -> JsonDict:
        info = standing(info, self.home, values)
        result: JsonDict = dict(as_noted(result_of(info.thread_id, dict(values), interrupts), info))
        if result["question"] is not None:
            about = str(result["question"].get("about") or result["question"].get("idea") or "")
            idea = values.get("ideas", {}).get(about, {})
            result["question"] = {"action": idea.get("action"), **result["question"]}
        result["usage"] = spent(values.get("usage", {})) | {"by_node": result["usage"]["by_node"]}
        identity = str(info.context.get("identity", ""))
        return {"run": self._row(info), "result": result, "identity": identity, "states": list(state_names())}

    async def now(self, thread: str) -> tuple[JsonDict, Story]:
        """Return the picture of a thread as it stands, and the story that goes on from there."""
        snapshot = await self._snapshot(thread)
        values = snapshot.values
        place: Any = snapshot.config
        one = await (await self.store()).aget_tuple(place)
        info = await self.known(thread)
        weights = weights_of(info.context)
        story = Story(weights=weights) if one is None else started(values.get("ideas", {}), one, weights)
        standing = await asyncio.to_thread(self._standing, info, values, tuple(snapshot.interrupts))
        return {**standing, **self._picture(values, story.last)}, story

    async def at(self, thread: str, checkpoint: str) -> JsonDict:
        """Return the picture of a thread at one of its moments."""
        await self.known(thread)
        graph = await self.graph()
        found = await graph.aget_state(
            {"configurable": {"thread_id": thread, "checkpoint_ns": "", "checkpoint_id": checkpoint}}
        )
        if found.metadata is None:
            raise UsageError(
                f"The thread {thread!r} has no moment {checkpoint!r}.",
                why="It was let go of, or belongs to another thread.",
                mend="Load the page again.",
            )
        return self._picture(found.values, checkpoint)

    @staticmethod
    def _picture(values: Mapping[str, Any], checkpoint: str) -> JsonDict:
        return {
            "checkpoint": checkpoint,
            "focus": list(values.get("focus", [])),
            "root": str(values.get("work", {}).get("root", "")),
            "ideas": picture(values.get("ideas", {})),
        }

    async def moments(self, thread: str) -> list[JsonDict]:
        """Return every moment of a thread with its patch, oldest first."""
        info = await self.known(thread)
        story, rows = Story(weights=weights_of(info.context)), []
        for one in await chain(await self.store(), thread) or ():
            rows.append(story.tell(one))
        return rows

    async def follow(
        self, thread: str, after: str, pause: Callable[[], Any]
    ) -> AsyncIterator[tuple[Story, list[JsonDict]]]:
        """Yield the moments of a thread behind one of them, as they come; between looks it pauses.

        Ends without a moment where `after` is not on the way to the newest: the watcher starts anew.
        """
        store, graph = await self.store(), await self.graph()
        weights = weights_of((await self.known(thread)).context)
        story: Story | None = None
        while True:
            behind = await chain(store, thread, after)
            if behind is None:
                return
            if story is None:
                config = {"configurable": {"thread_id": thread, "checkpoint_ns": "", "checkpoint_id": after}}
                values = (await graph.aget_state(config)).values if after else {}
                ideas = values.get("ideas", {})
                story = started(ideas, behind[0], weights) if after else Story(weights=weights)
            if after and behind:  # what ran behind the last moment wrote after that moment was told
                story.pending = patches(behind[0])
                behind = behind[1:]
            rows = [story.tell(one) for one in behind]
            after = story.last
            yield story, rows
            await pause()

    async def rows(self, info: RunInfo, table: str, **equals: Any) -> list[JsonDict]:
        """Return the rows of a log of the memory, oldest first; none where nothing was remembered."""
        return await self._read(info, lambda r, ns: r.rows(ns, table, equals, EVERY, FOREVER))

    async def records(self, info: RunInfo, ids: Sequence[str]) -> list[Record]:
        """Return the rows of the memory with these ids, those that are there."""
        return await self._read(info, lambda r, ns: r.records(ns, ids))

    async def pages(self, info: RunInfo, source: str) -> list[Document]:
        """Return the stored pages of a source, oldest first."""
        return await self._read(info, lambda r, ns: r.upkeep.pages(ns, source))

    async def _read(self, info: RunInfo, ask: Callable[[RecordStore, str], list[T]]) -> list[T]:
        from ddax.memory.records import RECORD, namespace_key
        from ddax.memory.store.record_check import is_there

        path = self.home.memory / RECORD
        async with self._opening:
            if self._record is None:
                if not await asyncio.to_thread(is_there, path):
                    return []
                self._record = await asyncio.to_thread(_open_record, path)
                self._stack.callback(self._record.close)
            key = namespace_key(info.namespace)
            return await asyncio.to_thread(ask, self._record, key)

    async def _snapshot(self, thread: str) -> Any:
        from ddax.graph.threads.snapshots import gone, newest

        info = await self.known(thread)
        if info.checkpoint_id and not await asyncio.to_thread(self._has_checkpoints):
            raise gone(info)
        config = {"configurable": {"thread_id": info.thread_id}}
        return await newest(await self.graph(), config, info, self.home.checkpoints)

    async def store(self) -> Store:
        """Return the checkpoints, opened for reading at the first call."""
        await self.graph()
        if self._store is None:
            raise RuntimeError("the graph was opened without a store")
        return self._store

    async def warm(self) -> None:
        """Open what the first look needs, where it is there already."""
        if await asyncio.to_thread(self.home.checkpoints.exists):
            await self.graph()

    def _has_checkpoints(self) -> bool:
        return bool(self._environ.get("DDAX_CHECKPOINTS")) or self.home.checkpoints.exists()

    async def graph(self) -> Any:
        """Return the state machine over the checkpoints; it is only asked for states."""
        from ddax.graph.builder import build_graph
        from ddax.graph.savers import open_store
        from ddax.graph.sessions import LocalServices

        async with self._opening:
            if self._graph is None:
                if not await asyncio.to_thread(self._has_checkpoints):
                    raise UsageError(
                        "There are no runs yet.",
                        why="Nothing was run in this home.",
                        mend='Start one: ddax run "TASK" --sources DIR',
                    )
                opened = open_store(self.home.checkpoints, self._environ, reading=True)
                self._store = await self._stack.enter_async_context(opened)
                builder = build_graph(LocalServices(self.home))
                self._graph = builder.compile(checkpointer=self._store, name="ddax")
        return self._graph


def _open_record(path: Path) -> RecordStore:
    from ddax.memory.store.sqlite import RecordStore

    return RecordStore(path, reading=True)
