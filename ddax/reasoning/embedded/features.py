"""What tells whether a record answers a question, as one row of numbers for each.

Each sign is between 0 and 1 or a small count. None of them decides: `scorer` weighs them together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ddax.reasoning.embedded.evidence import Weighed, fit_of_title
from ddax.reasoning.embedded.follow import rarity
from ddax.reasoning.embedded.sentences import goes_back, of_one_part
from ddax.reasoning.embedded.spans import COUNT
from ddax.reasoning.embedded.tables import SIZES
from ddax.text.question import Question, said_of, unmet
from ddax.text.units import PRICE, unit_before, unit_of
from ddax.text.words import bare_title, contains_phrase, denies, stem, terms, words

NAMES = (
    "like", "cover", "own", "rest", "named", "answers", "fits", "hop_fits", "near", "rarest", "missing",
    "bridge", "gain", "lead_two", "names", "names_doc", "no_names", "numbers", "pairs", "run", "typed",
    "typed_fit", "unfit", "untyped", "head", "sized", "other_size", "measured", "unmeasured", "lettered",
    "veto", "title_fit", "title", "titled", "headed", "lead_doc", "lead_any", "rank", "best_doc", "new",
    "length", "opens", "item", "cells", "label", "back", "asks", "denied", "why", "reason", "terms",
    "yes_no", "choice", "query", "explained", "left_out", "rows", "led_answers", "led_whole", "led_few",
    "op_cell", "op_row", "op_list", "op_count", "op_sum", "op_extreme",
)  # fmt: skip
"""The signs of a record, in the order of the row."""
WAYS = ("itself", "led", "query")
"""How a record answers: by itself, led to by another document, or as what a table says."""
LED = 0.05
"""Gain by another document from which a record counts as led to."""
TYPED = ("person", "date", "number", "place", "name")
UNTYPED = 0.6
"""Fit where no kind of answer is asked for."""
MAX_PARTNERS = 10
"""Sentences of other documents that are tried as the first hop of a question with two."""
_REASON = re.compile(
    r"\b(?:because|since|so that|due to|owing to|in order to"
    r"|to (?:avoid|prevent|ensure|keep|allow|reduce|make)"
    r"|thanks to|as a result|therefore|for this reason|reasons?|caus(?:e|ed|es)|otherwise|weil|damit|da)\b",
    re.IGNORECASE,
)
_HOW = re.compile(r"\b(?:how|wie)\s+(\w+)", re.IGNORECASE)
_UNITS = {
    "long": ("length", "time"), "lang": ("length", "time"), "far": ("length", "time"), "old": ("time",),
    "fast": ("speed", "time"), "heavy": ("mass",), "schwer": ("mass",), "often": ("time",), "soon": ("time",),
    **dict.fromkeys(("high", "tall", "deep", "wide", "broad", "thick", "hoch", "tief", "breit"), ("length",)),
}  # fmt: skip
"""What is measured where it is asked how long, how heavy or how deep something is."""
LEAST_FIT = {"person": 0.8, "date": 1.0, "number": 1.0}
"""Fit from which a span may be of the kind asked for."""
_AMOUNT = re.compile(
    rf"(?:(?<![\d.,])\d[\d.,]*|\b(?:{COUNT})\b)(?:\s(?:thousand|million|billion)\b)?", re.IGNORECASE
)
_LETTERED = re.compile(r"\d|\b\w\b")
"""What parts names that are alike else: a number, a single letter."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_Said: TypeAlias = Sequence[list[str]]
"""The words of each sentence, or of what it is about."""


@dataclass(frozen=True)
class _Asked:
    """What of a question is held against every record."""

    question: Question
    weights: Mapping[str, float]
    whole: float
    order: tuple[str, ...]
    names: frozenset[str]
    rest: frozenset[str]
    numbers: frozenset[str]

    def share_of_rest(self, said: Set[str]) -> float:
        """Return the share of the words beside the names, by rarity, that are said; 1 of none."""
        rest = [term for term in self.question.terms if term in self.rest]  # in one order: floats are added
        whole = sum(self.weights[term] for term in rest)
        return sum(self.weights[term] for term in rest if term in said) / whole if whole else 1.0

    def fit(self, own: float) -> float:
        """Return the fit of a span, or the same for all where no kind is asked for."""
        return own if self.question.kind in TYPED else UNTYPED

    def cover(self, said: frozenset[str]) -> float:
        """Return the share of the question's words, by rarity, that are said."""
        return sum(self.weights[term] for term in self.question.terms if term in said) / self.whole


