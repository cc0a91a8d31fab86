"""Whether a value fits the annotation of a field: pydantic says it, and what it cannot say is let through."""

from __future__ import annotations

import json
import operator
import warnings
from functools import lru_cache
from typing import Any, NotRequired, Required, get_args, get_origin

from langgraph.types import Overwrite
from pydantic import (
    ConfigDict,
    PydanticSchemaGenerationError,
    PydanticUserError,
    TypeAdapter,
    ValidationError,
)
from pydantic.warnings import ArbitraryTypeWarning
from typing_extensions import ReadOnly

from ddax.errors import first_fault

JOINING = (operator.add, operator.or_)
"""Reducers that take what the field itself has; any other may take something else."""
OF_FIELDS = (Required, NotRequired, ReadOnly)
"""What an annotation may say of a field, not of its values."""


def misfit(value: object, hint: Any) -> str:
    """Say what is wrong with a value of a field; "" where it fits, or where nobody can tell."""
    bare, beside = parted(hint)
    reducer = beside[-1] if beside and callable(beside[-1]) else None
    if (reducer is not None and reducer not in JOINING) or isinstance(value, Overwrite):
        return ""
    adapter = _adapter(_Held(bare))
    if adapter is None:
        return ""
    try:
        adapter.validate_python(value, strict=True)
    except ValidationError as error:
        return "" if _fits_as_json(adapter, value) else _told(error)
    return ""


def spelled(hint: Any) -> str:
    """Return an annotation as its author would write it."""
    bare, _ = parted(hint)
    plain = isinstance(bare, type) and not get_args(bare)
    return bare.__name__ if plain else str(bare).replace("typing.", "")


def parted(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return the type of a field and what stands beside it, with what joins its values, if any, last."""
    beside: tuple[Any, ...] = ()
    while (among := get_origin(hint) in OF_FIELDS) or hasattr(hint, "__metadata__"):
        beside = beside if among else (*hint.__metadata__, *beside)
        hint = get_args(hint)[0]
    return hint, beside


def _told(error: ValidationError) -> str:
    place, said = first_fault(error.errors(include_url=False))
    return f"At {'.'.join(map(str, place))}: {said}." if place else f"{said}."


def _fits_as_json(adapter: TypeAdapter[Any], value: object) -> bool:
    """Tell whether it is what JSON makes of such a value, as a service or a stored state gives it."""
    try:
        adapter.validate_json(json.dumps(value), strict=True)
    except (ValueError, TypeError, RecursionError):  # a ValidationError is a ValueError
        return False
    return True


class _Held:
    """A hint as the key of a cache, also one that has no hash of its own."""

    def __init__(self, hint: Any) -> None:
        self.hint = hint

    def __hash__(self) -> int:
        return hash(repr(self.hint))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and self.hint == other.hint


@lru_cache(256)
def _adapter(held: _Held) -> TypeAdapter[Any] | None:
    """Return what validates an annotation; None for one that pydantic has no way to check."""
    for config in (ConfigDict(arbitrary_types_allowed=True), None):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ArbitraryTypeWarning)  # what is no type lets anything through
                return TypeAdapter(held.hint, config=config)
        except (PydanticUserError, PydanticSchemaGenerationError, NameError):
            continue  # a model has a config of its own; a class of another library has no schema
    return None
