"""What is asked for a synthesis, by what there is: passages, nothing to read, a form of the user's."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

from ddax.reasoning import protocol as p
from ddax.reasoning.language.quote import clean
from ddax.reasoning.language.replies import document, marked, user_forms
from ddax.reasoning.language.replies.grounding import Named
from ddax.reasoning.language.replies.schemas import Wire
from ddax.reasoning.prompts import Book, Prompt
from ddax.types import Passage

KNOWLEDGE: dict[p.Knowledge, str] = {
    "forbid": "Say only what the passages say.",
    "mark": "Say what the passages say. Where something that you know yourself helps, add it, and write [own]"
    " behind it; it never takes the place of an answer that the passages lack.",
    "allow": "Where the passages do not answer, answer with what you know, and write [own] behind it.",
}
"""What a model is told of using what it knows itself."""


def told(brief: p.Brief) -> str:
    """Return what holds for the whole task in words; "" where nothing is said."""
    parts = [f"Today is {brief.today}."] if brief.today else []
    parts += [f"Who you are: {clean(brief.identity)}"] if brief.identity else []
    parts += (
        [f"What the user wants of every answer:\n{clean(brief.instructions)}"] if brief.instructions else []
    )
    return "\n".join(parts)


def prompt_of(
    request: p.MergeRequest, book: Book, *, task: str, idea: str, passages: str, findings: str, thoughts: str,
    earlier: str,
) -> Prompt:  # fmt: skip
    """Return the prompt for a synthesis."""
    filled = partial(book.render, brief=told(request.brief), task=task, thoughts=thoughts, earlier=earlier)
    if request.form is None and _own(request):
        return filled("answer", kind=request.kind)
    knowledge = "" if _own(request) else KNOWLEDGE[request.brief.knowledge]
    if request.form is not None:
        fault = f"Your last answer was refused: {clean(request.fault)}" if request.fault else ""
        return filled(
            "data", passages=passages, findings=findings, knowledge=knowledge, fault=fault, kind=request.kind
        )
    if settles(request):
        return partial(book.render, "settle", brief=told(request.brief), task=task, earlier=earlier)(
            passages=passages, findings=findings, knowledge=knowledge
        )
    kind = request.kind or ("" if request.final else "an intermediate result, in a few sentences")
    return filled("merge", passages=passages, findings=findings, knowledge=knowledge, kind=kind, idea=idea)


def settles(request: p.MergeRequest) -> bool:
    """Tell whether a request is the one call of the quick road, whose passages are told with numbers."""
    return request.settling and request.form is None and bool(request.evidence)


def _own(request: p.MergeRequest) -> bool:
    """Tell whether there is nothing to quote, so that the model is asked for what it knows."""
    return request.own and not request.evidence and not any(finding.citations for finding in request.findings)


def wire_of(request: p.MergeRequest) -> type[Wire]:
    """Return the form of the reply."""
    if request.form is not None:
        return user_forms.wire_of(request.form)
    if settles(request):
        return marked.SettleWire
    return document.OwnWire if _own(request) else document.MergeWire


def read(
    reply: Any, request: p.MergeRequest, named: Named, sentences: Sequence[marked.Sentence] = ()
) -> p.Synthesis:
    """Read a reply as what was asked for; raises `Unfit` where it does not fit."""
    if settles(request):
        return marked.synthesis(reply, request, named, sentences)
    if request.form is None:
        return document.synthesis(reply, request, named)
    return user_forms.synthesis(reply, request, named)


def cited(request: p.MergeRequest) -> list[Passage]:
    """Return the quotes of findings as passages, where the passage itself is not at hand."""
    at_hand = {passage.id for passage in request.evidence}
    return [
        Passage(c.passage_id, c.source, c.title, c.quote, c.start, c.end)
        for finding in request.findings
        for c in finding.citations
        if c.passage_id not in at_hand
    ]


def heard(request: p.JudgeRequest) -> str:
    """Return the arguments a judge has heard, a line each."""
    rows = (
        {"by": by, "says": argument.text, "quotes": [cited.quote for cited in argument.citations]}
        for by, argument in request.arguments
    )
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