def rows(question: Question, found: Sequence[Weighed]) -> tuple[NDArray[np.float64], list[int | None]]:
    """Return one row of signs for each sentence, in their order: `[n, len(NAMES)]`, and what leads to each.

    A sentence is led to by the number of one that names its document, and a name asked that it lacks.
    """
    if not found:
        return np.zeros((0, len(NAMES))), []
    asked = _asked(question, found)
    base = np.array([item.score for item in found])
    titles = [words(bare_title(item.sentence.subject)) for item in found]
    lines = [words(item.sentence.text) for item in found]
    order = sorted(range(len(found)), key=lambda k: -found[k].score)[:MAX_PARTNERS]
    hops = _hops(asked, found, titles, lines, order)
    leads = list(_leads(asked, found, titles, lines, order))
    two = base + np.array([hop["gain"] for hop in hops]) / 3
    docs = _docs(question, found)
    signs = [_signs(asked, found, i, docs[item.sentence.passage.source]) for i, item in enumerate(found)]
    for i, row in enumerate(signs):
        row.update(_standing(found, base, i))
        row.update(hops[i] | leads[i][0])
        row.update(_joined(asked, found[i], row))
        row["lead_two"] = float(two[i] - np.delete(two, i).max(initial=0.0))
    lacking = [asked.names - item.terms for item in found]
    needed = [
        k if k >= 0 and names & found[k].terms else None for (_, k), names in zip(leads, lacking, strict=True)
    ]
    return np.array([[row.get(name, 0.0) for name in NAMES] for row in signs]), needed


