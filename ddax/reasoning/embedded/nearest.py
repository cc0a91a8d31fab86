"""What is shown where no answer is claimed: the passages that come nearest, quoted, with their place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.sentences import Sentence, goes_back
from ddax.text.chunks import sentences
from ddax.text.words import bare_title
from ddax.types import Nearest

PASSAGES = 3
"""Passages that are shown."""
NEAR = 0.3
"""Likeness, or share of the question's words, from which on a sentence bears on it."""
PASSAGE_WORDS = 80
"""Words of one of them, around the sentence that comes nearest."""
SENTENCES, SENTENCE_WORDS = 4, 60
"""Sentences that are told before the passages they stand in, and their words."""


def nearest(weighed: Sequence[Weighed]) -> tuple[Nearest, ...]:
    """Quote the passages around the best sentences; none where nothing bears on it."""
    shown, told = list[tuple[str, range]](), dict[str, Nearest]()
    for line in (item.sentence for item in weighed if _bears(item)):
        page = line.passage
        taken = [place for source, place in shown if source == page.source]
        if len(told) == PASSAGES or any(line.start in place for place in taken):
            continue
        place = around(line, taken)
        shown.append((page.source, place))
        quote = page.text[place.start - page.start : place.stop - page.start]
        # A copy of a document says nothing more.
        told.setdefault(" ".join(quote.split()), Nearest(page.id, page.source, quote, place_of(line)))
    return _with_sentences(weighed, [*told.values()])


def _with_sentences(weighed: Sequence[Weighed], passages: Sequence[Nearest]) -> tuple[Nearest, ...]:
    """Return passages with the sentences of them that come nearest, as many as `SENTENCE_WORDS` hold.

    Passages that are no longer than that themselves need none.
    """
    if sum(len(one.quote.split()) for one in passages) <= SENTENCE_WORDS:
        return tuple(passages)
    told, left = dict[str, tuple[int, Nearest]](), SENTENCE_WORDS
    lines = (item.sentence for item in weighed if _bears(item) and not item.sentence.label)
    for rank, line in enumerate(lines):
        page, text = line.passage.source, line.told
        home = next((one for one in passages if one.source == page and line.text in one.quote), None)
        text = f"{bare_title(line.subject)}: {text}" if goes_back(line) else text
        if home and text not in told and len(told) < SENTENCES and len(text.split()) <= left:
            told[text] = rank, home
            left -= len(text.split())
    said = [tuple((rank, text) for text, (rank, home) in told.items() if home is one) for one in passages]
    return tuple(replace(one, sentences=own) for one, own in zip(passages, said, strict=True))


def _bears(item: Weighed) -> bool:
    return max(item.like, item.cover) >= NEAR


def around(line: Sentence, taken: Sequence[range] = ()) -> range:
    """Return where in its document the sentences around one stand, as many as `PASSAGE_WORDS` hold.

    Nothing that is `taken` is among them.
    """
    page = line.passage
    spans = [
        range(page.start + s.start, page.start + s.end) for s in sentences(page.text, fenced=page.fenced)
    ]
    words = [len(page.text[s.start - page.start : s.stop - page.start].split()) for s in spans]
    first = next(k for k, span in enumerate(spans) if span.stop > line.start)
    last, left = first, PASSAGE_WORDS - words[first]
    free = [not any(span.start in place for place in taken) for span in spans]
    while fits := [k for k in (last + 1, first - 1) if 0 <= k < len(spans) and free[k] and words[k] <= left]:
        left -= words[fits[0]]
        first, last = min(first, fits[0]), max(last, fits[0])
    return range(spans[first].start, spans[last].stop)


def place_of(line: Sentence) -> str:
    """Return the file of a sentence, its title and its heading, as docs/offer.md (Offer of March, Prices)."""
    page, heading = line.passage, line.heading.plain if line.heading else ""
    parts = dict.fromkeys(part for part in (page.title, heading) if part and part != page.source)
    return f"{page.source} ({', '.join(parts)})" if parts else page.source
