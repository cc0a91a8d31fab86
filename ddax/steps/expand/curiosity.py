"""EXPLORE's curiosity question: one search for what nobody has asked yet."""

from __future__ import annotations

from dataclasses import replace

from ddax.errors import BudgetExceeded, ReasonerError
from ddax.graph.ports import Acts
from ddax.graph.services import Session
from ddax.graph.state import State
from ddax.ideas import dag
from ddax.ideas.idea import clip
from ddax.ideas.origins import NOWHERE, Origins
from ddax.metacognition.effects import effects_of
from ddax.reasoning.budget import usage_of
from ddax.reasoning.protocol import AskRequest, Expansion
from ddax.reasoning.sourced import FIXED, of_passages, of_request, sourced
from ddax.steps.accounts.ceremonies import Chance, holds
from ddax.steps.findings.gather import of_task, read_pages, task_text
from ddax.types import ActionCall, Proposal

CURIOUS = "curious: "
MAX_CURIOUS = 2
"""Curiosity questions of one task."""
NEW = 0.25
"""Chance that a search for what nobody has asked brings something the answer rests on."""
SITUATION = (
    "Nothing surprises any more. Ask the one question about the subject that nobody has asked yet and that "
    "could show the task in a new light; it will be searched for in the sources."
)


async def with_curiosity(state: State, session: Session, reply: Expansion) -> tuple[Expansion, Origins]:
    """Add to an expansion the search for a curiosity question, where the mood explores.

    Returned with it is where that question comes from.
    """
    if not _due(state, session):
        return reply, NOWHERE
    request = await _request(state, session)
    if not _is_worth(state, session, request):
        return reply, NOWHERE
    try:
        question = await session.metered(state["work"]["id"], state.get("usage", {})).ask(request)
    except (BudgetExceeded, ReasonerError) as error:  # what is planned, and paid for, goes on without it
        return replace(reply, usage=reply.usage + usage_of(error)), NOWHERE
    children = (*reply.children, _leaf(question.text))
    return replace(reply, children=children, usage=reply.usage + question.usage), of_request(request)


def _is_worth(state: State, session: Session, request: AskRequest) -> bool:
    """Tell whether a question is worth its price: the less is found, the more it may bring."""
    root = state["work"]["root"]
    told = sum(len(passage.text) for passage in request.evidence) + len(request.task)
    missing = 1 - max((idea["Q"] for idea in dag.subtree(state["ideas"], root)), default=0.0)
    return holds(
        state,
        session,
        Chance(
            "curiosity", root, change=NEW, stakes=missing, characters=told, why="nothing surprises any more"
        ),
    )


async def _request(state: State, session: Session) -> AskRequest:
    known = await read_pages(state, session)
    request = AskRequest(await task_text(state, session), SITUATION, (), known, kind="curiosity")
    return sourced(request, task=of_task(state), situation=FIXED, options=FIXED, evidence=of_passages(known))


def _due(state: State, session: Acts) -> bool:
    mood = state.get("mood", {})
    fresh = mood.get("step") == state["step"] - 1
    steer = effects_of(mood, session.settings.mood, human=session.settings.human)
    if not fresh or not steer.curious or not session.reads or "search" not in session.actions:
        return False
    task = dag.subtree(state["ideas"], state["work"]["root"])
    return sum(1 for idea in task if idea["title"].startswith(CURIOUS)) < MAX_CURIOUS


def _leaf(question: str) -> Proposal:
    text = clip(" ".join(question.split()), 300)
    call = ActionCall(name="search", args={"query": text}, intent=CURIOUS + text)
    return Proposal(CURIOUS + text[:100], expected=f"Documents about {text[:200]}", prior=0.5, action=call)
