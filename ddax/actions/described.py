"""What its author says of a tool: its description and the JSON schema of its arguments, in few words.

A line an argument: its name, type with choices and range, default or `required`, and its own description.
Actions of the program itself are not described: the prompt that lists them says what they do.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ddax.actions.protocol import Action
from ddax.memory.gate.instructions import without_orders
from ddax.reasoning.acting import Offered
from ddax.reasoning.background import Tool

TOOL_CHARS = 1600
"""Characters that are told of one tool at most."""
ALL_CHARS = 16_000
"""Characters that are told of all tools together; each has at least `LEAST`."""
LEAST = 200
DEPTH = 4
"""Levels of objects in objects that are told."""
_RANGE = {
    "minimum": ">= ", "exclusiveMinimum": "> ", "maximum": "<= ", "exclusiveMaximum": "< ",
    "minLength": "length >= ", "maxLength": "length <= ", "minItems": "items >= ", "maxItems": "items <= ",
    "pattern": "pattern ", "format": "format ",
}  # fmt: skip


def tools_of(actions: Iterable[Action]) -> tuple[Tool, ...]:
    """Return what is told of the tools among actions; each is cut to its share, and says so."""
    told = [action for action in actions if action.about is not None]
    share = max(LEAST, min(TOOL_CHARS, ALL_CHARS // max(1, len(told))))
    return tuple(Tool(action.name, _cut(text_of(action), share), bool(action.described)) for action in told)


def offered(actions: Sequence[Action]) -> tuple[Offered, ...]:
    """Return actions as tools to be called, with what their authors say; each is cut to its share."""
    share = max(LEAST, min(TOOL_CHARS, ALL_CHARS // max(1, len(actions))))
    return tuple(_offered(action, share) for action in actions)


def _offered(action: Action, share: int) -> Offered:
    foreign = bool(action.described)
    clean = without_orders if foreign else str
    about, schema = _line(action.doc if action.about is None else action.about), action.own_schema
    told = {key: _told(part, clean) for key, part in schema.items()}
    arguments = clean("\n".join(_arguments(schema)))
    return Offered(action.name, _cut(clean(about), share), _cut(arguments, share), told, foreign)


def _told(part: Any, clean: Callable[[str], str]) -> Any:
    """Return a part of a schema with its descriptions cleaned."""
    if isinstance(part, Mapping):
        return {
            key: clean(value)
            if key in ("description", "title") and isinstance(value, str)
            else _told(value, clean)
            for key, value in part.items()
        }
    return [_told(one, clean) for one in part] if isinstance(part, list) else part


def text_of(action: Action) -> str:
    """Return the description of a tool and its arguments, a line each."""
    text = "\n".join([_line(action.about or ""), *_arguments(action.own_schema)]).strip()
    return without_orders(text) if action.described else text


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]} [... {len(text) - limit} characters cut]"


def _line(text: object) -> str:
    return "\n".join(" ".join(line.split()) for line in str(text).splitlines() if line.strip())


def _arguments(schema: Mapping[str, Any]) -> list[str]:
    named, required = schema.get("properties"), schema.get("required") or ()
    if not isinstance(named, Mapping):
        return []
    kinds = _Kinds(schema)
    return [kinds.argument(str(name), part, needed=name in required) for name, part in named.items()]


class _Kinds:
    """The types of one schema, in words; a part that the schema names elsewhere is looked up there."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = schema

    def argument(self, name: str, part: Any, *, needed: bool) -> str:
        found = self._whole(part)
        default = found.get("default") if "default" in found else None
        says = [self.kind(part), *(["required"] if needed else [])]
        says += [f"default {_json(default)}"] if default is not None else []
        about = " ".join(str(found.get("description") or "").split())
        return f"- {name} ({', '.join(says)})" + (f": {about}" if about else "")

    def kind(self, part: Any, depth: int = DEPTH) -> str:
        """Return the type of a part of the schema in words."""
        found = self._whole(part)
        if "const" in found or "enum" in found:
            choices = found.get("enum", [found.get("const")])
            return " | ".join(map(_json, choices if isinstance(choices, list) else [choices]))
        options = [option for key in ("anyOf", "oneOf") for option in _listed(found.get(key))]
        if options:
            return (
                " | ".join(dict.fromkeys(self.kind(option, depth - 1) for option in options))
                if depth
                else "any"
            )
        stated = found.get("type")
        names = " | ".join(map(str, stated)) if isinstance(stated, list) else str(stated or "any")
        return " ".join([self._shape(names, found, depth), *_ranges(found)])

    def _shape(self, name: str, found: Mapping[str, Any], depth: int) -> str:
        if name == "array" and depth and "items" in found:
            return f"array of ({self.kind(found['items'], depth - 1)})"
        inner = found.get("properties")
        if name != "object" or not depth or not isinstance(inner, Mapping):
            return name
        required = found.get("required") or ()
        parts = (
            f"{key}{'' if key in required else '?'}: {self.kind(p, depth - 1)}" for key, p in inner.items()
        )
        return f"object {{{'; '.join(parts)}}}"

    def _whole(self, part: Any) -> Mapping[str, Any]:
        """Return a part with what it refers to; what stands beside the reference is the stronger."""
        found: Mapping[str, Any] = part if isinstance(part, Mapping) else {}
        for _ in range(DEPTH):
            refers = found.get("$ref") or next(
                (p.get("$ref") for p in _alone(found) if isinstance(p, Mapping)), None
            )
            if not isinstance(refers, str):
                return found
            beside = {key: value for key, value in found.items() if key not in ("$ref", "allOf")}
            found = {**self._at(refers), **beside}
        return found

    def _at(self, place: str) -> Mapping[str, Any]:
        found: Any = self._schema
        for step in place.removeprefix("#/").split("/"):
            found = found.get(step) if isinstance(found, Mapping) else None
        return found if isinstance(found, Mapping) else {}


def _alone(found: Mapping[str, Any]) -> list[Any]:
    parts = _listed(found.get("allOf"))
    return parts if len(parts) == 1 else []


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _ranges(found: Mapping[str, Any]) -> list[str]:
    return [
        f"{words}{found[key]}"
        for key, words in _RANGE.items()
        if isinstance(found.get(key), int | float | str)
    ]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
