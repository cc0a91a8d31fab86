"""Arguments for and against a result, and its value: by coverage and quotes, never by eloquence.

The proponent brings quotes that entail what the result says, the opponent quotes that contradict it; what
the quotes leave open is the judge's to see, who counts coverage without being told.
"""

from __future__ import annotations

from collections.abc import Sequence

from ddax.memory.embed.likeness import Vectors
from ddax.reasoning.embedded import criteria
from ddax.reasoning.embedded.criteria import score
from ddax.reasoning.embedded.evidence import Weighed, lines_of, weigh
from ddax.reasoning.embedded.sentences import Sentence, split
from ddax.reasoning.embedded.support import measure
from ddax.reasoning.entailment import check_by_rules
from ddax.reasoning.protocol import DEFAULT_RUBRIC, ArgueRequest, Argument, JudgeRequest, Judgment
from ddax.text.chunks import sentences
from ddax.text.question import analyse
from ddax.text.words import terms
from ddax.types import Entailment, EntailmentCheck

FOR_WEIGHT, AGAINST_WEIGHT = 0.6, 0.9
"""How far an argument of full strength moves the value, as a share of the way to 1 or to 0.

A quote that contradicts a result settles it; one that says the same does not yet make it useful.
"""
RIGID = 0.5
"""How much of the weight of an argument in favour full rigidity takes away."""
TASK_SHARE = 0.25
"""Weight of the criteria that only this task has; the general ones have the rest."""
LESSON_WEIGHT = 0.03
"""How far a recalled lesson may move the value: it only breaks near-ties."""
MAX_STATEMENTS = 4
"""Sentences of a result that are argued about."""
MAX_LINES = 3
"""Sentences read that are held against each of them, those with most words in common first."""
_WARNING = frozenset(terms("failed wrong missing weak overrated unsupported lower avoid not found mistaken"))


def argue(request: ArgueRequest, vectors: Vectors) -> Argument:
    """Argue by the quotes that entail (proponent) or contradict (opponent) what the result says."""
    check = check_by_rules(vectors)
    lines = split(list(request.evidence))
    heard = " ".join(request.heard)
    said = _statements(request.result)
    found = [(line, hit) for one in said for line, hit in _near(one, lines, check, request.side, heard)]
    if not found:
        return _without(request, lines)
    best = sorted(found, key=lambda pair: -pair[1].confidence)[:2]
    quotes = tuple(dict.fromkeys(line.citation() for line, _ in best))
    told = " ".join(f"“{quote.quote}”" for quote in quotes)
    strength = best[0][1].confidence
    if request.side == "proponent":
        return Argument(f"What was read says the same: {told}", quotes, strength * len(found) / len(said))
    return Argument(f"What was read says otherwise: {told}", quotes, strength)


def _statements(result: str) -> list[str]:
    lines = [line for span in sentences(result) if (line := result[span.start : span.end].strip())]
    return [line for line in lines if len(line.split()) > 1][:MAX_STATEMENTS] or lines[:1]


def _near(
    said: str, lines: Sequence[Sentence], check: EntailmentCheck, side: str, heard: str
) -> list[tuple[Sentence, Entailment]]:
    """Return the line that speaks most clearly for a side about one statement; none where none does.

    What stands word for word in one line is not disputed by another.
    """
    from ddax.reasoning.entailment.rules import quoted

    if side == "opponent" and any(quoted(line.text, said) for line in lines):
        return []
    own = set(terms(said))
    ranked = sorted(lines, key=lambda line: -len(own & set(terms(line.text))))[:MAX_LINES]
    wanted = "entailment" if side == "proponent" else "contradiction"
    hits = [(line, check(line.titled, said)) for line in ranked if line.text not in heard]
    if side == "opponent" and any(hit.relation == "entailment" for _, hit in hits):
        return []
    held = [(line, hit) for line, hit in hits if hit.relation == wanted]
    return [max(held, key=lambda pair: pair[1].confidence)] if held else []


