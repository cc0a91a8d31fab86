"""Whether quotes stand where they are said to: a reasoner is not taken at its word."""

from __future__ import annotations

import json
from dataclasses import replace

from pydantic import ValidationError

from ddax.debate.quotes import is_verbatim
from ddax.errors import InvalidReply, told_fault
from ddax.graph.ports import Remembers
from ddax.graph.services import Session
from ddax.graph.state import State
from ddax.reasoning.budget import charge
from ddax.reasoning.protocol import MergeRequest, Synthesis
from ddax.steps.findings.gather import as_passage


async def synthesis(state: State, request: MergeRequest, session: Session) -> Synthesis:
    """Ask for a synthesis; what it cites without standing there is left out.

    One whose data the class of the caller refuses is asked for once more, with what is wrong.
    """
    reasoner = session.metered(state["work"]["id"], state.get("usage", {}))
    reply = await reasoner.merge(request)
    if fault := _refused(reply, request, session):
        first = reply.usage
        again = await reasoner.merge(replace(request, fault=fault))
        reply = replace(again, usage=first + again.usage)
        if fault := _refused(reply, request, session):
            raise _unfit(fault, reply)
    return await verbatim(reply, session)


def _refused(reply: Synthesis, request: MergeRequest, session: Session) -> str:
    """Return why the class that was asked for refuses an answer; "" where it takes it, or there is none."""
    made = session.forms.get(json.dumps(request.form, sort_keys=True)) if request.form else None
    if made is None or not reply.data:
        return ""
    try:
        made.model_validate(reply.data)
    except ValidationError as error:
        return told_fault(error.errors(include_url=False))
    return ""


def _unfit(fault: str, reply: Synthesis) -> InvalidReply:
    error = InvalidReply(
        "the answer does not fit the form that was asked for.",
        why=f"{fault}, also after it was asked for again.",
        mend="Try a more capable model, or a looser form.",
    )
    charge(error, reply.usage)
    return error


async def verbatim(reply: Synthesis, session: Remembers) -> Synthesis:
    """Return a synthesis without the citations whose quote does not stand in the stored row they name."""
    if not reply.citations:
        return reply
    rows = await session.memory.get(list(dict.fromkeys(c.passage_id for c in reply.citations)))
    read = [as_passage(row, 1.0) for row in rows]
    held = tuple(citation for citation in reply.citations if is_verbatim(citation, read))
    if len(held) == len(reply.citations):
        return reply
    place = {n: held.index(c) + 1 for n, c in enumerate(reply.citations, 1) if c in held}
    stated = (
        replace(one, citations=tuple(place[n] for n in one.citations if n in place)) for one in reply.stated
    )
    return replace(reply, citations=held, stated=tuple(stated))
