"""The first step of a question over the user's own documents: a search for it, before a model plans.

A plan made blind can hardly be anything else; with the titles of what was found a model
plans the reading at once. It costs no call.
"""

from __future__ import annotations

from ddax.actions.registry import BUILT_IN
from ddax.graph.services import Session
from ddax.graph.state import State
from ddax.ideas.idea import TITLE_BYTES, clip
from ddax.reasoning.budget import FREE
from ddax.reasoning.protocol import GO_ON, Expansion
from ddax.steps.findings.gather import task_text
from ddax.steps.findings.quick_road import is_quick
from ddax.types import NO_PARENT, ActionCall, Idea, Proposal
from ddax.wording import gist

QUERY_CHARS = 300


async def first_search(state: State, session: Session, parent: Idea, mode: str) -> Expansion | None:
    """Return a search for the task and what goes on from it; None where a model is to plan.

    It is where the task is no question over local documents alone: where there are other actions, other
    places to search, or code to repair.
    """
    settings = session.settings
    if is_quick(state["work"]):
        return None
    if mode or parent["parent"] != NO_PARENT or session.reasoner.name in FREE:
        return None
    if not settings.models.first_search or set(session.actions) != set(BUILT_IN) or state["work"].get("code"):
        return None
    if settings.web.search or not settings.sources or any("://" in source for source in settings.sources):
        return None
    task = await task_text(state, session)
    query = gist(task, QUERY_CHARS)
    call = ActionCall(name="search", args={"query": query}, intent="what bears on the task")
    search = Proposal(clip(f"search for {task}", TITLE_BYTES), expected=f"Documents on {query}", action=call)
    # It needs nothing of the search, so that a model still plans where the search finds nothing.
    return Expansion((search, Proposal(GO_ON, expected=query)))
