"""German questions: what they ask for, their words of content, and the forms of a word that meet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from ddax.text.words import fold, stem, words

_OPENERS = frozenset(["wer", "wann", "wie", "wieviel", "wieviele", "welche", "welcher", "welches", "welchem"])
_SHARED = frozenset(["was", "wo", "wen", "wem", "in"])
"""What opens a question in English, or names something there, as well."""
FUNCTION_WORDS = frozenset(
    fold(
        """
        der das den dem des ein eine einen einem einer eines ist sind war waren wird werden wurde wurden hat
        haben hatte von vom zu zum zur im am auf fur mit bei nach aus und oder es er sie sich seit ab bis
        durch uber unter als auch man wer wen wem wo was wie viel viele kann konnen darf durfen muss mussen
        die in welche welcher welches welchem
        """
    ).split()
)
_GERMAN = frozenset(
    fold(
        """
        ist sind wird wurde wurden haben ein eine einen einem einer das kostet kosten wiegt wiegen gibt kann
        darf muss nach oder und welchem welcher welches welchen
        """
    ).split()
)
"""Words that make a question German which begins as an English one may."""
_ENDINGS = re.compile(r"(?:erinnen|erin|innen|ete|ern|est|ung|en|er|es|em|et|te|in|e|t|s|n)$")
LEAST_LETTERS = 3
"""Letters that stay of a word."""
_KINDS: tuple[tuple[Literal["person", "date", "number", "place"], re.Pattern[str]], ...] = (
    ("person", re.compile(r"we[rnm]\b")),
    ("date", re.compile(r"wann\b|(?:in |seit |ab )?welche[mrs]? (?:jahr|tag|monat|datum)\b")),
    ("number", re.compile(r"wie ?viele?\b|wie (?:hoch|lang|lange|gross|alt|weit|schwer|tief|breit|oft)\b")),
    ("place", re.compile(r"wo\b")),
)
_FORM = ("jahr", "tag", "monat", "datum")
"""What only says in which form a date is asked for."""
_AMOUNT = re.compile(r"wie (hoch|lange?|gross|alt|weit|schwer|tief|breit|oft)\b")


def is_german(text: str) -> bool:
    """Tell whether a question is asked in German."""
    said = words(text)
    return bool(said) and (said[0] in _OPENERS or (said[0] in _SHARED and not _GERMAN.isdisjoint(said[1:])))


def kind_of(text: str) -> Literal["person", "date", "number", "place", "open"]:
    """Return the kind of answer that a German question asks for."""
    plain = _plain(text)
    for kind, pattern in _KINDS:
        if pattern.match(plain):
            return kind
    return "open"


def head_of(text: str) -> str:
    """Return the noun behind "welcher" and its forms; empty where none is asked for so."""
    said = words(text)
    return said[1] if len(said) > 1 and said[0].startswith("welch") else ""


def content(text: str, found: Sequence[str]) -> list[str]:
    """Return those of the words of a question that say what it is about."""
    amount = _AMOUNT.match(_plain(text))
    form = [amount[1]] if amount else _FORM if kind_of(text) == "date" else []
    spent = set(map(stem, [*FUNCTION_WORDS, *form]))
    return [word for word in found if word not in spent] or list(found)


def form_of(word: str) -> str:
    """Return the stem by which the forms of a German word meet: "errichtete" and "errichtet" are one."""
    own = fold(word).replace("ß", "ss")
    own = own[2:] if own.startswith("ge") and len(own) >= 2 * LEAST_LETTERS else own
    while (cut := _ENDINGS.sub("", own)) != own and len(cut) >= LEAST_LETTERS:
        own = cut
    return own


def _plain(text: str) -> str:
    return fold(text).replace("ß", "ss").strip(' \t¿¡"“„«(')
