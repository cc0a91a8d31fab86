"""What is shown where no answer is claimed: the passages that come nearest, quoted, with their place."""

from __future__ import annotations

from collections.abc import Sequence

from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.sentences import Sentence
from ddax.text.chunks import sentences

PASSAGES = 3
"""Passages that are shown."""
NEAR = 0.3
"""Likeness, or share of the question's words, from which on a sentence bears on it."""
PASSAGE_WORDS = 100
"""Words of one of them, around the sentence that comes nearest."""


def nearest(weighed: Sequence[Weighed]) -> tuple[str, ...]:
    """Quote the passages around the best sentences, each as Markdown; none where nothing bears on it."""
    told, covered = list[str](), list[tuple[str, int, int]]()
    for line in (item.sentence for item in weighed if max(item.like, item.cover) >= NEAR):
        if len(told) == PASSAGES:
            break
        page = line.passage
        if any(source == page.source and start <= line.start < end for source, start, end in covered):
            continue
        start, end = around(line)
        covered.append((page.source, page.start + start, page.start + end))
        told.append(f"{_quoted(page.text[start:end])}\n> — {place_of(line)}")
    return tuple(told)


def around(line: Sentence) -> tuple[int, int]:
    """Return where the sentences around one begin and end in its passage, as many as `PASSAGE_WORDS` hold."""
    page = line.passage
    spans = sentences(page.text, fenced=page.fenced)
    if not spans:
        return 0, len(page.text)
    first = next((k for k, span in enumerate(spans) if span.end > line.start - page.start), 0)
    last, left = first, PASSAGE_WORDS - _words(page.text[slice(*spans[first])])
    while fits := [
        k
        for k in (last + 1, first - 1)
        if 0 <= k < len(spans) and _words(page.text[slice(*spans[k])]) <= left
    ]:
        left -= _words(page.text[slice(*spans[fits[0]])])
        first, last = min(first, fits[0]), max(last, fits[0])
    return spans[first].start, spans[last].end


def place_of(line: Sentence) -> str:
    """Return the file of a sentence, with its title and the heading it stands under.

    >>> # docs/offer.md (Offer of March, Prices)
    """
    page, heading = line.passage, line.heading.plain if line.heading else ""
    parts = dict.fromkeys(part for part in (page.title, heading) if part and part != page.source)
    return f"{page.source} ({', '.join(parts)})" if parts else page.source


def _words(text: str) -> int:
    return len(text.split())


def _quoted(text: str) -> str:
    """Return a text as a quotation of Markdown; an empty line would end it."""
    return "\n".join(f"> {line}" for line in text.splitlines() if line.strip())
