"""The support check on passages: against the sentences that bear on the hypothesis, and cached."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from ddax.reasoning.entailment.words import read
from ddax.text.chunks import sentences
from ddax.types import Entailment, EntailmentCheck

LONGEST = 300
"""Characters of a premise without sentences that are checked."""
NEAREST = 3
"""Sentences of a premise that are checked, those that share most words with the hypothesis."""
KEPT = 4096
"""Pairs whose result is kept."""


class PassageCheck:
    """Wrap a check of single statements; safe to call from several threads.

    A passage entails what one of its sentences entails; it contradicts what its nearest sentence
    contradicts and none entails; and it entails what only the nearest ones together do.
    """

    def __init__(self, inner: EntailmentCheck, *, kept: int = KEPT) -> None:
        self._inner, self._size, self._lock = inner, kept, Lock()
        self._kept: OrderedDict[tuple[str, str], Entailment] = OrderedDict()

    def __call__(self, premise: str, hypothesis: str) -> Entailment:
        """Say how a hypothesis relates to a premise of any length."""
        key = (premise, hypothesis)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        found = self._check(premise, hypothesis)
        with self._lock:
            self._kept[key] = found
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return found

    def _check(self, premise: str, hypothesis: str) -> Entailment:
        near = nearest(premise, hypothesis)
        if not near:
            return self._inner(premise[:LONGEST], hypothesis)
        found = [self._inner(line, hypothesis) for line in near]
        held = [one for one in found if one.relation == "entailment"]
        if held:
            return max(held, key=lambda one: one.confidence)
        if found[0].relation == "contradiction" or len(near) == 1:
            return found[0]
        joined = self._inner(" ".join(near), hypothesis)
        return joined if joined.relation == "entailment" else found[0]


def nearest(premise: str, hypothesis: str) -> list[str]:
    """Return the sentences of a text that share most words with a statement, nearest first."""
    wanted = read(hypothesis).all
    lines = [premise[span.start : span.end].strip() for span in sentences(premise)]
    ranked = sorted((line for line in lines if line), key=lambda line: -len(wanted & read(line).all))
    return ranked[:NEAREST]
