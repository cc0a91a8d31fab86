"""What still tells of forgotten rows: whether a text holds their words, and a value without them; pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ddax.ideas.origins import telling
from ddax.memory.protocol import Tombstone
from ddax.memory.upkeep.repeats import Copies
from ddax.types import Document, Record

BLOT = "[forgotten]"
LEAST_WORD = 5
"""Letters from which on a word that only the forgotten says gives it away in what was made of it."""
LEAST_SAID = 25
"""Characters from which on a text says something; below stand names and states."""
_WORD = re.compile(r"\w+")


class Traces:
    """The words of forgotten rows that nothing which is left says by itself.

    `keys` are words that name one thing (a number, a key), `copies` whole sentences and runs of words, `own`
    all other words; a text that is known to come from the rows is told by one of its `own` words.
    """

    def __init__(self, gone: Iterable[Record]) -> None:
        rows = list(gone)
        self.keys: set[str] = set().union(*(telling(f"{row.title}\n{row.text}") for row in rows))
        self.copies = Copies(row.text for row in rows)
        self.own = {word for row in rows for word in _words(row.text)}

    def spare(self, text: str) -> None:
        """Let pass what this text, which stays, says too."""
        low = text.casefold()
        self.keys = {key for key in self.keys if key not in low}
        self.own -= _words(text)
        self.copies.spare(text)

    def know(self, text: str) -> None:
        """Take no word of a text for one that only the forgotten says: it is the user's own."""
        self.own -= _words(text)

    def holds(self, text: str) -> bool:
        """Tell whether a text says what only the forgotten rows say."""
        low = text.casefold()
        return any(key in low for key in self.keys) or text in self.copies

    def tells(self, text: str) -> bool:
        """Tell the same of a text that was made of them."""
        return self.holds(text) or (len(text) >= LEAST_SAID and bool(self.own & _words(text)))

    def held(self, value: Any) -> bool:
        """Tell whether any text of a value holds them."""
        return any(self.holds(text) for text in _texts(value))

    def blotted(self, value: Any, *, made: bool = False) -> Any:
        """Return a value without them; `made` says that it was made of them."""
        if isinstance(value, str):
            return BLOT if (self.tells(value) if made else self.holds(value)) else value
        if isinstance(value, dict):
            return {self.blotted(key): self.blotted(item, made=made) for key, item in value.items()}
        if isinstance(value, list):
            return [self.blotted(item, made=made) for item in value]
        return value

    def without_keys(self, text: str, *, dots: bool = False) -> str:
        """Return a text with a blot, or as many dots, for each word that names one thing; the rest stays."""
        for key in sorted(self.keys, key=len, reverse=True):
            blot = "·" * len(key) if dots else BLOT
            text = re.sub(re.escape(key), blot, text, flags=re.IGNORECASE)
        return text

    def page(self, page: Document, rows: Iterable[Record]) -> Document:
        """Return a page with dots in the place of the rows, so that every other place in it stays."""
        text = page.text
        for row in rows:
            text = text.replace(row.text, "·" * len(row.text))
        text = self.without_keys(text, dots=True)
        return replace(page, title=self.without_keys(page.title), text=text)

    def stone(self, stone: Tombstone) -> Tombstone:
        """Return a tombstone that does not tell by its title or its address."""
        return replace(stone, title=self.blotted(stone.title), source=self.blotted(stone.source))


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.casefold()) if len(word) >= LEAST_WORD}


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
