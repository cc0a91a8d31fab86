"""The reading of what a search found, where a model plans nothing and nothing was read. No node of its own.

A model that is shown the beginnings of the documents may hold the question for settled; but what nobody
has read cannot be quoted, and of it nobody can say that it holds no answer. It costs no plan.
"""

from __future__ import annotations

from ddax.graph.services import Session
from ddax.graph.state import State
from ddax.nodes.gather import evidence, found, visited
from ddax.reasoning.budget import FREE
from ddax.types import ActionCall, Idea, Proposal

FIRST = 3
"""Documents that are read at most: those that were found first."""
ABOUT = 120
"""Characters of the task that a reading names."""


async def unread(state: State, session: Session, parent: Idea) -> tuple[Proposal, ...]:
    """Return a visit for each document that was found first; none where there is something to quote."""
    if parent["status"] != "open" or session.reasoner.name in FREE or "visit" not in session.actions:
        return ()
    work = state["work"]
    if session.world is not None or work.get("code") or visited(state["ideas"], work["root"]):
        return ()
    if await evidence(state, session, work["text"]):
        return ()
    hits = await found(state, session)
    titles = {hit.source: hit.title for hit in reversed(hits)}
    sources = [source for source in dict.fromkeys(hit.source for hit in hits) if source]
    about = work["text"][:ABOUT]
    return tuple(
        Proposal(
            f"read: {titles[source] or source}",
            expected=f"What it says about: {about}",
            action=ActionCall(name="visit", args={"source": source}, intent=about),
        )
        for source in sources[:FIRST]
    )
