"""Check what a user hands over: it is told as the agent is opened, not in the step that misses it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import get_annotations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from langgraph.graph import StateGraph

from ddax.actions.protocol import Action, Library
from ddax.actions.sources.brought import Retrieving, check_documents, retrieving
from ddax.configs.models import ModelRecord, Models
from ddax.configs.settings import Context
from ddax.errors import UsageError, of_setting
from ddax.memory.protocol import Embedder, Memory
from ddax.reasoning.given import is_chat_model, name_among, objects_of
from ddax.reasoning.protocol import Reasoner

if TYPE_CHECKING:
    from langchain_core.documents import Document as LangChainDocument
    from langchain_core.language_models import BaseChatModel
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import RunnableConfig
    from langchain_core.vectorstores import VectorStore
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.store.base import BaseStore

    from ddax.actions.web.search.protocol import Provider

ROLES = frozenset({"plan", "extract", "argue", "judge", "merge", "repair", "lean"})


@dataclass
class Parts:
    """Ready-made parts to use instead of the ones the settings name; for tests and for users' own."""

    reasoner: Reasoner | None = None
    memory: Memory | None = None
    library: Library | None = None
    embedder: Embedder | None = None
    actions: tuple[Action, ...] = ()
    search: Provider | None = None
    model: BaseChatModel | None = None
    models: Mapping[str, BaseChatModel] = field(default_factory=dict)
    documents: tuple[LangChainDocument, ...] = ()
    """Documents of LangChain, as sources beside those of the settings."""
    retriever: Retrieving | None = None
    """Who is asked for further documents at each search."""

    @property
    def objects(self) -> dict[str, BaseChatModel]:
        """Return the chat models that are given as objects, by the names that settings have for them."""
        return objects_of(self.model, self.models)

    @property
    def brings_sources(self) -> bool:
        """Whether there is something to read beside what the settings name."""
        return bool(self.library or self.search or self.documents or self.retriever)

    def __post_init__(self) -> None:
        """Raise UsageError for a part that is none, or for two actions of one name."""
        check_actions(self.actions)
        check_objects(self.model, self.models)
        check_part("reasoner", self.reasoner, Reasoner)
        check_part("memory", self.memory, Memory)
        check_part("library", self.library, Library)
        check_part("embedder", self.embedder, Embedder)
        check_documents(self.documents)
        if self.documents and self.library is not None:
            raise UsageError(
                "Parts are given documents beside a library.",
                why="A library of your own has its own documents, and these would never be read.",
                mend="Let the library hold them, or leave it out.",
            )
        if self.retriever is not None:
            self.retriever = retrieving(self.retriever)
        if self.search is not None:
            from ddax.actions.web.search.protocol import Provider

            check_part("search", self.search, Provider)


def check_kind(given: object, wanted: type, *, place: str, mend: str) -> None:
    """Raise UsageError for what is handed over in another form; None takes what is usual."""
    if not (given is None or isinstance(given, wanted)):
        raise UsageError(
            f"An agent is opened with {place} that are no {wanted.__name__}.",
            why=f"This is a {type(given).__name__}.",
            mend=f"Write: open_agent({mend})",
        )


def built_by(build: Any, services: Any) -> Any:
    """Return what `build` makes; raises UsageError where it is no graph that is still to be compiled."""
    made = build(services) if callable(build) else None
    if not isinstance(made, StateGraph):
        said = (
            f"It returned a {type(made).__name__}" if callable(build) else f"It is a {type(build).__name__}"
        )
        raise UsageError(
            "`build` made no graph.",
            why=f"{said}; a graph is compiled by the agent, with its own saver.",
            mend="Let it be a plain function that returns the builder: splice(build_graph(services), ...).",
        )
    return made


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


class Lent(NamedTuple):
    """What of LangGraph an agent is lent: whoever gives it closes it."""

    saver: BaseCheckpointSaver[Any] | None
    items: BaseStore | None
    config: RunnableConfig


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


def check_objects(model: Any, models: Any) -> None:
    """Raise UsageError for a chat model that is none, or one for a role that is none."""
    given = [("model", model)] if model is not None else []
    if not isinstance(models, Mapping):
        given.append(("models", models))
    else:
        given += [(f"models[{role!r}]", one) for role, one in models.items()]
        if strange := sorted(set(models) - ROLES):
            raise UsageError(
                f"Parts are given a model for {strange[0]!r}.",
                why=f"The roles are {', '.join(sorted(ROLES))}.",
                mend="Name one of these: models={'judge': ...}",
            )
    for place, one in given:
        if not is_chat_model(one):
            raise UsageError(
                f"Parts are given a {place} that is no chat model.",
                why=f"This is a {type(one).__name__}.",
                mend="Give a chat model of LangChain, or name one: open_agent(model='openai:gpt-4.1-mini')",
            )


