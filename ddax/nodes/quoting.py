"""Whether quotes stand where they are said to: a reasoner is not taken at its word. No node of its own."""

from __future__ import annotations

from dataclasses import replace

from ddax.debate.quotes import is_verbatim
from ddax.graph.services import Session
from ddax.graph.state import State
from ddax.nodes.gather import as_passage
from ddax.reasoning.protocol import MergeRequest, Synthesis


async def synthesis(state: State, request: MergeRequest, session: Session) -> Synthesis:
    """Ask for a synthesis; what it cites without standing there is left out."""
    reply = await session.metered(state["work"]["id"], state.get("usage", {})).merge(request)
    return await verbatim(reply, session)


async def verbatim(reply: Synthesis, session: Session) -> Synthesis:
    """Return a synthesis without the citations whose quote does not stand in the stored row they name."""
    if not reply.citations:
        return reply
    rows = await session.memory.get(list(dict.fromkeys(c.passage_id for c in reply.citations)))
    read = [as_passage(row, 1.0) for row in rows]
    held = tuple(citation for citation in reply.citations if is_verbatim(citation, read))
    return reply if len(held) == len(reply.citations) else replace(reply, citations=held)