def ways(signs: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the number of the way in which each row of signs answers: `[n]`."""
    led = (signs[:, NAMES.index("gain")] > LED).astype(np.int64)
    return np.where(signs[:, NAMES.index("query")] > 0, 2, led)


def _joined(asked: _Asked, item: Weighed, row: Mapping[str, float]) -> dict[str, float]:
    """Return how far a sentence says what is asked of what is named, itself or with one that leads to it."""
    rest = asked.share_of_rest(item.terms)
    named = row["named"] if asked.names else 1.0
    fit = asked.fit(row["typed_fit"])
    veto = max(row["unmeasured"], row["other_size"], row["why"], row["lettered"], row["denied"])
    whole = rest * named * (1 - veto)
    return {
        "rest": rest,
        "answers": whole,
        "fits": whole * fit,
        "hop_fits": row["gain"] * rest * fit,
        "veto": veto,
    }


def _asked(question: Question, found: Sequence[Weighed]) -> _Asked:
    weights = rarity([*(tuple(item.terms) for item in found), question.terms])
    names = frozenset(term for name in question.names for term in terms(name))
    return _Asked(
        question,
        weights,
        sum(weights[term] for term in question.terms) or 1.0,
        tuple(terms(question.text)),
        names,
        frozenset(question.terms) - names,
        frozenset(_NUMBER.findall(question.text)),
    )


def _docs(question: Question, found: Sequence[Weighed]) -> dict[str, frozenset[str]]:
    """Return what each document says, by its source."""
    said: dict[str, set[str]] = {}
    for passage in {id(item.sentence.passage): item.sentence.passage for item in found}.values():
        said.setdefault(passage.source, set()).update(said_of(question, f"{passage.title} {passage.text}"))
    return {source: frozenset(own) for source, own in said.items()}


def _signs(asked: _Asked, found: Sequence[Weighed], i: int, doc: frozenset[str]) -> dict[str, float]:
    """Return the signs that a sentence has by itself and by what stands around it."""
    question, item = asked.question, found[i]
    line, plain = item.sentence, item.sentence.plain
    own = said_of(question, plain)
    left = [asked.weights[term] for term in question.terms if term not in item.terms]
    around = [other.terms for other in found[max(0, i - 1) : i + 2] if of_one_part(other.sentence, line)]
    title = frozenset(terms(bare_title(line.subject)))
    content = terms(plain)
    measure = _measure(question, "" if line.cells else plain)
    return {
        "like": item.like,
        "cover": item.cover,
        "own": asked.cover(own),
        "near": asked.cover(frozenset[str]().union(item.terms, *around)),
        "rarest": max(left, default=0.0) / max(asked.weights[term] for term in question.terms)
        if left
        else 0.0,
        "missing": min(6, len(left)) / 6,
        "names": len(asked.names & item.terms) / len(asked.names) if asked.names else 0.0,
        "names_doc": 1 - len(unmet(question.names, doc)) / max(1, len(asked.names)) if asked.names else 0.0,
        "lettered": 1 - _phrases([name for name in question.names if _LETTERED.search(name)], line.titled),
        "no_names": float(not question.names),
        "numbers": len(asked.numbers - set(_NUMBER.findall(line.titled))) / max(1, len(asked.numbers)),
        "pairs": _pairs(asked.order, content),
        "run": min(6, _run(asked.order, content)) / 6,
        **_kinds(question, item, measure),
        **measure,
        "title": len(title & set(question.terms)) / len(title) if title else 0.0,
        "titled": float(contains_phrase(words(question.text), words(bare_title(line.subject)))),
        "headed": asked.cover(said_of(question, line.heading.plain)) if line.heading else 0.0,
        "new": len(set(content) - set(question.terms)) / max(1, len(set(content))),
        "length": min(60, len(plain.split())) / 60,
        "opens": float(line.place == 0 and line.passage.opens),
        "item": float(line.item),
        "cells": float(bool(line.cells)),
        "label": float(line.label),
        "back": float(goes_back(line)),
        "asks": float(plain.endswith("?")),
        "denied": float(denies(words(question.text)) != denies(words(plain))),
        "terms": min(12, len(question.terms)) / 12,
    }


def _kinds(question: Question, item: Weighed, measure: Mapping[str, float]) -> dict[str, float]:
    """Return how far a sentence says something of the kind that is asked for."""
    typed = question.kind in TYPED
    spans = max((span.fit for span in item.spans), default=0.0)
    reason = _REASON.search(item.sentence.plain) is not None
    return {
        "typed": float(typed),
        "typed_fit": item.fit if typed and not measure["unmeasured"] else 0.0,
        "unfit": float(typed and item.fit < LEAST_FIT.get(question.kind, 0.5)),
        "untyped": 0.0 if typed else spans,
        "head": float(question.kind == "thing" and spans >= 1),
        "title_fit": fit_of_title(question, item.sentence),
        "why": float(question.asks_why and not reason),
        "reason": float(question.asks_why and reason),
        "yes_no": float(question.kind == "yes_no"),
        "choice": float(question.kind == "choice"),
    }


def _phrases(names: Sequence[str], text: str) -> float:
    """Return the share of some names that stand in a text word for word: "Python 3.9"; 1 of none."""
    said = words(text)
    return sum(contains_phrase(said, words(name)) for name in names) / len(names) if names else 1.0


def _measure(question: Question, text: str) -> dict[str, float]:
    """Return whether a text measures what is asked for: how long by metres or hours, how much by money."""
    how = _HOW.search(question.text)
    word = how[1].lower() if how else ""
    wanted = _UNITS.get(word, ())
    size = next((size for size in SIZES if wanted and stem(word) in size), frozenset())
    kinds = {
        unit_of(unit)[0]
        for match in _AMOUNT.finditer(text)
        if (unit := unit_before(text[match.end() :].lstrip("- \n")))
    }
    met = not kinds.isdisjoint(wanted) or (word == "much" and PRICE.search(text) is not None)
    asked, said = bool(wanted) or word == "much", terms(text)
    return {
        "sized": float(not size.isdisjoint(said)),
        "other_size": float(
            bool(size) and size.isdisjoint(said) and any(not s.isdisjoint(said) for s in SIZES)
        ),
        "measured": float(asked and met),
        "unmeasured": float(asked and not met),
    }


def _pairs(asked: Sequence[str], said: Sequence[str]) -> float:
    """Return the share of neighbouring words of a question that stand near each other in a sentence."""
    places: dict[str, list[int]] = {}
    for place, term in enumerate(said):
        places.setdefault(term, []).append(place)
    pairs = [*pairwise(asked)]
    near = sum(
        any(abs(a - b) <= 3 for a in places.get(one, ()) for b in places.get(other, ()))
        for one, other in pairs
    )
    return near / len(pairs) if pairs else 0.0


def _run(asked: Sequence[str], said: Sequence[str]) -> int:
    """Return the most words that a question and a sentence say in a row."""
    best, before = 0, [0] * (len(said) + 1)
    for one in asked:
        row = [0] * (len(said) + 1)
        for place, other in enumerate(said, 1):
            if one == other:
                row[place] = before[place - 1] + 1
                best = max(best, row[place])
        before = row
    return best


def _standing(found: Sequence[Weighed], base: NDArray[np.float64], i: int) -> dict[str, float]:
    """Return how a sentence stands among the others: its lead over its document and over all, its rank."""
    source = found[i].sentence.passage.source
    inside = [base[k] for k, other in enumerate(found) if k != i and other.sentence.passage.source == source]
    outside = [base[k] for k, other in enumerate(found) if other.sentence.passage.source != source]
    rank = int((base > base[i]).sum())
    return {
        "lead_doc": float(base[i] - max(inside, default=0.0)),
        "lead_any": float(base[i] - max(outside, default=0.0)),
        "rank": min(8, rank) / 8,
        "best_doc": float(base[i] >= base.max() or max(inside, default=0.0) >= max(outside, default=0.0)),
    }


def _hops(
    asked: _Asked, found: Sequence[Weighed], titles: _Said, lines: _Said, order: Sequence[int]
) -> list[dict[str, float]]:
    """Return, for each sentence, what it covers together with one of another document.

    `bridge` goes by a sentence that names the document of the other, or is named by it; `gain` is what this
    adds to its own cover.
    """
    texts = {id(i.sentence.passage): words(i.sentence.passage.text) for i in found}
    told = []
    for i, item in enumerate(found):
        bridge, known = item.cover, len(asked.names & item.terms)
        page = item.sentence.passage
        for k in order:
            other = found[k].sentence.passage
            if other.source == page.source:
                continue
            named = contains_phrase(lines[k], titles[i]) or contains_phrase(lines[i], titles[k])
            both = item.terms | found[k].terms
            if (
                named
                or contains_phrase(texts[id(page)], titles[k])
                or contains_phrase(texts[id(other)], titles[i])
            ):
                known = max(known, len(asked.names & both))
            bridge = max(bridge, asked.cover(both)) if named else bridge
        share = known / max(1, len(asked.names))
        told.append({"bridge": bridge, "gain": bridge - item.cover, "named": share})
    return told


def _leads(
    asked: _Asked, found: Sequence[Weighed], titles: _Said, lines: _Said, order: Sequence[int]
) -> Iterator[tuple[dict[str, float], int]]:
    """Yield, for each sentence, the signs of the best one that names its document, and its number or -1.

    They are how far both answer and cover, with what opens the document, and how few documents it names.
    """
    every = [[*title] for title in dict.fromkeys((*title,) for title in titles)]
    named = [_named(line, every) for line in lines]
    few = {k: 1 / max(1, sum(title != titles[k] for title in named[k])) for k in order}
    first = (item for item in found if item.sentence.place == 0 and item.sentence.passage.opens)
    opening = {item.sentence.passage.source: item.terms for item in first}
    for i, item in enumerate(found):
        source, best = item.sentence.passage.source, ((0.0, 0.0, 0.0), -1)
        here = item.terms | opening.get(source, frozenset())
        for k in order:
            if found[k].sentence.passage.source != source and titles[i] in named[k]:
                both, names = found[k].terms | here, len(asked.names & found[k].terms)
                share = names / len(asked.names) if asked.names else 0.0
                answers = share * asked.share_of_rest(both) * asked.fit(item.fit)
                best = max(best, ((answers, asked.cover(both), few[k]), k), key=lambda one: one[0])
        yield dict(zip(("led_answers", "led_whole", "led_few"), best[0], strict=True)), best[1]


def _named(line: list[str], titles: _Said) -> list[list[str]]:
    """Return the titles that a line names, without those that only stand in a longer one."""
    found = [own for own in titles if contains_phrase(line, own)]
    return [own for own in found if not any(own != one and contains_phrase(one, own) for one in found)]