def _check_named(place: str, one: Any) -> None:
    """Refuse what is no chat model, no name and no record of one; raises UsageError."""
    if not (one is None or is_chat_model(one) or isinstance(one, (str, ModelRecord, Mapping))):
        raise UsageError(
            f"An agent is opened with a {place} that is no model.",
            why=f"This is a {type(one).__name__}.",
            mend="Give a chat model of LangChain, the name of one (open_agent(model='openai:gpt-4.1-mini'))"
            " or a record of its settings (model={'name': ..., 'base_url': ...}).",
        )


def with_models(
    context: Context, parts: Parts, model: Any = None, models: Mapping[str, Any] | None = None
) -> tuple[Context, Parts]:
    """Return settings and parts with models that were given beside them, by name, as a record or an object.

    The settings name an object by its class and model; the object itself is a part.
    """
    _check_named("model", model)
    for role in ROLES & (models or {}).keys():
        _check_named(f"models[{role!r}]", (models or {})[role])
    named = {role: one for role, one in (models or {}).items() if not is_chat_model(one)}
    held = {**parts.models, **{role: one for role, one in (models or {}).items() if is_chat_model(one)}}
    parts = replace(parts, model=model if is_chat_model(model) else parts.model, models=held)
    objects = parts.objects
    values: dict[str, Any] = {}
    if parts.model is not None:
        values["model"] = name_among(parts.model, objects)
    elif model is not None:
        values["model"] = model
    roles = named | {role: name_among(one, objects) for role, one in held.items()}
    if roles:
        values["models"] = {**context.models.model_dump(mode="json", exclude_unset=True), **roles}
    if not values:
        return context, parts
    chosen = {**dict(context), **values, "models": Models(**values.get("models", dict(context.models)))}
    return Context(**chosen), parts


def with_sources(
    parts: Parts, documents: Iterable[LangChainDocument],
    retriever: BaseRetriever | VectorStore | Retrieving | None,
) -> Parts:  # fmt: skip
    """Return parts with documents and a retriever that were given beside them; raises UsageError."""
    several = check_documents(documents)
    asked = retrieving(retriever) if retriever is not None else parts.retriever
    return replace(parts, documents=(*parts.documents, *several), retriever=asked)


def check_store(given: object) -> None:
    """Refuse a store that is none of LangGraph's; raises UsageError."""
    from langgraph.store.base import BaseStore

    if not (given is None or isinstance(given, BaseStore)):
        raise UsageError(
            "An agent is opened with a store that is none.",
            why=f"This is a {type(given).__name__}.",
            mend="Give one of LangGraph: InMemoryStore(); a checkpointer is given as checkpointer=...",
        )


def named_own(parts: Parts, saver: BaseCheckpointSaver[Any] | None) -> dict[str, Any]:
    """Name what is given in Python and stands in no setting, by the argument of `open_agent`."""
    found: dict[str, Any] = {}
    if saver is not None:
        found["checkpointer"] = type(saver).__name__
    if parts.documents:
        found["documents"] = len(parts.documents)
    if parts.retriever is not None:
        found["retriever"] = parts.retriever.name
    return found


def refuse_models(context: Context, parts: Parts, home: Path | str | None) -> None:
    """Refuse settings whose models cannot be asked: a wrong name, a missing key or package.

    Where a reasoner is given, or a recording answers, none is asked.
    """
    if context.replay or parts.reasoner is not None:
        return
    seats = set[str]()
    if context.debate.panel != Context.model_fields["debate"].default.panel:
        from ddax.debate.panel import load_panel

        with of_setting("debate.panel"):
            seats = {seat.model for seat in load_panel(context.debate.panel)} - {""}
    if context.model_name == "embedded" and not seats:
        return
    from ddax.configs.prices import load_providers
    from ddax.memory.home import Home
    from ddax.reasoning.factory import check_models

    place = Path(home) if home else Home.from_environ(os.environ).path
    given: Any = {
        "providers": load_providers(home=place),
        "environment": os.environ,
        "objects": parts.objects,
    }
    check_models(context.model, context.models, **given)
    with of_setting("debate.panel"):
        for model in sorted(seats):
            check_models(model, context.models, **given)
