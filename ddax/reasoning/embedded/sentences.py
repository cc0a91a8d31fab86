"""The sentences of passages, with their offsets in the document and what they stand under.

A list item, a table row or an answer below its question says little alone: it is read with the title
of its document, the heading above it and the line that leads to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from ddax.text.chunks import FENCE, Span, sentences
from ddax.text.table_rows import BAR, named_cells, said_row
from ddax.text.units import PRICE
from ddax.text.words import bare_title, contains_phrase, words
from ddax.types import Citation, Passage

MAX_SENTENCES = 1000
"""Sentences weighed at once; of more, each passage gives its first ones, as many as any other."""
HEADING_WORDS = 12
"""A longer line that stands alone is a sentence without its full stop."""
MAX_TITLE_LINES = 3
"""Lines of a title."""
LEAD_CHARS = 160
"""Characters of a line that leads to others which are read with them."""
PIECE, PIECES = 4000, 512
"""Characters of a passage, and how many such passages, whose sentences stay at hand."""

_RULER = re.compile(r"[\W_]*$")
_MARK = re.compile(
    r"^(?:[ \t]*(?:#{1,6}[ \t]|[-*+•>][ \t]|\|))+[ \t]*"
    r"|(?:(?<![ \t])[ \t]++|(?<!#)(?<!(?<!\\)\|))(?:(?<!\\)\||#)++[ \t]*$"
    r"|^[ \t]*\d{1,3}[.)][ \t]+"
)
_ITEM = re.compile(r"[ \t]*(?:[-*+•][ \t]|\||\d{1,3}[.)][ \t])|.*\S(?: {3,}|\t)\S")
_GAP = re.compile(rf"(?:(?<![ \t])[ \t]+)?{BAR.pattern}[ \t]*|(?<=\S)(?:[ ]{{3,}}|[ ]*\t+)")
"""What parts columns; the blanks with which a line of a paragraph begins part nothing."""
_STRONG = re.compile(r"(?<![\w*])(\*\*|__)(?=[^\s*_])(.{1,200}?)(?<=[^\s*_])\1(?![\w*])")
"""Words set in bold."""
MAIL = re.compile(r"(?:(?:From|To|Cc|Date|Sent|Subject|Reply-To): .*\n?){2,}")
"""What stands above the text of a mail."""
_RUN_IN = re.compile(r"[ \t]*(?:\d{1,3}[.)][ \t]+\S+(?: \S+){0,3}\.|\*\*[^*]{1,60}[.:]\*\*)")
"""A heading on the line of its text: "3. New fence. Two offers were read"."""
_NUMBERED = re.compile(r"[ \t]*\d{1,3}[.)][ \t]")
_VALUED = re.compile(r"[^\W\d_][\w /-]{1,30}: (?:.*, |\S+@\S|\w+://)")
"""A line that names values behind its label, and nothing that follows: "Present: Ann Lee, Bo Marr"."""
_LABELLED = re.compile(r"[ \t]*[^\W\d_][\w ()/&'’-]{0,40}:[ \t]+\S")
"""A line that names its value behind a label."""
_OPEN_END = re.compile(r"[.!。！…,;،]$")

_ASIDE = frozenset(
    ["former", "formerly", "previous", "previously", "past", "old", "obsolete", "outdated", "superseded",
     "expired", "rejected", "cancelled", "canceled", "withdrawn", "draft", "proposed", "example", "examples",
     "sample"]
)  # fmt: skip
"""What stands above what holds no more, or does not hold yet."""

_BACK = frozenset(["it", "its", "he", "his", "she", "her", "they", "their", "this", "that", "these", "those"])
"""Words with which a sentence goes on about what the one before it names."""
_APPOSED = re.compile(
    r"(?!(?:when|whenever|if|because|as|while|since|although|though|once|unless|where|until|before|after)\b)"
    r"[^,.;:]{1,80}, (?:he|she|it|they)\b",
    re.IGNORECASE,
)
"""What stands before a pronoun without naming whom it means: "A graduate of Yale, he ..."."""


@dataclass(frozen=True)
class Sentence:
    """A verbatim sentence of a passage; `start` and `end` are its offsets in the document.

    `place` counts the sentences of the passage before it, without labels.
    `heading` is the sentence it stands under, `intro` the text that leads to it, `label` tells that it
    only names what follows: a heading, a question, a signature. `header` is the first row of its table,
    `code` tells that it stands between fences.
    """

    text: str
    start: int
    passage: Passage
    place: int
    heading: Sentence | None = None
    intro: str = ""
    label: bool = False
    item: bool = False
    header: Sentence | None = None
    code: bool = False

    @property
    def end(self) -> int:
        """Return the offset behind the last character."""
        return self.start + len(self.text)

    @property
    def subject(self) -> str:
        """Return what it is about by name: the heading of the first level it stands under, or the title."""
        above = self.heading
        return above.plain if above and above.text.startswith("# ") else self.passage.title

    @property
    def aside(self) -> frozenset[str]:
        """Return the words by which what stands above it says that it holds no more, or not yet."""
        above = words(f"{self.heading.plain if self.heading else ''} {self.intro}")
        columns = words(self.header.plain) if self.header else []
        return _ASIDE.intersection(above).difference(columns)

    @cached_property
    def plain(self) -> str:
        """Return the sentence as a reader would say it: without marks of layout, on one line."""
        bare = _STRONG.sub(r"\2", _MARK.sub("", _MARK.sub("", self.text)))
        first, *rest = _GAP.split(bare.strip())
        joined = f"{first}: {', '.join(rest)}" if rest else first
        if BAR.search(self.text):
            joined = joined.replace(r"\|", "|")
        return " ".join(joined.split())

    @property
    def cells(self) -> list[tuple[str, str]]:
        """Return the cells of a row of a table with the names of their columns; none for other sentences."""
        return named_cells(self.header.text, self.text) if self.header is not None else []

    @property
    def told(self) -> str:
        """Return the sentence as `plain`, each cell of a row after the name of its column."""
        return said_row(self.header.text, self.text) if self.header is not None and self.cells else self.plain

    @cached_property
    def titled(self) -> str:
        """Return the sentence with what it stands under in front, as an encoder should see it."""
        heading = self.heading.plain if self.heading else ""
        subject = bare_title(self.subject)
        above = [subject, "" if heading == self.subject else heading, self.intro]
        front = ": ".join(part.rstrip(" :") for part in above if part)
        return f"{front}: {self.plain}" if front else self.plain

    def citation(self) -> Citation:
        """Return the quote of this sentence."""
        passage = self.passage
        return Citation(passage.id, passage.source, passage.title, self.text, self.start, self.end)


def split(passages: Sequence[Passage], *, limit: int = MAX_SENTENCES) -> list[Sentence]:
    """Cut passages into sentences; a sentence standing in two passages of a document comes once."""
    seen: set[tuple[str, int]] = set()
    parts: list[list[Sentence]] = []
    for passage in passages:
        lines = _of_passage(passage) if len(passage.text) <= PIECE else _cut(passage)
        own = [line for line in lines if (passage.source, line.start) not in seen]
        seen.update((passage.source, line.start) for line in own)
        parts.append(own)
    parts = _continued(parts)
    share = fair_share([len(part) for part in parts], limit)
    return [line for part in parts for line in part[: max(1, share)]][:limit]


def _continued(parts: list[list[Sentence]]) -> list[list[Sentence]]:
    """Give rows whose table began in an earlier passage of their document the header of that."""
    told, last = list[list[Sentence]](), dict[str, Sentence]()
    for lines in parts:
        own = list[Sentence]()
        for line in lines:
            row = last.get(line.passage.source)
            bar = line.item and line.header is None and not line.label and BAR.search(line.text)
            if bar and row is not None and row.header is not None and row.start < line.start:
                joined = replace(line, header=row.header, heading=row.heading, intro=row.intro)
                line = joined if joined.cells else line
            if line.header is not None:
                last[line.passage.source] = line
            elif not line.item:
                last.pop(line.passage.source, None)
            own.append(line)
        told.append(own)
    return told


def goes_back(line: Sentence) -> bool:
    """Tell whether a sentence is about what one before it names."""
    plain = line.plain
    return not _BACK.isdisjoint(words(plain)[:1]) or _APPOSED.match(plain) is not None


def of_one_part(line: Sentence, other: Sentence) -> bool:
    """Tell whether two sentences stand in one document under one heading."""
    return line.passage.source == other.passage.source and line.heading == other.heading


def fair_share(sizes: Sequence[int], limit: int) -> int:
    """Return how many each of several parts may give at most, so that they give no more than `limit`."""
    left, share = limit, 0
    for place, size in enumerate(sorted(sizes)):
        share = left // (len(sizes) - place)
        if size > share:
            return share
        left -= size
    return max(sizes, default=0)


@lru_cache(maxsize=PIECES)
def _of_passage(passage: Passage) -> tuple[Sentence, ...]:
    """Cut one passage once: a judge's texts are embedded while models are waited for, and judged behind."""
    return tuple(_cut(passage))


