"""Words of orders and of pages in one form, so that they can be held against each other letter by letter."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

T = TypeVar("T")
Keys: TypeAlias = tuple[str, ...]
"""The words of a text in their plain form."""

QUOTED = re.compile(
    r"„([^„“”]*)[“”]|“([^“”]*)”|\"([^\"]*)\"|(?<!\w)'([^']+)'(?!\w)|(?<!\w)‘([^‘]+?)’(?!\w)|«([^«»]*)»"
)
HELD = re.compile(r"⟦(\d+)⟧")
NAMED = 99
"""The group of a word that a field is called by, though it names nothing elsewhere, as “to”."""
STOP = frozenset(
    """the a an my your this that these those please in on of to for from with at by into onto as under inside
    within is it its their and then now called named labeled labelled titled saying says using
    beside next-to below above there here any one them him her their
    his""".split()  # noqa: SIM905
)
"""Words that name nothing."""
KINDS: dict[str, tuple[str, ...]] = {
    "button": ("button", "clickable", "icon"), "link": ("link",), "tab": ("tab",),
    "checkbox": ("checkbox", "switch"), "box": ("checkbox", "textbox"), "radio": ("radio",),
    "switch": ("switch", "checkbox"), "toggle": ("switch", "button", "checkbox"),
    "menu": ("menuitem", "button"), "slider": ("slider",), "dropdown": ("combobox", "listbox", "button"),
    "field": ("textbox", "searchbox", "spinbutton", "combobox"), "textbox": ("textbox", "searchbox"),
    "textarea": ("textbox",), "spinner": ("spinbutton",), "cell": ("gridcell", "cell"),
}  # fmt: skip
"""Words for kinds of elements, with the roles they stand for."""
KIND_WORDS = frozenset(KINDS) | frozenset(
    """row card item entry list section group form dialog popup window page option options radio-button text
    input     column table element widget icon folder file to-do todo value number area line image picture
    input-field     control bar toolbar panel frame filter cookie-banner banner reply-button quantity-field
    user post email mail message result dialog-box scroll paragraph grid coordinate point""".split()  # noqa: SIM905
)
"""Words that say what a thing is and not how it is called; a thing may be called so all the same."""
SIGNS: dict[str, tuple[str, ...]] = {
    "×": ("close", "delete", "remove", "dismiss", "x"), "✕": ("close", "delete", "remove", "dismiss", "x"),
    "✖": ("close", "delete", "remove", "x"), "+": ("add", "plus", "increase"),
    "−": ("remove", "minus", "decrease"), "-": ("remove", "minus", "decrease"), ">": ("next",),
    "<": ("previous",), "›": ("next",), "‹": ("previous",),
    "»": ("next",), "«": ("previous",), "🔍": ("search",), "🗑": ("delete",), "☰": ("menu",),
    "⏸": ("pause",), "▶": ("play",), "✎": ("edit",),
}  # fmt: skip
"""What a sign alone stands for on a button."""
_EDGES = ".,;:!?*…()[]{}\"“”„‘’'"
ORDINALS: dict[str, int] = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10, "last": -1,
}  # fmt: skip
NTH = re.compile(r"(\d+)(?:st|nd|rd|th)")
COUNTS: dict[str, int] = {
    "once": 1, "one": 1, "twice": 2, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip


def count_of(text: str) -> int | None:
    """Return how many a word says; None where it says no number."""
    return COUNTS.get(text.lower()) or (int(text) if text.isdecimal() else None)


@dataclass(frozen=True)
class Word:
    """A word of an order; `group` is the number of the quote it stands in, -1 for none."""

    text: str
    key: str
    group: int = -1
    ends: bool = False
    """Whether a comma follows."""

    @property
    def is_stop(self) -> bool:
        """Whether it names nothing."""
        return self.group < 0 and self.key in STOP and not (self.text.isupper() and self.text != "I")

    @property
    def is_kind(self) -> bool:
        """Whether it says what a thing is."""
        return self.group < 0 and self.key in KIND_WORDS

    @property
    def counts(self) -> int:
        """How many it says, a hundred at most; 0 for none."""
        count = count_of(self.key) or 0
        return count if self.group < 0 and count < 100 else 0

    @property
    def is_solid(self) -> bool:
        """Whether it may be a part of a name alone."""
        return not self.is_stop and not self.is_kind


_PLAINLY = {ord("’"): "'", ord("‘"): "'", **dict.fromkeys((*range(0x7F, 0x85), *range(0x86, 0xA0)))}
"""Signs that are read as another one, and controls, which no page shows."""


def plain(text: str) -> str:
    """Return a text in small letters, with plain signs and single spaces."""
    folded = unicodedata.normalize("NFKC", text).translate(_PLAINLY)
    return " ".join(folded.casefold().split())


def key(word: str) -> str:
    """Return the plain form of a word, without the sign of more than one."""
    bare = plain(word).strip(_EDGES) or plain(word)
    bare = bare.removesuffix("'s")
    return (
        bare[:-1] if len(bare) > 3 and bare.endswith("s") and not bare.endswith(("ss", "us", "is")) else bare
    )


def keys(text: str) -> Keys:
    """Return the words of a text in their plain form; signs alone are no words."""
    return tuple(key(word) for word in text.split() if any(sign.isalnum() for sign in word))


def hold(text: str) -> tuple[str, tuple[str, ...]]:
    """Put a mark in place of each quote; returns the text and the quotes."""
    quotes: list[str] = []

    def held(found: re.Match[str]) -> str:
        quotes.append(next(part for part in found.groups() if part is not None))
        return f"⟦{len(quotes) - 1}⟧"

    return QUOTED.sub(held, text), tuple(quotes)


def release(text: str, quotes: Sequence[str]) -> str:
    """Put the quotes back in place of their marks."""
    return HELD.sub(lambda found: quotes[int(found[1])], text)


def words(text: str, quotes: Sequence[str]) -> tuple[Word, ...]:
    """Return the words of a part of an order, with those in its quotes."""
    found: list[Word] = []
    for part in HELD.sub(r" ⟦\1⟧ ", text).split():
        mark = HELD.fullmatch(part)
        if mark:
            group = int(mark[1])
            found += as_words(quotes[group], group)
        elif part == "," and found:
            found[-1] = replace(found[-1], ends=True)
        elif any(sign.isalnum() for sign in part) or part.strip(_EDGES):
            text = part.rstrip(".,;:!?") if "{{" in part else part.strip(_EDGES) or part
            found.append(Word(text, key(part), ends=part.endswith(",")))
    return tuple(found)


def as_words(text: str, group: int = -1) -> tuple[Word, ...]:
    """Return the words of a text as an order says them, with the number of their quote."""
    return tuple(Word(one, key(one), group) for one in text.split())


def has_phrase(text: Sequence[str], phrase: Sequence[str]) -> bool:
    """Tell whether words stand side by side in a text."""
    size = len(phrase)
    return any(tuple(text[at : at + size]) == tuple(phrase) for at in range(len(text) - size + 1))


def said(found: Iterable[Word]) -> str:
    """Return words as they were said."""
    return " ".join(word.text for word in found)


def nth(found: Sequence[T], number: int) -> T | None:
    """Return one of several by its place, from 1 or from the end as -1; None where there are not so many."""
    return found[number - 1 if number > 0 else number] if 0 < abs(number) <= len(found) else None


def ordinal(found: Iterable[Word]) -> int:
    """Return which one of several is meant, from 1 or as -1 for the last; 0 where it is not said."""
    for word in found:
        if word.group < 0:
            if word.key in ORDINALS:
                return ORDINALS[word.key]
            if number := NTH.fullmatch(word.key):
                return int(number[1])
    return 0
