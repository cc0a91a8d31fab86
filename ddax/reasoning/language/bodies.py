"""What a server says of a failure, in whatever form: JSON of any make, a page, plain words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

MOST = 20_000
"""Characters of a body that are looked at."""
DEEPEST = 8
_SAYS = (
    "message", "msg", "detail", "details", "error", "error_description", "reason", "title", "metadata", "raw",
)  # fmt: skip
"""Keys under which servers say what is wrong."""
_HEAD = re.compile(r"<(title|h1)[^<>]{0,200}>(.{0,300}?)</\1>", re.IGNORECASE | re.DOTALL)
_HIDDEN = re.compile(r"<(script|style)\b.*?(?:</\1>|\Z)|<[^<>]*>", re.IGNORECASE | re.DOTALL)


def body_of(error: BaseException) -> str:
    """Return the whole body a server answered with, as text; "" where there is none."""
    response = getattr(error, "response", None)
    try:
        text = getattr(response, "text", "") if response is not None else ""
    except Exception:  # a body that was streamed and not read raises; the error itself may have one
        text = ""
    if isinstance(text, str) and text.strip():
        return text[:MOST]
    body = getattr(error, "body", None)
    if body in (None, "", {}):
        return ""
    return (body if isinstance(body, str) else json.dumps(body, default=str))[:MOST]


def reason_in(body: str) -> str:
    """Return what a body says is wrong, in words; "" where it says nothing."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return _words(body)
    return "; ".join(dict.fromkeys(_said(found, 0)))


def first_error(body: Any) -> Mapping[str, Any]:
    """Return the error a body holds, in a list too; {} where there is none in the form of an object."""
    if isinstance(body, list):
        body = next((one for one in body if isinstance(one, Mapping)), None)
    inner = body.get("error", body) if isinstance(body, Mapping) else None
    return inner if isinstance(inner, Mapping) else {}


def _said(value: Any, depth: int) -> Iterator[str]:
    if depth > DEEPEST:
        return
    if isinstance(value, str):
        inner = value.strip()
        yield reason_in(inner) if inner[:1] in "{[" and inner[-1:] in "}]" and depth < 3 else inner
    elif isinstance(value, list):
        for one in value:
            yield from _said(one, depth + 1)
    elif isinstance(value, Mapping):
        yield from _of_object(value, depth)


def _of_object(value: Mapping[str, Any], depth: int) -> Iterator[str]:
    """Return what an object says, with the place it says it of."""
    place = value.get("loc")
    where = ".".join(map(str, place)) + ": " if isinstance(place, list) else ""
    for key in _SAYS:
        if value.get(key):
            for words in _said(value[key], depth + 1):
                if words:
                    yield where + words


def _words(body: str) -> str:
    """Return the words of a page, its title first; a text as it is."""
    if "<" not in body:
        return body.strip()
    head = _HEAD.search(body)
    return _HIDDEN.sub(" ", head.group(2) if head else body).strip()
