"""Check what a user hands over: it is told as the agent is opened, not in the step that misses it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import get_annotations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langgraph.graph import StateGraph

from ddax.actions.protocol import Action, Library
from ddax.configs.models import Models
from ddax.configs.settings import Context
from ddax.errors import UsageError
from ddax.memory.protocol import Embedder, Memory
from ddax.reasoning.given import is_chat_model, name_among, objects_of
from ddax.reasoning.protocol import Reasoner

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

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

    @property
    def objects(self) -> dict[str, BaseChatModel]:
        """Return the chat models that are given as objects, by the names that settings have for them."""
        return objects_of(self.model, self.models)

    def __post_init__(self) -> None:
        """Raise UsageError for a part that is none, or for two actions of one name."""
        check_actions(self.actions)
        check_objects(self.model, self.models)
        check_part("reasoner", self.reasoner, Reasoner)
        check_part("memory", self.memory, Memory)
        check_part("library", self.library, Library)
        check_part("embedder", self.embedder, Embedder)
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


def with_models(
    context: Context, parts: Parts, model: Any = None, models: Mapping[str, Any] | None = None
) -> tuple[Context, Parts]:
    """Return settings and parts with models that were given beside them, by name, as a record or an object.

    The settings name an object by its class and model; the object itself is a part.
    """
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


def refuse_models(context: Context, parts: Parts, home: Path | str | None) -> None:
    """Refuse settings whose models cannot be asked: a wrong name, a missing key or package.

    Where a reasoner is given, or a recording answers, none is asked.
    """
    if context.model_name == "embedded" or context.replay or parts.reasoner is not None:
        return
    from ddax.configs.prices import load_providers
    from ddax.memory.home import Home
    from ddax.reasoning.factory import check_models

    place = Path(home) if home else Home.from_environ(os.environ).path
    check_models(
        context.model, context.models, providers=load_providers(home=place), environment=os.environ,
        objects=parts.objects,
    )  # fmt: skip
