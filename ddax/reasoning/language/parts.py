"""What the tokens of a call went to: rules, schema, task, passages, findings, the rest of the request, reply.

A provider counts what was sent as one number; it is shared out by the bytes of each part. Leaves out what
a call costs (`usage`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from ddax.reasoning.language.replies.schemas import Wire, schema_of

if TYPE_CHECKING:
    from ddax.reasoning.language.provider.channel import Order

RULES, SCHEMA, REQUEST, REPLY = "rules", "schema", "request", "reply"
"""The rules and the instructions of a request; the form of its reply; what is asked; what was written."""
Sizes = Mapping[str, int]
"""Bytes, or tokens, by part."""


def sizes_of(order: Order, *, schema: bool) -> dict[str, int]:
    """Return the bytes of a call by part; `schema` says that the form of the reply is read, and billed."""
    (_, system), (_, user), *further = order.messages
    known = dict(order.parts)
    known[REQUEST] = known.get(REQUEST, 0) + max(0, _size(user) - sum(known.values()))
    known[REQUEST] += sum(_size(text) for _, text in further)
    known[RULES] = _size(system)
    if order.acting is not None:
        known[REQUEST] += _size(order.acting.words())
    if schema and not order.native and order.mode != "free":
        known[SCHEMA] = form_size(order.wire)
    return {name: size for name, size in known.items() if size}


def split(tokens: int, sizes: Sizes) -> dict[str, int]:
    """Share tokens out by bytes, so that the shares come to all of them."""
    whole = sum(sizes.values())
    if not whole:
        return {REQUEST: tokens} if tokens else {}
    found = {name: tokens * size // whole for name, size in sizes.items()}
    left = tokens - sum(found.values())
    for name in sorted(sizes, key=lambda name: -(tokens * sizes[name] % whole))[:left]:
        found[name] += 1
    return {name: count for name, count in found.items() if count}


@cache
def form_size(wire: type[Wire]) -> int:
    """Return the bytes of a form as it is sent."""
    return _size(json.dumps(schema_of(wire), separators=(",", ":")))


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
