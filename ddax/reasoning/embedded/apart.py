"""Questions about one thing of which what was read says all words, but never of this thing.

"Who designed the mill?" is not answered by what says who designed the bridge beside it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import combinations

from ddax.reasoning.embedded.antecedent import Placed, leading, placed
from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.sentences import MAIL
from ddax.reasoning.embedded.spans import names_in
from ddax.reasoning.embedded.whole import FORM, LEAST_TERMS, needed_terms, together, whole
from ddax.text.question import Question
from ddax.text.words import FUNCTION_WORDS, terms, words

FEW_TERMS = 3
"""So few words beside a name stand in one sentence, or in two that belong together."""
_THROUGH = re.compile(
    r"['’]s\b|^\W*(?:\w+\W+){3,}(?:who|whom|whose|that|which|where)\b"
    r"|^\W*(?:when|where|how old|in (?:which|what) \w+)\s+(?:is|was|did|does|were)\s+the\s+\w+[eo]r\s+of\b",
    re.IGNORECASE,
)
"""What asks for a thing by way of another one."""
_ONE = frozenset({"person", "date", "number", "place", "thing"})
"""Kinds of answers that one sentence says."""


def apart(question: Question, weighed: Sequence[Weighed]) -> bool:
    """Tell whether all words of a plain question about one thing are said, but never of this thing."""
    return any(
        _never_of_it(question, weighed, needed)
        for needed in {frozenset(question.terms) - FORM, needed_terms(question)}
    )


def _never_of_it(question: Question, weighed: Sequence[Weighed], needed: AbstractSet[str]) -> bool:
    """Tell whether all words needed are said, but no sentence, nor two that belong together, say them all."""
    rest = needed - {term for name in question.names for term in terms(f"{name} {_called(question, name)}")}
    plain = question.kind in _ONE and len(question.names) <= 1 and len(rest) <= FEW_TERMS
    if not plain or _THROUGH.search(question.text):
        return False
    said = frozenset[str]().union(*(item.terms for item in weighed))
    if len(needed) < LEAST_TERMS or not needed <= said or whole(question, weighed):
        return False
    among, titles = placed(weighed), _titles(weighed)
    own = (
        item.terms | titles.get(item.sentence.passage.source, frozenset()) - item.unmeant for item in weighed
    )
    if any(needed <= said for said in own) or any(
        together(question, item, among, needed) for item in weighed
    ):
        return False
    return not _bridged(question, weighed, rest, needed - rest)


def _called(question: Question, name: str) -> str:
    """Return the noun that a question sets behind a name: "the Vejle lock" leads to no other thing."""
    noun = re.search(
        rf"\b(?:is|are|was|were|do|does|did) the {re.escape(name)} ([a-z]+) ([a-z]+)",
        question.text,
        re.IGNORECASE,
    )
    return noun[1] if noun and noun[2].lower() not in FUNCTION_WORDS else ""


def _titles(weighed: Sequence[Weighed]) -> dict[str, frozenset[str]]:
    """Return the words of the heading with which each document begins."""
    labels = (item for item in weighed if item.sentence.label and item.sentence.passage.opens)
    heads = [item for item in labels if not MAIL.fullmatch(item.sentence.text)]
    return {
        head.passage.source: item.terms
        for item in heads
        for head in [item.sentence]
        if not head.passage.text[: head.start - head.passage.start].strip()
    }


def _bridged(
    question: Question, weighed: Sequence[Weighed], rest: AbstractSet[str], named: AbstractSet[str]
) -> bool:
    """Tell whether two sentences say each another part of a question, and both a name that is not asked for.

    "Who leads Wages?" may lead to a name, and the date of birth that is asked for stands behind this. What
    is `named` leads to it: two sentences that share a name which is told of other things lead nowhere.
    """
    asked = set(words(question.text))
    parts = [(said, _names(item) - asked) for item in weighed if (said := item.terms & rest) and said != rest]
    among = placed(weighed)
    to = {name for item in weighed if named <= item.terms for name in _led_to(item, among)}
    return any(
        not one <= other and not other <= one and not mine.isdisjoint(its if not named else its & to)
        for (one, mine), (other, its) in combinations(parts, 2)
    )


def _led_to(item: Weighed, among: Placed) -> set[str]:
    """Return the words of the names that a sentence says, with those of the one it goes on from."""
    own = [*leading(item.sentence, among), item]
    return _words_of(" ".join(one.sentence.text for one in own))


def _names(item: Weighed) -> set[str]:
    return _words_of(f"{item.sentence.text} {item.sentence.subject}")


def _words_of(text: str) -> set[str]:
    """Return the words of the names in a text."""
    return {word for name in names_in(text) for word in words(name.text)}
