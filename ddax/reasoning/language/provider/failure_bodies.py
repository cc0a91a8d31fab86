"""What a server says of a failure, in whatever form: JSON of any make, a page, plain words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

MOST = 20_000
"""Characters of a body that are looked at."""
DEEPEST = 8
_SAYS = (
    "message", "msg", "detail", "details", "error", "error_description", "reason", "title", "metadata", "raw",
)  # fmt: skip
"""Keys under which servers say what is wrong."""
SHOWN = 1_000
"""Characters of a page in which words are looked for."""
_COUNTS = ("n_prompt_tokens", "n_ctx")
"""Keys under which servers tell numbers beside what is wrong."""
_QUOTES = re.compile(r"['\"]input['\"]\s?:|\binput_value=")
"""Where a server begins to repeat what it was sent."""
_WORD = re.compile(r"\w+")
BACK = 8
"""Words of what was sent that stand in a row in what a server says only where it says them back.

Not fewer: a page about models may have the short sentences in which servers refuse a request.
"""
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
    found = parsed(body)
    return _words(body) if found is None else "; ".join(dict.fromkeys(_said(found, 0)))


def parsed(body: str) -> Any:
    """Return what a body holds as JSON; None where it is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def shown(body: str) -> str:
    """Return what a page shows, its beginning; "" for a body that is none."""
    return _HIDDEN.sub(" ", body).strip()[:SHOWN] if "<" in body and parsed(body) is None else ""


def own(said: str, sent: str) -> str:
    """Return what of a message is the server's own: not what it says back of a request.

    A message of which nothing would be left says nothing back: the request quotes such a message.
    """
    said = whole = _QUOTES.split(said, maxsplit=1)[0]
    for row in _said_back([*_WORD.finditer(said)], sent):
        start, end = row[0].start(), row[-1].end()
        said = said[:start] + " " * (end - start) + said[end:]
    return said if _WORD.search(said) else whole


def _said_back(words: Sequence[re.Match[str]], sent: str) -> list[Sequence[re.Match[str]]]:
    """Return the rows of so many words that stand in what was sent as well."""
    rows = [words[n : n + BACK] for n in range(len(words) - BACK + 1)]
    said = [tuple(word.group().lower() for word in row) for row in rows]
    known, heard = set(said), _WORD.findall(sent.lower())
    back = {row for row in zip(*(heard[n:] for n in range(BACK)), strict=False) if row in known}
    return [row for row, told in zip(rows, said, strict=True) if told in back]


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
    yield from (f"{key} {value[key]}" for key in _COUNTS if type(value.get(key)) is int)


def _words(body: str) -> str:
    """Return the words of a page, its title first; a text as it is."""
    if "<" not in body:
        return body.strip()
    head = _HEAD.search(body)
    return _HIDDEN.sub(" ", head.group(2) if head else body).strip()
