"""Run the graph: open an agent over a home folder, run a task, resume it, follow it up.

`open_agent(...)` is an async context manager, and a plain one for synchronous code. It gives an
`Agent` whose `graph` is the compiled state machine with saver, memory and reasoner.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from langgraph.errors import GraphDrained
from langgraph.runtime import RunControl

from ddax.configs.secrets import Redactor
from ddax.configs.settings import Context
from ddax.errors import ReasonerError, SandboxError, ThreadInUse, Unavailable, UsageError
from ddax.graph.agent_life import HELD, Going, check_listening, config_of, heard_by, not_open, refuse_a_model
from ddax.graph.builder import Builder, build_graph
from ddax.graph.compiled import CompiledGraph, compiled
from ddax.graph.direct import DirectRuns
from ddax.graph.reports.answer_forms import as_asked, with_output
from ddax.graph.reports.costs import CALLS
from ddax.graph.reports.streaming import Event, OnEvent, events_of, tell, telling_reads
from ddax.graph.reports.tracing import traced
from ddax.graph.results import RunResult, exit_code_of, result_of
from ddax.graph.savers import brought, open_store
from ddax.graph.schemas import check_given, check_state
from ddax.graph.services import Clock, Parts
from ddax.graph.session.given_parts import (
    Lent,
    built_by,
    check_kind,
    check_store,
    named_own,
    refuse_models,
    with_models,
    with_sources,
)
from ddax.graph.sessions import LocalServices
from ddax.graph.state import Input
from ddax.graph.sync_calls import Plainly
from ddax.graph.tasks import check_task
from ddax.graph.threads.ending import settle
from ddax.graph.threads.manifests import CANCELLED, INTERRUPTED, RunFolder, RunInfo, named
from ddax.graph.threads.relied_on import check_relied
from ddax.graph.threads.snapshots import answered, attended, checkpoint_of, cut_short, newest, whole
from ddax.graph.threads.standing import as_noted, counted, followed, of_this_graph, refuse_without, standing
from ddax.memory.store.migrations import sqlite_errors
from ddax.metacognition.versions import settled
from ddax.nodes.open_task import TASK_CHARS
from ddax.types import JsonDict

if TYPE_CHECKING:
    from langchain_core.documents import Document
    from langchain_core.language_models import BaseChatModel
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import RunnableConfig
    from langchain_core.vectorstores import VectorStore
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.store.base import BaseStore

    from ddax.actions.sources.brought import Retrieving
    from ddax.configs.models import ModelRecord
    from ddax.graph.history import Moment
    from ddax.graph.threads.retention import Rule, Swept
    from ddax.memory.home import Home

__all__ = ["Agent", "Event", "RunInfo", "RunResult", "config_of", "exit_code_of", "open_agent"]


def open_agent(
    context: Context | None = None, *, model: str | ModelRecord | BaseChatModel | None = None,
    models: Mapping[str, str | ModelRecord | BaseChatModel] | None = None, home: Path | str | None = None,
    documents: Iterable[Document] = (), retriever: BaseRetriever | VectorStore | Retrieving | None = None,
    checkpointer: BaseCheckpointSaver[Any] | None = None, store: BaseStore | None = None,
    config: RunnableConfig | None = None, parts: Parts | None = None,
    build: Callable[[LocalServices], Builder] = build_graph,
    clock: Clock = time.time, monotonic: Clock = time.monotonic,
) -> Agent:  # fmt: skip
    """Return an agent to be entered with `async with` (or `with`).

    `home` is where everything is kept (default: DDAX_HOME, else `.ddax`), `parts` replaces the parts
    that the settings name, `build` makes the graph (to add nodes and state of one's own). `model` and, by
    role, `models` are names, records or chat model objects, and win over the settings. `documents` and a
    `retriever` are sources beside those of the settings. `checkpointer` and `store` are LangGraph's, in
    place of the home's checkpoints and for nodes of your own; whoever gives them closes them. `config` has
    callbacks, tags and metadata of every run. Raises UsageError for what is none of these, ReasonerError
    for a model without its key.
    """
    check_kind(context, Context, place="settings", mend='Context(sources=("docs",))')
    check_kind(parts, Parts, place="parts", mend="parts=Parts(actions=(...))")
    brought.check_saver(checkpointer)
    check_store(store)
    check_listening(config or {})
    chosen, given = with_models(context or Context(), parts or Parts(), model, models)
    given = with_sources(given, documents, retriever)
    refuse_models(chosen, given, home)
    return Agent(
        chosen, home=home, parts=given, build=build, clock=clock, monotonic=monotonic,
        lent=Lent(checkpointer, store, config or {}),
    )  # fmt: skip


class Agent(Plainly):
    """A compiled graph with its saver, memory and reasoner."""

    graph: CompiledGraph

    def __init__(
        self, context: Context, *, home: Path | str | None, parts: Parts | None,
        build: Callable[[LocalServices], Builder], clock: Clock, monotonic: Clock, lent: Lent,
    ) -> None:  # fmt: skip
        self.context = context
        self._saver, self._items, self._config = lent.saver, lent.items, lent.config
        self._home_path, self._parts, self._build = home, parts, build
        self._clock, self._monotonic = clock, monotonic
        self._stack = contextlib.AsyncExitStack()
        super().__init__()
        self._controls: set[RunControl] = set()
        self._going = Going()
        self.home: Home

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raise UsageError for what only an open agent has."""
            raise not_open() if name in HELD else AttributeError(f"an agent has no {name!r}")

    async def __aenter__(self) -> Self:
        """Open the home, the saver and the services; where one fails nothing stays open."""
        async with self._stack:
            await self._open()
            self._stack = self._stack.pop_all()
        return self

    async def _open(self) -> None:
        from ddax.memory.home import Home

        self._going = Going()  # an agent may be opened again
        self.home = await asyncio.to_thread(lambda: Home.named(self._home_path, os.environ).ensure())
        self.runs = RunFolder(self.home.runs, await asyncio.to_thread(Redactor.of_process))
        self.services = LocalServices(
            self.home, default=self.context, parts=self._parts, clock=self._clock, monotonic=self._monotonic
        )
        await self._stack.enter_async_context(traced(os.environ))
        self._stack.push_async_callback(self.services.close)
        kept = brought.opened(self._saver) if self._saver else open_store(self.home.checkpoints, os.environ)
        self.store = await self._stack.enter_async_context(kept)
        made = built_by(self._build, self.services)
        graph = made.compile(checkpointer=self._saver or self.store, store=self._items, name="ddax")
        keeper = DirectRuns(self, self._begun, self._settle, self._controls, self._clock)
        self.graph = compiled(graph, keeper, config=self._config)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop what still runs, to be resumed, and close everything that was opened."""
        try:
            self.drain()
            await self._going.end()
        finally:  # a session that these opened now, nobody would close
            for name in ("graph", "store", "services"):
                self.__dict__.pop(name, None)
            await self._stack.aclose()

    async def run(
        self, task: str, *, thread: str | None = None, on_event: OnEvent | None = None, output: Any = None,
        config: RunnableConfig | None = None, state: Mapping[str, Any] | None = None,
    ) -> RunResult:  # fmt: skip
        """Run a task to its end; on a finished thread it follows up with the same memory and mind.

        `state` has values of the fields that a `state_schema` adds; `result["state"]` has them back.
        `output` is the form of the answer, in place of the one in the settings: "text", "report", a
        pydantic class or a JSON schema; the filled form is `result["output"]`. `config` has callbacks, tags
        and metadata for LangGraph, and what listens sees every model call.

        Raises UsageError for a task no run begins with, and a thread that is not finished or of another
        home, ThreadInUse where another process has the thread.
        """
        asked = with_output(self.context, output, self.services.forms)
        check_task(task, asked)
        check_state(state)
        given: Any = {**(state or {}), **Input(task=task)}
        check_given(given, self.graph.takes)
        name = named(thread, self._clock())
        async with self._begun(name):
            known = await asyncio.to_thread(self.runs.load, name)
            place = config_of(name, self.context)
            before = await followed(self.graph, self.store, place, known, self.home.checkpoints)
            context = await asyncio.to_thread(settled, asked, self.home.path)
            now = self._clock()
            info = RunInfo(
                name, task, "running", checkpoint_id=before, before=before, updated=now,
                created=known.created if known else now, context=context.model_dump(mode="json"),
                own=self.own,
            )  # fmt: skip
            reading = telling_reads(on_event, self.services.listeners)
            async with self.runs.begun(info, known), reading:
                await self.services.session(context, soon=(task[:TASK_CHARS],))
            return as_asked(await self._drive(name, given, context, on_event, asked=config), output)

    async def resume(
        self, thread: str | None = None, *, answer: Any = None, on_event: OnEvent | None = None,
        last_good: bool = False, model: str | None = None, config: RunnableConfig | None = None,
    ) -> RunResult:  # fmt: skip
        """Continue a thread where its last checkpoint is; a finished one returns its result again.

        Without a name the newest unfinished thread is taken. `answer` answers a pending question. With
        `last_good` damaged checkpoints are given up, down to the last one that is whole. With `model` it
        goes on with another one; raises UsageError where nothing is left to ask it.
        """
        name = (await self._resumable(thread)).thread_id
        async with self._begun(name):
            info = (await self._resumable(name)).with_model(model)
            refuse_without(info, self.own)
            await whole(self.store, name, self.home.checkpoints, rewind=last_good)
            state = await self._snapshot(info)
            context = Context.model_validate(info.context) if info.context else self.context
            waiting = bool(state.interrupts)
            await of_this_graph(self.graph, state, name)
            given: Any = answered(state, answer, name)
            if info.status == "running" and checkpoint_of(state) == info.before:
                given = Input(task=info.task)  # it died before its task reached the checkpoints
            elif (not state.tasks and not waiting) or (waiting and answer is None):
                refuse_a_model(info, model, waiting=waiting)
                # It died after its last one, or LangGraph went on with it to its end.
                if info.status == "running" or (info.resumable and not waiting):
                    return await self._settle(name, config_of(name, context), "")
                return as_noted(result_of(name, state.values, tuple(state.interrupts)), info)
            session = await self.services.session(context)
            await check_relied(session.memory, state.values, name)
            before = await self._resumable(name)
            await asyncio.to_thread(self.runs.save, replace(info, status="running", updated=self._clock()))
            try:
                again = cut_short(state)
                return await self._drive(name, given, context, on_event, replay=again, asked=config)
            except ReasonerError:
                values = (await self._snapshot(info)).values
                await asyncio.to_thread(self.runs.keep_model, before, info.model, values)
                raise

    def stream(
        self, task: str, *, thread: str | None = None, output: Any = None,
        config: RunnableConfig | None = None, state: Mapping[str, Any] | None = None,
    ) -> AsyncGenerator[Event, None]:  # fmt: skip
        """Run a task and yield its events; the last one has the type `result`."""
        asked = {"thread": thread, "output": output, "config": config, "state": state}
        return events_of(lambda tell: self.run(task, on_event=tell, **asked))

    async def state(self, thread: str) -> dict[str, Any]:
        """Return the values of a thread's newest state; raises UsageError for an unknown thread."""
        return dict((await self._now(thread))[1].values)

    async def result(self, thread: str) -> RunResult:
        """Return the result of a thread as it stands."""
        info, state = await self._now(thread)
        found = result_of(info.thread_id, state.values, tuple(state.interrupts))
        return as_noted(found, await asyncio.to_thread(standing, info, self.home))

    async def costs(self, thread: str) -> list[dict[str, Any]]:
        """Return the log of what each node of a thread paid for model calls, oldest first."""
        return await self.rows(thread, CALLS, thread=(await self._resumable(thread)).thread_id)

    async def rows(self, thread: str, table: str, /, **equals: Any) -> list[JsonDict]:
        """Return the rows of a log of the memory that a thread writes to, oldest first."""
        info = await self._resumable(thread)
        context = Context.model_validate(info.context) if info.context else self.context
        return await self.services.rows(context, table, **equals)

    def threads(self) -> list[RunInfo]:
        """Return what is known of every thread, newest first."""
        return [standing(info, self.home) for info in self.runs.all()]

    async def history(
        self, thread: str, *, limit: int | None = None, number: int | None = None
    ) -> list[Moment]:
        """Return the moments of a thread, oldest first; with a limit the newest, with a number that one."""
        from ddax.graph.history import moments

        await self._now(thread)  # says what is wrong with a damaged store
        return await moments(self.graph, config_of(thread, self.context), limit=limit, number=number)

    async def sweep(self, rule: Rule) -> Swept:
        """Let go of the checkpoints a rule names; a thread that is in use stays as it is."""
        from ddax.graph.threads.retention import sweep

        now, locks = self._clock(), self.home.threads
        return await sweep(self.store, self.runs, self.locked, rule, now=now, locks=locks)

    async def cancel(self, thread: str) -> None:
        """Ask a thread to stop at its next step; a waiting or broken one is closed at once."""
        await self._resumable(thread)
        await asyncio.to_thread(self.runs.cancel, thread)
        with contextlib.suppress(ThreadInUse):  # who has it sees the request, also while it opens
            async with self._begun(thread):
                info = await self._resumable(thread)
                if info.resumable:
                    place = config_of(thread, self.context)
                    counts = await counted(self.graph, place, info, self.home.checkpoints)
                    reason = f"{CANCELLED} while it waited" if info.status == "waiting" else CANCELLED
                    changes: Any = {"status": "stopped", "stop_reason": reason, **counts}
                    await self._note(thread, **changes)

    def config(self, thread: str) -> RunnableConfig:
        """Return what LangGraph's own calls need: the thread, and a recursion limit that no run reaches."""
        return config_of(thread, self.context)

    @property
    def own(self) -> JsonDict:
        """What was given in Python and stands in no setting, by the argument of `open_agent`."""
        return named_own(self._parts or Parts(), self._saver)

    def drain(self) -> bool:
        """Ask what runs here to stop at its next superstep, to be resumed; tells whether anything runs."""
        for control in self._controls:
            control.request_drain(INTERRUPTED)
        return bool(self._controls)

    @contextlib.asynccontextmanager
    async def locked(self, thread: str) -> AsyncIterator[None]:
        """Own a thread for the length of the block; raises ThreadInUse."""
        from ddax.memory.home import thread_held

        async with thread_held(self.home, thread, clock=self._clock), self.store.owned(thread):
            yield

    @contextlib.asynccontextmanager
    async def _begun(self, thread: str) -> AsyncIterator[None]:
        """Own a thread, and forget a stop that was asked before: it came too late for who had it then."""
        with self._going.one():
            async with self.locked(thread):
                await asyncio.to_thread(self.runs.clear_cancel, thread)
                yield

    async def _resumable(self, thread: str | None) -> RunInfo:
        name = None if thread is None else named(thread, self._clock())
        return await asyncio.to_thread(self.runs.meant, name)

    async def _now(self, thread: str) -> tuple[RunInfo, Any]:
        return (info := await self._resumable(thread)), await self._snapshot(info)

    async def _note(self, thread: str, **changes: Any) -> None:
        await asyncio.to_thread(self.runs.update, thread, updated=self._clock(), **changes)

    async def _snapshot(self, info: RunInfo) -> Any:
        """Return the newest state; raises StateError where the manifest knows more than the store."""
        return await newest(self.graph, config_of(info.thread_id, self.context), info, self.home.checkpoints)

    async def _drive(
        self, thread: str, given: Any, context: Context, on_event: OnEvent | None, *, replay: bool = False,
        asked: RunnableConfig | None = None,
    ) -> RunResult:  # fmt: skip
        """Drive the graph to its end, an interrupt or a stop, and keep the manifest in step.

        With `replay` the tasks of the newest checkpoint are run again, whatever they had written.
        """
        config, control, stopped = config_of(thread, context), RunControl(), ""
        start = (await self.graph.aget_state(config)).config if replay else config
        self._controls.add(control)
        if self._going.closed:  # it was asked to stop while its session opened
            self.drain()
        try:
            with sqlite_errors(self.home.checkpoints):
                parts: Any = self.graph.unkept(
                    given, heard_by(asked, {**config, **start}), context=context, stream_mode="custom",
                    durability="sync", control=control,
                )  # fmt: skip
                # A generator that is only dropped would go on working behind the next run.
                watch = attended(self.store, self.runs, config, partial(control.request_drain, CANCELLED))
                async with contextlib.aclosing(parts), watch as attend:
                    async for part in parts:
                        await tell(on_event, part)
                        attend()
        except GraphDrained as drained:
            stopped = drained.reason
            await asyncio.to_thread(self.runs.clear_cancel, thread)
        except Unavailable:
            raise  # time, or another key or model, mends it: the run is one to go on with
        except (UsageError, ReasonerError, SandboxError) as error:
            # What the caller must mend first is no run to go on with.
            await self._note(thread, status="failed", stop_reason=error.what)
            raise
        finally:
            self._controls.discard(control)
        return await self._settle(thread, config, stopped)

    async def _settle(self, thread: str, config: Any, stopped: str) -> RunResult:
        return await settle(
            self.graph, self.runs, self.home, thread=thread, config=config, stopped=stopped, now=self._clock()
        )