def _without(request: ArgueRequest, lines: Sequence[Sentence]) -> Argument:
    """Say that there is no quote for this side: an argument that moves nothing, and says so."""
    if not lines:
        return Argument("Nothing was read that bears on this result.", (), 0.0)
    if request.side == "proponent":
        return Argument("No sentence read says what this result says.", (), 0.0)
    missing = _missing(request.task, request.result)
    text = f"It leaves open {', '.join(missing[:6])}." if missing else "No sentence read contradicts it."
    return Argument(text, (), 0.0)


def _missing(task: str, result: str) -> list[str]:
    said = set(terms(result))
    return [term for term in analyse(task).terms if term not in said]


def judge(request: JudgeRequest, vectors: Vectors) -> Judgment:
    """Value a result: coverage of the question, support by quotes, progress over the expectation."""
    question = analyse(request.task)
    weighed = weigh(question, request.evidence, vectors)
    strength = measure(question, weighed)
    kept = set(terms(f"{request.result}")) & set(question.terms)
    result_cover = len(kept) / max(1, len(question.terms))
    known = {
        "coverage": (
            max(strength.cover, result_cover),
            "share of the question's words that what was read covers",
        ),
        "support": (strength.value if weighed else 0.0, "strength of the best quotes"),
        "progress": (_progress(request, vectors), "likeness of the outcome to the question"),
    }
    reasons = tuple(
        (name, *(known[name] if name in known else score(name, request, question, weighed, vectors)))
        for name in request.rubric
    )
    value = _moved(_base(reasons), request)
    value = min(1.0, max(0.0, value + _lessons(request)))
    return Judgment(value, _confidence(weighed, strength.about, request), reasons)


def judge_all(requests: Sequence[JudgeRequest], vectors: Vectors) -> list[Judgment]:
    """Value results as one by one, but sooner: most of what is embedded for them is embedded at once."""
    vectors.of([text for request in requests for text in embedded_for(request)])
    return [judge(request, vectors) for request in requests]


def embedded_for(request: JudgeRequest) -> list[str]:
    """Return most of what is embedded to value a result."""
    question = analyse(request.task)
    lines = [line.titled for line in lines_of(question, request.evidence)]
    own = criteria.embedded_for(request)
    return [question.text, request.result, request.idea or request.task, *own, *lines]


def _base(reasons: Sequence[tuple[str, float, str]]) -> float:
    """Return the mean of the general criteria and of the task's own, the latter at `TASK_SHARE`."""
    general = [value for name, value, _ in reasons if name in DEFAULT_RUBRIC]
    own = [value for name, value, _ in reasons if name not in DEFAULT_RUBRIC]
    if not general or not own:
        return sum(general + own) / max(1, len(reasons))
    return (1 - TASK_SHARE) * sum(general) / len(general) + TASK_SHARE * sum(own) / len(own)


def _progress(request: JudgeRequest, vectors: Vectors) -> float:
    if not request.result.strip():
        return 0.0
    likes = vectors.likeness(request.result, [analyse(request.task).text, request.idea or request.task])
    return float(min(1.0, max(0.0, float(likes.max()))))


def _moved(base: float, request: JudgeRequest) -> float:
    """Move the value by what the cited arguments bring; one without citations moves nothing.

    The best argument of each side counts: saying a thing twice makes it no truer. The more rigid the
    agent is, the less an argument in favour moves it.
    """
    best = {True: 0.0, False: 0.0}
    for role, argument in request.arguments:
        favour = role.startswith(("pro", "support"))
        if argument.citations:
            best[favour] = max(best[favour], argument.strength)
    up = FOR_WEIGHT * best[True] * (1.0 - RIGID * request.rho)
    down = AGAINST_WEIGHT * best[False]
    return base + up * (1.0 - base) - down * base


def _confidence(weighed: Sequence[Weighed], about: float, request: JudgeRequest) -> float:
    """Return how sure the judge is: by what was read, and by arguments that agree with each other."""
    sides = {role for role, argument in request.arguments if argument.citations}
    return min(1.0, 0.3 + 0.1 * min(4, len(weighed)) + 0.3 * about - 0.1 * (len(sides) > 1))


def _lessons(request: JudgeRequest) -> float:
    warnings = sum(bool(_WARNING & set(terms(lesson))) for lesson in request.lessons)
    return -LESSON_WEIGHT * min(1, warnings)
