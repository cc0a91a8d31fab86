"""From a reply in wire form to the protocol's records, grounded by code; plans are in `planned`.

A reply that has no sense as a whole raises `Unfit`: it is asked for again or refused. What is wrong in a
part costs that part, and is counted in `repaired` of its usage. A quote that does not stand in its
passage drops the citation, and with it what needs one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ddax.reasoning import protocol as p
from ddax.reasoning.language.quote import clean, ground
from ddax.reasoning.language.replies import schemas as w
from ddax.reasoning.language.replies.edits import program_of
from ddax.reasoning.language.replies.schemas import Unfit
from ddax.types import Citation, Passage, Usage

Named = Mapping[str, Passage]
MUTATIONS = 2


def citations(found: Sequence[w.CitationWire], passages: Named) -> tuple[Citation, ...]:
    """Return the citations whose quotes stand in a passage, without repeats."""
    checked = (_grounded(c.quote, c.passage, passages) for c in found)
    return tuple(dict.fromkeys(c for c in checked if c is not None))


def _grounded(quote: str, name: str, passages: Named) -> Citation | None:
    """Find a quote in the passage it names, else in the only source it stands in: names get mixed up."""
    if name in passages and (named := ground(quote, passages[name])):
        return named
    places = [place for passage in passages.values() if (place := ground(quote, passage))]
    return places[0] if len({place.source for place in places}) == 1 else None


def prediction(reply: w.PredictWire) -> p.Prediction:
    """Read a forecast."""
    return p.Prediction(clean(reply.expected), reply.confidence)


def extraction(reply: w.ExtractWire, request: p.ExtractRequest, passages: Named) -> p.Extraction:
    """Read claims; a claim whose quote is not in its passage is dropped."""
    claims = [
        p.Claim(clean(claim.text), cited[0], claim.score)
        for claim in reply.claims
        if (cited := citations([w.CitationWire(passage=claim.passage, quote=claim.quote)], passages))
    ]
    best = sorted(claims, key=lambda claim: -claim.score)[: request.limit]
    nothing = f"The passages say nothing that can be quoted on: {request.intent}"
    return p.Extraction(tuple(best), " ".join(clean(reply.summary).split()) if best else nothing)


def argument(reply: w.ArgueWire, passages: Named) -> p.Argument:
    """Read an argument; without a valid citation it has no strength."""
    cited = citations(reply.citations, passages)
    return p.Argument(clean(reply.text), cited, reply.strength if cited else 0.0)


def judgment(reply: w.JudgeWire, request: p.JudgeRequest) -> p.Judgment:
    """Read a judgment; the criteria are those of the rubric, once each, and others are left out."""
    given: dict[str, w.ReasonWire] = {}
    for reason in reply.reasons:
        given.setdefault(_plain(reason.criterion), reason)
    wanted = {name: given[_plain(name)] for name in request.rubric if _plain(name) in given}
    if request.rubric and not wanted:
        raise Unfit(f"the reasons need the criteria {', '.join(request.rubric)}, once each")
    reasons = tuple((name, reason.score, clean(reason.reason)) for name, reason in wanted.items())
    strange = sum(reason.criterion not in request.rubric for reason in reply.reasons)
    repaired = strange + len(request.rubric) - len(wanted) + len(reply.reasons) - len(given)
    return p.Judgment(reply.value, reply.confidence, reasons, Usage(repaired=repaired))


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


def lesson(reply: w.ReflectWire) -> p.Lesson:
    """Read a lesson of at most `LESSON_WORDS` words; what is beyond them is left out."""
    words = clean(reply.text).split()
    if not words:
        raise Unfit(f"the lesson has no words; 1 to {p.LESSON_WORDS} are asked for")
    kept = _whole_sentences(words[: p.LESSON_WORDS]) if len(words) > p.LESSON_WORDS else words
    return p.Lesson(" ".join(kept), Usage(repaired=int(len(kept) < len(words))))


def _whole_sentences(words: list[str]) -> list[str]:
    """Return the words up to the last end of a sentence; all of them where none ends."""
    ends = [n for n, word in enumerate(words, 1) if word.endswith((".", "!", "?"))]
    return words[: ends[-1]] if ends else words


def patches(reply: w.PatchesWire, original: str, limit: int) -> p.Patches:
    """Read candidates as whole programs; what changes nothing, repeats or fits nowhere is left out."""
    unique: dict[str, p.CodeCandidate] = {}
    lost = 0
    for found in reply.candidates:
        code = program_of(found.code, original)
        if code is None:
            lost += 1
        elif code.strip() != original.strip():
            candidate = p.CodeCandidate(clean(found.hypothesis), code, clean(found.reasoning))
            unique.setdefault(code.strip(), candidate)
    if lost and not unique:
        raise Unfit("code: it is neither a function of the program nor an edit whose lines stand in it once")
    return p.Patches(tuple(unique.values())[:limit], Usage(repaired=lost))


def question(reply: w.AskWire) -> p.Question:
    """Read a question to a human."""
    return p.Question(" ".join(clean(reply.text).split()))
