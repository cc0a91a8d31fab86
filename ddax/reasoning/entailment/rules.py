"""The support check without a model: signs that a reader could point at, with calibrated confidence.

It hears agreement, negation, opposites, numbers and names; it knows nothing of the world. Its
confidence therefore stays at or below `UNSURE`, save where the hypothesis stands word for word in the
premise.
"""

from __future__ import annotations

from dataclasses import dataclass

from ddax.reasoning.entailment.scale import most_likely, shipped
from ddax.reasoning.entailment.signs import Likeness, same_thing, signs
from ddax.reasoning.entailment.words import forms, read
from ddax.types import Entailment

UNSURE = 0.7
"""The most that rules may claim."""
VERBATIM = 0.95
"""Confidence where the hypothesis is a quote of the premise."""
BY_NAMING = frozenset(["1", "2"])
"""Numbers that a premise says without a number too: "the Oder and the Spree" are two rivers."""
LEAST_QUOTE = 3
"""Words from which a common run counts as a quote."""


@dataclass(frozen=True)
class RuleCheck:
    """Check by signs; `likeness` adds the embedder's, without it words meet by their stems only."""

    likeness: Likeness | None = None

    def __call__(self, premise: str, hypothesis: str) -> Entailment:
        """Say how a hypothesis relates to a premise."""
        if not forms(hypothesis) or not forms(premise):
            return Entailment("neutral", 0.0)
        if quoted(premise, hypothesis):
            return Entailment("entailment", VERBATIM)
        other = read(hypothesis)
        if not other.content and not other.numbers:
            return Entailment("neutral", 0.0)
        weights = shipped()["rules" if self.likeness is None else "rules and embeddings"]
        seen = signs(premise, hypothesis, self.likeness)
        against = seen.negation or seen.opposite or same_thing(premise, hypothesis)
        unsaid = other.numbers - read(premise).numbers - BY_NAMING
        ruled_out = {"contradiction": not against, "entailment": bool(unsaid)}
        found = most_likely(seen.row(), weights, cap=UNSURE)
        if ruled_out.get(found.relation):
            return most_likely(seen.row(), weights, cap=UNSURE, among=("neutral",))
        return found


def quoted(premise: str, hypothesis: str) -> bool:
    """Tell whether the words of the hypothesis stand in the premise, in order and without a gap."""
    said, wanted = forms(premise), forms(hypothesis)
    if len(wanted) < LEAST_QUOTE and len(wanted) != len(said):
        return False
    return any(said[i : i + len(wanted)] == wanted for i in range(len(said) - len(wanted) + 1))


def lexical(premise: str, hypothesis: str) -> Entailment:
    """Check without an embedder: the rules alone, on words."""
    return RuleCheck()(premise, hypothesis)
