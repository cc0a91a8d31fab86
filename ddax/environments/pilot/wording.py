"""The words of an order one by one, of which each is to be met by something of a page."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, cast

from ddax.environments.pilot.dates import find_date, find_time, span_of_date, span_of_time
from ddax.environments.pilot.orders import Order
from ddax.environments.pilot.rows import words_of
from ddax.environments.pilot.words import EMPTY, NUMBERS, lettered

Kind: TypeAlias = Literal["word", "quote", "day", "time", "email", "number"]
"""What a word of an order is, where that can be told without a page."""
_SPAN = re.compile(
    r"\b(?P<first>\d{1,2})(?:st|nd|rd|th)?\s*(?:to|until|till|through|-|–)\s*(?P<last>\d{1,2})\.?\s+(?P<rest>[A-Z][a-z]+\.?,?\s+\d{4})\b"
)
"""Two days of one month."""
_EMAIL = re.compile(r"[^\s@]+@[^\s@]+\.\w+")
_COUNT = re.compile(r"[€$£]?\d+(?:[.,]\d+)*[€$£%]?")
_SIGN = re.compile(r"(?<=\d)[€$£%]$|^[€$£](?=\d)")
_SIGNS = {"€": "eur", "$": "usd", "£": "gbp", "%": "%"}
"""Signs beside a number, as words behind it."""
_PASSED = frozenset("a an the my of is".split())  # noqa: SIM905
_ENDS = ".,;:!?\"“”„'()"


@dataclass(frozen=True)
class Word:
    """One word, quote, day, time, address or number of an order, with how it is compared."""

    text: str
    key: str
    kind: Kind = "word"
    ends: bool = False
    """Whether a comma or the like stands behind it."""
    colon: bool = False


@dataclass
class Wording:
    """The words of an order, and which of them were met."""

    words: Sequence[Word]
    met: set[int] = field(default_factory=set)

    def of_kind(self, kind: Kind) -> list[int]:
        """Return the places of the words of a kind that are not met yet."""
        return [at for at, word in enumerate(self.words) if word.kind == kind and at not in self.met]

    def left(self, known: Collection[str]) -> list[int]:
        """Return the places of what is neither met, nor known, nor a word that says little."""
        rest = [at for at in range(len(self.words)) if at not in self.met]
        return [at for at in rest if self.words[at].kind != "word" or not self._is_known(at, known)]

    def _is_known(self, at: int, known: Collection[str]) -> bool:
        key = self.words[at].key
        return not key or key in EMPTY or key in known

    def find(self, keys: Sequence[str]) -> list[int]:
        """Return the places of some words one behind the other, none of them met; none where they are not.

        Words between them that say little are no matter.
        """
        said = [at for at, word in enumerate(self.words) if word.key and word.key not in EMPTY]
        for start in range(len(said) - len(keys) + 1):
            places = said[start : start + len(keys)]
            if [self.words[at].key for at in places] == list(keys) and not self.met & set(places):
                return places
        return []

    def joined(self, name: str) -> list[int]:
        """Return the place of a word that is a name with hyphens, as “one-way” of “One way”; else none."""
        whole = "".join(words_of(name)).replace("-", "")
        same = (at for at, word in enumerate(self.words) if "-" in word.key and at not in self.met)
        return [at for at in same if self.words[at].key.replace("-", "") == whole][:1]

    def before(self, at: int) -> str:
        """Return the word before a place, but for articles and “of”; empty where there is none."""
        keys = [word.key for word in self.words[:at] if word.key not in _PASSED]
        return keys[-1] if keys else ""

    def value_behind(self, at: int, stops: Collection[str]) -> list[int]:
        """Return the places of what stands right behind a word: words and numbers up to a comma or a stop."""
        found = list[int]()
        for place in range(at + 1, len(self.words)):
            word = self.words[place]
            if not found and word.key in ("is", "of", "to"):
                continue
            if word.kind not in ("word", "number") or place in self.met or word.key in stops:
                break
            found.append(place)
            if word.ends:
                break
        return [] if self.words[at].ends and not self.words[at].colon else found

    def runs(self, known: Collection[str]) -> Iterator[list[int]]:
        """Yield the rows of words side by side that are not met, parted by commas and by what is met."""
        left, run = set(self.left(known)), list[int]()
        for at, word in enumerate(self.words):
            if at in left or (
                run and at + 1 in left and at not in self.met and word.key in ("the", "of", "and", "'s")
            ):
                run.append(at)
            elif run:
                yield run
                run = []
            if run and word.ends:
                yield run
                run = []
        if run:
            yield run

    def text(self, places: Sequence[int]) -> str:
        """Return some words as they were said."""
        return " ".join(self.words[at].text for at in places)


def wording(order: Order) -> Wording:
    """Read the words of an order, its verb first."""
    lead = f"{order.word} " if order.word else ""
    text, outside = lead + order.text, lead + order.outside
    if len(text) != len(outside):  # a quote with a space at its end
        return Wording(())
    return Wording(tuple(_words(text.rstrip(" ."), outside.rstrip(" ."))))


def _words(text: str, outside: str) -> Iterator[Word]:
    at = 0
    for start, end, word in [*_special(outside), (len(outside), len(outside), None)]:
        for found in re.finditer(r"\S+", outside[at:start]):
            a, b = at + found.start(), at + found.end()
            yield _word(text[a:b], outside[a:b])
            if sign := _SIGN.search(outside[a:b]):
                yield Word("", _SIGNS[sign[0]])
        if word is not None:
            yield word
        at = end


def _special(outside: str) -> list[tuple[int, int, Word]]:
    """Return the days and the times of an order with where they stand; “from 3 to 4 May 2027” is two days."""
    found = list[tuple[int, int, Word]]()
    for part in _SPAN.finditer(outside):
        first, last = (find_date(f"{part[n]} {part['rest']}") for n in ("first", "last"))
        if first and last:
            found.append((*part.span("first"), Word(part["first"], first.isoformat(), "day")))
            found.append((part.start("last"), part.end("rest"), Word(part["last"], last.isoformat(), "day")))
    for kind, read, span_of in (("day", _day, span_of_date), ("time", find_time, span_of_time)):
        rest = outside
        for start, end, _ in found:
            rest = rest[:start] + " " * (end - start) + rest[end:]
        while key := read(rest):
            start, end = span_of(rest)
            ends = outside[end : end + 1] in (",", ";")
            found.append((start, end, Word(outside[start:end], key, cast(Kind, kind), ends)))
            rest = rest[:start] + " " * (end - start) + rest[end:]
    return sorted(found, key=lambda one: one[0])


def _day(text: str) -> str:
    day = find_date(text)
    return day.isoformat() if day else ""


def _word(text: str, outside: str) -> Word:
    """Read one word; a quote is as long in both texts."""
    bare, ends, colon = text.strip(_ENDS), outside[-1:] in (",", ";", ":"), outside[-1:] == ":"
    if "_" in outside:
        return Word(text.strip(" ,;.\"“”„'") or text, "", "quote", ends)
    if _EMAIL.fullmatch(bare):
        return Word(bare, bare.casefold(), "email", ends)
    if _COUNT.fullmatch(bare):
        number = bare.strip("€$£%")
        return Word(number, number, "number", ends, colon)
    if bare.casefold() in NUMBERS:
        return Word(str(NUMBERS[bare.casefold()]), str(NUMBERS[bare.casefold()]), "number", ends)
    keys = words_of(bare) if lettered(bare) or bare == "%" else []
    return Word(bare, keys[0] if len(keys) == 1 else " ".join(keys), "word", ends, colon)
