"""Which arguments may count: those with a quote that stands word for word in the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ddax.reasoning.protocol import Argument
from ddax.types import Citation, Passage


def is_verbatim(citation: Citation, evidence: Sequence[Passage]) -> bool:
    """Say whether the quote stands word for word in the passage it names; an empty one never does."""
    quote = citation.quote.strip()
    return bool(quote) and any(
        passage.id == citation.passage_id and quote in passage.text for passage in evidence
    )


def verified(argument: Argument, evidence: Sequence[Passage]) -> Argument | None:
    """Return the argument with the citations that hold; None where none does, so that it moves nothing."""
    held = tuple(citation for citation in argument.citations if is_verbatim(citation, evidence))
    return replace(argument, citations=held) if held else None
