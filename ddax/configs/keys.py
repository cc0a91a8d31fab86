"""The dotted keys of all settings, their groups, and what a wrong key was meant for."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

NEAR = 0.95
"""Likeness, of 1.5 at most, from which one key can have been meant by another."""


@cache
def setting_fields(group: type[BaseModel]) -> dict[str, FieldInfo]:
    """Map every dotted key of a group of settings to its field."""
    return dict(_leaves(group, ""))


def value_of(settings: BaseModel, key: str) -> Any:
    """Return the value of a dotted key as plain JSON."""
    value: Any = settings.model_dump(mode="json")
    for part in key.split("."):
        value = value[part]
    return value


def _leaves(model: type[BaseModel], prefix: str) -> Iterator[tuple[str, FieldInfo]]:
    for name, field in model.model_fields.items():
        if _is_section(field):
            yield from _leaves(_section(field), f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", field


def _is_section(field: FieldInfo) -> bool:
    return isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)


def _section(field: FieldInfo) -> type[BaseModel]:
    annotation = field.annotation
    if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
        raise TypeError(f"{annotation!r} is not a group of settings")
    return annotation


@cache
def sections(group: type[BaseModel]) -> frozenset[str]:
    """Return the dotted names of the groups of settings within a group."""
    return frozenset(key.rpartition(".")[0] for key in setting_fields(group) if "." in key)


def nearest_one(key: str, group: type[BaseModel], spell: Callable[[str], str] = str) -> str:
    """Say in a sentence what a wrong key was meant for, or that nothing is near it."""
    found = meant(key, group)
    return f"The nearest valid one is {spell(found)!r}." if found else "No valid one is near it."


def meant(key: str, group: type[BaseModel]) -> str:
    """Name what a wrong key was meant for: a section where its name is all but that, else the nearest key."""
    known = [*setting_fields(group), *sorted(sections(group))]
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.8)
    return near[0] if near else nearest(key, group)


def nearest(key: str, group: type[BaseModel]) -> str:
    """Name the valid key nearest to a wrong one, by its whole name or its last part, or "" for none."""
    likeness = {valid: _likeness(key, valid) for valid in setting_fields(group)}
    found = max(likeness, key=lambda valid: likeness[valid])
    return found if likeness[found] >= NEAR else ""


def _likeness(key: str, valid: str) -> float:
    whole = difflib.SequenceMatcher(None, key, valid).ratio()
    last = difflib.SequenceMatcher(None, key.rpartition(".")[2], valid.rpartition(".")[2]).ratio()
    # The section counts a little, so that evolution.secnds is not taken for budget.max_seconds.
    return last + 0.5 * whole
