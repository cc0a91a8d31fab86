"""Make a pydantic model of a JSON schema, for tools that come with one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, create_model

TYPES: Mapping[str, Any] = {
    "string": str, "integer": int, "number": float, "boolean": bool, "array": list[Any],
    "object": dict[str, Any], "null": None,
}  # fmt: skip


def model_of(name: str, schema: Mapping[str, Any]) -> type[BaseModel]:
    """Return a model that holds arguments to the names and plain types of a JSON schema.

    What goes beyond them (ranges, patterns, nested schemas) is left to the tool itself.
    """
    required = set(schema.get("required", ()))
    fields: dict[str, Any] = {
        str(key): (_type(part), ...) if key in required else (_type(part) | None, part.get("default"))
        for key, part in schema.get("properties", {}).items()
    }
    return create_model(f"{name}_arguments", __config__=ConfigDict(extra="forbid", frozen=True), **fields)


def _type(part: Mapping[str, Any]) -> Any:
    kinds = part.get("type")
    options = [TYPES.get(kind, Any) for kind in ([kinds] if isinstance(kinds, str) else kinds or ())]
    options += [_type(option) for option in (*part.get("anyOf", ()), *part.get("oneOf", ()))]
    found: Any = Any
    for k, option in enumerate(options):
        found = option if k == 0 else found | option
    return found
