"""Copy values to their depths: what JSON can say several times as fast as `copy.deepcopy` does."""

from __future__ import annotations

from copy import deepcopy
from types import NoneType
from typing import Any

PLAIN = frozenset({str, int, float, bool, NoneType})
"""The types of what nobody can change."""


def copied(value: Any) -> Any:
    """Return a value that shares nothing with the given one that can be changed; what stands twice is two."""
    if type(value) is dict:
        return {key: one if type(one) in PLAIN else copied(one) for key, one in value.items()}
    if type(value) is list:
        return [one if type(one) in PLAIN else copied(one) for one in value]
    return deepcopy(value)
