"""Several results in one judgment, several pages in one reading: how they are told, and how a reply is read.

Each part is told with its number and answered by it. What is wrong in one part, or left out, costs that
part: it comes back as lost, and is counted in `repaired`. So does, uncounted, a part of which nothing that
it rests on had room in the prompt: nobody has read it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from ddax.reasoning import protocol as p
from ddax.reasoning.language.merging import heard
from ddax.reasoning.language.replies import grounding
from ddax.reasoning.language.replies import schemas as w
from ddax.reasoning.language.replies.grounding import Named
from ddax.reasoning.language.replies.schemas import Unfit
from ddax.types import Passage, Usage

LOST = p.Judgment(0.0, 0.0, (), lost=True)
UNREAD = p.Extraction((), "", lost=True)
Reply = TypeVar("Reply", p.Judgment, p.Extraction)


def evidence_of(request: p.JudgeRequest) -> tuple[Passage, ...]:
    """Return what any of the results rests on, each passage once."""
    told = [one for part in _results(request) for one in part.evidence]
    return tuple({passage.id: passage for passage in told}.values())


def passages_of(request: p.ExtractRequest) -> tuple[Passage, ...]:
    """Return the passages of all parts."""
    return tuple(passage for part in _pages(request) for passage in part.passages)


def about(request: p.ExtractRequest | p.JudgeRequest) -> str:
    """Return the words of all parts, by which it is chosen what of long passages is told."""
    if isinstance(request, p.ExtractRequest):
        return " ".join(part.intent for part in _pages(request))
    return " ".join(f"{part.idea} {part.result}" for part in _results(request))


def told_pages(request: p.ExtractRequest, told: Named, room: int) -> tuple[p.ExtractRequest, list[int]]:
    """Return the request with what of its parts is told, and the places of those parts.

    `told` are the passages that stand in the prompt, `room` the characters of the list of parts.
    """
    if not request.others:
        return request, [0]
    whole = _pages(request)
    parts = [replace(part, passages=_told(part.passages, told)) for part in whole]
    held = [bool(part.passages) or not was.passages for part, was in zip(parts, whole, strict=True)]
    places = _places(held, _page_rows(parts, _names(told)), room)
    first, *others = (parts[n] for n in places)
    return replace(request, intent=first.intent, passages=first.passages, others=tuple(others)), places


def told_results(request: p.JudgeRequest, told: Named, room: int) -> tuple[p.JudgeRequest, list[int]]:
    """Return the request with what of its results is told, and the places of those, as of pages."""
    if not request.others:
        return request, [0]
    whole = _results(request)
    parts = [replace(part, evidence=_told(part.evidence, told)) for part in whole]
    held = [bool(part.evidence) or not was.evidence for part, was in zip(parts, whole, strict=True)]
    places = _places(held, _result_rows(parts, _names(told)), room)
    first, *others = (parts[n] for n in places)
    alone = replace(request, idea=first.idea, result=first.result, expected=first.expected)
    return replace(alone, evidence=first.evidence, others=tuple(others)), places


def spread(reply: Reply, places: Sequence[int], count: int, lost: Reply) -> Reply:
    """Return a reply with its parts at their places among so many; those that were not told are lost."""
    own: dict[int, Any] = dict(zip(places, (replace(reply, others=()), *reply.others), strict=True))
    first, *others = (own.get(place, lost) for place in range(count))
    found: Reply = replace(first, usage=reply.usage, others=tuple(others))
    return found


def _told(passages: Iterable[Passage], told: Named) -> tuple[Passage, ...]:
    known = _names(told)
    return tuple(passage for passage in passages if passage.id in known)


def _names(named: Named) -> dict[str, str]:
    return {passage.id: name for name, passage in named.items()}


def _places(held: Iterable[bool], rows: Sequence[str], room: int) -> list[int]:
    """Return the places of the parts of which something is told and whose rows fit; at least one."""
    places = [n for n, told in enumerate(held) if told] or [0]
    return places[: _fitting([rows[n] for n in places], room)]


def _fitting(rows: Iterable[str], room: int) -> int:
    """Return how many rows fit, from the first, which is told in any case."""
    used = fits = 0
    for row in rows:
        used += len(row) + 1
        if fits and used > room + 1:
            break
        fits += 1
    return fits


def _pages(request: p.ExtractRequest) -> list[p.Pages]:
    return [p.Pages(request.intent, request.passages), *request.others]


def _results(request: p.JudgeRequest) -> list[p.Judged]:
    first = p.Judged(request.idea, request.result, request.expected, request.evidence)
    return [first, *request.others]


def results(request: p.JudgeRequest, named: Named) -> str:
    """Tell the results with their numbers, and what each rests on by the names of the passages."""
    return "\n".join(_result_rows(_results(request), _names(named)))


def parts(request: p.ExtractRequest, named: Named) -> str:
    """Tell the parts with their numbers: what each is read for, and in which passages."""
    return "\n".join(_page_rows(_pages(request), _names(named)))


def _result_rows(parts: Iterable[p.Judged], names: Mapping[str, str]) -> list[str]:
    return _rows(
        {"idea": one.idea, "expected": one.expected, "result": one.result,
         "passages": [names[passage.id] for passage in one.evidence]}
        for one in parts
    )  # fmt: skip


def _page_rows(parts: Iterable[p.Pages], names: Mapping[str, str]) -> list[str]:
    return _rows(
        {"intent": part.intent, "passages": [names[passage.id] for passage in part.passages]}
        for part in parts
    )  # fmt: skip


def asked(request: p.ExtractRequest, named: Named) -> dict[str, str]:
    """Return what pages are read for by the names of the prompt: of one, or of several parts."""
    return {"parts": parts(request, named)} if request.others else {"intent": request.intent}


def case(request: p.JudgeRequest, named: Named) -> dict[str, str]:
    """Return what is judged by the names of the prompt: one result with its arguments, or several."""
    if request.others:
        return {"results": results(request, named)}
    alone = {"idea": request.idea, "expected": request.expected, "result": request.result}
    return {**alone, "arguments": heard(request)}


def _rows(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    return [json.dumps({"number": n, **row}, ensure_ascii=False) for n, row in enumerate(rows, 1)]


def judgments(reply: w.JudgesWire, request: p.JudgeRequest) -> p.Judgment:
    """Read one judgment for each result; raises `Unfit` where none can be had."""
    found: dict[int, p.Judgment] = {}
    faults: list[str] = []
    count = 1 + len(request.others)
    for one in reply.judgments:
        if not 1 <= one.number <= count or one.number in found:
            continue
        try:
            alone = w.JudgeWire(reasons=one.reasons, value=one.value, confidence=one.confidence)
            found[one.number] = grounding.judgment(alone, request)
        except Unfit as fault:
            faults.append(str(fault))
    if not found:
        raise Unfit(faults[0] if faults else f"it judges none of the {count} results")
    first, *others = (found.get(number, LOST) for number in range(1, count + 1))
    mended = sum(one.usage.repaired for one in found.values()) + count - len(found)
    return p.Judgment(
        first.value, first.confidence, first.reasons, Usage(repaired=mended), first.lost, tuple(others)
    )


def extractions(reply: w.ExtractsWire, request: p.ExtractRequest, named: Named) -> p.Extraction:
    """Read the claims of each part, which quote its own passages; raises `Unfit` where no part was read."""
    told, names = _pages(request), _names(named)
    given: Mapping[int, w.PartWire] = {part.number: part for part in reversed(reply.parts)}
    if not any(number in given for number in range(1, len(told) + 1)):
        raise Unfit(f"it reads none of the {len(told)} parts")
    found = []
    for number, part in enumerate(told, 1):
        own = {names[passage.id]: passage for passage in part.passages}
        found.append(_extraction(given.get(number), part, request, own))
    lost = sum(one.lost for one in found)
    first = found[0]
    return p.Extraction(first.claims, first.summary, Usage(repaired=lost), first.lost, tuple(found[1:]))


def _extraction(
    part: w.PartWire | None, told: p.Pages, request: p.ExtractRequest, own: Named
) -> p.Extraction:
    if part is None:
        return UNREAD
    alone = p.ExtractRequest(request.task, told.intent, told.passages, request.limit)
    read = grounding.extraction(w.ExtractWire(claims=part.claims, summary=part.summary), alone, own)
    # Claims that quote what does not stand there are no reading; that nothing bears on it may be one.
    return p.Extraction(read.claims, read.summary, lost=bool(part.claims) and not read.claims)
