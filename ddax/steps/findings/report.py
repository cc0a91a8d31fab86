"""The answer as a report: an outline from the DAG, sections written at once, a closing edit, its sources.

Each section is written from the passages and findings that bear on it, all of them beside each other. The
closing edit writes the summary and says which statements stand twice. A part that is done is kept, so that a
run that was broken off asks for no part again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from ddax.errors import ReasonerError, Unavailable
from ddax.graph.services import Session
from ddax.graph.state import State
from ddax.reasoning.budget import FREE, charge, usage_of
from ddax.reasoning.protocol import Finding, MergeRequest, Synthesis
from ddax.reasoning.recording import read_as, request_hash
from ddax.reasoning.reports import Section, assembled, plain
from ddax.steps.findings.quote_check import synthesis
from ddax.types import Passage

AGAIN = "Try a more capable model, or `output: text`."
PARTS = "report_parts"
"""The log of the parts of reports that are written."""
WORDS_OF_A_SECTION, FEWEST, MOST = 150, 2, 8
"""Words that a section is worth, and sections of a report."""
SUMMED_UP = 0.15
"""Share of the words that the summary gets."""
PASSAGES = 8
"""Passages a section is written from."""
TITLE = 120
"""Characters of a heading."""
_TEXT = {"type": "string"}
OUTLINE = {
    "type": "object",
    "properties": {
        "title": {**_TEXT, "description": "title of the report, at most ten words"},
        "sections": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "heading": {**_TEXT, "description": "at most eight words"},
                    "covers": {**_TEXT, "description": "what the section says, in one sentence"},
                },
                "required": ["heading", "covers"],
            },
        },
    },
    "required": ["title", "sections"],
}
CLOSING = {
    "type": "object",
    "properties": {
        "summary": {**_TEXT, "description": "what the report finds, for who reads nothing else"},
        "twice": {
            "type": "array",
            "items": {"type": "integer"},
            "description": "numbers of statements that only repeat an earlier one; empty where none does",
        },
    },
    "required": ["summary", "twice"],
}
OUTLINE_KIND = (
    "the outline of a report on the task, of about {words} words in {fewest} to {most} sections. Plan"
    " sections that the passages and findings carry, in the order in which they are read, none of them a"
    ' summary, an introduction or a list of sources. Leave "quotes" empty; "found" is false only if nothing'
    " here bears on the task."
)
SECTION_KIND = (
    'section {number} of {of} of a report on the task: "{heading}" ({covers}). Write this section alone,'
    " without its heading, in about {words} words and never more than {most}. The other sections are:"
    " {others}."
)
CLOSING_KIND = (
    "the closing edit of a report on the task, whose sections are the findings, their statements numbered."
    ' Leave "quotes" empty. Write the summary in at most {words} words, with nothing in it that the sections'
    " do not say."
)


@dataclass(frozen=True)
class _Report:
    """A report in work: what is asked, and by whom."""

    state: State
    session: Session
    request: MergeRequest

    @property
    def words(self) -> int:
        """The words of the whole report."""
        return self.session.settings.words


def wants_report(session: Session) -> bool:
    """Tell whether the answer is to be a report."""
    return session.settings.output == "report"


async def report(state: State, request: MergeRequest, session: Session) -> Synthesis:
    """Write the report that a final request asks for; without a model it is made of what was quoted."""
    if session.reasoner.name in FREE:
        return plain(await synthesis(state, request, session), request.findings, session.settings.words)
    made = _Report(state, session, request)
    outline = await _outline(made)
    if not outline.found:
        return outline
    title, planned = _planned(outline, request)
    written = await asyncio.gather(*(_section(made, planned, n) for n in range(len(planned))))
    sections = [one for one in written if one.reply.found and one.reply.text.strip()]
    usage = sum((one.reply.usage for one in written), outline.usage)
    notes = tuple(note for one in written for note in one.notes)
    if not sections and notes:  # it is the model that failed, not the sources
        error = ReasonerError("No section of the report could be written.", why=notes[0], mend=AGAIN)
        charge(error, usage)
        raise error
    if not sections:
        return replace(outline, text=_unfound(request), found=False, data={}, usage=usage)
    closing = await _closing(made, sections)
    found = assembled(title, sections, closing.data, made.words)
    return replace(found, usage=usage + closing.usage, notes=(*notes, *found.notes, *closing.notes))


def _unfound(request: MergeRequest) -> str:
    return f"Not found in what was read: {request.idea}"


async def _outline(made: _Report) -> Synthesis:
    """Ask for the outline; where the model has none that can be read, it is that of the DAG."""
    most = min(MOST, max(FEWEST, made.words // WORDS_OF_A_SECTION))
    kind = OUTLINE_KIND.format(words=made.words, fewest=FEWEST, most=most)
    asked = replace(made.request, form=OUTLINE, own=True, kind=kind)
    try:
        return await _part(made, asked)
    except Unavailable:
        raise
    except ReasonerError as error:
        return Synthesis("", (), True, 0.0, usage=usage_of(error))


def _planned(outline: Synthesis, request: MergeRequest) -> tuple[str, list[tuple[str, str]]]:
    """Return the title and the headings with what they cover; where none are given, those of the DAG."""
    rows = [row for row in outline.data.get("sections", ()) if str(row["heading"]).strip()]
    found = [(_line(row["heading"]), _line(row["covers"])) for row in rows][:MOST]
    title = _line(outline.data.get("title", "")) or _line(request.idea)
    ideas = [(_line(f.title), _line(f.result)) for f in request.findings if f.status == "done" and f.title]
    return title, found or ideas[:MOST] or [(_line(request.idea), "the whole of the task")]


def _line(text: Any) -> str:
    """Return a text as one line without signs of a heading."""
    line = " ".join(str(text).split()).strip("#* ")
    return line if len(line) <= TITLE else f"{line[: TITLE - 1].rstrip()}…"


async def _section(made: _Report, planned: Sequence[tuple[str, str]], place: int) -> Section:
    """Write one section from its own evidence; one that cannot be had is left out, and that is said."""
    heading, covers = planned[place]
    room = int(made.words * (1 - SUMMED_UP) / len(planned))
    others = "; ".join(other for n, (other, _) in enumerate(planned) if n != place) or "none"
    kind = SECTION_KIND.format(
        number=place + 1, of=len(planned), heading=heading, covers=covers, words=int(room * 0.85), most=room,
        others=others,
    )  # fmt: skip
    text = f"{heading}. {covers}"
    asked = replace(
        made.request,
        kind=kind,
        evidence=await _bearing(made, text, made.request.evidence),
        findings=await _findings_for(made, text),
    )
    try:
        return Section(heading, await _part(made, asked))
    except Unavailable:
        raise
    except ReasonerError as error:
        lost = Synthesis("", (), False, 0.0, usage=usage_of(error))
        return Section(heading, lost, (f"The section “{heading}” could not be written: {error}",))


async def _bearing(made: _Report, text: str, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return the passages that bear most on a section, in the order they had."""
    if len(passages) <= PASSAGES:
        return tuple(passages)
    vectors = await made.session.embed(text, *(passage.text for passage in passages))
    likeness = vectors[1:] @ vectors[0]
    best = sorted(range(len(passages)), key=lambda n: (-float(likeness[n]), n))[:PASSAGES]
    return tuple(passages[n] for n in sorted(best))


