"""Tasks without anything to read: a model does them from what it knows, in one call."""

from __future__ import annotations

from ddax.actions.registry import BUILT_IN
from ddax.graph.ports import Acts, Asks
from ddax.graph.services import Session
from ddax.graph.state import State
from ddax.ideas import dag, grow
from ddax.ideas.idea import Patch
from ddax.reasoning.budget import FREE
from ddax.steps.findings.gather import read_pages
from ddax.types import NO_PARENT, Idea


def nothing_to_read(session: Acts) -> bool:
    """Tell whether there are no sources, no web to search, no world and no actions but our own."""
    return not session.reads and session.world is None and set(session.actions) <= set(BUILT_IN)


def may_know(session: Asks) -> bool:
    """Tell whether a model is there that may answer with what it knows."""
    return session.reasoner.name not in FREE and session.settings.knowledge != "forbid"


async def all_own(state: State, session: Session) -> bool:
    """Tell whether an answer is all the model's own: there was nothing to read, and nothing was."""
    return may_know(session) and nothing_to_read(session) and not await read_pages(state, session)


def at_once(state: State, session: Session, parent: Idea, mode: str) -> Patch | None:
    """Return the patch that has a task answered at once; None where it is to be planned.

    The answer is the merge of a plan without steps, so that a task which one call settles costs one.
    """
    if mode or parent["parent"] != NO_PARENT or state["work"].get("code"):
        return None
    if not (may_know(session) and nothing_to_read(session)) or dag.children(state["ideas"], parent["id"]):
        return None
    return grow.expansion(state["ideas"], parent, (), step=state["step"])
