"""How a verdict on a result comes about: a cheap value, a debate where it can matter, and a vote beside it.

An argument without a quote that passes the support check is dropped before the judge hears it, and
counts by its speaker's trust (dda-x 8.4). The vote counts the same calls as the debate, without
hearing the arguments: the first values, and each argument's strength as its author's own estimate; it
is reported, and never moves the value.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ddax.configs.settings import Debate
from ddax.debate.gate import EVIDENCE, Gate, median, opening, weighted_median
from ddax.debate.quotes import UNASKED, Bearing, Carrying, verified
from ddax.debate.records import Speech, Verdict
from ddax.debate.roles import Debater, Roles, assign_roles
from ddax.errors import BudgetExceeded, ReasonerError
from ddax.ideas.origins import NOWHERE, Origins
from ddax.reasoning.budget import charge, usage_of
from ddax.reasoning.protocol import (
    DEFAULT_RUBRIC,
    ArgueRequest,
    Argument,
    JudgeRequest,
    Judgment,
)
from ddax.reasoning.sourced import UNKNOWN, sourced
from ddax.types import EntailmentCheck, Passage, Usage

TOO_DEAR = "a debate would cost more than it may change"
Admit = Callable[[Gate, int], bool]
"""Takes the gate of a result and the calls that a debate would take; tells whether it is worth them."""
Correct = Callable[[str, float], float]
"""Takes the name of a judge's model and its value in [0, 1]; returns the calibrated value."""


@dataclass(frozen=True)
class Case:
    """What is judged: the result of an idea of a task, what it should have been, and the evidence."""

    task: str
    idea: str
    result: str
    expected: str
    evidence: tuple[Passage, ...]
    rho: float = 0.0
    lessons: tuple[str, ...] = ()
    rubric: tuple[str, ...] = DEFAULT_RUBRIC
    origins: Origins = UNKNOWN
    """Where all of this comes from, and so what is said of it."""
    said: Judgment | None = None
    """What the only voter has said of it already."""


@dataclass(frozen=True)
class Court:
    """Who decides and by what: the roles, the settings, the support check, the calibration."""

    roles: Roles
    voters: tuple[Debater, ...]
    settings: Debate
    rng: np.random.Generator
    carrying: Carrying | None
    correct: Correct
    admit: Admit

    @property
    def calls(self) -> int:
        """Return the calls of a debate as the settings have it, at most."""
        return 2 * self.settings.rounds + len(self.roles.judges)

    def value_of(self, values: Mapping[str, float]) -> float:
        """Return the judges' values by name as one: calibrated each, then the median by trust."""
        trust = {d.name: d.trust for d in self.voters}
        return weighted_median(self.corrected(values), [trust[name] for name in values])

    def corrected(self, values: Mapping[str, float]) -> list[float]:
        """Return the values by name after the calibration of the model behind each."""
        models = {d.name: d.reasoner.name for d in self.voters}
        return [self.correct(models[name], value) for name, value in values.items()]


async def evaluate_outcome(
    case: Case,
    panel: Sequence[Debater],
    *,
    settings: Debate,
    rng: np.random.Generator,
    fixed: Mapping[str, str] | None = None,
    check: EntailmentCheck | None = None,
    correct: Correct = lambda _, value: value,
    admit: Admit = lambda gate, calls: gate.opens,
) -> Verdict:
    """Value a result; `panel` holds the participants, of whom one alone plays every role.

    `fixed` gives roles by name that are not drawn, `admit` says whether a debate is worth its calls; without
    `check` a verbatim quote is enough. Where the budget ends
    during the debate the cheap value stands, and `why` says so. Raises `ReasonerError`, and `BudgetExceeded`
    where not even the cheap value could be had.
    """
    present = list(panel)
    roles = assign_roles(present, rng, fixed or {})
    voters = _voters(roles, present, settings.first_votes)
    carrying = Carrying(check, case.result, settings.support) if check is not None else None
    court = Court(roles, voters, settings, rng, carrying, correct, admit)
    votes: dict[str, Judgment] = {}
    try:
        for voter in voters:
            said = case.said if len(voters) == 1 else None
            votes[voter.name] = said or await voter.reasoner.judge(_judge_request(case))
    except (BudgetExceeded, ReasonerError) as error:
        charge(error, usage_of(error) + _cost(votes.values()))
        raise
    return await _decide(case, court, votes)


def _cost(said: Iterable[Judgment | Argument]) -> Usage:
    return sum((one.usage for one in said), Usage())


def _voters(roles: Roles, present: Sequence[Debater], least: int) -> tuple[Debater, ...]:
    """Return who values first: the judges, then the most trusted of the others up to `least`."""
    names = {judge.name for judge in roles.judges}
    others = sorted((d for d in present if d.name not in names), key=lambda d: (-d.trust, d.name))
    return (*roles.judges, *others[: max(0, least - len(roles.judges))])