async def _findings_for(made: _Report, text: str) -> tuple[Finding, ...]:
    """Return the findings that bear most on a section; of few all."""
    findings = made.request.findings
    if len(findings) <= FEWEST:
        return findings
    vectors = await made.session.embed(text, *(f"{one.title}. {one.result}" for one in findings))
    likeness = vectors[1:] @ vectors[0]
    half = sorted(range(len(findings)), key=lambda n: (-float(likeness[n]), n))[: max(FEWEST, PASSAGES // 2)]
    return tuple(findings[n] for n in sorted(half))


async def _closing(made: _Report, sections: Sequence[Section]) -> Synthesis:
    """Ask for the closing edit; a report without one is still a report, and says so."""
    words = int(made.words * SUMMED_UP)
    first = 0
    told = list[Finding]()
    for one in sections:
        numbered = one.numbered(first)
        first += len(numbered)
        told.append(Finding("", one.heading, "done", "\n".join(numbered)))
    kind = CLOSING_KIND.format(words=words)
    asked = replace(
        made.request, form=CLOSING, own=True, kind=kind, evidence=(), findings=tuple(told), thoughts=()
    )
    try:
        return await _part(made, asked)
    except Unavailable:
        raise
    except ReasonerError as error:
        note = f"The closing edit could not be had: {error}"
        return Synthesis("", (), False, 0.0, usage=usage_of(error), notes=(note,))


async def _part(made: _Report, request: MergeRequest) -> Synthesis:
    """Return one part: as it was written before the run was broken off, else anew, and kept."""
    work, session = made.state["work"], made.session
    asked = request_hash("merge", request)
    known = await session.memory.rows(PARTS, task=work["id"], asked=asked)
    if known:
        kept: Synthesis = read_as(Synthesis, known[0]["reply"])
        return kept
    reply = await synthesis(made.state, request, session)
    row = {"task": work["id"], "step": made.state["step"], "asked": asked, "reply": _plain(reply)}
    await session.memory.log(PARTS, row, key=f"{work['id']}:{asked}")
    return reply


def _plain(reply: Synthesis) -> dict[str, Any]:
    return {**asdict(reply), "data": dict(reply.data)}
