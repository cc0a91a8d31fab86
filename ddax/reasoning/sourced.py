"""Where everything in a request comes from: a request is built with the origins of each of its fields.

A node writes `sourced(MergeRequest(...), task=TOLD, idea=..., ...)`. Every field that can hold text is
named; a field nobody named is an error, so that a new one cannot enter a prompt without its origin. What
comes of the reply carries `of_request(request)`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from functools import cache
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from ddax.errors import InvariantError
from ddax.ideas.origins import CODE, FILE, MEMORY, NOWHERE, USER, Origins, join, of_source
from ddax.reasoning.protocol import Request
from ddax.types import Passage

R = TypeVar("R", bound=Request)
CODE_READ: Origins = frozenset({FILE, CODE})
"""The program under repair, what its tests say, and what was tried on it."""
TOLD: Origins = frozenset({USER})
"""The words of the task, and what a human said while it ran."""
FIXED: Origins = NOWHERE
"""Words of the program itself, and names that it gives."""
UNKNOWN: Origins = frozenset({MEMORY})
"""What nobody has said the origin of: it may be private."""
_NO_TEXT = (int, float, bool)


def sourced(request: R, **origins: Iterable[str]) -> R:
    """Return a request with the origins of all its fields; raise `InvariantError` for one not named."""
    kind: Any = type(request)
    wanted = text_fields(kind)
    if odd := sorted(wanted.symmetric_difference(origins)):
        name = f"{type(request).__name__}.{odd[0]}"
        raise InvariantError(
            f"Nobody says where {name} comes from." if odd[0] in wanted else f"{name} holds no text.",
            why="What enters a prompt carries its origin into what comes of it.",
            mend=f"Give `sourced` the origins of {', '.join(sorted(wanted))}.",
        )
    return replace(request, origins=join(*origins.values()))


def of_request(request: Request) -> Origins:
    """Return where a request comes from; one that nobody has said it of may hold what is private."""
    return UNKNOWN if request.origins is None else request.origins


def of_passages(passages: Iterable[Passage]) -> Origins:
    """Return where passages come from: what they say of themselves, else their sources."""
    return join(*(one.origins or of_source(one.source) for one in passages))


@cache
def text_fields(kind: Any) -> frozenset[str]:
    """Return the fields of a request that can hold text: all but numbers and words of a fixed list."""
    hints = get_type_hints(kind)
    return frozenset(f.name for f in fields(kind) if f.name != "origins" and _holds_text(hints[f.name]))


def _holds_text(hint: Any) -> bool:
    if get_origin(hint) is tuple:
        return any(_holds_text(inner) for inner in get_args(hint) if inner is not Ellipsis)
    return hint not in _NO_TEXT and get_origin(hint) is not Literal
