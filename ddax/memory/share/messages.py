"""Write what goes to a memory and comes back as JSON, with the types that its protocol names and no others.

Scalars are themselves, everything else is a list that begins with the name of its type. Nothing that is
read can run code.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from ddax import errors
from ddax.configs.settings import Recall
from ddax.errors import DdaxError, UsageError
from ddax.memory.protocol import (
    Blots,
    Found,
    Kept,
    LogRow,
    MemoryHit,
    RecallQuery,
    Relation,
    Tally,
    Tombstone,
)
from ddax.memory.share.remote import Call, Maker
from ddax.types import Document, Record

_DATACLASSES: dict[str, Callable[..., Any]] = {
    kind.__name__: kind
    for kind in (Blots, Call, Document, Maker, MemoryHit, RecallQuery, Record, Relation, Tally, Tombstone)
}
_TUPLES: dict[str, Callable[..., Any]] = {kind.__name__: kind for kind in (Found, Kept, LogRow)}
_KINDS = _DATACLASSES | _TUPLES
_ERRORS = {
    name: kind
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, DdaxError)
}


def written(value: Any) -> bytes:
    """Write a value; raises UsageError for one of a type that is not plain JSON nor the protocol's own."""
    return json.dumps(_flat(value)).encode()


def read(data: bytes) -> Any:
    """Return the value that was written."""
    return _whole(json.loads(data))


def _flat(value: Any) -> Any:
    name = type(value).__name__
    match value:
        case None | bool() | int() | float() | str():
            return value
        case np.ndarray():
            return ["array", base64.b64encode(value.astype("<f4").tobytes()).decode(), *value.shape]
        case Recall():
            return ["Recall", value.model_dump_json()]
        case DdaxError():
            return ["error", name, _flat(vars(value))]
        case list():
            return ["list", *map(_flat, value)]
        case tuple():
            return [name if name in _TUPLES else "tuple", *map(_flat, value)]
        case Mapping():
            return ["dict", *([_flat(key), _flat(item)] for key, item in value.items())]
    if name in _DATACLASSES:
        return [name, *(_flat(getattr(value, field.name)) for field in fields(value))]
    raise UsageError(
        f"A value of the type {name!r} cannot be remembered.",
        why="It is no plain JSON.",
        mend="Store plain values only.",
    )


def _whole(flat: Any) -> Any:
    if not isinstance(flat, list):
        return flat
    name, *parts = flat
    match name:
        case "array":
            vector = np.frombuffer(base64.b64decode(parts[0]), "<f4")
            return vector.reshape(parts[1:]).astype(np.float32)
        case "Recall":
            return Recall.model_validate_json(parts[0])
        case "error":
            return _error(parts[0], _whole(parts[1]))
        case "dict":
            return {_whole(key): _whole(item) for key, item in parts}
        case "list":
            return [_whole(part) for part in parts]
        case "tuple":
            return tuple(_whole(part) for part in parts)
    return _KINDS[name](*map(_whole, parts))


def _error(name: str, values: dict[str, Any]) -> DdaxError:
    """Return an error as it was raised; it is of our own tree, whatever package made a kind of it."""
    kind = _ERRORS.get(name, DdaxError)
    error = kind(values["what"], why=values["why"], mend=values["mend"])
    vars(error).update(values)
    return error
