"""The synthesis of findings: in between what the children found, at the root the answer or passages."""

from __future__ import annotations

from ddax.memory.embed.likeness import Vectors
from ddax.reasoning.embedded.answer import answer
from ddax.reasoning.embedded.evidence import weigh
from ddax.reasoning.embedded.support import measure
from ddax.reasoning.protocol import Finding, MergeRequest, Synthesis
from ddax.text.question import analyse
from ddax.types import Citation

MAX_BETWEEN = 3
"""Sentences of a synthesis that is not the last."""


def merge(request: MergeRequest, vectors: Vectors) -> Synthesis:
    """Combine what was found; at the root answer with citations or show what comes nearest."""
    question = analyse(request.task)
    if request.final:
        reply = answer(question, request.evidence, vectors)
        return Synthesis(
            reply.text, reply.citations, reply.found, reply.support, reply.short, nearest=reply.nearest
        )
    return _between(request, vectors)


def _between(request: MergeRequest, vectors: Vectors) -> Synthesis:
    """Say the best sentences read, or what failed and why where nothing was."""
    question = analyse(request.task)
    weighed = weigh(question, request.evidence, vectors)
    done = [finding for finding in request.findings if finding.status == "done"]
    chosen = weighed[:MAX_BETWEEN]
    if not chosen:
        named = [f"{f.title}: {f.result}" for f in (done or request.findings) if f.result]
        text = " ".join(named)[:600] or "Nothing was found."
        if not done:
            text = f"This branch failed: {text}"
        return Synthesis(text, _cited(done), bool(done), 0.0)
    quotes = tuple(item.sentence.citation() for item in chosen)
    text = " ".join(item.sentence.titled for item in chosen)
    return Synthesis(text, quotes, True, measure(question, weighed).value)


def _cited(findings: list[Finding]) -> tuple[Citation, ...]:
    return tuple(dict.fromkeys(c for f in findings for c in f.citations))
