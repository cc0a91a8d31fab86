"""Threads that are run by LangGraph's own calls: their manifest is written as that of any other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from langgraph.errors import GraphDrained
from langgraph.runtime import RunControl
from langgraph.types import Command

from ddax.errors import ReasonerError, SandboxError, Unavailable, UsageError
from ddax.graph.agent_life import config_of
from ddax.graph.services import as_context
from ddax.graph.threads.manifests import CANCELLED, RunInfo, named
from ddax.graph.threads.snapshots import attended, checkpoint_of
from ddax.metacognition.versions import settled
from ddax.nodes.open_task import no_text

if TYPE_CHECKING:
    from ddax.configs.settings import Context
    from ddax.graph.runner import Agent
    from ddax.graph.services import Clock


@dataclass(frozen=True)
class DirectRuns:
    """Keeps the manifests of an agent's threads while its graph is called directly."""

    agent: Agent
    begun: Callable[[str], AbstractAsyncContextManager[None]]
    settle: Callable[..., Any]
    controls: set[RunControl]
    clock: Clock

    @asynccontextmanager
    async def kept(
        self, thread: str, given: Any, context: Any, control: RunControl
    ) -> AsyncIterator[Callable[[], None]]:
        """Own a thread and note how its run begins and ends; gives what is called at each part of it."""
        agent, name = self.agent, named(thread, 0.0)
        async with self.begun(name):
            settings = agent.context if context is None else as_context(context)
            await self._note_begin(name, given, settings)
            self.controls.add(control)
            place = config_of(name, settings)
            watch = attended(agent.store, agent.runs, place, partial(control.request_drain, CANCELLED))
            try:
                async with watch as attend:
                    yield attend
            except GraphDrained as drained:
                await self.settle(name, place, drained.reason)
                raise
            except Unavailable:
                raise  # it can be gone on with
            except (UsageError, ReasonerError, SandboxError) as error:
                await asyncio.to_thread(agent.runs.update, name, status="failed", stop_reason=error.what)
                raise
            finally:
                self.controls.discard(control)
            await self.settle(name, place, "")

    async def _note_begin(self, name: str, given: Any, settings: Context) -> None:
        """Write the manifest of a run that begins or goes on; raises UsageError for a task of no text."""
        agent = self.agent
        task = task_of(given)
        known = await asyncio.to_thread(agent.runs.load, name)
        now = self.clock()
        if known is not None and task is None:
            await asyncio.to_thread(agent.runs.save, replace(known, status="running", updated=now))
            return
        state = await agent.graph.aget_state(config_of(name, settings))
        context = await asyncio.to_thread(settled, settings, agent.home.path)
        before = checkpoint_of(state) if task is not None else ""
        info = RunInfo(
            name, task or str(state.values.get("task", "")), "running", before=before, checkpoint_id=before,
            created=known.created if known else now, updated=now, context=context.model_dump(mode="json"),
            own=agent.own,
        )  # fmt: skip
        await asyncio.to_thread(agent.runs.save, info)


def task_of(given: Any) -> str | None:
    """Return the task that an input opens, None where a thread goes on; raises UsageError for no text."""
    if given is None or isinstance(given, Command) or not isinstance(given, Mapping):
        return None
    task = given.get("task", "")
    if not isinstance(task, str):
        raise no_text(task)
    messages = given.get("messages") or []
    return task or _said(messages[-1] if isinstance(messages, list) and messages else messages)


def _said(message: Any) -> str:
    """Return the text of a chat message in any of the forms that LangGraph takes."""
    from langchain_core.messages import convert_to_messages

    if not message:
        return ""
    try:
        return str(convert_to_messages([message])[0].text)
    except (ValueError, NotImplementedError):
        return ""  # LangGraph says what is wrong with it
