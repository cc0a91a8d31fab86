"""The verdict on a result: a cheap value, a debate where it can matter, and a vote beside it (dda-x 8.4).

An argument without a verified quote is dropped before the judge hears it. The vote counts the same
calls as the debate, without hearing the arguments: the cheap judgements, and each argument's strength
as its author's own estimate; it is reported, and never moves the value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ddax.configs.settings import Debate
from ddax.debate.gate import BOUNDARIES, Gate, gate, median
from ddax.debate.quotes import verified
from ddax.debate.roles import Debater, Roles, assign_roles
from ddax.errors import BudgetExceeded
from ddax.reasoning.protocol import ArgueRequest, Argument, JudgeRequest, Judgment, Reasoner
from ddax.types import JsonDict, Passage, Usage

TRANSCRIPT_CHARS = 240
DEFAULT_RUBRIC = ("coverage", "support", "progress")


@dataclass(frozen=True)
class Speech:
    """An argument as it was made; `kept` is None where no quote of it held."""

    role: str
    speaker: str
    argument: Argument
    kept: Argument | None


@dataclass(frozen=True)
class Verdict:
    """The value V in [0, 1] of a result and how it came about.

    `cheap` is the value before any argument, `vote` what an equal-budget majority says, `confidence`
    in [0, 1] the judge's. `debated` says whether arguments were asked for, `why` for what reason;
    `reasons` are (criterion, score, text).
    """

    value: float
    cheap: float
    vote: float
    confidence: float
    debated: bool = False
    why: str = ""
    reasons: tuple[tuple[str, float, str], ...] = ()
    transcript: tuple[Speech, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)

    @classmethod
    def failure(cls, text: str) -> Verdict:
        """Return the verdict on a failed leaf: worth nothing, for sure, at no cost."""
        return cls(0.0, 0.0, 0.0, 1.0, why=f"it failed: {text[:TRANSCRIPT_CHARS]}")

    def row(self) -> JsonDict:
        """Return the verdict as plain JSON, with the texts cut short."""
        return {
            "value": round(self.value, 6),
            "cheap": round(self.cheap, 6),
            "vote": round(self.vote, 6),
            "confidence": round(self.confidence, 6),
            "debated": self.debated,
            "why": self.why,
            "roles": dict(self.roles),
            "reasons": [
                [name, round(score, 6), text[:TRANSCRIPT_CHARS]] for name, score, text in self.reasons
            ],
            "transcript": [_speech_row(speech) for speech in self.transcript],
        }


@dataclass(frozen=True)
class Case:
    """What is judged: the result of an idea of a task, what it should have been, and the evidence."""

    task: str
    idea: str
    result: str
    expected: str
    evidence: tuple[Passage, ...]
    rho: float
    lessons: tuple[str, ...]
    rubric: tuple[str, ...]


async def evaluate_outcome(
    reasoner: Reasoner,
    *,
    task: str,
    idea: str,
    result: str,
    expected: str,
    evidence: Sequence[Passage],
    rho: float,
    lessons: Sequence[str],
    settings: Debate,
    rng: np.random.Generator,
    panel: Sequence[Debater] = (),
    boundaries: Sequence[float] = BOUNDARIES,
    rubric: Sequence[str] = DEFAULT_RUBRIC,
) -> Verdict:
    """Value a result; `panel` holds the participants, without one the reasoner plays every role.

    Where the budget ends during the debate the cheap value stands, and `why` says so. Raises
    `ReasonerError`, and `BudgetExceeded` where not even the cheap value could be had.
    """
    case = Case(task, idea, result, expected, tuple(evidence), rho, tuple(lessons), tuple(rubric))
    roles = assign_roles(panel or [Debater(reasoner.name, reasoner)], rng)
    judgments = [await judge.reasoner.judge(_judge_request(case)) for judge in roles.judges]
    cheap = median([judgment.value for judgment in judgments])
    opening = _opening(case, judgments, settings, boundaries)
    verdict = Verdict(
        value=cheap,
        cheap=cheap,
        vote=cheap,
        confidence=median([judgment.confidence for judgment in judgments]),
        why=opening.why,
        reasons=judgments[0].reasons,
        roles=roles.names(),
        usage=sum((judgment.usage for judgment in judgments), Usage()),
    )
    return await _debate(verdict, case, roles, judgments, settings, rng) if opening.opens else verdict


def _opening(
    case: Case, judgments: Sequence[Judgment], settings: Debate, boundaries: Sequence[float]
) -> Gate:
    if not settings.enabled:
        return Gate(False, "debates are switched off")
    return gate(
        [judgment.value for judgment in judgments],
        margin=settings.margin,
        boundaries=boundaries,
        quotable=bool(case.evidence),
    )


async def _debate(
    before: Verdict,
    case: Case,
    roles: Roles,
    judgments: Sequence[Judgment],
    settings: Debate,
    rng: np.random.Generator,
) -> Verdict:
    """Hear both sides and judge again, with the arguments that hold."""
    speeches: list[Speech] = []
    final: list[Judgment] = []
    why = before.why
    try:
        await _hear(case, roles, settings.rounds, rng, speeches)
        heard = tuple((speech.role, speech.kept) for speech in speeches if speech.kept is not None)
        if heard:
            for judge in roles.judges:
                final.append(await judge.reasoner.judge(_judge_request(case, heard)))
        else:
            why += "; no argument held, so none moves the value"
    except BudgetExceeded as error:
        final.clear()
        why += f"; the budget ended the debate, so the cheap value stands ({error.what})"
    spent = sum((s.argument.usage for s in speeches), sum((j.usage for j in final), before.usage))
    return Verdict(
        value=median([j.value for j in final]) if final else before.cheap,
        cheap=before.cheap,
        vote=majority([j.value for j in judgments], speeches),
        confidence=median([j.confidence for j in final]) if final else before.confidence,
        debated=True,
        why=why,
        reasons=final[0].reasons if final else before.reasons,
        transcript=tuple(speeches),
        roles=before.roles,
        usage=spent,
    )


async def _hear(
    case: Case, roles: Roles, rounds: int, rng: np.random.Generator, speeches: list[Speech]
) -> None:
    """Let both sides speak in turn; who begins is drawn, since judges favour a place in the order."""
    order = [("proponent", roles.proponent), ("opponent", roles.opponent)]
    if rng.random() < 0.5:
        order.reverse()
    for _ in range(rounds):
        for side, debater in order:
            heard = tuple(speech.argument.text for speech in speeches)
            request = ArgueRequest(
                task=case.task,
                side="proponent" if side == "proponent" else "opponent",
                idea=case.idea,
                result=case.result,
                expected=case.expected,
                evidence=case.evidence,
                rho=case.rho,
                heard=heard,
            )
            argument = await debater.reasoner.argue(request)
            speeches.append(Speech(side, debater.name, argument, verified(argument, case.evidence)))


def majority(cheap: Sequence[float], speeches: Sequence[Speech]) -> float:
    """Return the vote in [0, 1]: the median of cheap values, proponents' and (1 − opponents') strengths."""
    voices = [
        speech.argument.strength if speech.role == "proponent" else 1.0 - speech.argument.strength
        for speech in speeches
    ]
    return median([*cheap, *voices])


def _judge_request(case: Case, arguments: tuple[tuple[str, Argument], ...] = ()) -> JudgeRequest:
    return JudgeRequest(
        task=case.task,
        idea=case.idea,
        result=case.result,
        expected=case.expected,
        evidence=case.evidence,
        arguments=arguments,
        lessons=case.lessons,
        rubric=case.rubric,
        rho=case.rho,
    )


def _speech_row(speech: Speech) -> JsonDict:
    return {
        "role": speech.role,
        "speaker": speech.speaker,
        "text": speech.argument.text[:TRANSCRIPT_CHARS],
        "strength": round(speech.argument.strength, 6),
        "citations": [c.passage_id for c in speech.argument.citations],
        "held": [c.passage_id for c in speech.kept.citations] if speech.kept else [],
    }