def _cut(passage: Passage) -> list[Sentence]:
    """Cut one passage, each sentence with its heading and its lead; rulers are left out."""
    found: list[Sentence] = []
    heading: Sentence | None = None
    outer: Sentence | None = None
    columns: Sentence | None = None
    intro, place = "", 0
    spans = _by_value(passage.text, sentences(passage.text, fenced=passage.fenced))
    for number, text, fenced in _said_lines(passage, spans):
        run_in = _runs_in(passage.text, spans, number)
        item = _ITEM.match(text) is not None and not run_in
        if _NUMBERED.match(text) and heading is not None and _NUMBERED.match(heading.text):
            heading = outer  # the next of those that are numbered stands beside the last, not under it
        header = item and _ruled(passage.text, spans, number)
        alone = header or run_in or _is_label(passage, spans, number)
        label = text.startswith("#") if fenced else alone
        own = Sentence(
            text, passage.start + spans[number].start, passage, place, None if label else heading,
            intro if item else "", label, item, columns if item else None, fenced,
        )  # fmt: skip
        found.append(own)
        columns = own if header and BAR.search(text) else columns if item else None
        place += not label
        if fenced:
            continue  # a comment of a program heads nothing
        if label and not item:
            outer = outer if run_in else own
            heading, intro = (None if _names_document(own) else own), ""
        elif (text.endswith((":", "：")) and not item) or header:
            intro = own.plain[-LEAD_CHARS:] if not intro else f"{intro} {own.plain}"[-LEAD_CHARS:]
        elif not item:
            intro = ""
    return found


