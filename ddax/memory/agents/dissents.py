"""What a dissent is worth by itself: the part of it that holds, its depth, and how it repeats others.

Depth counts only sentences that a quote of the evidence carries and that bear on what was disputed,
so that filler, repetition and quotes from elsewhere add nothing (agent-memory 4.1, 9).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ddax.memory.agents.trust import MAX_DEPTH
from ddax.memory.records import normalised
from ddax.types import EntailmentCheck, JsonDict

NEUTRAL_NOVELTY = 0.5
"""Novelty of a first dissent: there is nothing to compare it with, for or against."""
MIN_SHARED = 2
"""Content words a sentence shares with what is disputed when it bears on it."""
DIVERSE_AFTER = 10
"""Dissents from which on the diversity of citations can be told."""
LOW_DIVERSITY = 0.35
HIGH_TRUST = 0.6
_FULL_LENGTH = 50
_PER_CITATION, _MAX_CITATION_BONUS = 0.2, 0.5
_SENTENCE = re.compile(r"(?<=[.!?;:])\s+|\n+")
_WORD = re.compile(r"[^\W_]{3,}")
_COMMON = frozenset({
    "the", "and", "for", "are", "was", "were", "has", "have", "had", "with", "from", "that", "this", "its",
    "not", "but", "all", "any", "can", "been", "which", "into", "than",
})  # fmt: skip


def held_part(text: str, quotes: Sequence[str], *, result: str, about: str, check: EntailmentCheck) -> str:
    """Return the sentences of a dissent that hold, each once.

    One holds that a quote carries, that bears on what the dispute is `about`, and that the disputed
    `result` does not say itself: repeating what nobody denies is no dissent.
    """
    subject, said = content_words(f"{about} {result}"), normalised(result)
    kept: dict[str, str] = {}
    for sentence in _SENTENCE.split(text.strip()):
        key = normalised(sentence)
        if key in kept or len(content_words(sentence) & subject) < MIN_SHARED:
            continue
        if key.strip(" .") in said or check(result, sentence).relation == "entailment":
            continue
        if any(
            normalised(quote) in key or check(quote, sentence).relation == "entailment" for quote in quotes
        ):
            kept[key] = sentence
    return " ".join(kept.values())


@dataclass(frozen=True, kw_only=True)
class LoggedDissent:
    """A dissent as it is logged with an agent, once what came of it is known.

    `impact` says that it changed the output, `supported` that a citation passed the support check; `held` is
    the part of the text that holds (None: all of it) and `upheld` the cited criteria that were found wanting
    (None: all). `verified_better` says whether what came later showed it right; None where nothing has yet.
    """

    text: str
    citations: Sequence[str]
    impact: bool
    supported: bool
    context: JsonDict = field(default_factory=dict)
    held: str | None = None
    upheld: Sequence[str] | None = None
    verified_better: bool | None = None


def dissent_depth(
    held: str, citations: Sequence[str], *, upheld: Sequence[str], novelty: float | None, supported: bool
) -> float:
    """Return the depth of a dissent in [0, 2]: length and novelty of what holds of it, and its citations.

    Of the criteria it cites those `upheld` count, times the share of them among all it cites. It is 0
    where no citation passed the support check; `novelty` is None for a first dissent.
    """
    if not supported or not held.strip():
        return 0.0
    length = min(len(held.split()) / _FULL_LENGTH, 1.0)
    cited = set(citations)
    good = len(cited & set(upheld))
    bonus = min(good * _PER_CITATION, _MAX_CITATION_BONUS) * good / max(1, len(cited))
    return min(length + bonus + (NEUTRAL_NOVELTY if novelty is None else _clip(novelty)), MAX_DEPTH)


def novelty_of(vector: np.ndarray, earlier: Iterable[np.ndarray]) -> float | None:
    """Return 1 − the largest cosine to earlier dissents, in [0, 1]; None where there are none."""
    cosines = [float(np.dot(vector, other)) for other in earlier]
    return _clip(1.0 - max(cosines)) if cosines else None


def cited_criteria(text: str, rubric: Sequence[str]) -> list[str]:
    """Return the criteria of a rubric that a text names, in the rubric's order."""
    words = set(normalised(text).replace("-", " ").split()) | set(re.findall(r"\w+", normalised(text)))
    return [name for name in rubric if all(part in words for part in re.findall(r"\w+", normalised(name)))]


def citation_entropy(dissents: Sequence[JsonDict]) -> float | None:
    """Return the entropy of the criteria cited, over that of as many (three at least) cited alike, in [0, 1].

    None where too few dissents cite anything to tell.
    """
    citing = [entry["rubric_citations"] for entry in dissents if entry["rubric_citations"]]
    if len(citing) < DIVERSE_AFTER:
        return None
    counts = Counter(name for cited in citing for name in cited)
    shares = np.array(list(counts.values()), dtype=np.float64) / counts.total()
    return float(-(shares * np.log(shares)).sum() / math.log(max(3, len(counts))))


def diversity_flag(dissents: Sequence[JsonDict], trust: float) -> str:
    """Return why a human should look at an agent that is trusted and always cites the same; else ""."""
    entropy = citation_entropy(dissents)
    if entropy is None or entropy >= LOW_DIVERSITY or trust < HIGH_TRUST:
        return ""
    return f"cites the same criteria again and again (diversity {entropy:.2f}) while its trust is {trust:.2f}"


def content_words(text: str) -> frozenset[str]:
    """Return the words of a text that carry meaning, folded."""
    return frozenset(_WORD.findall(normalised(text))) - _COMMON


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))