async def _decide(case: Case, court: Court, votes: Mapping[str, Judgment]) -> Verdict:
    """Take the first votes as the cheap value, and hold the debate where the gate opens."""
    first = {name: vote.value for name, vote in votes.items()}
    cheap = court.value_of(first)
    confidence = median([vote.confidence for vote in votes.values()])
    gate = opening(
        court.settings, court.corrected(first), confidence=confidence,
        quotable=bool(case.evidence), bearing=await _bearing(case, court),
    )  # fmt: skip
    held = court.admit(gate, court.calls)
    verdict = Verdict(
        value=cheap,
        cheap=cheap,
        vote=cheap,
        confidence=confidence,
        why=gate.why if held or not gate.opens else f"{gate.why}; {TOO_DEAR}",
        reasons=next(iter(votes.values())).reasons,
        roles=court.roles.names(),
        usage=_cost(votes.values()),
        raw=first,
        first=first,
        models={voter.name: voter.reasoner.name for voter in court.voters},
        calls=len(votes),
    )
    return await _debate(verdict, case, court) if held else verdict


async def _bearing(case: Case, court: Court) -> Bearing:
    """Return how the evidence bears on the result, where the gate asks for it and there is a check."""
    if not court.settings.enabled or court.settings.gate not in EVIDENCE or court.carrying is None:
        return UNASKED
    # In a thread, because the check may be a model.
    return await asyncio.to_thread(court.carrying.bearing, case.evidence)


async def _debate(before: Verdict, case: Case, court: Court) -> Verdict:
    """Hear both sides and judge again, with the arguments that hold."""
    speeches: list[Speech] = []
    final: dict[str, Judgment] = {}
    why, paid = before.why, before.usage
    try:
        await _hear(case, court, speeches)
        heard = tuple((speech.role, _weighed(speech)) for speech in speeches if speech.kept is not None)
        if heard:
            for judge in court.roles.judges:
                final[judge.name] = await judge.reasoner.judge(_judge_request(case, heard))
        else:
            why += "; no argument held, so none moves the value"
    except BudgetExceeded as error:
        paid = paid + usage_of(error) + _cost(final.values())
        final.clear()
        why += f"; the budget ended the debate, so the cheap value stands ({error.what})"
    except ReasonerError as error:
        heard_out = _cost(speech.argument for speech in speeches) + _cost(final.values())
        charge(error, paid + usage_of(error) + heard_out)
        raise
    spent = paid + _cost(speech.argument for speech in speeches) + _cost(final.values())
    after = replace(
        before, vote=majority(list(before.first.values()), speeches), debated=True, why=why,
        transcript=tuple(speeches), usage=spent, calls=before.calls + len(speeches) + len(final),
    )  # fmt: skip
    if not final:
        return after
    raw = {name: judgment.value for name, judgment in final.items()}
    return replace(
        after, value=court.value_of(raw), raw=raw, reasons=next(iter(final.values())).reasons,
        confidence=median([judgment.confidence for judgment in final.values()]),
    )  # fmt: skip


async def _hear(case: Case, court: Court, speeches: list[Speech]) -> None:
    """Let both sides speak in turn; who begins is drawn, since judges favour a place in the order.

    A round after the first in which neither side brings a new quote that holds is the last.
    """
    order = [("proponent", court.roles.proponent), ("opponent", court.roles.opponent)]
    if court.rng.random() < 0.5:
        order.reverse()
    most = max(d.trust for _, d in order)
    known: set[tuple[str, str]] = set()
    for number in range(court.settings.rounds):
        fresh = False
        for side, debater in order:
            speech = await _speak(case, court, side, debater, speeches, most)
            speeches.append(speech)
            new = {(c.passage_id, c.quote) for c in speech.kept.citations} if speech.kept else set()
            fresh = fresh or bool(new - known)
            known |= new
        if number and not fresh:
            return


async def _speak(
    case: Case, court: Court, side: str, debater: Debater, speeches: Sequence[Speech], most: float
) -> Speech:
    request = ArgueRequest(
        task=case.task,
        side="proponent" if side == "proponent" else "opponent",
        idea=case.idea,
        result=case.result,
        expected=case.expected,
        evidence=case.evidence,
        rho=case.rho,
        heard=tuple(speech.argument.text for speech in speeches),
    )
    came = case.origins
    request = sourced(
        request, task=came, idea=came, result=came, expected=came, evidence=came, heard=came
    )  # fmt: skip
    argument = await debater.reasoner.argue(request)
    # In a thread, because the check may be a model.
    kept = await asyncio.to_thread(verified, argument, case.evidence, side=side, carrying=court.carrying)
    return Speech(side, debater.name, argument, kept, debater.trust / most if most > 0 else 1.0)


def _weighed(speech: Speech) -> Argument:
    """Return a kept argument with its strength scaled by how far its speaker is trusted."""
    assert speech.kept is not None
    return replace(speech.kept, strength=speech.kept.strength * speech.weight)


def majority(first: Sequence[float], speeches: Sequence[Speech]) -> float:
    """Return the vote in [0, 1]: the median of first values, proponents' and (1 − opponents') strengths."""
    voices = [
        speech.argument.strength if speech.role == "proponent" else 1.0 - speech.argument.strength
        for speech in speeches
    ]
    return median([*first, *voices])


def _judge_request(case: Case, arguments: tuple[tuple[str, Argument], ...] = ()) -> JudgeRequest:
    request = JudgeRequest(
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
    came = case.origins
    return sourced(
        request, task=came, idea=came, result=came, expected=came, evidence=came, arguments=came,
        lessons=came, rubric=came, others=NOWHERE,
    )  # fmt: skip
