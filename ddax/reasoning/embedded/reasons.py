"""Why something is so: which sentences give a reason, and which only say what is so."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ddax.reasoning.embedded.antecedent import leading, placed
from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.sentences import Sentence, goes_back
from ddax.text.question import Question, said_of
from ddax.text.words import terms

LEAST_COVER = 0.5
"""Share of the question, by rarity, that a sentence with a reason must say to be about the same."""
_REASON = re.compile(
    r"\b(?:because|so (?:that|as to)|in order to|due to|owing to|thanks to|on account of|for fear"
    r"|therefore|thus|hence|lest|otherwise|reasons?|why|caus(?:es?|ed)|avoids?|prevents?|forced|led to"
    r"|as a result|results? (?:in|of|from)|resulted|(?:as|since) (?:it|they|he|she|we|there|no|too)"
    r"|to (?:keep|protect|ensure|save|spare|allow|let|guard|limit|reduce|stop|help|make|avoid|prevent|improve"
    r"|meet|comply|enable|support|increase|cut|lower|speed|free|give))\b",
    re.IGNORECASE,
)
_AFTER_COLON = re.compile(
    r"(?<=\w): (?:its?|he|his|she|her|they|their|there|the|this|no|nobody|nothing|we|our|one|not|only|too)\b"
    r" (?=[^.:;]*\b(?:is|are|was|were|has|have|had|do(?:es)?|did|can|could|may|must|will|would|never)\b)"
)
"""A clause behind a colon: "It was rejected: its licence is not approved"."""
_OF_BEFORE = re.compile(
    r"\b(?:so that|therefore|thus|hence|otherwise|reasons?|why|forced|led to|result(?:s|ed)?)\b",
    re.IGNORECASE,
)
"""Words of a sentence that is the reason itself, of what the one before it says."""


def gives_reason(line: Sentence) -> bool:
    """Tell whether a sentence, or the column of a row, says why something is so."""
    return _REASON.search(line.told) is not None or _AFTER_COLON.search(line.plain) is not None


def claimed(line: Sentence) -> str:
    """Return what a sentence says before it gives the reason of it."""
    reason = _REASON.search(line.text) or _AFTER_COLON.search(line.text)
    return line.text[: reason.start()] if reason else line.text


def only_says_what(question: Question, line: Sentence) -> bool:
    """Tell whether it is asked why, and a sentence is a row of a table that gives no reason."""
    return question.asks_why and bool(line.cells) and not gives_reason(line)


def unreasoned(question: Question, weighed: Sequence[Weighed]) -> bool:
    """Tell whether it is asked why, and nothing that is about the same gives a reason."""
    if not question.asks_why or not weighed:
        return False
    about = [item for item in weighed if item.cover >= LEAST_COVER and _says_some(question, item.sentence)]
    return not any(
        (gives_reason(item.sentence) and _of_the_same(question, item.sentence, weighed))
        or _explained(item.sentence, weighed)
        for item in about
    )


def _of_the_same(question: Question, line: Sentence, weighed: Sequence[Weighed]) -> bool:
    """Tell whether a sentence says more than half of what is asked, with the one that it goes on from."""
    asked = frozenset(question.terms) - frozenset(terms(line.subject))
    said = set(said_of(question, line.told))
    for before in leading(line, placed(weighed)):
        said |= said_of(question, before.sentence.told)
    return not asked or len(asked & said) > len(asked) / 2


def _says_some(question: Question, line: Sentence) -> bool:
    """Tell whether a sentence says itself some of what is asked beside what its document is called."""
    asked = frozenset(question.terms) - frozenset(terms(line.subject))
    return not line.label and (not asked or not asked.isdisjoint(said_of(question, line.told)))


def _explained(line: Sentence, weighed: Sequence[Weighed]) -> bool:
    """Tell whether the sentence behind another gives its reason, and not that of another thing."""
    behind = (
        item.sentence
        for item in weighed
        if item.sentence.passage.id == line.passage.id
        and item.sentence.place == line.place + 1
        and item.sentence.heading == line.heading
        and not item.sentence.label
    )
    return any(
        _OF_BEFORE.search(other.told) is not None or (gives_reason(other) and goes_back(other))
        for other in behind
    )
