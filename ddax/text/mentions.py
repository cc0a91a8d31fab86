"""Which documents are about what is asked: those that hold a name of it, and those these lead to.

Many documents say the like of many things (a birthplace each of a hundred people): by words and vectors
alone they cannot be told apart, by the name that is asked about they can.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ddax.text.words import bare_title, words
from ddax.types import Passage

LEAST_TITLE = 3
"""Characters of a title from which its mention is one of the document."""


class Mentions:
    """What some passages name, as whole words."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._said = [(p.source, f"{_phrase(p.title)}|{_phrase(p.text)}") for p in passages]
        titles = {p.source: bare_title(p.title) for p in passages}
        self._titles = {source: _phrase(t) for source, t in titles.items() if len(t) >= LEAST_TITLE}

    def holding(self, name: str) -> frozenset[str]:
        """Return the documents that hold a name, in a title or a text."""
        phrase = _phrase(bare_title(name))
        return frozenset(source for source, said in self._said if phrase.strip() and phrase in said)

    def led_to(self, sources: Collection[str]) -> frozenset[str]:
        """Return documents with all that are named by their title there, and so on."""
        known, fresh = set(sources), set(sources)
        while fresh:
            texts = [said for source, said in self._said if source in fresh]
            fresh = {
                source
                for source, title in self._titles.items()
                if source not in known and title.strip() and any(title in said for said in texts)
            }
            known |= fresh
        return frozenset(known)


def shares(names: Sequence[str], passages: Sequence[Passage]) -> dict[str, float]:
    """Return of each document the share of the names that it, or one that leads to it, holds."""
    mentions = Mentions(passages)
    bearing = [mentions.led_to(mentions.holding(name)) for name in names]
    return {p.source: sum(p.source in found for found in bearing) / max(1, len(names)) for p in passages}


def _phrase(text: str) -> str:
    return f" {' '.join(words(text))} "
