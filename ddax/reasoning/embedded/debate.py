"""Arguments for and against a result, and its value: by coverage and quotes, never by eloquence."""

from __future__ import annotations

from collections.abc import Sequence

from ddax.reasoning.embedded.evidence import Weighed, weigh
from ddax.reasoning.embedded.question import Question, analyse
from ddax.reasoning.embedded.support import measure
from ddax.reasoning.embedded.text import terms
from ddax.reasoning.embedded.vectors import Vectors
from ddax.reasoning.protocol import ArgueRequest, Argument, JudgeRequest, Judgment

ARGUMENT_WEIGHT = 0.15
"""How far the arguments together may move the value, up or down."""
LESSON_WEIGHT = 0.03
"""How far a recalled lesson may move the value: it only breaks near-ties."""
_WARNING = frozenset(terms("failed wrong missing weak overrated unsupported lower avoid not found mistaken"))


def argue(request: ArgueRequest, vectors: Vectors) -> Argument:
    """Argue by the best quotes for the task (proponent) or by what no quote covers (opponent)."""
    question = analyse(request.task)
    weighed = weigh(question, request.evidence, vectors)
    heard = " ".join(request.heard)
    fresh = [item for item in weighed if item.sentence.text not in heard] or weighed
    if request.side == "proponent":
        return _support(question, request, fresh)
    return _oppose(question, request, weighed, fresh)


def _support(question: Question, request: ArgueRequest, weighed: Sequence[Weighed]) -> Argument:
    chosen = [item for item in weighed[:2] if item.score > 0]
    if not chosen:
        return Argument("Nothing read supports this result.", (), 0.0)
    value = measure(question, weighed).value
    quotes = " ".join(f"“{item.sentence.text}”" for item in chosen)
    return Argument(
        f"It serves the question: {quotes}", tuple(item.sentence.citation() for item in chosen), value
    )


def _oppose(
    question: Question, request: ArgueRequest, weighed: Sequence[Weighed], fresh: Sequence[Weighed]
) -> Argument:
    """Point at question words no sentence covers, and cite the best sentence that falls short of them."""
    said = frozenset[str]().union(*(item.terms for item in weighed)) | frozenset(terms(request.result))
    missing = [term for term in question.terms if term not in said]
    gap = len(missing) / max(1, len(question.terms))
    if not fresh:
        return Argument(f"Nothing was read that bears on: {question.text[:200]}", (), 0.0)
    if not missing:
        text = "Every word of the question is covered; what is left open is whether one document says it all."
        best = max(item.cover for item in weighed)
        return Argument(text, (fresh[0].sentence.citation(),), max(0.0, 0.5 - 0.5 * best))
    text = f"It leaves open {', '.join(missing[:6])}: the closest sentence is “{fresh[0].sentence.text}”"
    return Argument(text, (fresh[0].sentence.citation(),), gap)


def judge(request: JudgeRequest, vectors: Vectors) -> Judgment:
    """Value a result: coverage of the question, support by quotes, progress over the expectation."""
    question = analyse(request.task)
    weighed = weigh(question, request.evidence, vectors)
    strength = measure(question, weighed)
    kept = set(terms(f"{request.result}")) & set(question.terms)
    result_cover = len(kept) / max(1, len(question.terms))
    progress = _progress(request, vectors)
    known = {
        "coverage": (
            max(strength.cover, result_cover),
            "share of the question's words that what was read covers",
        ),
        "support": (strength.value if weighed else 0.0, "strength of the best quotes"),
        "progress": (progress, "likeness of the outcome to the question"),
    }
    reasons = tuple((name, *known.get(name, _criterion(name, request, vectors))) for name in request.rubric)
    base = sum(value for _, value, _ in reasons) / max(1, len(reasons))
    value = min(1.0, max(0.0, base + _moved(request) + _lessons(request)))
    confidence = min(1.0, 0.3 + 0.1 * min(4, len(weighed)) + 0.3 * strength.about)
    return Judgment(value, confidence, reasons)


def _progress(request: JudgeRequest, vectors: Vectors) -> float:
    if not request.result.strip():
        return 0.0
    likes = vectors.likeness(request.result, [analyse(request.task).text, request.idea or request.task])
    return float(min(1.0, max(0.0, float(likes.max()))))


def _criterion(name: str, request: JudgeRequest, vectors: Vectors) -> tuple[float, str]:
    """Value a criterion in free words by its likeness to the result: a weak sign, and said to be one."""
    like = float(vectors.likeness(f"{name}: {request.task[:500]}", [request.result or " "])[0])
    return min(1.0, max(0.0, like)), "likeness of the result to this criterion (a weak sign without a model)"


def _moved(request: JudgeRequest) -> float:
    """Add what the cited arguments bring; one without citations moves nothing."""
    moved = 0.0
    for role, argument in request.arguments:
        if argument.citations:
            moved += argument.strength if role.startswith(("pro", "support")) else -argument.strength
    return ARGUMENT_WEIGHT * max(-1.0, min(1.0, moved))


def _lessons(request: JudgeRequest) -> float:
    warnings = sum(bool(_WARNING & set(terms(lesson))) for lesson in request.lessons)
    return -LESSON_WEIGHT * min(1, warnings)
