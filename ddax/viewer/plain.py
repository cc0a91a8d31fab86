"""Write what is shown as JSON that every reader takes: no NaN, no lone surrogates."""

from __future__ import annotations

import json
from typing import Any


def dump(value: Any, *, indent: int | None = None) -> str:
    """Write plain JSON, in few bytes where it is not indented.

    NaN and infinities, of which it has none, stand as null. Lone surrogates, which no encoding
    holds, are replaced.
    """
    try:
        text = _written(value, indent)
    except ValueError:
        text = _written(json.loads(json.dumps(value, default=str), parse_constant=lambda _: None), indent)
    return text.encode("utf-8", "replace").decode("utf-8")


def _written(value: Any, indent: int | None) -> str:
    marks = (",", ":") if indent is None else None
    return json.dumps(
        value, ensure_ascii=False, separators=marks, indent=indent, default=str, allow_nan=False
    )
