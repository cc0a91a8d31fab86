"""The quick road: search and read without a model, then ask it once over what was read.

Searches, reads and the choice of passages cost nothing, and find both documents of most two-hop questions.
So a question over the user's own documents is put to a model once, at the merge of the root. It plans where
that call was not enough: it says that something is missing, or few of its sentences are carried. The
setting `effort` says how far to go: `quick` ends there, `deep` lets the model plan at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from ddax.actions.registry import BUILT_IN
from ddax.graph.ports import Asks
from ddax.graph.services import Session
from ddax.graph.state import State, Work
from ddax.ideas import dag, grow
from ddax.ideas.idea import Ideas, Patch
from ddax.ideas.requirements import without_wording
from ddax.reasoning.budget import FREE
from ddax.reasoning.followup import meant
from ddax.reasoning.protocol import ExpandRequest, ExtractRequest, Finding, MergeRequest, Synthesis
from ddax.reasoning.sourced import FIXED, of_request, sourced
from ddax.steps.accounts.ceremonies import Chance, holds
from ddax.text.chunks import sentences
from ddax.types import Idea, Passage, Proposal
from ddax.wording import gist

R = TypeVar("R", ExpandRequest, MergeRequest)
QUICK, PLANNED = "quick", "planned"
MISSING = "find what the documents read so far do not say"
"""The title of the idea that a model plans where one call was not enough."""
CHECKED = "what a reading without a model gives, to be checked"
"""The title of the one finding that a model gets on the quick road."""
NOTHING = "nothing that answers"
"""What that reading gives where its support is too weak."""
ASKED = 600
"""Characters of a task that are searched for and read for without a model: of a longer one both ends."""
GOING_ON = 4
"""Calls that a plan for what is missing takes, at least: the plan, a reading, a judge, a synthesis."""
CLAIMS = 40
"""Claims by which passages are put in order."""


def starts_quick(session: Session, code: str) -> bool:
    """Tell whether a task takes the quick road: it can only be a question over local documents."""
    settings = session.settings
    local = settings.sources and not any("://" in source for source in settings.sources)
    asked = bool(local) and set(session.actions) == set(BUILT_IN) and not settings.web.search and not code
    allowed = settings.effort != "deep" and settings.models.first_search
    return asked and allowed and session.reasoner.name not in FREE


def is_quick(work: Work) -> bool:
    """Tell whether a task is on the quick road, where a model is asked for nothing but the answer."""
    return work.get("road") == QUICK


def plain(request: R) -> R:
    """Return a request as the reasoner without a model takes it.

    It would look for demands in the sources, and cannot look back at the turn before.
    """
    return replace(request, task=_asked(without_wording(meant(request.task, request.earlier))))


def _asked(task: str) -> str:
    """Return a task, or of a long one the questions at its beginning and its end; without any both ends."""
    short = gist(task, ASKED)
    if short == task:
        return task
    lines = [short[span.start : span.end] for span in sentences(short)]
    return " ".join(line for line in lines if line.endswith("?")) or short


async def for_one_call(request: MergeRequest, session: Session) -> tuple[MergeRequest, Synthesis]:
    """Return the final request with the passages that matter, and what a reading without a model gives.

    The request holds that reading, too. Findings and thoughts say what the passages say: they are left out.
    """
    read = await session.free.merge(plain(request))
    return await _request(request, read, session), read


async def _request(request: MergeRequest, read: Synthesis, session: Asks) -> MergeRequest:
    whole = replace(request, findings=(_checked(read),), thoughts=(), settling=True)
    room = session.settings.models.passages
    if sum(len(passage.text) for passage in request.evidence) <= room:
        return whole
    task, came = plain(request).task, of_request(request)
    asked = ExtractRequest(task, task, request.evidence, CLAIMS)
    asked = sourced(asked, task=came, intent=came, passages=came, others=FIXED)
    claims = (await session.free.extract(asked)).claims
    first = [*read.citations, *(claim.citation for claim in claims)]
    return replace(whole, evidence=chosen(request.evidence, [c.passage_id for c in first], room))


def _checked(read: Synthesis) -> Finding:
    if not read.found:
        return Finding("", CHECKED, "failed", NOTHING)
    return Finding("", CHECKED, "done", read.short or read.text, read.citations)


def chosen(evidence: Sequence[Passage], best: Iterable[str], room: int) -> tuple[Passage, ...]:
    """Return the passages that fit into so many characters, best first by their ids, in the order they had.

    The best one is always among them.
    """
    place = {passage_id: n for n, passage_id in enumerate(dict.fromkeys(best))}
    kept: set[str] = set()
    for passage in sorted(evidence, key=lambda passage: place.get(passage.id, len(place))):
        if not kept or len(passage.text) <= room:
            kept.add(passage.id)
            room -= len(passage.text)
    return tuple(passage for passage in evidence if passage.id in kept)


def goes_on(state: State, reply: Synthesis, session: Session) -> bool:
    """Tell whether the answer of the root was not enough, so that a model is to plan for what is missing."""
    work, settings = state["work"], session.settings
    if not is_quick(work) or settings.effort == "quick":
        return False
    if not reply.found:
        change, why = 1.0, "one call found no answer"
    elif reply.support < settings.debate.support:
        change, why = 1 - reply.support, "little of the answer is carried"
    else:
        change, why = 0.0, "the answer is carried by what was read"
    return holds(
        state,
        session,
        Chance(
            "plan", work["root"], change=change, characters=settings.models.passages, calls=GOING_ON, why=why
        ),
    )


def planned_on(ideas: Ideas, parent: Idea, *, step: int) -> Patch:
    """Return the patch that opens an idea for what is missing, under a root whose merge has ended."""
    wanted = Proposal(MISSING, expected=f"What is missing of: {parent['title']}")
    return grow.expansion(ideas, parent, [wanted], step=step)


def has_room(ideas: Ideas, work: Work, session: Session) -> bool:
    """Tell whether the caps leave room for an idea that is planned, and for what it plans."""
    budget = session.settings.budget
    return len(dag.subtree(ideas, work["root"])) + 4 <= budget.max_ideas and budget.max_depth >= 2
