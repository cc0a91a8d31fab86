"""What a model is asked to reply, request by request: strict pydantic models and their JSON schemas.

Unknown keys are refused and every field is asked for, so that a reply fits or does not; one without
the `requirements` of a plan fits too, and one with keys beside all of its fields, as the reasons for it.
Leaves out what a reply means: `readers` turns it into the protocol's records.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

MAX_REPLY = 256 * 1024
"""Characters of a reply that are looked at; a longer one does not fit."""
THOUGHT = "</think>"
"""What ends the thoughts that models of some servers write before their reply."""
STARTS = 50
"""Braces among the words of a reply at which an object is looked for."""

_DROPPED = frozenset(
    {"title", "default", "minimum", "maximum", "minLength", "maxLength", "exclusiveMinimum", "maxItems"}
)


class Wire(BaseModel):
    """A strict reply: exact types, no unknown key, no NaN or infinity."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


class CitationWire(Wire):
    """A quote: the name of the passage (P1, P2, ...) and words copied from it."""

    passage: str
    quote: str


class ArgumentWire(Wire):
    """One argument of an action, its value as text."""

    name: str
    value: str


class ActionWire(Wire):
    """An action of a child."""

    name: str
    args: list[ArgumentWire]
    intent: str


class ChildWire(Wire):
    """A proposed child."""

    title: str = Field(min_length=1, max_length=300)
    expected: str = Field(min_length=1, max_length=1000)
    prior: float = Field(gt=0, le=1)
    action: ActionWire | None
    needs: list[int]


class ExpandWire(Wire):
    """A plan: the children in order; an empty list says that nothing is left to do.

    `requirements` is what the task demands, in the forms the prompt lists.
    """

    children: list[ChildWire]
    requirements: list[str] = Field(default_factory=list, max_length=12)


class PredictWire(Wire):
    """A forecast."""

    expected: str = Field(min_length=1, max_length=2000)
    confidence: float = Field(ge=0, le=1)


class ClaimWire(Wire):
    """A claim with its quote and its relevance."""

    text: str = Field(min_length=1, max_length=1000)
    passage: str
    quote: str
    score: float = Field(ge=0, le=1)


class ExtractWire(Wire):
    """Claims, best first, and a summary of one line."""

    claims: list[ClaimWire]
    summary: str


class ArgueWire(Wire):
    """An argument with its quotes."""

    text: str = Field(min_length=1, max_length=3000)
    citations: list[CitationWire]
    strength: float = Field(ge=0, le=1)


class ReasonWire(Wire):
    """The score of one criterion and the reason for it."""

    criterion: str
    score: float = Field(ge=0, le=1)
    reason: str


class JudgeWire(Wire):
    """A value with a reason for each criterion; the reasons come first, so that they are thought first."""

    reasons: list[ReasonWire]
    value: float = Field(ge=0, le=1)
    confidence: float = Field(ge=0, le=1)


class ReflectWire(Wire):
    """A lesson."""

    text: str = Field(min_length=1, max_length=1500)


class CandidateWire(Wire):
    """A repaired program."""

    hypothesis: str
    reasoning: str
    code: str = Field(min_length=1)


class PatchesWire(Wire):
    """Repaired programs, most promising first."""

    candidates: list[CandidateWire]


class AskWire(Wire):
    """A question to a human."""

    text: str = Field(min_length=1, max_length=600)


W = TypeVar("W", bound=Wire)


class Unfit(ValueError):
    """Say why a reply does not fit; becomes the text of the repair, then `InvalidReply`."""


def _lean(node: Any) -> Any:
    """Drop the keywords that some providers refuse; our own check keeps to them."""
    if isinstance(node, dict):
        named = node.get("properties") if node.get("type") == "object" else None
        kept = {key: _lean(value) for key, value in node.items() if key not in _DROPPED}
        if isinstance(named, dict):
            kept["properties"] = {key: _lean(value) for key, value in named.items()}
            kept["required"] = list(named)
        return kept
    return [_lean(item) for item in node] if isinstance(node, list) else node


def schema_of(model: type[Wire]) -> dict[str, Any]:
    """Return the JSON schema of a reply, named for its request; all keys required, none beside them."""
    schema: dict[str, Any] = _lean(model.model_json_schema())
    return {"title": model.__name__.removesuffix("Wire").lower(), **schema}


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Unfit("a key stands twice in one object")
    return found


def _no_constant(name: str) -> Any:
    raise Unfit(f"{name} is not a number of JSON")


def _body(text: str) -> str:
    """Return the outermost object of a reply; thoughts, fences and words around it are left out."""
    thought, end_of_it, rest = text.partition(THOUGHT)
    # Behind the opening of an object, or where none follows, it is a part of the reply.
    if end_of_it and "{" in rest and not thought.lstrip().startswith(("{", "`")):
        text = rest
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        raise Unfit("the reply holds no JSON object")
    return text[start : end + 1]


def _objects(text: str) -> Iterator[str]:
    """Return the JSON objects that stand among the words of a text, none of them inside another."""
    decoder, end = json.JSONDecoder(), 0
    for _ in range(STARTS):
        start = text.find("{", end)
        if start < 0:
            return
        try:
            end = decoder.raw_decode(text, start)[1]
        except (ValueError, RecursionError):
            end = start + 1
        else:
            yield text[start:end]


def parse(text: str, model: type[W]) -> W:
    """Read a reply, or raise `Unfit` with what is wrong in words a model can act on.

    Among words with braces of their own it is the one object that fits.
    """
    if len(text) > MAX_REPLY:
        raise Unfit(f"the reply has {len(text)} characters; at most {MAX_REPLY} are read")
    body = _body(text)
    try:
        return _read(body, model)
    except Unfit:
        fitting = [found for part in _objects(body) for found in _fitting(part, model)]
        if len(fitting) == 1:
            return fitting[0]
        if not fitting and (bare := _bare(body, model)):
            return bare
        raise


def _bare(text: str, model: type[W]) -> W | None:
    """Return a reply without the keys beside its fields; None where one may be misnamed.

    A key inside an action or another part is none of these: it may say on what terms the part is meant.
    """
    try:
        found = json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    fields = model.model_fields
    missing = [field for key, field in fields.items() if key not in found]
    lists = any(isinstance(value, list) for key, value in found.items() if key not in fields)
    if any(field.is_required() for field in missing) or (missing and lists):
        return None  # what may be left out is a list
    bare = {key: value for key, value in found.items() if key in fields}
    return next(iter(_fitting(json.dumps(bare), model)), None)


def _fitting(text: str, model: type[W]) -> list[W]:
    """Return what a text is read as; nothing where it does not fit."""
    try:
        return [_read(text, model)]
    except Unfit:
        return []


def _read(text: str, model: type[W]) -> W:
    try:
        found = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
        return model.model_validate(found)
    except ValidationError as error:
        raise Unfit(_explain(error)) from error
    except json.JSONDecodeError as error:
        raise Unfit(f"not valid JSON: {error.msg} at line {error.lineno} column {error.colno}") from error
    except RecursionError as error:
        raise Unfit("the JSON is nested too deep") from error
    except Unfit:
        raise
    except ValueError as error:
        raise Unfit(f"not valid JSON: {error}") from error


def _explain(error: ValidationError) -> str:
    """Name the first five faults with their places."""
    faults = error.errors(include_url=False, include_input=False)
    told = [f"{'.'.join(map(str, fault['loc'])) or 'reply'}: {fault['msg']}" for fault in faults[:5]]
    more = f" (and {len(faults) - 5} more)" if len(faults) > 5 else ""
    return "; ".join(told) + more