def _by_value(text: str, spans: Sequence[Span]) -> list[Span]:
    """Cut what names a value behind a label on each of its lines into these lines: "Phone: 555 0199"."""
    found = list[Span]()
    for span in spans:
        lines = text[span.start : span.end].splitlines(keepends=True)
        if len(lines) < 2 or not all(map(_LABELLED.match, lines)) or MAIL.match("".join(lines)):
            found.append(span)
            continue
        at = span.start
        for line in lines:
            front = len(line) - len(line.lstrip())
            found.append(Span(at + front, at + len(line.rstrip())))
            at += len(line)
    return found


def _said_lines(passage: Passage, spans: Sequence[Span]) -> Iterator[tuple[int, str, bool]]:
    """Yield the number and text of each sentence, and whether it is code; rulers and fences say nothing."""
    fenced = passage.fenced
    for number, span in enumerate(spans):
        line = passage.text[span.start : span.end]
        if FENCE.match(line):
            fenced = not fenced
        elif not _RULER.match(line):
            yield number, line, fenced


def _is_label(passage: Passage, spans: Sequence[Span], number: int) -> bool:
    """Tell whether a sentence only names what follows: marked, underlined, or alone and short."""
    text, span = passage.text, spans[number]
    line = text[span.start : span.end]
    if (
        line.lstrip().startswith("#")
        or MAIL.fullmatch(line)
        or (number == 0 and passage.opens and (_signature(line, passage.title) or _title_block(line)))
    ):
        return True
    if "\n" in line or len(line.split()) > HEADING_WORDS or _OPEN_END.search(line) or line.endswith(":"):
        return False
    if _VALUED.match(line):
        return False
    if line.endswith("?") and _ITEM.match(line) is None and text[span.end : span.end + 1] == "\n":
        return text[: span.start].rstrip(" \t")[-1:] in ("", "\n")  # what is asked heads its answer
    if _ruled(text, spans, number) and not line.lstrip().startswith("|"):
        return _GAP.search(line) is None
    if number == 1 and passage.opens and _signature(text[: spans[0].end].strip(), passage.title):
        # Below its signature a docstring opens with its summary, full stop or not.
        return False
    before, after = text[: span.start], text[span.end :].lstrip(" \t")
    # An indented line is code or a quotation.
    alone = (not before or before.endswith("\n\n")) and after.startswith("\n\n")
    return alone and _ITEM.match(line) is None and not line.startswith((">", "("))


def _runs_in(text: str, spans: Sequence[Span], number: int) -> bool:
    """Tell whether a sentence is a heading behind which its text goes on in the same line."""
    if number + 1 >= len(spans) or not _RUN_IN.fullmatch(text, *spans[number]):
        return False
    return "\n" not in text[spans[number].end : spans[number + 1].start]


def _signature(line: str, title: str) -> bool:
    return line == title or line.startswith(f"{title}(")


def _title_block(text: str) -> bool:
    """Tell whether the lines with which a document begins are no sentence but its title."""
    lines = text.splitlines()
    return 1 < len(lines) <= MAX_TITLE_LINES and not any(
        len(line.split()) > HEADING_WORDS
        or _OPEN_END.search(line)
        or ":" in line
        or _ITEM.match(line)
        or PRICE.search(line)
        for line in lines
    )


def _ruled(text: str, spans: Sequence[Span], place: int) -> bool:
    """Tell whether a ruler stands below a sentence; a fence is none."""
    if place + 1 >= len(spans):
        return False
    after = text[slice(*spans[place + 1])]
    return _RULER.match(after) is not None and FENCE.match(after) is None


def _names_document(sentence: Sentence) -> bool:
    title = words(bare_title(sentence.passage.title))
    return sentence.place == 0 and contains_phrase(words(sentence.plain), title)
