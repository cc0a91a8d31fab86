"""How an answer is worded: quotes with what they need to be understood, or the passages that come nearest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ddax.reasoning.embedded.candidates import Candidate
from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.sentences import HEADING_WORDS, Sentence
from ddax.text.chunks import sentences
from ddax.text.words import bare_title, contains_phrase, terms, words
from ddax.types import Citation

MAX_WORDS = 60
"""Words of an answer that is claimed."""
LEAST_WORDS = 8
"""A fragment shorter than this is not worth a citation."""
PASSAGES = 3
"""Passages that are shown where no answer is claimed."""
LEAD = 3
"""Sentences that are quoted before them."""
PASSAGE_WORDS = 105
"""Words of a passage that is shown, around the sentence that comes nearest."""
NOT_FOUND = "Not found in the sources"
UNSURE = f"{NOT_FOUND} for certain."
NOTHING = f"{NOT_FOUND}: nothing read bears on it."


def nearest(order: Sequence[Candidate], missing: Sequence[str] = ()) -> str:
    """Quote the sentences that come nearest, and below them the passages they stand in, with their place.

    `missing` are words of names that nothing read mentions.
    """
    begun = f"{NOT_FOUND}: nothing read mentions {', '.join(missing[:6])}." if missing else UNSURE
    lines = list({(i.sentence.passage.source, i.sentence.start): i for c in order for i in c.lines}.values())
    if not lines:
        return begun if missing else NOTHING
    told, covered = list[str](), list[tuple[str, int, int]]()
    for line in (item.sentence for item in lines):
        if len(told) == PASSAGES:
            break
        if any(source == line.passage.source and start <= line.start < end for source, start, end in covered):
            continue
        quote, start = around(line)
        covered.append((line.passage.source, start, start + len(quote)))
        told.append(f"{_quoted(quote)}\n> — {place_of(line)}")
    return "\n\n".join([_lead(f"{begun} Nearest:", [item.sentence for item in lines]), *told])


def _lead(begun: str, lines: Sequence[Sentence]) -> str:
    """Quote the first sentences, as far as they fit into the words of an answer."""
    left, said = MAX_WORDS - len(begun.split()), [begun]
    for line in lines[:LEAD]:
        parts = _plain(line).split()[:left]
        left -= len(parts)
        said += [f"“{' '.join(parts)}”"] if len(parts) >= min(LEAST_WORDS, len(_plain(line).split())) else []
    return " ".join(said)


def _quoted(text: str) -> str:
    """Return a text as a quotation of Markdown, without empty lines, which would end it."""
    return "\n".join(f"> {line}" for line in text.splitlines() if line.strip())


def _plain(line: Sentence) -> str:
    title = bare_title(line.subject)
    named = contains_phrase(words(line.told), words(title))
    return " ".join((line.told if named else f"{title}: {line.told}").split())


def place_of(line: Sentence) -> str:
    """Return the file of a sentence and the heading it stands under."""
    page, heading = line.passage, line.heading.plain if line.heading else ""
    parts = [page.title if page.title != page.source else "", heading if heading != page.title else ""]
    name = ", ".join(filter(None, parts))
    return f"{page.source} ({name})" if name else page.source


def around(line: Sentence) -> tuple[str, int]:
    """Return what stands around a sentence in its passage, verbatim, and where it begins in the document."""
    page = line.passage
    spans = sentences(page.text, fenced=page.fenced)
    at = next((k for k, span in enumerate(spans) if span.end > line.start - page.start), 0)
    first = last = at
    size = len(page.text[spans[at].start : spans[at].end].split()) if spans else 0
    while spans:
        grown = [k for k in (last + 1, first - 1) if 0 <= k < len(spans)]
        fits = [k for k in grown if size + len(page.text[slice(*spans[k])].split()) <= PASSAGE_WORDS]
        if not fits:
            break
        size += len(page.text[slice(*spans[fits[0]])].split())
        first, last = min(first, fits[0]), max(last, fits[0])
    start, end = (spans[first].start, spans[last].end) if spans else (0, len(page.text))
    return page.text[start:end], page.start + start


def pack(
    order: Sequence[Weighed], *, asked: frozenset[str] = frozenset()
) -> tuple[str, tuple[Citation, ...]]:
    """Fill the words allowed with the sentences in order, and return their quotes."""
    parts, left = list[str](), MAX_WORDS
    quotes: list[Citation] = []
    told: Sentence | None = None
    for item in order:
        said = _said(item.sentence, told, left, asked)
        if said is None:
            continue
        text, cited = said
        quotes.extend(quote for quote in cited if quote not in quotes)
        if text in parts:  # a second source for what was said
            continue
        parts.append(text)
        left -= len(text.split())
        told = item.sentence
    return " ".join(parts), tuple(quotes)


def _said(
    sentence: Sentence, told: Sentence | None, left: int, asked: frozenset[str]
) -> tuple[str, list[Citation]] | None:
    """Say a sentence with what it needs to be understood, and quote it; None where too little would stay."""
    front, above = _before(sentence, told, asked)
    cited = [sentence.citation(), *above]
    text = ": ".join([*front, sentence.told])
    if len(text.split()) <= left:
        return _ended(text), cited
    room = left - len(" ".join(front).split())
    if room < LEAST_WORDS or sentence.label:
        return None
    # A row without blanks is one word: it is cut behind one of its cells.
    cut = _cut(sentence, room, r"\S+") or _cut(sentence, room, r"[^\s|]+")
    if cut is None:
        return None
    cited[0] = cut.citation()
    return ": ".join([*front, cut.told]) + "…", cited


def _before(
    sentence: Sentence, told: Sentence | None, asked: frozenset[str]
) -> tuple[list[str], list[Citation]]:
    """Return what is said before a sentence, and the quotes of what stands above it.

    The title goes before a sentence of a new document that does not name it, the heading before an item
    of a list or a table, before what it says to hold no more, and before what comes first of a document
    where it says a word asked that this leaves out.
    """
    title, heading = bare_title(sentence.subject), sentence.heading
    front, cited = list[str](), list[Citation]()
    new = told is None or title != bare_title(told.subject)
    if new and not contains_phrase(words(sentence.told), words(title)):
        front.append(title)
    begins = told is None or told.passage.source != sentence.passage.source
    needed = sentence.item or sentence.aside or (begins and _tells(sentence, asked))
    if heading is not None and heading.plain != sentence.subject and needed:
        front.append(heading.plain.rstrip(".:"))
        cited.append(heading.citation())
    if sentence.cells and sentence.header is not None:
        cited.append(sentence.header.citation())
    return front, cited


def _tells(sentence: Sentence, asked: frozenset[str]) -> bool:
    """Tell whether the heading above a sentence says a word asked that the sentence does not say."""
    heading = sentence.heading.plain if sentence.heading else ""
    known = set(terms(f"{sentence.subject} {sentence.text}"))
    one_line = sentence.heading is not None and "\n" not in sentence.heading.text
    return one_line and len(heading.split()) <= HEADING_WORDS and bool((asked & set(terms(heading))) - known)


def _ended(text: str) -> str:
    """Close a text that has no mark at its end, so that the next one does not run into it."""
    return text if text[-1:] in '.!?:;。！？؟…"”’)' else f"{text}."


def _cut(sentence: Sentence, room: int, parts: str) -> Sentence | None:
    """Cut a sentence to its longest beginning said in so many words; marks of layout are no words."""
    best = None
    for match in re.finditer(parts, sentence.text):
        cut = replace(sentence, text=sentence.text[: match.end()])
        said = len(cut.told.split())
        if said > room:
            break
        best = cut if said else best
    return best
