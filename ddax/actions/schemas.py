"""Make a pydantic model of a JSON schema, for tools that come with one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import NoneType
from typing import Any, Union

from pydantic import BaseModel, ConfigDict, Field, create_model

from ddax.errors import UsageError

TYPES: Mapping[str, Any] = {
    "string": str, "integer": int, "number": float, "boolean": bool, "array": list[Any],
    "object": dict[str, Any], "null": NoneType,
}  # fmt: skip


def model_of(name: str, schema: Mapping[str, Any]) -> type[BaseModel]:
    """Return a model that holds arguments to the names and plain types of a JSON schema.

    What goes beyond them (ranges, patterns, nested schemas) is left to the tool itself. A name that no
    field may have is the alias of one. Raises UsageError where the schema is none of an object.
    """
    try:
        fields = _fields(schema)
    except (_NoSchema, RecursionError) as error:
        raise UsageError(
            f"the tool {name!r} cannot be used.",
            why=f"The schema of its arguments is no JSON schema of an object: {_said(error)}.",
            mend="Mend the tool, or leave out what brings it.",
        ) from error
    return create_model(f"{name}_arguments", __config__=ConfigDict(extra="forbid", frozen=True), **fields)


class _NoSchema(Exception):
    """Say what of a schema is none."""


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, _NoSchema) else "it holds itself"


def _fields(schema: Any) -> dict[str, Any]:
    """Return what pydantic makes a model of; raises _NoSchema."""
    if not isinstance(schema, Mapping):
        raise _NoSchema(f"it is {schema!r:.80}")
    named, required = schema.get("properties") or {}, _listed(schema, "required")
    if not isinstance(named, Mapping):
        raise _NoSchema(f"its 'properties' are {named!r:.80}")
    fields: dict[str, Any] = {}
    for key, part in named.items():
        field = _field_name(key, taken={*named, *fields})
        default = part.get("default") if isinstance(part, Mapping) else None
        kind, given = (_type(part), ...) if key in required else (Union[_type(part), None], default)  # noqa: UP007 - of a value
        fields[field] = (kind, Field(given, alias=None if field == key else key))
    return fields


def _listed(part: Mapping[str, Any], key: str) -> Sequence[Any]:
    """Return a list of a schema, empty where it has none; raises _NoSchema for anything else."""
    found = part.get(key) or ()
    if not isinstance(found, list | tuple):
        raise _NoSchema(f"its {key!r} is {found!r:.80}")
    return found


def _field_name(key: str, taken: Collection[str]) -> str:
    """Return the name of a field: the key itself, unless pydantic keeps such names for its own."""
    if not key.startswith("_") and not hasattr(BaseModel, key):
        return key
    name = f"argument_{key.strip('_')}"
    while name in taken:
        name += "_"
    return name


def _type(part: Any) -> Any:
    """Return the type a part of a schema asks for; `true` and what says nothing of a type take anything."""
    if not isinstance(part, Mapping):
        return Any
    stated = part.get("type")
    kinds = [stated] if isinstance(stated, str) else _listed(part, "type")
    for kind in kinds:
        if not isinstance(kind, str):
            raise _NoSchema(f"its 'type' is {stated!r:.80}")
    options = [TYPES.get(kind, Any) for kind in kinds]
    options += [_type(option) for key in ("anyOf", "oneOf") for option in _listed(part, key)]
    return Union[tuple(options)] if options else Any  # noqa: UP007 - of a value
