"""Part a task into its clauses, and a clause into the parts of its lists; quotes are kept whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ddax.environments.pilot.orders.frames import Value
from ddax.environments.pilot.orders.verbs import ANY
from ddax.environments.pilot.words import HELD, KIND_WORDS, Word, hold, release, words

_LEAD = re.compile(
    r"(?:(?:please|now|then|and|also|just|next|first|finally|can you|could you|i want you to|you should"
    r"|but)\b"
    r"[,\s]*)+",
    re.IGNORECASE,
)
_PURPOSE = re.compile(rf"to (?=(?:{ANY})\b(?!-))", re.IGNORECASE)
_SPLIT = re.compile(
    rf"(?P<end>[.!?;])(?=\s|$) ?|,? (?:and )?then |, ?(?:and |but )?(?=(?:{ANY})\b(?!-))"
    rf"| (?:and|but) (?=(?:please )?(?:{ANY})\b(?!-))|,? but (?=do not\b|don['’]t\b)"
    r"|,? and (?=do not\b|don['’]t\b)",
    re.IGNORECASE,
)
_TWO = re.compile(r"\b(?:check|text)[ -](?:box|area)\b|\bradio[ -]button\b|\bnext to\b", re.IGNORECASE)
_GLUE = str.maketrans({" ": "\ue000", "-": "\ue001"})
_LOOSE = str.maketrans({"\ue000": " ", "\ue001": "-"})
_GLUED = re.compile(r"(?:check|text|radio|next)[\ue000\ue001](?:box|area|button|to)", re.IGNORECASE)
"""Two words held together while an order is parted; a value gets them back as they were."""
_ONE = {"checkarea": "check area", "radiobutton": "radio", "nextto": "beside"}
"""Words for one thing that are written in two."""
_PLACE_FIRST = re.compile(
    rf"((?:in|on|from|for|under|using|with|to) [^,]*?),? (?=(?:{ANY})\b(?!-))", re.IGNORECASE
)
_BEGINS = re.compile(
    rf"(?:{ANY}|in|on|from|for|under|using|with|do|don['’]t|never|make|be|is|are|was|does|did|it|you|i|the|this|that|a|an)\b",
    re.IGNORECASE,
)
"""How a sentence begins that is an order or a question, or says what not to do."""
_USE = re.compile(rf"use (?:the|a) [^⟦⟧,]{{1,60}}? to (?=(?:{ANY})\b)", re.IGNORECASE)
_KIND = "|".join(re.escape(word) for word in sorted(KIND_WORDS))
_EITHER = re.compile(rf"\b(?:{_KIND}) or (?=(?:{_KIND})\b)", re.IGNORECASE)
"""Words for two kinds of which it may be either, as “folder or file”."""
_FROM = re.compile(
    r"\b(?:written|sent|made|posted|(?:(?:that )?(?:you|i) )?(?:got|received|have)) (?P<by>by|from)\b"
    r"|\b(?:that )?(?P<who>(?-i:[A-Z])\w+) sent\b(?: (?:you|me)\b)?",
    re.IGNORECASE,
)
"""Participles that say no more than the word behind them."""
_WHEN_DONE = re.compile(
    r",? (?:(?:when|once|after)(?: you(?: are|['’]re))? (?:done|finished|ready)|please)$", re.IGNORECASE
)
_WRITES = re.compile(r"(?:enter|type|write|input|insert|fill|put|paste|set)\b", re.IGNORECASE)
_ASIDE_IT = re.compile(
    r"((?:click|press|hit|push|tap|use|drag|move)\b.*\w) to \w+ (?:it|them)$", re.IGNORECASE
)
"""A press with what it is for; what is found “to delete it” is to be deleted."""


@dataclass(frozen=True)
class Clause:
    """One clause of a task, its quotes marked, and the sign it ended with."""

    text: str
    tail: str
    quotes: tuple[str, ...]

    def words(self, part: str) -> tuple[Word, ...]:
        """Return the words of a part of it."""
        part = _FROM.sub(lambda found: found["by"] or f"from {found['who']}", _EITHER.sub("", part))
        return words(_GLUED.sub(_as_one, part), self.quotes)

    def value(self, part: str) -> Value:
        """Return a part of it as a value."""
        mark = HELD.fullmatch(part.strip())
        if mark:
            return Value(self.quotes[int(mark[1])], True)
        return Value(release(part.translate(_LOOSE).strip().rstrip(","), self.quotes), False, self.tail)

    @property
    def said(self) -> str:
        """Return it as it was said."""
        return HELD.sub(lambda found: f"“{self.quotes[int(found[1])]}”", self.text.translate(_LOOSE))


def _as_one(found: re.Match[str]) -> str:
    bare = re.sub(r"[^a-z]", "", found[0].lower())
    return _ONE.get(bare, bare)


def clauses(task: str) -> Iterator[Clause]:
    """Part a task into its clauses."""
    text, quotes = hold(task)
    text = _TWO.sub(lambda found: found[0].translate(_GLUE), " ".join(text.split()))
    text = re.sub(r"\bby (?:clicking|pressing)\b(?= (?:the )?⟦)", "with", text)
    at = 0
    parts: list[tuple[str, str]] = []
    for found in _SPLIT.finditer(text):
        if found["end"] == "." and _is_short(text, found):
            continue
        parts.append((text[at : found.start()], found["end"] or ("," if found[0].strip() == "," else "")))
        at = found.end()
    parts.append((text[at:], ""))
    waiting = ""
    for part, tail in parts:
        part = f"{waiting} {part}".strip() if waiting else part
        waiting = ""
        if _LEAD.match(part):
            part = part[_LEAD.match(part).end() :]  # type: ignore[union-attr]  # it matched
        part = part.strip().strip(",").strip()
        if purpose := _PURPOSE.match(part):
            part = part[purpose.end() :]
        part = _USE.sub("", part if _WRITES.match(part) else _ASIDE_IT.sub(r"\1", _WHEN_DONE.sub("", part)))
        part = part.rstrip(".")
        if re.fullmatch(r"(?:in|on|from|for|under|using|with) [^,]*", part, re.IGNORECASE) and tail == ",":
            waiting = f"{part},"
            continue
        if part:
            first = _PLACE_FIRST.match(part)
            if first:
                part = f"{part[first.end() :]} {first[1].rstrip(',')}"
            yield Clause(part, tail, quotes)


def _is_short(text: str, end: re.Match[str]) -> bool:
    """Tell whether a point only shortens a word, as in “Mr. Low” or “J. Smith”: no order follows it."""
    word = text[max(0, end.start() - 6) : end.start()].rpartition(" ")[2]
    short = word.istitle() and word.isalpha() and len(word) < 5 and text[end.end() : end.end() + 1].isupper()
    return short and not (_LEAD.match(text, end.end()) or _BEGINS.match(text, end.end()))


def said_parts(found: Sequence[Word]) -> list[tuple[Word, ...]]:
    """Part the words of a list at its commas and ands; quotes are kept whole."""
    parts: list[list[Word]] = [[]]
    for word in found:
        if word.group < 0 and word.key == "and":
            parts.append([])
            continue
        if parts[-1] and word.group >= 0 and parts[-1][-1].group not in (-1, word.group):
            parts.append([])
        parts[-1].append(word)
        if word.ends:
            parts.append([])
    return [tuple(part) for part in parts if part]
