"""Which arguments may count: those with a verbatim quote that carries what they say.

A proponent's quote must entail a sentence of the result or of the argument; an opponent's must
contradict one of the result or entail one of the argument. What an argument merely repeats between
quotation marks is not taken for what it says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ddax.reasoning.entailment.passages import nearest
from ddax.reasoning.protocol import Argument
from ddax.text.chunks import sentences
from ddax.types import Citation, EntailmentCheck, Passage, Relation

MAX_SENTENCES = 6
"""Sentences of a result or an argument that are checked."""
_QUOTED = re.compile(r"[“„][^“„”\"]*[“”\"]|«[^«»]*»|(?<!\d)\"[^\"]*\"")
"""A straight mark behind a digit is one of inches."""


class Bearing(NamedTuple):
    """How what was read bears on a result: the sentence that it contradicts, and whether it is silent."""

    disputed: str = ""
    silent: bool = False


UNASKED = Bearing()
"""Where the support check was not asked: nothing is disputed, and nothing is known to be silent."""


@dataclass(frozen=True)
class Carrying:
    """The support check as the debate uses it: with the result in dispute and the confidence needed."""

    check: EntailmentCheck
    result: str
    least: float = 0.5

    def carries(self, side: str, quote: str, text: str) -> bool:
        """Say whether a quote carries an argument of a side."""
        wanted: Relation = "contradiction" if side == "opponent" else "entailment"
        own = _QUOTED.sub(" ", text)
        return self._any(quote, self.result, wanted) or self._any(quote, own, "entailment")

    def bearing(self, evidence: Sequence[Passage]) -> Bearing:
        """Say how what was read bears on the result, by its sentences nearest to each of the result's.

        Blocking where the check is a model.
        """
        read = "\n\n".join(passage.text for passage in evidence)
        found = {line: self._relation(read, line) for line in statements(self.result)}
        against = next((line for line, relation in found.items() if relation == "contradiction"), "")
        return Bearing(against, all(relation == "neutral" for relation in found.values()))

    def _relation(self, read: str, line: str) -> Relation:
        """Return how the nearest sentences read bear on one; one that entails it outweighs the others."""
        relation: Relation = "neutral"
        for near in nearest(read, line):
            found = self.check(near, line)
            if found.relation == "entailment":
                return "entailment"
            if found.relation == "contradiction" and found.confidence >= self.least:
                relation = "contradiction"
        return relation

    def _any(self, quote: str, text: str, wanted: Relation) -> bool:
        for line in statements(text):
            found = self.check(quote, line)
            if found.relation == wanted and found.confidence >= self.least:
                return True
        return False


def statements(text: str) -> list[str]:
    """Return the first sentences of a text that say something; a text of one word is one."""
    lines = [line for span in sentences(text) if (line := text[span.start : span.end].strip())]
    return [line for line in lines if len(line.split()) > 1][:MAX_SENTENCES] or lines[:1]


def is_verbatim(citation: Citation, evidence: Sequence[Passage]) -> bool:
    """Say whether the quote stands word for word in the passage it names; an empty one never does."""
    quote = citation.quote.strip()
    return bool(quote) and any(
        passage.id == citation.passage_id and quote in passage.text for passage in evidence
    )


def verified(
    argument: Argument,
    evidence: Sequence[Passage],
    *,
    side: str = "proponent",
    carrying: Carrying | None = None,
) -> Argument | None:
    """Return the argument with the citations that hold; None where none does, so that it moves nothing.

    Without `carrying` a verbatim quote is enough. Blocking where the check is a model.
    """
    held = tuple(
        citation
        for citation in argument.citations
        if is_verbatim(citation, evidence)
        and (carrying is None or carrying.carries(side, citation.quote, argument.text))
    )
    return replace(argument, citations=held) if held else None
