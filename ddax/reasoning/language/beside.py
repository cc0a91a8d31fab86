"""Several results in one judgment, several pages in one reading: how they are told, and how a reply is read.

Each part is told with its number and answered by it. What is wrong in one part, or left out, costs that
part: it comes back as lost, and is counted in `repaired`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ddax.reasoning import protocol as p
from ddax.reasoning.language import readers
from ddax.reasoning.language import wire as w
from ddax.reasoning.language.merging import heard
from ddax.reasoning.language.readers import Named
from ddax.reasoning.language.wire import Unfit
from ddax.types import Passage, Usage

LOST = p.Judgment(0.0, 0.0, (), lost=True)


def evidence_of(request: p.JudgeRequest) -> tuple[Passage, ...]:
    """Return what any of the results rests on, each passage once."""
    told = [*request.evidence, *(one for part in request.others for one in part.evidence)]
    return tuple({passage.id: passage for passage in told}.values())


def passages_of(request: p.ExtractRequest) -> tuple[Passage, ...]:
    """Return the passages of all parts."""
    return (*request.passages, *(passage for part in request.others for passage in part.passages))


def results(request: p.JudgeRequest, named: Named) -> str:
    """Tell the results with their numbers, and what each rests on by the names of the passages."""
    names = {passage.id: name for name, passage in named.items()}
    first = p.Judged(request.idea, request.result, request.expected, request.evidence)
    return _rows(
        {"idea": one.idea, "expected": one.expected, "result": one.result,
         "passages": [names[passage.id] for passage in one.evidence]}
        for one in (first, *request.others)
    )  # fmt: skip


def parts(request: p.ExtractRequest, named: Named) -> str:
    """Tell the parts with their numbers: what each is read for, and in which passages."""
    names = {passage.id: name for name, passage in named.items()}
    return _rows(
        {"intent": part.intent, "passages": [names[passage.id] for passage in part.passages]}
        for part in (p.Pages(request.intent, request.passages), *request.others)
    )


def asked(request: p.ExtractRequest, named: Named) -> dict[str, str]:
    """Return what pages are read for by the names of the prompt: of one, or of several parts."""
    return {"parts": parts(request, named)} if request.others else {"intent": request.intent}


def case(request: p.JudgeRequest, named: Named) -> dict[str, str]:
    """Return what is judged by the names of the prompt: one result with its arguments, or several."""
    if request.others:
        return {"results": results(request, named)}
    alone = {"idea": request.idea, "expected": request.expected, "result": request.result}
    return {**alone, "arguments": heard(request)}


def _rows(rows: Iterable[Mapping[str, Any]]) -> str:
    told = ({"number": n, **row} for n, row in enumerate(rows, 1))
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in told)


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
            found[one.number] = readers.judgment(alone, request)
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
    told = [p.Pages(request.intent, request.passages), *request.others]
    names = {passage.id: name for name, passage in named.items()}
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
        return p.Extraction((), "", lost=True)
    alone = p.ExtractRequest(request.task, told.intent, told.passages, request.limit)
    read = readers.extraction(w.ExtractWire(claims=part.claims, summary=part.summary), alone, own)
    # Claims that quote what does not stand there are no reading; that nothing bears on it may be one.
    return p.Extraction(read.claims, read.summary, lost=bool(part.claims) and not read.claims)
