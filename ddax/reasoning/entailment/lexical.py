"""The support check without a model: lexical rules that know how little they know.

It sees shared words, negation and numbers, nothing else; its confidence never reaches 0.7. An
entailment model behind the same signature is the strong check.
"""

from __future__ import annotations

import re

from ddax.types import Entailment

WEAK = 0.55
"""Confidence of a rule that has fired; enough to be heard, never enough to be sure."""
SHARED = 0.6
"""Share of content words that two statements have in common when they are about the same thing."""
NEGATIONS = frozenset(
    {"not", "no", "never", "none", "neither", "nor", "without", "cannot", "failed", "false"}
)
STOP = frozenset({
    "a", "an", "the", "of", "in", "on", "at", "to", "for", "from", "by", "with", "and", "or", "is",
    "are", "was", "were", "be", "been", "has", "have", "had", "it", "its", "this", "that",
})  # fmt: skip
_WORD = re.compile(r"[^\W_]+(?:'[a-z]+)?")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def lexical(premise: str, hypothesis: str) -> Entailment:
    """Say how a hypothesis relates to a premise: entailment, contradiction or neutral."""
    one, other = _words(premise), _words(hypothesis)
    content = other - STOP - NEGATIONS
    if not content:
        return Entailment("neutral", 0.0)
    shared = len(content & one) / len(content)
    if shared < SHARED:
        return Entailment("neutral", round(1.0 - shared, 3) * WEAK)
    if _negated(one) != _negated(other) or _numbers_differ(premise, hypothesis):
        return Entailment("contradiction", WEAK)
    return Entailment("entailment", WEAK) if shared >= 0.9 else Entailment("neutral", WEAK)


def _words(text: str) -> set[str]:
    return {word.removesuffix("n't") + (" not" if word.endswith("n't") else "") for word in _lower(text)}


def _lower(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _negated(words: set[str]) -> bool:
    return bool(words & NEGATIONS) or any(word.endswith(" not") for word in words)


def _numbers_differ(one: str, other: str) -> bool:
    """Tell whether both state numbers and none of the hypothesis's stands in the premise."""
    known, stated = set(_NUMBER.findall(one)), set(_NUMBER.findall(other))
    return bool(known and stated) and not stated & known
