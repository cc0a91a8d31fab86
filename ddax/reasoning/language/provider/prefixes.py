"""Beginnings of prompts that come again, marked for a provider that keeps only what is marked.

Anthropic takes a quarter more for what it is told to keep, and a tenth of the price when that comes again. So
a beginning is marked from its second time on: most questions are settled in one call. OpenAI and servers
of one's own keep beginnings without a mark.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ddax.reasoning.language.provider.channel import Order

LEAST = 4_096
"""Characters of a beginning that is worth a mark: nothing shorter than 1,024 tokens is kept."""
MARK = {"cache_control": {"type": "ephemeral"}}


class Prefixes:
    """What a model has been sent in this session, by the hash of each beginning."""

    def __init__(self) -> None:
        self._sent: set[str] = set()

    def marked(self, messages: Sequence[tuple[str, Any]], order: Order) -> list[tuple[str, Any]]:
        """Return the messages of a call with a mark behind each beginning that was sent before."""
        request = order.messages[1][1]
        head = f"{order.wire.__name__} {order.mode} {order.messages[0][1]}"
        places = [
            place for place in order.stable
            if len(head) + place >= LEAST and self._again(head + request[:place])
        ]  # fmt: skip
        return [
            (sender, [*_blocks(text, places)] if places and text == request else text)
            for sender, text in messages
        ]

    def _again(self, beginning: str) -> bool:
        """Tell whether a beginning was sent before, and note that it is now."""
        key = sha256(beginning.encode("utf-8", "replace")).hexdigest()
        known = key in self._sent
        self._sent.add(key)
        return known


def _blocks(text: str, places: Sequence[int]) -> Iterator[dict[str, Any]]:
    start = 0
    for place in places:
        yield {"type": "text", "text": text[start:place], **MARK}
        start = place
    yield {"type": "text", "text": text[start:]}
