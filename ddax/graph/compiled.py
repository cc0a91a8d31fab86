"""The compiled graph: it refuses what its state has no place for, and has its threads noted.

LangGraph drops an unknown key of an input without a word, and knows nothing of the manifests by which the
command line finds a thread. All of its calls come through `astream`, so both are done there.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, aclosing
from typing import Any, Protocol, Self, get_type_hints

from langchain_core.runnables.config import ensure_config
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import RunControl
from langgraph.types import Command

from ddax.configs.settings import Context
from ddax.graph.schemas import check_given
from ddax.graph.state import Input, State

INSIDE = "__pregel_task_id"
"""What LangGraph gives a graph that is run as a part of another one: the task of that one."""


class Keeper(Protocol):
    """Who keeps the manifests of the threads that a graph runs."""

    def kept(
        self, thread: str, given: Any, context: Any, control: RunControl
    ) -> AbstractAsyncContextManager[Callable[[], None]]:
        """Own a thread and note how its run begins and ends; gives what is called at each part of it."""
        ...


class CompiledGraph(CompiledStateGraph[State, Context, Input, State]):
    """A compiled state machine of ddax; to be made by `compiled`."""

    keeper: Keeper | None = None

    @property
    def takes(self) -> Mapping[str, Any]:
        """The fields of an input, with their types and reducers."""
        return get_type_hints(self.builder.input_schema, include_extras=True)

    async def astream(
        self, input: Any, config: Any = None, *, context: Any = None, **asked: Any
    ) -> AsyncIterator[Any]:
        """Stream a run as LangGraph does; as a part of another graph it takes what that one's state has."""
        place = ensure_config(config).get("configurable", {})
        given = input.update if isinstance(input, Command) else input
        if INSIDE not in place:
            check_given(given, self.takes)
        thread, control = place.get("thread_id"), asked.pop("control", None) or RunControl()
        parts: Any = self.unkept(input, config, context=context, control=control, **asked)
        async with aclosing(parts):
            if self.keeper is None or thread is None or INSIDE in place:
                async for part in parts:
                    yield part
                return
            async with self.keeper.kept(str(thread), input, context, control) as attend:
                async for part in parts:
                    attend()
                    yield part

    def unkept(self, input: Any, config: Any = None, **asked: Any) -> AsyncIterator[Any]:
        """Stream a run whose caller notes it: its thread is taken already."""
        return super().astream(input, config, **asked)

    def copy(self, update: dict[str, Any] | None = None) -> Self:
        """Return a copy, whose threads are noted as well."""
        made = super().copy(update)
        made.keeper = self.keeper
        return made


class IdeaGraph(StateGraph[State, Context, Input, State]):
    """The builder of a state machine of ddax."""

    def compile(self, *given: Any, **asked: Any) -> CompiledGraph:
        """Compile as LangGraph does; the graph refuses input that it would drop."""
        return compiled(super().compile(*given, **asked))


def compiled(
    graph: CompiledStateGraph[Any, Any, Any, Any], keeper: Keeper | None = None, *, config: Any = None
) -> CompiledGraph:
    """Return a graph that LangGraph has compiled as one of ours: it names no other way to its class.

    `config` has what every run of it is given.
    """
    made: Any = graph
    made.__class__ = CompiledGraph
    made.keeper, made.config = keeper, config or made.config
    ours: CompiledGraph = made
    return ours
