"""The registry of leaf actions: one decorated function each, found by name.

An action is an async function of an `ActionContext` and a pydantic model of arguments; its effect
(none, reads, writes, spends) is what the policy decides by. Other distributions add actions through
the entry-point group `ddax.actions`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from inspect import getdoc, signature
from typing import Any, get_type_hints

from pydantic import BaseModel, ValidationError

from ddax.actions.protocol import Action, ActionContext, ActionResult
from ddax.errors import ActionError, UsageError
from ddax.types import ActionCall, Effect

BUILT_IN = ("search", "visit", "save", "think")
ENTRY_POINTS = "ddax.actions"


def action(
    *, effect: Effect, idempotent: bool = False
) -> Callable[[Callable[..., Awaitable[ActionResult]]], Action]:
    """Turn an async function of a context and an argument model into an `Action`.

    `idempotent` says that the other side takes `context.key` and does nothing twice under it.
    """

    def make(function: Callable[..., Awaitable[ActionResult]]) -> Action:
        hints = get_type_hints(function)
        names = list(signature(function).parameters)
        model = hints.get(names[1]) if len(names) == 2 else None
        if not (isinstance(model, type) and issubclass(model, BaseModel)):
            raise UsageError(
                f"action {function.__name__!r} does not take a context and one pydantic model.",
                mend="Write it as: async def name(context: ActionContext, arguments: MyArguments).",
            )
        doc = (getdoc(function) or "").split("\n")[0]
        return Action(function.__name__, function, model, effect, doc, idempotent)

    return make


class Registry(Mapping[str, Action]):
    """The actions of a run by name."""

    def __init__(self, actions: list[Action]) -> None:
        self._actions = {a.name: a for a in actions}

    def __getitem__(self, name: str) -> Action:
        """Return an action; raises ActionError for an unknown name."""
        if name not in self._actions:
            raise ActionError(
                f"there is no action {name!r}.",
                why=f"Known are {', '.join(sorted(self))}.",
                kind="unknown_action",
            )
        return self._actions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._actions)

    def __len__(self) -> int:
        return len(self._actions)

    def __contains__(self, name: object) -> bool:
        return name in self._actions

    def arguments(self, call: ActionCall) -> BaseModel:
        """Check the arguments of a call; raises ActionError naming what is wrong."""
        try:
            return self[call["name"]].arguments.model_validate(call["args"])
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "arguments"
            raise ActionError(
                f"action {call['name']!r} got bad arguments: {where}: {first['msg']}.", kind="bad_arguments"
            ) from error

    async def execute(self, call: ActionCall, context: ActionContext) -> ActionResult:
        """Run one action; raises ActionError with the root cause where it fails."""
        arguments = self.arguments(call)
        return await self[call["name"]].function(context, arguments)


def open_registry(extra: tuple[Action, ...] = ()) -> Registry:
    """Collect the built-in actions, those of entry points, and those given; later ones win by name."""
    built_in: list[Action] = [getattr(import_module(f"ddax.actions.{name}"), name) for name in BUILT_IN]
    plugged: list[Any] = [
        point.load() for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda p: p.name)
    ]
    for found in plugged:
        if not isinstance(found, Action):
            raise UsageError(
                f"entry point {found!r} is no ddax action.", mend="Decorate it with @action(effect=...)."
            )
    return Registry([*built_in, *plugged, *extra])
