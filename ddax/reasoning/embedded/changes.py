"""What says that an earlier statement holds no more: a day that was moved, a fee that was raised."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from ddax.reasoning.embedded.antecedent import antecedent, placed, states
from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.reasons import LEAST_COVER
from ddax.text.question import Question, said_of
from ddax.text.words import terms, words

CHANGED = re.compile(
    r"\b(?:correction|corrected|instead|updated|revised|rescheduled|postponed|replaced by)\b", re.IGNORECASE
)
"""What says that something else holds now."""
_MOVED = re.compile(
    r"\b(?:is|are|was|were|be|been) (?:hereby |now )?(moved|postponed|rescheduled|changed|brought forward"
    r"|put off|cancel?led|called off|raised|lowered|reduced|increased|replaced|corrected|revoked|withdrawn"
    r"|extended)\b",
    re.IGNORECASE,
)
"""What takes back what was told before of the same."""
_OF_YEAR = re.compile(r"(?:,|(?<![\s,]))\s+\d{4}$")
"""The year at the end of a date, which a change of the day need not say again."""
_MAY_CHANGE = frozenset({"date", "number", "place"})
LEAST_SHARED = 2
"""Words of a question that both must say: one alone may be said of something else."""


def changes(question: Question, told: Sequence[Weighed], weighed: Sequence[Weighed]) -> list[Weighed]:
    """Find what another part of the sources says was changed of what the first sentence told says."""
    first = next((item for item in told if states(item.sentence)), None)
    if first is None or question.kind not in _MAY_CHANGE:
        return []
    asked = frozenset(question.terms)
    shared = first.terms & asked
    if len(shared) < LEAST_SHARED:
        return []
    return [
        item
        for item in weighed
        if item is not first
        and _says(question, item, shared)
        and states(item.sentence)
        and (moved := _MOVED.search(item.sentence.text))
        and moved[1].lower() not in words(question.text)
    ]


def _says(question: Question, item: Weighed, shared: AbstractSet[str]) -> bool:
    """Tell whether a sentence says itself what both are about: a title is that of other things as well."""
    rest = shared - frozenset(terms(item.sentence.subject))
    return len(rest) >= LEAST_SHARED and rest <= said_of(question, item.sentence.text)


def overtaken(short: str, weighed: Sequence[Weighed]) -> list[tuple[Weighed, ...]]:
    """Find what takes a short answer of the same back: “from 14 June to 21 June”, “650, not 600”."""
    if not short:
        return []
    day = re.escape(_OF_YEAR.sub("", short) or short)
    changed = re.compile(
        rf"\bfrom\s+(?:the\s+)?{day}\b[^.;]{{0,40}}?\bto\s+\S"
        rf"|\w, (?:and )?not\s+(?:(?:on|at|for|in|the)\s+)?{day}\b",
        re.IGNORECASE,
    )
    among = placed(weighed)
    found = [item for item in among.values() if changed.search(item.sentence.text)]
    return [
        (item,) if source is None else (source, item)
        for item in found
        for source in [antecedent(item, among)]
        if max(item.cover, source.cover if source else 0.0) >= LEAST_COVER
    ]
