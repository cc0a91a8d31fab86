"""Write requests and replies as plain JSON, name a request by its hash, and read a reply back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from hashlib import sha256
from typing import Any, get_args, get_origin, get_type_hints

from ddax.reasoning import protocol as p

UNRECORDED = {"Passage": {"score", "cut", "fenced", "origins"}, "Picture": {"data"}, "Brief": {"today"}}
"""Fields that are no part of a recorded request: a run may be replayed on another day."""
TERSE = (
    p.ExpandRequest, p.MergeRequest, p.PatchRequest, p.MutateRequest, p.JudgeRequest, p.ExtractRequest,
)  # fmt: skip
"""Requests with optional fields."""
OPTIONAL = {
    "seen": None,
    "brief": p.Brief(),
    "own": False,
    "form": None,
    "fault": "",
    "earlier": (),
    "tools": (),
    "shown": "",
    "called": "",
    "tried": (),
    "others": (),
    "kind": "",
    "settling": False,
}
"""Fields of requests that are left out where they say nothing, as in recordings from before them."""


def request_hash(method: str, request: Any) -> str:
    """Return the hash of a request.

    Scores of passages are left out: they hold ages, which differ between two runs of one task; what was cut
    before them follows from their places, as does whether they begin in code. A picture stands for itself by
    the hash of its bytes. Origins are what the policy goes by, and no part of what is asked.
    """
    text = json.dumps([method, as_plain(request)], ensure_ascii=True, sort_keys=True)
    return sha256(text.encode()).hexdigest()[:32]


def as_plain(value: Any) -> Any:
    """Return a request as plain JSON, without what is no part of what is asked."""
    if is_dataclass(value) and not isinstance(value, type):
        skipped = UNRECORDED.get(type(value).__name__, set[str]())
        if isinstance(value, p.Request):
            skipped = {"origins"}
        if isinstance(value, TERSE):
            silent = {name for name, nothing in OPTIONAL.items() if getattr(value, name, nothing) == nothing}
            skipped = {"origins", *silent}
        return {f.name: as_plain(getattr(value, f.name)) for f in fields(value) if f.name not in skipped}
    if isinstance(value, Mapping):
        return {str(key): as_plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [as_plain(item) for item in value]
    return value


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def read_as(kind: Any, value: Any) -> Any:
    """Return JSON as the dataclass, tuple or plain value a type asks for."""
    if is_dataclass(kind) and isinstance(kind, type):
        hints = _hints(kind)
        return kind(
            **{f.name: read_as(hints[f.name], value[f.name]) for f in fields(kind) if f.name in value}
        )
    if get_origin(kind) is tuple:
        inner = get_args(kind)
        each = [inner[0]] * len(value) if inner[-1] is Ellipsis else inner
        return tuple(read_as(k, item) for k, item in zip(each, value, strict=True))
    return value
