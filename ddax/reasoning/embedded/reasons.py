"""Why something is so: which sentences give a reason, and which rows of tables only say what is so."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.question import Question
from ddax.reasoning.embedded.sentences import Sentence

LEAST_COVER = 0.5
"""Share of the question, by rarity, that a sentence beside a row must say to be about the same."""
_REASON = re.compile(
    r"\b(?:because|so (?:that|as to)|in order to|due to|owing to|thanks to|therefore|thus|hence|lest"
    r"|otherwise|reasons?|why|caus(?:es?|ed)|avoids?|prevents?"
    r"|to (?:keep|protect|ensure|save|spare|allow|let|guard|limit|reduce|stop|help|make))\b",
    re.IGNORECASE,
)


def gives_reason(line: Sentence) -> bool:
    """Tell whether a sentence, or the column of a row, says why something is so."""
    return _REASON.search(line.told) is not None


def only_says_what(question: Question, line: Sentence) -> bool:
    """Tell whether it is asked why, and a sentence is a row of a table that gives no reason."""
    return question.asks_why and bool(line.cells) and not gives_reason(line)


def unreasoned(question: Question, weighed: Sequence[Weighed]) -> bool:
    """Tell whether it is asked why, and only rows that give no reason say what the question is about."""
    rows = [item.cover for item in weighed if only_says_what(question, item.sentence)]
    rest = [
        item.cover
        for item in weighed
        if not item.sentence.label and not only_says_what(question, item.sentence)
    ]
    return bool(rows) and max(rest, default=0.0) < min(LEAST_COVER, max(rows))
