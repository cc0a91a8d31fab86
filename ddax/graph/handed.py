"""Check what a user hands over: it is told as the agent is opened, not in the step that misses it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from inspect import get_annotations
from typing import TYPE_CHECKING, Any

from langgraph.graph import StateGraph

from ddax.actions.protocol import Action, Library
from ddax.errors import UsageError
from ddax.memory.protocol import Embedder, Memory
from ddax.reasoning.protocol import Reasoner

if TYPE_CHECKING:
    from ddax.actions.web.search.protocol import Provider


def check_kind(given: object, wanted: type, *, place: str, mend: str) -> None:
    """Raise UsageError for what is handed over in another form; None takes what is usual."""
    if not (given is None or isinstance(given, wanted)):
        raise UsageError(
            f"An agent is opened with {place} that are no {wanted.__name__}.",
            why=f"This is a {type(given).__name__}.",
            mend=f"Write: open_agent({mend})",
        )


def check_builder(made: object) -> None:
    """Raise UsageError for what `build` returned, where it is no graph that is still to be compiled."""
    if not isinstance(made, StateGraph):
        raise UsageError(
            "`build` made no graph.",
            why=f"It returned a {type(made).__name__}; a graph is compiled by the agent, with its own saver.",
            mend="Let it be a plain function that returns the builder: splice(build_graph(services), ...).",
        )


def check_part(place: str, part: object, wanted: type) -> None:
    """Raise UsageError for a part that lacks what its protocol says; None is no part."""
    names = {name for kind in wanted.__mro__ for name in (*vars(kind), *get_annotations(kind))}
    lacks = sorted(name for name in names if not (name.startswith("_") or hasattr(part, name)))
    if part is not None and lacks:
        raise UsageError(
            f"Parts are given a {place} that is none.",
            why=f"A {type(part).__name__} has no {', '.join(lacks)}.",
            mend=f"Give an object of the protocol {wanted.__module__}.{wanted.__name__}.",
        )


def check_actions(given: Any) -> None:
    """Raise UsageError for actions that are none (a decorator or a comma was forgotten), or of one name."""
    several: Sequence[Any] = given if isinstance(given, Sequence) else (given,)
    wrong = next((one for one in several if not isinstance(one, Action)), None)
    if several is not given or wrong is not None:
        raise UsageError(
            "Parts are given actions that are none.",
            why=f"There is a {type(wrong).__name__}." if wrong is not None else "It is one alone.",
            mend="Decorate the function, @action(effect=...), and write: Parts(actions=(it,))",
        )
    names = [action.name for action in several]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(
            f"Parts are given two actions with the name {twice[0]!r}.",
            why="A plan names an action by its name alone.",
            mend="Give each a name of its own.",
        )


@dataclass
class Parts:
    """Ready-made parts to use instead of the ones the settings name; for tests and for users' own."""

    reasoner: Reasoner | None = None
    memory: Memory | None = None
    library: Library | None = None
    embedder: Embedder | None = None
    actions: tuple[Action, ...] = ()
    search: Provider | None = None

    def __post_init__(self) -> None:
        """Raise UsageError for a part that is none, or for two actions of one name."""
        check_actions(self.actions)
        check_part("reasoner", self.reasoner, Reasoner)
        check_part("memory", self.memory, Memory)
        check_part("library", self.library, Library)
        check_part("embedder", self.embedder, Embedder)
        if self.search is not None:
            from ddax.actions.web.search.protocol import Provider

            check_part("search", self.search, Provider)
