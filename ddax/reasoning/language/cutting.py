"""Passages that do not fit a prompt, cut to the sentences that bear most on what is asked.

Where a sentence stands says nothing of its worth: the words that it shares with the question do, each by
how rare it is in what was read. Leaves out how much room there is (`room`).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ddax.text.chunks import sentences
from ddax.types import Passage

_UNSPACED = "\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]{{2,}}")
STEM = 6
"""Letters by which words are held to be the same."""
BESIDE = 0.4
"""Share of a sentence's worth that those beside it have: who "it" is stands there."""


class Sentence(NamedTuple):
    """A sentence that is told: the name of its passage, and where in its text it stands."""

    passage: str
    start: int
    end: int

    @property
    def size(self) -> int:
        """The characters it has."""
        return self.end - self.start


def best(told: Sequence[Sentence], named: Mapping[str, Passage], budget: int, about: str) -> list[Sentence]:
    """Return the sentences that fit into so many characters, those that bear most first, as they stood."""
    if sum(len(passage.text) for passage in named.values()) <= budget:
        return [*told]
    worth = _worths(told, named, about)
    left, kept = budget, set[int]()
    for place in sorted(range(len(told)), key=lambda n: -worth[n]):
        if told[place].size <= left or not kept:
            kept.add(place)
            left -= told[place].size
    return [one for place, one in enumerate(told) if place in kept]


def cut(named: Mapping[str, Passage], budget: int, about: str) -> dict[str, str]:
    """Return the texts of passages, those that bear on something within so many characters together.

    What is left out of a text is said in it; one of which nothing is left is "".
    """
    if sum(len(passage.text) for passage in named.values()) <= budget:
        return {name: passage.text for name, passage in named.items()}
    every = [Sentence(name, *span) for name, passage in named.items() for span in sentences(passage.text)]
    kept = best(every, named, budget, about)
    return {
        name: _joined(passage.text, [one for one in kept if one.passage == name])
        for name, passage in named.items()
    }


def gap(text: str) -> str:
    """Return what stands for a part that is left out; the part itself where nothing is in it."""
    missing = len(text.strip())
    return f" [... {missing} characters cut] " if missing else text


def _joined(text: str, kept: Sequence[Sentence]) -> str:
    if not kept:
        return ""
    place, parts = 0, []
    for one in kept:
        parts += [gap(text[place : one.start]), text[one.start : one.end]]
        place = one.end
    return "".join([*parts, gap(text[place:])]).strip()


def _worths(told: Sequence[Sentence], named: Mapping[str, Passage], about: str) -> list[float]:
    """Return how much each sentence bears on something, with a share of what those beside it do."""
    words = [_words(named[one.passage].text[one.start : one.end]) for one in told]
    asked = _words(about)
    seen = Counter(word for each in words for word in each & asked)
    own = [sum(math.log(1 + len(told) / seen[word]) for word in each & asked) for each in words]
    found = []
    for place, one in enumerate(told):
        beside = [
            own[n] for n in (place - 1, place + 1)
            if 0 <= n < len(told) and told[n].passage == one.passage
        ]  # fmt: skip
        found.append(own[place] + BESIDE * max(beside, default=0.0))
    return found


def _words(text: str) -> set[str]:
    return {word[:STEM] for word in _WORD.findall(text.casefold())}
