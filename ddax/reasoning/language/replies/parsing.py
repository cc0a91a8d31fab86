"""Read a reply as a person would: strictly where it is as it was asked for, else loosely, and counted.

Thoughts, fences and words around a reply are left out; of several objects the one that fits is taken.
Where two different ones fit it is not said which is meant, and the reply is refused.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import ValidationError

from ddax.reasoning.language.replies.fit import Mends, fitted
from ddax.reasoning.language.replies.loose_json import Broken, Loose, read_at
from ddax.reasoning.language.replies.scalars import Misfit
from ddax.reasoning.language.replies.schemas import Unfit, Wire

MAX_REPLY = 256 * 1024
"""Characters of a reply that are looked at; a longer one does not fit."""
THOUGHT = "</think>"
"""What ends the thoughts that models of some servers write before their reply."""
THINKS = ("<think>", "<thinking>", "<thought>", "<|channel|>analysis")
"""What begins such thoughts; where they have no end, nothing was said."""
STARTS = 50
"""Braces among the words of a reply at which an object is looked for."""

W = TypeVar("W", bound=Wire)


class Reading(NamedTuple, Generic[W]):
    """A reply as it was read, and how many things about it were mended or left out."""

    found: W
    mended: int = 0


def parse(text: str, model: type[W]) -> W:
    """Read a whole reply; raises `Unfit`."""
    return read_reply(text, model).found


def read_reply(text: str, model: type[W], *, cut: bool = False) -> Reading[W]:
    """Read a reply, or raise `Unfit` with what is wrong in words a model can act on.

    Among words with braces of their own it is the one object that fits. Of one that was `cut` off, what
    is whole is read.
    """
    if len(text) > MAX_REPLY:
        raise Unfit(f"the reply has {len(text)} characters; at most {MAX_REPLY} are read")
    text = _said(text)
    try:
        return Reading(_read(_body(text), model))
    except Unfit as fault:
        found = _exact(text, model) or _loosely(text, model, ended=not cut)
        if len(found) == 1:
            return found[0]
        if not found and (said := _spoken(text, model)):
            return said
        raise _clearer(fault, text, model, ended=not cut) from fault


def _spoken(text: str, model: type[W]) -> Reading[W] | None:
    """Return what a form that may also come in words is read as; None where it may not, or is none."""
    reads = getattr(model, "spoken", None)
    given = reads(text) if reads else None
    return Reading(model.model_validate(given), 1) if given else None


def _said(text: str) -> str:
    """Return a reply without the thoughts before it."""
    thought, end_of_it, rest = text.partition(THOUGHT)
    # Behind the opening of an object, or where none follows, it is a part of the reply.
    if end_of_it and ("{" in rest or "[" in rest) and not thought.lstrip().startswith(("{", "[", "`")):
        return rest
    if not end_of_it and text.lstrip().startswith(THINKS):
        raise Unfit("it ended within its thoughts")
    return text


def _body(text: str) -> str:
    """Return the outermost object of a reply; fences and words around it are left out."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        raise Unfit("the reply holds no JSON object")
    return text[start : end + 1]


def _exact(text: str, model: type[W]) -> list[Reading[W]]:
    """Return the objects among the words of a text that are of the form as it was asked for."""
    return [Reading(found) for part in _objects(text) for found in _fitting(part, model)]


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


def _loosely(text: str, model: type[W], *, ended: bool) -> list[Reading[W]]:
    """Return what of a text can be read as the form, each once."""
    found: dict[str, Reading[W]] = {}
    for loose in _values(text, ended=ended):
        with contextlib.suppress(Unfit):
            reading = _fit(loose, model)
            found.setdefault(reading.found.model_dump_json(), reading)
    return list(found.values())


def _values(text: str, *, ended: bool) -> Iterator[Loose]:
    """Return the objects and lists that stand among the words of a text, none of them inside another."""
    end = 0
    for _ in range(STARTS):
        start = next((n for n in range(end, len(text)) if text[n] in "{["), -1)
        if start < 0:
            return
        try:
            loose = read_at(text, start, ended=ended)
        except Broken:
            end = start + 1
        else:
            end = loose.end
            yield loose


def _fit(loose: Loose, model: type[W]) -> Reading[W]:
    mends = Mends(loose.mended)
    try:
        return Reading(model.model_validate(fitted(loose.value, model, mends)), max(1, mends.count))
    except ValidationError as error:
        raise Unfit(_explain(error)) from error
    except Misfit as error:
        raise Unfit(str(error)) from error


def _clearer(fault: Unfit, text: str, model: type[W], *, ended: bool) -> Unfit:
    """Return what to tell of a reply that cannot be read: of one object, what it lacks at least."""
    values = list(_values(text, ended=ended))
    if len(values) != 1 or "not valid JSON" in str(fault) or "twice" in str(fault):
        return fault
    try:
        _fit(values[0], model)
    except Unfit as lacks:
        return lacks if "Extra inputs" not in str(fault) or "Extra inputs" in str(lacks) else fault
    return fault


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


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Unfit("a key stands twice in one object")
    return found


def _no_constant(name: str) -> Any:
    raise Unfit(f"{name} is not a number of JSON")
