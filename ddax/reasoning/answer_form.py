"""The form of an answer that a user asks for: a JSON schema, checked before anybody is asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from ddax.errors import SettingsError
from ddax.types import JsonDict

DEEPEST = 12
"""Levels of definitions inside of each other that are written out; beyond, anything is taken."""
Schema = Mapping[str, Any]


def check_form(schema: Schema) -> None:
    """Refuse what is no JSON schema of an object; raises `SettingsError`."""
    try:
        Draft202012Validator.check_schema(dict(schema))
    except SchemaError as error:
        raise _no_form(f"{'.'.join(map(str, error.absolute_path)) or 'schema'}: {error.message}") from error
    if resolved(schema).get("type") != "object":
        raise _no_form('it has not "type": "object"')


def _no_form(why: str) -> SettingsError:
    return SettingsError(
        "output is no form that an answer can take.",
        why=f"It is no JSON schema of an object: {why}.",
        mend='Give "text", a pydantic class, or a schema as {"type": "object", "properties": {...}}.',
    )


def resolved(schema: Schema) -> JsonDict:
    """Return a schema with its definitions written out where they are used."""
    named = {**schema.get("definitions", {}), **schema.get("$defs", {})}
    found = _resolved(schema, named, 0)
    return {key: value for key, value in found.items() if key not in ("$defs", "definitions")}


def _resolved(node: Any, named: Schema, depth: int) -> Any:
    if isinstance(node, list):
        return [_resolved(item, named, depth) for item in node]
    if not isinstance(node, Mapping):
        return node
    name = str(node.get("$ref", "")).rpartition("/")[2]
    if name in named:
        beside = {key: value for key, value in node.items() if key != "$ref"}
        return {**_resolved(named[name], named, depth + 1), **beside} if depth < DEEPEST else {}
    return {key: _resolved(value, named, depth) for key, value in node.items()}
