"""The answer: which sentences to say within 60 words, the short answer, and when to refuse."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ddax.reasoning.embedded.compare import compared
from ddax.reasoning.embedded.evidence import Support, Weighed, support, weigh
from ddax.reasoning.embedded.question import Question
from ddax.reasoning.embedded.text import words
from ddax.reasoning.embedded.vectors import Vectors
from ddax.types import Citation, Passage

MAX_WORDS = 60
"""Words of an answer text."""
LEAST_WORDS = 8
"""A fragment shorter than this is not worth a citation."""


@dataclass(frozen=True)
class Answer:
    """An answer text with the quotes it is made of; `found` is False where it refuses."""

    text: str
    citations: tuple[Citation, ...]
    found: bool
    support: Support
    short: str


def answer(question: Question, passages: Sequence[Passage], vectors: Vectors, *, threshold: float) -> Answer:
    """Answer from passages, or refuse where the support stays under the threshold."""
    weighed = weigh(question, passages, vectors)
    strength = support(question, weighed)
    if not weighed or strength.value < threshold:
        return Answer(refusal(question, strength, weighed), (), False, strength, "")
    short, first = short_answer(question, weighed)
    text, citations = pack(short, first, weighed)
    return Answer(text, citations, True, strength, short)


def refusal(question: Question, strength: Support, weighed: Sequence[Weighed]) -> str:
    """Say that the sources do not answer, and what is missing."""
    said = frozenset[str]().union(*(item.terms for item in weighed))
    asked = list(dict.fromkeys(words(" ".join(question.names))))
    from ddax.reasoning.embedded.text import stem

    missing = [word for word in asked if stem(word) not in said][:6]
    tail = f"nothing read mentions {', '.join(missing)}" if missing else "what was read does not carry an answer"
    return f"Not found in the sources: {tail} (support {strength.value:.2f})."


def short_answer(question: Question, weighed: Sequence[Weighed]) -> tuple[str, Weighed | None]:
    """Choose the short answer and the sentence that holds it; empty where none is asked for."""
    if question.kind in ("yes_no", "choice"):
        return compared(question, weighed)
    if question.kind == "open":
        return "", None
    best: tuple[float, str, Weighed | None] = (0.0, "", None)
    for item in weighed:
        for span in item.spans:
            value = item.like + item.cover + 1.5 * span.fit
            if value > best[0]:
                best = (value, span.text, item)
    return best[1], best[2]


def pack(short: str, first: Weighed | None, weighed: Sequence[Weighed]) -> tuple[str, tuple[Citation, ...]]:
    """Fill the words allowed: the short answer, the sentence that holds it, then what adds most."""
    parts, left = ([f"{short}."] if short else []), MAX_WORDS - len(short.split())
    order = ([first] if first else []) + [item for item in weighed if item is not first]
    quotes: list[Citation] = []
    for item in order:
        if left < LEAST_WORDS:
            break
        quote = _fitting(item, left)
        if quote is None:
            continue
        parts.append(quote.quote)
        quotes.append(quote)
        left -= len(quote.quote.split())
    return " ".join(parts), tuple(quotes)


def _fitting(item: Weighed, left: int) -> Citation | None:
    """Quote a sentence, cut to the words left where it is too long; None where too little would stay."""
    whole = item.sentence.citation()
    if len(whole.quote.split()) <= left:
        return whole
    if left < LEAST_WORDS:
        return None
    ends = [match.end() for match in re.finditer(r"\S+", whole.quote)]
    cut = whole.quote[: ends[left - 1]]
    return Citation(whole.passage_id, whole.source, whole.title, cut, whole.start, whole.start + len(cut))
