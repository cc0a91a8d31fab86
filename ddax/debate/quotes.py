"""Which arguments may count: those with a verbatim quote that carries what they say.

A proponent's quote must entail a sentence of the result or of the argument; an opponent's must
contradict one of the result or entail one of the argument. What an argument merely repeats between
quotation marks is not taken for what it says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ddax.memory.chunks import sentences
from ddax.reasoning.protocol import Argument
from ddax.types import Citation, EntailmentCheck, Passage, Relation

MAX_SENTENCES = 6
"""Sentences of a result or an argument that are checked."""
_QUOTED = re.compile(r"[“\"„«][^”\"“»]*[”\"“»]")


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
