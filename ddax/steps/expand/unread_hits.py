"""The reading of what was found, where a model plans nothing and nothing was read.

A model that is shown the beginnings of the documents may hold the question for settled; but what nobody
has read cannot be quoted, and of it nobody can say that it holds no answer. It costs no plan.
"""

from __future__ import annotations

from collections.abc import Iterable

from ddax.graph.services import Session
from ddax.graph.state import State
from ddax.reasoning.budget import FREE
from ddax.steps.findings.gather import asked, evidence, found, task_text, visited
from ddax.types import ActionCall, Idea, Proposal
from ddax.wording import gist

FIRST = 3
"""Documents that are read at most: those that were found first."""
IDLE = frozenset({"save", "think"})
"""Actions that bring nothing to be read."""
ABOUT = 120
"""Characters of the task that a reading names."""


def idle(proposals: Iterable[Proposal]) -> bool:
    """Tell whether a plan brings nothing to be read: it is empty, or only notes and thinks."""
    return all(p.action is not None and p.action["name"] in IDLE for p in proposals)


async def unread(state: State, session: Session, parent: Idea) -> tuple[Proposal, ...]:
    """Return what reads where a plan does not: visits of what was found first."""
    if parent["status"] != "open" or session.reasoner.name in FREE or state["work"].get("code"):
        return ()
    if "visit" not in session.actions or visited(state["ideas"], state["work"]["root"]):
        return ()
    return await _visits(state, session) if "look" not in session.actions else ()


async def _visits(state: State, session: Session) -> tuple[Proposal, ...]:
    """Return a visit for each document that was found first; none where there is something to quote."""
    if await evidence(state, session, asked(state["work"])):
        return ()
    hits = await found(state, session)
    titles = {hit.source: hit.title for hit in reversed(hits)}
    sources = [source for source in dict.fromkeys(hit.source for hit in hits) if source]
    about = gist(await task_text(state, session), ABOUT)
    return tuple(
        Proposal(
            f"read: {titles[source] or source}",
            expected=f"What it says about: {about}",
            action=ActionCall(name="visit", args={"source": source}, intent=about),
        )
        for source in sources[:FIRST]
    )
