"""The node `evaluate`: give each outcome of the step its value by debate, and back it up the DAG.

It also gives up ideas that can no longer run because all they need has failed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from ddax.debate.gate import Gate
from ddax.debate.records import Verdict
from ddax.debate.verdict import Case, evaluate_outcome
from ddax.errors import BudgetExceeded, ReasonerError
from ddax.graph.ports import Remembers
from ddax.graph.services import Session
from ddax.graph.state import Outcome, State, Update
from ddax.ideas import dag, grow
from ddax.ideas.idea import Ideas, apply_patches
from ddax.ideas.origins import Origins, join
from ddax.reasoning.budget import usage_of
from ddax.reasoning.protocol import JudgeRequest, Judgment
from ddax.reasoning.sourced import FIXED, TOLD, of_passages, sourced
from ddax.steps.accounts.ceremonies import Chance, holds
from ddax.steps.accounts.judges import DEBATES, bench, judging, of_rubric
from ddax.steps.accounts.participants import hear
from ddax.steps.choices.frontier import inherited_q
from ddax.steps.choices.learned_rules import familiar, planned
from ddax.steps.evaluate.reading_together import read_together
from ddax.steps.evaluate.side_by_side import side_by_side
from ddax.steps.findings.gather import as_passage, of_chain, of_lessons, task_text, usage_row
from ddax.steps.findings.value_needed import doubted, estimates, ordering, share_of, told
from ddax.types import Idea, JsonDict, Passage, Usage


@dataclass(frozen=True)
class Brief:
    """What the judges of a step go by: the task, lessons, criteria, what was read, and what rules planned.

    `learned` and `criteria` are where lessons and rubric come from.
    """

    text: str
    lessons: Sequence[str] = ()
    rubric: tuple[str, ...] = ()
    read: Mapping[str, tuple[Passage, ...]] = field(default_factory=dict)
    plans: Mapping[str, JsonDict] = field(default_factory=dict)
    learned: Origins = FIXED
    criteria: Origins = FIXED


async def evaluate(state: State, *, session: Session) -> Update:
    """Value the outcomes of this step and update Q and N of their ancestors."""
    read = await read_together(state, session)
    state = _after(state, read)
    ideas, outcomes = state["ideas"], state.get("outcomes", {})
    # A verification that settled nothing says nothing about the worth of its branch.
    told = (idea_id for idea_id in outcomes if outcomes[idea_id].get("relation") != "neutral")
    order = sorted(told, key=dag.sort_key)
    brief = await _brief(state, session, [idea_id for idea_id in order if _has_worth(outcomes[idea_id])])
    await session.ahead.done()
    cheap = await _cheap(state, session, brief, but=ordering(state, session, brief.read))
    left = {i: verdict for i, verdict in cheap.items() if not _doubted(state, session, i, verdict, brief)}
    first, lost = await side_by_side(state, session, _open(state, brief, left))
    # No verdict hangs on another of its step, and a model answers several requests at once.
    asked = (_judge(state, session, outcomes[i], brief, cheap=left.get(i), first=first.get(i)) for i in order)
    judged = dict(zip(order, await asyncio.gather(*asked, return_exceptions=True), strict=True))
    given, failures, spent = _sorted_out(judged)
    verdicts = {idea_id: _row(verdict, ideas, ideas[idea_id]) for idea_id, verdict in given.items()}
    # Rows that are written beside each other share one transaction, in this order.
    await asyncio.gather(*(_keep(state, session, idea_id, verdict) for idea_id, verdict in given.items()))
    for idea_id, verdict in given.items():
        await hear(state, session, outcomes[idea_id], verdict)
    patch = grow.backpropagate(ideas, [(i, v["value"]) for i, v in verdicts.items()])
    return {
        **read,
        "ideas": apply_patches(read.get("ideas", {}), [grow.give_up(ideas, state["work"]["root"], patch)]),
        "verdicts": verdicts,
        "failures": {**read.get("failures", {}), **failures},
        "usage": usage_row(spent + lost + Usage.of_row(read.get("usage", {}))),
    }


def _after(state: State, read: Update) -> State:
    """Return the state in which the pages of this step were read."""
    if not read:
        return state
    ideas = apply_patches(state["ideas"], [read["ideas"]])
    return State(**{**state, "ideas": ideas, "outcomes": {**state["outcomes"], **read["outcomes"]}})


def _doubted(state: State, session: Session, idea: str, cheap: Verdict, brief: Brief) -> bool:
    return doubted(state, session, state["outcomes"][idea], cheap, brief.read[idea])


def _open(state: State, brief: Brief, left: Mapping[str, Verdict]) -> dict[str, JudgeRequest]:
    """Return the requests for the first values of outcomes that only a model can value."""
    ideas, rho = state["ideas"], float(state["mind"]["rho"])
    return {
        i: _estimated(ideas, state["outcomes"][i], brief, evidence, rho)
        for i, evidence in brief.read.items()
        if i not in left
        and not state["outcomes"][i].get("settles")
        and familiar(state, brief.plans, ideas[i]) is None
    }


async def _brief(state: State, session: Session, worth: Sequence[str]) -> Brief:
    """Return what these outcomes are judged by; where none is of worth, nothing is looked for."""
    text = await task_text(state, session)
    if not worth:
        return Brief(text)
    # Here, once: verdicts beside each other would each fit the maps.
    row = await judging(state, session, text)
    rubric = tuple(row["rubric"])
    lessons: Sequence[str] = ()
    if session.settings.rules.lessons:
        lessons = await session.memory.lessons(text[:2000], kind="value", now=state["work"]["opened"])
    read = await _evidence(state["ideas"], worth, session)
    learned = await of_lessons(state, session, lessons) if lessons else FIXED
    criteria = await asyncio.to_thread(of_rubric, row)  # it reads the shipped rubric from its file
    return Brief(text, lessons, rubric, read, await planned(state, session), learned, criteria)


def _sorted_out(
    judged: Mapping[str, Verdict | BaseException],
) -> tuple[dict[str, Verdict], dict[str, JsonDict], Usage]:
    """Return the verdicts, why others could not be had, and what all of it cost."""
    given: dict[str, Verdict] = {}
    failures: dict[str, JsonDict] = {}
    spent = Usage()
    for idea_id, verdict in judged.items():
        if isinstance(verdict, BudgetExceeded | ReasonerError):
            # An outcome that could not be judged has no value; a made-up one would mislead the search.
            cause = {"idea": idea_id, "title": "evaluate", "cause": str(verdict)[:300]}
            failures[f"{idea_id}:verdict"] = cause
            spent = spent + usage_of(verdict)
        elif isinstance(verdict, BaseException):
            raise verdict
        else:
            spent = spent + verdict.usage
            given[idea_id] = verdict
    return given, failures, spent


async def _keep(state: State, session: Remembers, idea_id: str, verdict: Verdict) -> None:
    """Write a verdict into the log of this task."""
    row = {"task": state["work"]["id"], "idea": idea_id, "step": state["step"], **verdict.row()}
    await session.memory.log(DEBATES, row, key=f"{state['work']['id']}:{idea_id}:{state['step']}")


def _has_worth(outcome: Outcome) -> bool:
    """Tell whether a judge is to be asked: a failed leaf is worth nothing."""
    return outcome["ok"] or outcome["action"] == "merge"


async def _judge(
    state: State,
    session: Session,
    outcome: Outcome,
    brief: Brief,
    *,
    cheap: Verdict | None,
    first: Judgment | None,
) -> Verdict:
    """Return the verdict on one outcome; `first` is what a judge of several results said."""
    if not _has_worth(outcome):
        return Verdict.failure(outcome["text"])
    if outcome.get("settles"):
        return Verdict.settled(outcome["text"])
    known = familiar(state, brief.plans, state["ideas"][outcome["idea"]])
    if known is not None:
        return known
    if cheap is not None:
        return cheap
    idea = state["ideas"][outcome["idea"]]
    court = await bench(state, session, brief.text, idea=idea["id"])
    evidence = brief.read.get(idea["id"], ())
    case = Case(
        task=brief.text, idea=idea["title"], result=outcome["text"], expected=outcome["expected"],
        evidence=evidence, rho=float(state["mind"]["rho"]), lessons=tuple(brief.lessons), rubric=court.rubric,
        origins=join(
            TOLD, of_chain(state["ideas"], idea), of_passages(evidence), brief.learned, brief.criteria
        ),
        said=first,
    )  # fmt: skip
    return await evaluate_outcome(
        case,
        court.present,
        settings=session.settings.debate,
        rng=session.rng(state["step"], outcome["idea"], "debate"),
        fixed=court.fixed,
        check=session.check,
        correct=court.correct,
        admit=lambda gate, calls: _admits(state, session, outcome["idea"], brief, gate, calls),
    )


def _admits(state: State, session: Session, idea: str, brief: Brief, gate: Gate, calls: int) -> bool:
    """Tell whether a debate is worth its price: arguments may move a value over a side, or none may."""
    settings = session.settings.debate
    held = holds(
        state,
        session,
        Chance(
            "argue",
            idea,
            change=gate.change,
            stakes=share_of(state, state["ideas"]),
            characters=told(state, idea, brief.read.get(idea, ())),
            calls=calls,
            needed=gate.opens and settings.gate == "always",
            why=gate.why,
        ),
    )
    return gate.opens and held


async def _cheap(state: State, session: Session, brief: Brief, *, but: Sequence[str]) -> dict[str, Verdict]:
    """Return what outcomes of worth are valued without a model, by what was read for them."""
    ideas, outcomes = state["ideas"], state["outcomes"]
    rho = float(state["mind"]["rho"])
    requests = {
        idea_id: _estimated(ideas, outcomes[idea_id], brief, evidence, rho)
        for idea_id, evidence in brief.read.items()
        if idea_id not in but
    }
    if not requests:
        return {}
    return await estimates(requests, outcomes, session)


def _estimated(
    ideas: Ideas, outcome: Outcome, brief: Brief, evidence: tuple[Passage, ...], rho: float
) -> JudgeRequest:
    idea = ideas[outcome["idea"]]
    came = of_chain(ideas, idea)
    return sourced(
        JudgeRequest(
            brief.text, idea["title"], outcome["text"], outcome["expected"], evidence,
            lessons=tuple(brief.lessons), rubric=brief.rubric, rho=rho,
        ),
        task=TOLD, idea=came, result=came, expected=came, evidence=of_passages(evidence), arguments=FIXED,
        lessons=brief.learned, rubric=brief.criteria, others=FIXED,
    )  # fmt: skip


async def _evidence(
    ideas: Mapping[str, Idea], worth: Sequence[str], session: Remembers
) -> dict[str, tuple[Passage, ...]]:
    """Return what was read for each of these ideas; all of it is asked for at once."""
    cited = {idea_id: ideas[idea_id].get("evidence", []) for idea_id in worth}
    records = await session.memory.get([*dict.fromkeys(chain.from_iterable(cited.values()))])
    known = {r.id: as_passage(r, 1.0) for r in records if r.memory_type == "observation"}
    return {idea_id: tuple(known[i] for i in ids if i in known) for idea_id, ids in cited.items()}


def _row(verdict: Verdict, ideas: dict[str, Idea], idea: Idea) -> JsonDict:
    """Return the short form for state, with the Q that was believed before."""
    known = any(a["N"] > 0 for a in [idea, *dag.ancestors(ideas, idea["id"])])
    row: JsonDict = {
        "value": round(verdict.value, 6),
        "cheap": round(verdict.cheap, 6),
        "vote": round(verdict.vote, 6),
        "confidence": round(verdict.confidence, 6),
        "debated": verdict.debated,
        "before": round(inherited_q(ideas, idea), 6) if known else None,
    }
    return row | {"estimated": True} if verdict.estimated else row
