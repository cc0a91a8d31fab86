"""Copy values to their depths: what JSON can say several times as fast as `copy.deepcopy` does."""

from __future__ import annotations

import marshal
from copy import deepcopy
from typing import Any

PLAIN = (str, int, float, type(None))
"""The types of what nobody can change."""


def copied(value: Any) -> Any:
    """Return a value that shares nothing with the given one that can be changed; what stands twice is two."""
    if type(value) is dict:
        return {key: one if isinstance(one, PLAIN) else copied(one) for key, one in value.items()}
    if type(value) is list:
        return [one if isinstance(one, PLAIN) else copied(one) for one in value]
    return deepcopy(value)


def copied_plain(value: dict[str, Any]) -> dict[str, Any]:
    """Return the same for a large value that is most likely JSON alone, in less than half of the time."""
    try:
        # From version 3 on what stands twice would stay one.
        copy: dict[str, Any] = marshal.loads(marshal.dumps(value, 2))  # noqa: S302 - bytes of its own
        return copy
    except ValueError:  # something that marshal does not know
        return copied(value)
