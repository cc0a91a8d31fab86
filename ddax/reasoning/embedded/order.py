"""Which sentence is said first."""

from __future__ import annotations

from collections.abc import Sequence

from ddax.reasoning.embedded.evidence import Weighed, fit_of_title
from ddax.reasoning.embedded.sentences import of_one_part
from ddax.text.question import Question, said_of
from ddax.text.words import bare_title, terms


def opened(question: Question, order: list[Weighed], weighed: Sequence[Weighed]) -> list[Weighed]:
    """Begin with the opening of the best document where a name is asked for: it says what the name is."""
    if question.kind != "name" or not order:
        return order
    openings = {
        item.sentence.passage.source: item for item in weighed if fit_of_title(question, item.sentence) == 1
    }
    first = next((openings[k] for it in order if (k := it.sentence.passage.source) in openings), None)
    return order if first is None else [first, *(item for item in order if item is not first)]


def begun(order: list[Weighed], deciding: Sequence[Weighed]) -> list[Weighed]:
    """Begin with what decides: what says yes or no, the row asked for, what says all that is asked."""
    first = list({id(item): item for item in deciding}.values())
    return [*first, *(item for item in order if all(item is not own for own in first))]


def from_top(question: Question, order: list[Weighed], weighed: Sequence[Weighed]) -> list[Weighed]:
    """Begin with the first sentence below a heading where only the heading says what is asked."""
    if not order or order[0].sentence.heading is None:
        return order
    line = order[0].sentence
    asked = frozenset(question.terms).difference(terms(bare_title(line.subject)))
    above = said_of(question, line.heading.plain) if line.heading else frozenset[str]()
    if asked.isdisjoint(above) or not asked.isdisjoint(said_of(question, line.text)):
        return order
    part = [item for item in weighed if of_one_part(item.sentence, line) and not item.sentence.label]
    return begun(order, [min(part, key=lambda item: item.sentence.start)])
