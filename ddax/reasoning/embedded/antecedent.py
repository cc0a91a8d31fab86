"""Which sentences go on with a pronoun, and the one that names what they are about: their antecedent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.sentences import Sentence, goes_back
from ddax.text.words import bare_title, terms, words

SUBJECT = 4
"""Words of a sentence among which stands what it is about."""
Placed = Mapping[tuple[str, int], Weighed]
"""Sentences that state something, by their passage and their place in it."""


def placed(weighed: Sequence[Weighed]) -> Placed:
    """Return the sentences that state something: no label, no question, none that leads to others."""
    said = (item for item in weighed if states(item.sentence))
    return {(item.sentence.passage.id, item.sentence.place): item for item in said}


def states(line: Sentence) -> bool:
    """Tell whether a sentence states something."""
    return not line.label and not line.text.endswith((":", "：", "?", "？"))


def leading(line: Sentence, among: Placed) -> list[Weighed]:
    """Return the sentences that one goes on from, its antecedent first; none where that was not read."""
    found, own = list[Weighed](), line
    while goes_back(own):
        before = among.get((line.passage.id, own.place - 1))
        if before is None or before.sentence.heading != line.heading:
            return []
        found.insert(0, before)
        own = before.sentence
    return found


def antecedent(item: Weighed, among: Placed) -> Weighed | None:
    """Return the nearest sentence before one that goes on, which names what both are about."""
    return next(iter(leading(item.sentence, among)), None)


def bound(order: Sequence[Weighed], weighed: Sequence[Weighed]) -> list[Weighed]:
    """Tell what goes on with "it" or "she" behind the sentence it goes on from, or not at all.

    Behind another one it would be about what that names, but where the title says what both are about.
    """
    among, kept = placed(weighed), list[Weighed]()
    for item in order:
        source = antecedent(item, among)
        if item in kept:
            continue
        if source is None or _is_clear(item, source, among) or _follows(item, source, kept[-1:]):
            kept.append(item)
        elif source in kept:
            at = kept.index(source) + 1
            while at < len(kept) and _follows(item, source, kept[at : at + 1]):
                at += 1
            kept.insert(at, item)
        elif not kept:
            kept += [source, item]
    return kept


def _follows(item: Weighed, source: Weighed, last: Sequence[Weighed]) -> bool:
    """Tell whether the last sentence told leads to one: its source, or what goes on from it before."""
    before = [one.sentence for one in last if one.sentence.passage.id == item.sentence.passage.id]
    return any(source.sentence.place <= line.place < item.sentence.place for line in before)


def _is_clear(item: Weighed, source: Weighed, among: Placed) -> bool:
    """Tell whether a title says whom a sentence is about: its source is about what the title names.

    That begins with a word of the title, says most of it, or has for its subject what the opening calls it.
    """
    title = frozenset(terms(bare_title(item.sentence.subject)))
    if 2 * len(title & frozenset(terms(source.sentence.plain))) > len(title):
        return True
    opening = among.get((item.sentence.passage.id, 0))
    if opening is not None and opening.sentence.passage.opens and not title.isdisjoint(_subject(opening)):
        title |= frozenset(terms(opening.sentence.plain))
    return not title.isdisjoint(_subject(source))


def _subject(item: Weighed) -> list[str]:
    return terms(" ".join(words(item.sentence.plain)[:SUBJECT]))
