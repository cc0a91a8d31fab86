"""The first step of a task that costs no call: a search of the user's documents, or a look at the world.

A plan made blind can hardly be anything else. With the titles of what was found a model plans the reading
at once; with the elements of a page, the moves.
"""

from __future__ import annotations

from ddax.actions.registry import BUILT_IN
from ddax.environments.actions import LookArguments
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
LOOK = "look"


async def first_step(state: State, session: Session, parent: Idea, mode: str) -> Expansion | None:
    """Return a look or a search for the task, and what goes on from it; None where a model is to plan."""
    if mode or parent["parent"] != NO_PARENT or session.reasoner.name in FREE or is_quick(state["work"]):
        return None
    looks = getattr(session.actions.get(LOOK), "arguments", None) is LookArguments
    if not looks and not _is_searched(state, session):
        return None
    task = await task_text(state, session)
    about = gist(task, QUERY_CHARS)
    # The rest needs nothing of the first step, so that a model still plans where that brings nothing.
    if looks:
        look = ActionCall(name=LOOK, args={}, intent="what the task names")
        first = Proposal("look at what is there", expected=f"What is needed for: {about}", action=look)
        return Expansion((first, Proposal(clip(task, TITLE_BYTES), expected=about)))
    call = ActionCall(name="search", args={"query": about}, intent="what bears on the task")
    first = Proposal(clip(f"search for {task}", TITLE_BYTES), expected=f"Documents on {about}", action=call)
    return Expansion((first, Proposal(GO_ON, expected=about)))


def _is_searched(state: State, session: Session) -> bool:
    """Tell whether a task is a question over local documents alone, without code to repair."""
    settings = session.settings
    if not settings.models.first_search or set(session.actions) != set(BUILT_IN) or state["work"].get("code"):
        return False
    return bool(settings.sources) and not (
        settings.web.search or any("://" in source for source in settings.sources)
    )
