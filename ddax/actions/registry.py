"""The registry of leaf actions: one decorated function each, found by name.

An action is a typed function and its effect (none, reads, writes, spends); the schema of its arguments is
made from its signature, unless it takes a pydantic model of its own. Built-in actions come first, then
those of entry points (group `ddax.actions`), of files, of MCP servers and given ones; later ones win by name.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from inspect import getdoc
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from ddax.actions.protocol import Action, ActionContext, ActionResult, Inside
from ddax.actions.signatures import adapted
from ddax.errors import ActionError, UsageError, first_fault, of_setting
from ddax.types import ActionCall, Effect

BUILT_IN = ("search", "visit", "save", "think")
ENTRY_POINTS = "ddax.actions"


def action(
    *,
    effect: Effect,
    idempotent: bool = False,
    inside: bool | Inside = False,
    brings: tuple[str, ...] = (),
    unsent: tuple[str, ...] = (),
) -> Callable[[Callable[..., Any]], Action]:
    """Turn a typed function, which may take the context first, into an `Action`.

    `idempotent` says that the other side takes `context.key` and does nothing twice under it, `inside`
    that what it reads is the user's own, `brings` the origins of what it returns, `unsent` names the
    arguments that are used here alone.
    """

    def make(function: Callable[..., Any]) -> Action:
        run, model = adapted(function)
        said = getdoc(function) or ""
        about = None if function.__module__.startswith("ddax.") else said
        return Action(
            function.__name__, run, model, effect, said.split("\n")[0], idempotent, inside=inside,
            brings=brings, unsent=unsent, about=about,
        )  # fmt: skip

    return make


class Registry(Mapping[str, Action]):
    """The actions of a run by name."""

    def __init__(self, actions: list[Action]) -> None:
        self._actions: dict[str, Action] = {}
        self._spare: dict[str, frozenset[str]] = {}
        """Arguments that an action took whose place another took, which does not know them."""
        for found in actions:
            before = self._actions.get(found.name)
            if before is not None:
                known = _taken(before) | self._spare.get(found.name, frozenset())
                self._spare[found.name] = known - _taken(found)
            self._actions[found.name] = found

    def __getitem__(self, name: str) -> Action:
        """Return an action; raises ActionError for an unknown name."""
        if name not in self._actions:
            raise ActionError(
                f"there is no action {name!r}.",
                why=f"Known are {', '.join(sorted(self))}.",
                kind="unknown_action",
            )
        return self._actions[name]

    def get(self, name: str, default: Any = None) -> Any:
        """Return an action, or the default for an unknown name."""
        return self._actions.get(name, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self._actions)

    def __len__(self) -> int:
        return len(self._actions)

    def __contains__(self, name: object) -> bool:
        return name in self._actions

    def beside(self, action: Action) -> Registry:
        """Return a registry with one action more."""
        twin = copy(self)
        twin._actions = {**self._actions, action.name: action}
        return twin

    def arguments(self, call: ActionCall) -> BaseModel:
        """Check the arguments of a call; raises ActionError naming what is wrong."""
        spare = self._spare.get(call["name"], frozenset())
        given = {name: value for name, value in call["args"].items() if name not in spare}
        try:
            return self[call["name"]].arguments.model_validate(given)
        except ValidationError as error:
            loc, fault = first_fault(error.errors())
            where = ".".join(map(str, loc)) or "arguments"
            raise ActionError(
                f"action {call['name']!r} got bad arguments: {where}: {fault}.",
                kind="bad_arguments",
            ) from error

    async def execute(self, call: ActionCall, context: ActionContext) -> ActionResult:
        """Run one action; raises ActionError with the root cause where it fails."""
        arguments = self.arguments(call)
        return await self[call["name"]].function(context, arguments)


def open_registry(extra: tuple[Action, ...] = (), *, files: Sequence[str] = ()) -> Registry:
    """Collect the built-in actions, those of entry points and files, and those given."""
    built_in: list[Action] = [getattr(import_module(f"ddax.actions.{name}"), name) for name in BUILT_IN]
    plugged = [_plugged(point) for point in _points(tuple((folder, _changed(folder)) for folder in sys.path))]
    with of_setting("actions.files"):
        own = [found for file in files for found in from_file(file)]
    return Registry([*built_in, *plugged, *own, *extra])


@lru_cache(maxsize=1)
def _points(installed: tuple[tuple[str, int], ...]) -> tuple[EntryPoint, ...]:
    """Return the entry points by name; what is installed is looked through again when it has changed."""
    return tuple(sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name))


def _taken(found: Action) -> frozenset[str]:
    """Return the names an action takes its arguments by."""
    fields = found.arguments.model_fields.items()
    return frozenset(name for field, said in fields for name in (field, said.alias) if name)


def _plugged(point: EntryPoint) -> Action:
    """Return the action of an entry point; raises UsageError naming it and what was installed with it."""
    origin = point.dist.name if point.dist else point.name
    what = f"the entry point {point.name!r} of the installed package {origin!r}"
    try:
        found = point.load()
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"{what} cannot be loaded.",
            why=f"`{point.value}` gives {error!r}.",
            mend=f"Mend the package, or take it out: pip uninstall {origin}",
        ) from error
    return _checked(found, what, origin)


def _changed(folder: str) -> int:
    try:
        return Path(folder).stat().st_mtime_ns
    except OSError:
        return 0


def from_file(file: str) -> list[Action]:
    """Return the actions a Python file defines, in its order; the file is run, as any import is.

    Raises UsageError where it is missing, fails, or defines no action.
    """
    from importlib.util import module_from_spec, spec_from_file_location

    path = Path(file).expanduser()
    if path.suffix != ".py" or not path.is_file():
        raise UsageError(
            f"there is no Python file {file!r} to take actions from.",
            why="Nothing stands at this path.",
            mend="Give its path.",
        )
    spec = spec_from_file_location(f"ddax_actions_{path.stem}", path)
    assert spec is not None and spec.loader is not None, "a .py file always has a loader"
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except UsageError as error:
        raise UsageError(
            f"the actions of {file!r} cannot be loaded.", why=f"{error.what} {error.why}", mend=error.mend
        ) from error
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"the actions of {file!r} cannot be loaded.",
            why=f"{error!r}.",
            mend="Run the file with Python to see where it fails.",
        ) from error
    found = [value for value in vars(module).values() if isinstance(value, Action)]
    if not found:
        raise UsageError(
            f"{file!r} defines no action.",
            why="No function in it is marked as one.",
            mend="Decorate a function with @action(effect=...).",
        )
    return [replace(value, origin=str(path)) for value in found if value.origin in ("ddax", "LangChain")]


def _checked(found: Any, what: str, origin: str) -> Action:
    if not isinstance(found, Action):
        raise UsageError(
            f"{what} is no ddax action.",
            why="It was not made by the decorator.",
            mend="Decorate it with @action(effect=...).",
        )
    return replace(found, origin=origin)
