"""The answer in a form of the user's: what a model is asked to fill, and whether it fits.

The form is a JSON schema. A field that may be missing is asked for as one that may be null, since models
are asked for every field; a null of such a field is left out again before the form is checked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from pydantic import WithJsonSchema, create_model

from ddax.reasoning import protocol as p
from ddax.reasoning.answer_form import Schema, resolved
from ddax.reasoning.language.quote import clean
from ddax.reasoning.language.replies.grounding import Named, citations
from ddax.reasoning.language.replies.schemas import CitationWire, Unfit, Wire
from ddax.types import JsonDict

TOLD = 5
"""Faults of an answer that a model is told at once."""


class DataWire(Wire):
    """An answer in a form: the quotes it rests on, and whether the values are known."""

    quotes: list[CitationWire]
    found: bool


def wire_of(schema: Schema) -> type[Wire]:
    """Return the form of the reply, which holds that of the user."""
    asked = WithJsonSchema(_asked(resolved(schema)))
    made: type[Wire] = create_model("MergeWire", __base__=DataWire, data=(Annotated[Any, asked], ...))
    return made


def _asked(node: Any) -> Any:
    """Return a schema as models are asked for it: every field, the ones that may be missing as null too."""
    if isinstance(node, list):
        return [_asked(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {key: _asked(value) for key, value in node.items() if key != "properties"}
    fields = node.get("properties")
    if isinstance(fields, dict):
        needed = node.get("required", [])
        kept["properties"] = {
            name: _asked(said) if name in needed or takes_null(said) else _or_null(_asked(said))
            for name, said in fields.items()
        }
        kept["additionalProperties"] = False
    return kept


def _or_null(schema: Any) -> JsonDict:
    told = {"description": schema["description"]} if "description" in schema else {}
    return {"anyOf": [schema, {"type": "null"}], **told}


def takes_null(schema: Any) -> bool:
    """Tell whether null is a value of a schema."""
    return isinstance(schema, Mapping) and not [*Draft202012Validator(dict(schema)).iter_errors(None)]


def synthesis(reply: Any, request: p.MergeRequest, passages: Named) -> p.Synthesis:
    """Read an answer in a form; raises `Unfit` with what does not fit it."""
    cited = tuple(dict.fromkeys(c for quote in reply.quotes for c in citations([quote], passages)))
    free = request.own or request.brief.knowledge == "allow"
    if not reply.found or not (cited or free):
        return p.Synthesis(f"Not found in what was read: {request.idea}", (), False, 0.0)
    schema = request.form or {}
    data = without_nulls(_cleaned(reply.data), resolved(schema))
    if faults := faults_of(data, schema):
        raise Unfit("; ".join(faults))
    text = json.dumps(data, ensure_ascii=False, indent=2)
    return p.Synthesis(text, cited, True, float(bool(cited)), data=data)


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    return {key: _cleaned(item) for key, item in value.items()} if isinstance(value, dict) else value


def without_nulls(value: Any, schema: Any) -> Any:
    """Return a value without the nulls of fields that may be missing and take none."""
    if isinstance(value, list):
        items = schema.get("items", {}) if isinstance(schema, Mapping) else {}
        return [without_nulls(item, items) for item in value]
    fields = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(value, dict) or not isinstance(fields, Mapping):
        return value
    needed = schema.get("required", [])
    return {
        key: without_nulls(item, fields.get(key, {}))
        for key, item in value.items()
        if not (item is None and key in fields and key not in needed and not takes_null(fields[key]))
    }


def faults_of(data: Any, schema: Schema) -> list[str]:
    """Return what of an answer does not fit its form, each with its place; at most five."""
    found = sorted(Draft202012Validator(dict(schema)).iter_errors(data), key=_place)
    return [
        f"data{''.join(f'.{part}' for part in fault.absolute_path)}: {fault.message}"
        for fault in found[:TOLD]
    ]


def _place(fault: ValidationError) -> str:
    return ".".join(map(str, fault.absolute_path))
