"""Check what a spliced node returns, as is done for the nodes of ddax.

Leaves out what is no plain function: a Runnable, or an object that is called, goes to LangGraph as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from enum import Enum
from functools import cache, wraps
from inspect import iscoroutinefunction, isfunction, ismethod
from typing import Any, get_type_hints

from langchain_core.load.serializable import Serializable
from langgraph.channels import UntrackedValue
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import StateGraph
from langgraph.types import Command, Overwrite
from pydantic import BaseModel, TypeAdapter, ValidationError

from ddax.errors import InvariantError, first_fault
from ddax.graph.binding import STATE_KEYS, check_update
from ddax.graph.misfits import misfit, spelled
from ddax.graph.state import LeafPacket, State
from ddax.types import JsonDict

SERIALIZER = JsonPlusSerializer()
"""Writes what any checkpoint is made of."""
FOREIGN = frozenset({"messages"})
"""Keys whose reducer takes more than their type says."""


def state_keys(builder: StateGraph[Any, Any, Any, Any]) -> frozenset[str]:
    """Return the keys that nodes may write: those of the state, and those that own nodes declare."""
    declared = (keys for schema, keys in builder.schemas.items() if schema is not LeafPacket)
    return STATE_KEYS.union(*declared)


def checked(
    name: str, node: Callable[..., Any], builder: StateGraph[Any, Any, Any, Any]
) -> Callable[..., Any]:
    """Return a node whose updates are checked; raises InvariantError for one that does not fit."""
    if not (isfunction(node) or ismethod(node)):
        return node
    if iscoroutinefunction(node):

        @wraps(node)
        async def waited(state: Any, *given: Any, **named: Any) -> Any:
            return _fitting(name, state, await node(state, *given, **named), builder)

        return waited

    @wraps(node)
    def called(state: Any, *given: Any, **named: Any) -> Any:
        return _fitting(name, state, node(state, *given, **named), builder)

    return called


def _fitting(name: str, state: Any, returned: Any, builder: StateGraph[Any, Any, Any, Any]) -> Any:
    """Return what a node returned, checked; raises InvariantError."""
    several = isinstance(returned, (list, tuple)) and any(isinstance(one, Command) for one in returned)
    for one in returned if several else (returned,):
        update = one.update if isinstance(one, Command) else one
        if isinstance(update, dict):
            _check_update(name, state, update, builder)
        elif one is update and update is not None and not hasattr(type(update), "__annotations__"):
            raise InvariantError(
                f"Node {name!r} returned a {type(update).__name__}.",
                why="A node returns the keys of the state that it changes.",
                mend="Let it return a dict; {} or None where nothing changes, a Command to say what is next.",
            )
    return returned


def _check_update(name: str, state: Any, update: JsonDict, builder: StateGraph[Any, Any, Any, Any]) -> None:
    plain = {key: v.value if isinstance(v, Overwrite) else v for key, v in update.items()}
    for key in sorted(STATE_KEYS.intersection(plain) - FOREIGN):
        _check_type(name, key, plain[key])
    for key in sorted(plain.keys() - STATE_KEYS):
        _check_own(name, key, plain[key], builder)
    if not (isinstance(state, Mapping) and "ideas" in state):
        plain.pop("ideas", None)  # a node that sees only a part of the state: the DAG is not at hand
    check_update(name, state, plain, keys=state_keys(builder))
    for key, value in plain.items():
        if not isinstance(builder.channels.get(key), UntrackedValue):
            _check_kept(name, key, value)


def _check_type(name: str, key: str, given: Any) -> None:
    try:
        _type(key).validate_python(given, strict=True)
    except ValidationError as error:
        where, fault = first_fault(error.errors())
        raise _unfit(name, key, f"{'.'.join(map(str, (key, *where)))}: {fault}.") from error


def _check_own(name: str, key: str, given: Any, builder: StateGraph[Any, Any, Any, Any]) -> None:
    """Refuse a value of an own key that fits no schema which declares it."""
    declaring = [schema for schema, channels in builder.schemas.items() if key in channels]
    hints = [get_type_hints(schema, include_extras=True)[key] for schema in declaring]
    faults = [misfit(given, hint) for hint in hints]
    if faults and all(faults):
        raise _unfit(name, key, f"It is declared as {spelled(hints[0])}. {faults[0]}")


def _unfit(name: str, key: str, why: str) -> InvariantError:
    return InvariantError(
        f"Node {name!r} returned {key!r} with a value that does not fit.",
        why=why,
        mend="Let the node return what the state has there; its state before stands, and the thread can"
        " be resumed.",
    )


def _check_kept(name: str, key: str, value: Any) -> None:
    """Refuse what a run would have as long as nothing stops it, and a resumed one perhaps not.

    LangGraph rebuilds a class that the type of a key names, and only where ddax was imported before it.
    """
    own = _of_own_class(value)
    why = f"Of a {type(own).__qualname__} a resumed run may get plain values." if own is not None else ""
    if not why:
        try:
            SERIALIZER.dumps_typed(value)
        except Exception as error:  # whatever a value's own methods raise
            why = f"{error}."
    if why:
        raise InvariantError(
            f"Node {name!r} returned {key!r} with a value that a checkpoint may not give back as it is.",
            why=why,
            mend="Let the node return texts, numbers, lists and dicts: dataclasses.asdict(value),"
            " value.model_dump(); or keep it in an UntrackedValue.",
        )


def _of_own_class(value: Any) -> Any:
    """Return a part of a value whose class no checkpoint remembers; None where there is none."""
    if isinstance(value, Mapping):
        return next(filter(_known, map(_of_own_class, value.values())), None)
    if isinstance(value, (list, tuple, set, frozenset)):
        return next(filter(_known, map(_of_own_class, value)), None)
    own = isinstance(value, (BaseModel, Enum)) or (is_dataclass(value) and not isinstance(value, type))
    return value if own and not isinstance(value, Serializable) else None


def _known(part: Any) -> bool:
    return part is not None


@cache
def _type(key: str) -> TypeAdapter[Any]:
    return TypeAdapter(get_type_hints(State)[key])
