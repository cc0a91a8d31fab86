"""How the embedded judge scores criteria beside the general ones: by what it can see, and it says how."""

from __future__ import annotations

from collections.abc import Sequence

from ddax.memory.embed.likeness import Vectors
from ddax.reasoning.criteria import BEARS, GIVES, MEETS, ONE_OF_TWO, YES_OR_NO
from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.protocol import DEFAULT_RUBRIC, JudgeRequest
from ddax.text.question import Question
from ddax.text.words import terms

DECIDES = (YES_OR_NO, ONE_OF_TWO)


def embedded_for(request: JudgeRequest) -> list[str]:
    """Return what is embedded to score the criteria of a request."""
    seen = (BEARS, GIVES, *DECIDES, *DEFAULT_RUBRIC)
    return [_said(name, request) for name in request.rubric if not name.startswith(seen)]


def _said(name: str, request: JudgeRequest) -> str:
    return f"{name}: {request.task[:500]}"


def score(
    name: str, request: JudgeRequest, question: Question, weighed: Sequence[Weighed], vectors: Vectors
) -> tuple[float, str]:
    """Score one criterion in [0, 1] and say by what."""
    if name.startswith(BEARS):
        said = set(terms(f"{request.result} {' '.join(p.title for p in request.evidence)}"))
        wanted = set(terms(name.removeprefix(BEARS)))
        return len(wanted & said) / max(1, len(wanted)), "share of the name that the result says"
    if name.startswith(GIVES):
        return max((item.fit for item in weighed), default=0.0), "fit of the best span read"
    if name in DECIDES:
        return max((item.cover for item in weighed), default=0.0), "share of the question one sentence says"
    wanted = set(terms(name.removeprefix(MEETS)))
    said = set(terms(request.result))
    share = len(wanted & said) / max(1, len(wanted))
    like = float(vectors.likeness(_said(name, request), [request.result or " "])[0])
    return min(1.0, max(0.0, like, share)), "likeness to this criterion (a weak sign without a model)"
