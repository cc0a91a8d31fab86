"""Split texts into sentences and chunks that keep their exact places: `text[start:end]` is the piece.

Rules only, for many scripts at once; what a language model would need to decide is left undecided.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

CHUNK_CHARS = 900
OVERLAP_CHARS = 150
SENTENCE_CHARS = 400
"""Characters beyond which a sentence is cut at the end of a clause, of a line, or at a space."""
LINE_CHARS = 2000
"""Characters of a line that are read to tell whether it is set in columns."""
LOOKBACK = 32
"""Characters before a full stop that are read to tell an abbreviation."""

LIST_DIGITS = 3
"""Digits of the number of an item; one of four, at the beginning of a wrapped line, is a year."""

TITLES = frozenset(
    """
    mr mrs ms dr prof st sr jr gen col lt sgt capt cmdr adm maj rev hon pres gov sen rep fr mt ft
    messrs mme mlle hr vs e.g i.e cf ca approx fig figs eq no nos vol vols pp ch sec ed eds trans
    viz resp bzw z.b d.h u.a nr bd
    """.split()  # noqa: SIM905
)
"""Words whose full stop never ends a sentence; what follows them belongs to them."""

ENDINGS = frozenset(
    """
    inc ltd co corp bros etc al a.m p.m u.s u.k u.n e.u d.c ph.d m.d b.a m.a b.sc m.sc jan feb mar apr
    jun jul aug sep sept oct nov dec ave blvd rd dept univ est usw et
    """.split()  # noqa: SIM905
)
"""Abbreviations that may end a sentence; they do so before a word that often opens one."""

OPENERS = frozenset(
    """
    the a an this that these those it its he his she her they their we our you your i in on at by for
    from as after before when while since during with without although though because if but and or
    so however then there here both each some many most all one another such under over between
    following according other no not what who which where why how was is are were
    """.split()  # noqa: SIM905
)
"""Words that often open an English sentence."""

BORDER = re.compile(
    # Of a run of marks only the first may begin a match, and none is given back: else each would be tried.
    r"""(?P<spaced>(?<![.!?…‽؟۔।॥։])[.!?…‽؟۔।॥։]++["'”’»)\]*_]*+)(?=\s|$)   # needs a space after it
      | (?P<wide>[。！？｡．]+["'”’」』】）》]*)              # needs none
      | (?P<head>^[ \t]*\#{1,6}[ \t][^\n]*\n)              # a whole heading
      | (?P<blank>\n[ \t\r]*\n)                           # an empty line
      | (?P<line>\n)(?=[ \t]*(?:[-*+•#>|]|\d{1,3}[.)])\s?) # a list item, heading, quote or table row
    """,
    re.VERBOSE | re.MULTILINE,
)
LITERAL = re.compile(
    r"""[ \t]*(?:>>>|\.\.\.[ \t]|```|~~~|\||[=\-~*^+_#]{3}[=\-~*^+_#|: \t]*$)  # a prompt, fence, row, ruler
      | .*?\S(?:[ ]{3,}|[ ]*\t[ \t]*)\S                                     # columns set apart by a gap
    """,
    re.VERBOSE,
)
"""A line that stands for itself: it neither goes on from the line before nor into the next."""
FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
PROMPT = re.compile(r"[ \t]*>>>")
CLAUSE = re.compile(r"[;:]\s|,\s|\n")
FOLLOWING = re.compile(r"\s*[\"'“‘«(\[]*(\w*)")
BEFORE = re.compile(r"(?<!\w)(?<!\w\.)(\w+(?:\.\w+)*)$")
ACRONYM = re.compile(r"(?:\w\.)+\w")
HEADING = re.compile(r"[ \t]*#{1,6}[ \t]")


class Span(NamedTuple):
    """A half-open range of characters of a text."""

    start: int
    end: int


class Chunk(NamedTuple):
    """A piece of a text with its place: `text` is verbatim between `start` and `end`."""

    start: int
    end: int
    text: str


def sentences(text: str, *, fenced: bool = False) -> list[Span]:
    """Find the sentences of a text, in order; together they hold every character but white space.

    `fenced` tells that the text begins between fences.
    """
    spans: list[Span] = []
    start = 0
    for end in borders(text, fenced=fenced):
        append_trimmed(spans, text, start, end)
        start = end
    append_trimmed(spans, text, start, len(text))
    return [piece for span in spans for piece in clauses(text, span)]


def borders(text: str, *, fenced: bool = False) -> list[int]:
    """Return the positions after which a new sentence begins, in order."""
    lines, literal = literal_lines(text, fenced=fenced)
    # Inside a line that stands for itself, a full stop belongs to code or to a cell.
    ends = {
        match.end()
        for match in BORDER.finditer(text)
        if match.lastgroup != "spaced"
        or (
            ends_sentence(text, match.start(), match.end())
            and not literal[bisect_right(lines, match.start()) - 1]
        )
    }
    for i in range(1, len(lines)):
        if literal[i] or literal[i - 1]:
            ends.add(lines[i])
    return sorted(ends)


def literal_lines(text: str, *, fenced: bool = False) -> tuple[list[int], list[bool]]:
    """Return where the lines of a text begin, and which of them stand for themselves.

    Those are table rows, rulers, prompts with what they print, and everything between fences.
    """
    starts, literal = [], []
    printed, position = False, 0
    for line in text.splitlines(keepends=True):
        edge = FENCE.match(line) is not None
        printed = PROMPT.match(line) is not None or (printed and bool(line.strip()))
        starts.append(position)
        literal.append(fenced or printed or LITERAL.match(line[:LINE_CHARS]) is not None)
        fenced = fenced != edge
        position += len(line)
    return starts or [0], literal or [False]


def fences(text: str) -> list[int]:
    """Return where the lines that open or close a block of code begin, in order."""
    return [match.start() for match in FENCE.finditer(text)]


def is_fenced(edges: Sequence[int], position: int) -> bool:
    """Tell whether a place of a text lies between fences that begin at `edges`."""
    return bisect_left(edges, position) % 2 == 1


def clauses(text: str, span: Span) -> Iterator[Span]:
    """Cut a sentence that is too long at the last end of a clause that fits, else at white space."""
    start, end = span
    while end - start > SENTENCE_CHARS:
        half, most = start + SENTENCE_CHARS // 2, start + SENTENCE_CHARS
        cuts = [match.end() for match in CLAUSE.finditer(text, half, most)]
        piece = Span(start, cuts[-1]) if cuts else next(halved(text, Span(start, end), SENTENCE_CHARS))
        kept: list[Span] = []
        append_trimmed(kept, text, *piece)
        yield from kept
        start = piece.end
        while start < end and text[start].isspace():
            start += 1
    if end > start:
        yield Span(start, end)


def append_trimmed(spans: list[Span], text: str, start: int, end: int) -> None:
    """Append the range without the white space around it, unless nothing is left."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if end > start:
        spans.append(Span(start, end))


def ends_sentence(text: str, start: int, end: int) -> bool:
    """Tell whether the marks at `start` close a sentence and not an abbreviation or a number."""
    following = FOLLOWING.match(text, end, end + 2 * LOOKBACK)
    word = following.group(1) if following else ""
    if word[:1].islower():
        return False
    if text[start] != "." or text[start : start + 2] == "..":
        return True
    before = BEFORE.search(text[max(0, start - LOOKBACK) : start])
    if before is None:
        return True
    token = before.group(1)
    return not abbreviated(token, word, at_line_start(text, start - len(token)))


def abbreviated(token: str, following: str, opens_line: bool) -> bool:
    """Tell whether the full stop after `token` belongs to it, seen the word that follows."""
    folded = token.casefold()
    if folded in ("no", "nos", "fig", "figs", "vol", "eq", "ch", "sec", "pp"):
        return following[:1].isdigit() or (folded != "no" and not opener(following))
    if folded in TITLES:
        return True
    initial = len(token) == 1 and token.isalpha() and token.isupper()
    if initial or folded in ENDINGS or ACRONYM.fullmatch(token):
        return bool(following) and not opener(following)
    return opens_line and token.isdigit() and len(token) <= LIST_DIGITS


def opener(word: str) -> bool:
    """Tell whether a word often opens a sentence; a lone capital is read as an initial, I excepted."""
    return word.casefold() in OPENERS and (len(word) > 1 or word in ("I", "A"))


def at_line_start(text: str, position: int) -> bool:
    """Tell whether only white space stands before a position on its line."""
    while position > 0 and text[position - 1] in " \t":
        position -= 1
    return position == 0 or text[position - 1] == "\n"


def chunks(text: str, *, size: int = CHUNK_CHARS, overlap: int = OVERLAP_CHARS) -> list[Chunk]:
    """Split a text into pieces of at most `size` characters, at the borders of sentences where it can.

    A piece opens with the last sentences of the one before if they fit in `overlap` characters; a
    heading opens a piece of its own once a third of `size` is filled. A comment of a program is none.
    """
    if not 0 <= overlap < size:
        raise ValueError(f"overlap {overlap!r} must lie in [0, size {size!r})")
    pieces = [piece for span in sentences(text) for piece in halved(text, span, size)]
    found: list[Chunk] = []
    edges = fences(text)
    first = 0
    for i, piece in enumerate(pieces):
        start = pieces[first].start
        full = piece.end - start > size
        headed = piece.start - start > size // 3 and HEADING.match(text, piece.start) is not None
        headed = headed and not is_fenced(edges, piece.start)
        if i > first and (full or headed):
            found.append(Chunk(start, pieces[i - 1].end, text[start : pieces[i - 1].end]))
            first = i if headed else overlapping(pieces, first, i, size=size, overlap=overlap)
    if pieces:
        start, end = pieces[first].start, pieces[-1].end
        found.append(Chunk(start, end, text[start:end]))
    return found


def overlapping(pieces: list[Span], first: int, i: int, *, size: int, overlap: int) -> int:
    """Choose the piece before `i` at which the next chunk opens, so that it still takes piece `i`."""
    opening = i
    while opening - 1 > first and pieces[i - 1].end - pieces[opening - 1].start <= overlap:
        if pieces[i].end - pieces[opening - 1].start > size:
            break
        opening -= 1
    return opening


def halved(text: str, span: Span, size: int) -> Iterator[Span]:
    """Cut a sentence longer than `size` at white space, or anywhere where there is none."""
    start, end = span
    while end - start > size:
        half = start + size // 2
        cut = max(text.rfind(" ", half, start + size), text.rfind("\n", half, start + size))
        cut = cut if cut > start else start + size
        yield Span(start, cut)
        start = cut
        while start < end and text[start].isspace():
            start += 1
    if end > start:
        yield Span(start, end)
