"""The support check without a model: signs that a reader could point at, with calibrated confidence.

It hears agreement, negation, opposites, numbers and names; it knows nothing of the world. Its
confidence therefore stays at or below `UNSURE`, save where the hypothesis stands word for word in the
premise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ddax.reasoning.entailment.asked import only_asked
from ddax.reasoning.entailment.scale import most_likely, shipped
from ddax.reasoning.entailment.signs import Likeness, same_thing, signs
from ddax.reasoning.entailment.words import NEGATIONS, forms, read
from ddax.types import Entailment

UNSURE = 0.7
"""The most that rules may claim."""
VERBATIM = 0.95
"""Confidence where the hypothesis is a quote of the premise."""
BY_NAMING = frozenset(["1", "2"])
"""Numbers that a premise says without a number too: "the Oder and the Spree" are two rivers."""
LEAST_QUOTE = 3
"""Words from which a common run counts as a quote."""
_BACK = (NEGATIONS - {"longer"}) | {
    "if", "unless", "whether", "claim", "claims", "claimed", "rumour", "rumours", "rumor", "rumors", "myth",
    "legend", "false", "falsely", "wrongly", "untrue", "allegedly", "supposedly",
}  # fmt: skip
"""What makes of a statement behind it something that is denied, doubted or said on a condition."""
_CLAUSE = re.compile(r"(?<=[.!?:;])\s+")
"""What parts a statement from what does not speak of it: another one, a title, a heading."""


@dataclass(frozen=True)
class RuleCheck:
    """Check by signs; `likeness` adds the embedder's, without it words meet by their stems only."""

    likeness: Likeness | None = None

    def __call__(self, premise: str, hypothesis: str) -> Entailment:
        """Say how a hypothesis relates to a premise."""
        if not forms(hypothesis) or not forms(premise):
            return Entailment("neutral", 0.0)
        if _taken_back(premise, hypothesis):
            return Entailment("neutral", UNSURE)
        if quoted(premise, hypothesis):
            return Entailment("entailment", VERBATIM)
        other = read(hypothesis)
        if not other.content and not other.numbers:
            return Entailment("neutral", 0.0)
        weights = shipped()["rules" if self.likeness is None else "rules and embeddings"]
        seen = signs(premise, hypothesis, self.likeness)
        against = seen.negation or seen.opposite or same_thing(premise, hypothesis)
        unsaid = other.numbers - read(premise).numbers - BY_NAMING
        undone = only_asked(premise, hypothesis)
        ruled_out = {"contradiction": not against, "entailment": bool(unsaid) or undone}
        found = most_likely(seen.row(), weights, cap=UNSURE)
        if ruled_out.get(found.relation):
            return most_likely(seen.row(), weights, cap=UNSURE, among=("neutral",))
        return found


def quoted(premise: str, hypothesis: str) -> bool:
    """Tell whether the words of the hypothesis stand in the premise, in order and without a gap."""
    return _place(premise, hypothesis) is not None


def _place(premise: str, hypothesis: str) -> int | None:
    """Return how many words of a premise stand before those of a hypothesis; None where it has others."""
    said, wanted = forms(premise), forms(hypothesis)
    if len(wanted) < LEAST_QUOTE and len(wanted) != len(said):
        return None
    places = range(len(said) - len(wanted) + 1)
    return next((i for i in places if said[i : i + len(wanted)] == wanted), None)


def _taken_back(premise: str, hypothesis: str) -> bool:
    """Tell whether a premise says the words of a hypothesis only behind words that deny or doubt them."""
    fronts = [
        forms(clause)[:place]
        for clause in _CLAUSE.split(premise)
        if (place := _place(clause, hypothesis)) is not None
    ]
    return bool(fronts) and all(
        any(word in _BACK or word.endswith(("n't", "n’t")) for word in front) for front in fronts
    )


def lexical(premise: str, hypothesis: str) -> Entailment:
    """Check without an embedder: the rules alone, on words."""
    return RuleCheck()(premise, hypothesis)
