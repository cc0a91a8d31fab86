"""Puts the parts of a report together, within its words; whoever wrote them is not known here.

What does not fit is cut by whole statements, from the longest section first. The list of sources names what
is cited and nothing else, and counts as a part of the report.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ddax.reasoning.protocol import Finding, Stated, Synthesis
from ddax.reasoning.statements import statements
from ddax.types import Citation

SOURCES = "## Sources"
CUT = "The report was cut to its words: some statements of its sections are left out."
CITED_PLACES = 40
"""Sources that are listed at most."""


@dataclass(frozen=True)
class Section:
    """A section as it was written; `notes` say what a reader has to know of how it came about."""

    heading: str
    reply: Synthesis
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The text without a heading of its own at its head."""
        lines = self.reply.text.strip().splitlines()
        return "\n".join(lines[1:]).strip() if lines and lines[0].startswith("#") else "\n".join(lines)

    def spans(self) -> list[tuple[int, int]]:
        """Return where its statements stand."""
        quotes = [one.quote for one in self.reply.citations]
        return [(one.start, one.end) for one in statements(self.text, quotes)]

    def numbered(self, first: int) -> list[str]:
        """Return its statements with their numbers in the report, which go on from `first`."""
        return [f"{first + n}. {self.text[a:b]}" for n, (a, b) in enumerate(self.spans(), 1)]

    def without(self, places: Iterable[int]) -> Section:
        """Return it without some of its statements, by their places."""
        spans, text = self.spans(), self.text
        for place in sorted(places, reverse=True):
            start, end = spans[place]
            text = (
                text[:start].rstrip(" ")
                + (" " if text[end : end + 1] == " " else "")
                + text[end:].lstrip(" ")
            )
        kept = "\n".join(line for line in text.splitlines() if line.strip() not in ("-", "*", "•"))
        return replace(self, reply=replace(self.reply, text=kept.strip()))


def words_of(text: str) -> int:
    """Count the words of a text as a reader does."""
    return sum(any(sign.isalnum() for sign in word) for word in text.split())


def assembled(title: str, sections: Sequence[Section], closing: Mapping[str, Any], most: int) -> Synthesis:
    """Return the report of some sections, in at most so many words."""
    kept = _without_repeats(sections, closing.get("twice", ()))
    summary = " ".join(str(closing.get("summary", "")).split())
    notes: tuple[str, ...] = ()
    while words_of(_whole(title, summary, kept)) > most:
        shorter = _shortened(kept)
        if shorter is None and not summary:
            break
        summary = summary if shorter is not None else ""
        kept, notes = shorter if shorter is not None else kept, (CUT,)
    cited, stated = _carried(kept)
    text = _whole(title, summary, kept)
    found = [one.reply.support for one in kept]
    return Synthesis(
        text, cited, True, sum(found) / len(found), stated=stated, notes=notes,
    )  # fmt: skip


def _without_repeats(sections: Sequence[Section], twice: Iterable[int]) -> list[Section]:
    """Return the sections without the statements that an edit names; one that keeps none goes."""
    first, kept, named = 0, list[Section](), {n for n in twice if n > 1}
    for one in sections:
        count = len(one.spans())
        places = [n - first - 1 for n in named if first < n <= first + count]
        first += count
        kept += [one.without(places)] if len(places) < count or not count else []
    return kept or list(sections)


def _shortened(sections: Sequence[Section]) -> list[Section] | None:
    """Return the sections with the last statement of the longest gone; None where each has but one."""
    counts = [len(one.spans()) for one in sections]
    able = [n for n, count in enumerate(counts) if count > 1]
    if not able:
        return list(sections[:-1]) if len(sections) > 1 else None
    longest = max(able, key=lambda n: (words_of(sections[n].text), n))
    cut = sections[longest].without([counts[longest] - 1])
    return [cut if n == longest else one for n, one in enumerate(sections)]


def _whole(title: str, summary: str, sections: Sequence[Section]) -> str:
    parts = [f"# {title}", summary, *(f"## {one.heading}\n\n{one.text}" for one in sections)]
    cited, _ = _carried(sections)
    listed = sources_of(cited)
    return "\n\n".join(filter(None, [*parts, f"{SOURCES}\n\n{listed}" if listed else ""]))


def body_of(text: str) -> str:
    """Return a report without its list of sources, which states nothing."""
    body, mark, _ = text.rpartition(f"\n\n{SOURCES}\n\n")
    return body if mark else text


def sources_of(citations: Sequence[Citation]) -> str:
    """Return the list of the sources of some citations, each once."""
    named = dict.fromkeys((one.title.strip(), one.source) for one in citations)
    rows = (f"{title}: {source}" if title and title != source else source for title, source in named)
    return "\n".join(f"{n}. {row}" for n, row in zip(range(1, CITED_PLACES + 1), rows, strict=False))


def _carried(sections: Sequence[Section]) -> tuple[tuple[Citation, ...], tuple[Stated, ...]]:
    """Return what the statements that are left were given with, numbered through the report."""
    cited: dict[Citation, int] = {}
    stated: list[Stated] = []
    for one in sections:
        for piece in one.reply.stated:
            if piece.text not in one.text:
                continue
            own = [one.reply.citations[n - 1] for n in piece.citations]
            numbers = tuple(cited.setdefault(citation, len(cited) + 1) for citation in own)
            stated.append(replace(piece, citations=numbers))
        if not one.reply.stated:
            for citation in one.reply.citations:
                cited.setdefault(citation, len(cited) + 1)
    return tuple(cited), tuple(stated)


def plain(reply: Synthesis, findings: Sequence[Finding], most: int) -> Synthesis:
    """Return a report that only quotes: the answer first, then what each idea found, by its source."""
    if not reply.found:
        return reply
    sections = [Section("Answer", reply)]
    told = set(reply.citations)
    for finding in findings:
        fresh = tuple(c for c in dict.fromkeys(finding.citations) if c not in told)
        if finding.status != "done" or not fresh:
            continue
        told |= set(fresh)
        text = "\n".join(f"- {' '.join(c.quote.split())}" for c in fresh)
        given = tuple(Stated(" ".join(c.quote.split()), (n,)) for n, c in enumerate(fresh, 1))
        sections.append(Section(_title(finding), Synthesis(text, fresh, True, reply.support, stated=given)))
    title = sections[1].heading if len(sections) == 2 else "What the sources say"
    return replace(assembled(title, sections, {}, most), short=reply.short, usage=reply.usage)


def _title(finding: Finding) -> str:
    titles = dict.fromkeys(c.title for c in finding.citations if c.title)
    return next(iter(titles), "") if len(titles) == 1 else finding.title
