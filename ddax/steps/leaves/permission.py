"""Whether a leaf action may run: what the policy says of its arguments and of who decided on it.

What a human let pass is bound to the exact arguments by their hash, or holds for all
actions of a name for one task; both are rows of the log of approvals.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel

from ddax.actions.policy import WAYS_OUT, Permission, Reach, Standing, permit, reach_of
from ddax.actions.protocol import Action, ActionResult
from ddax.errors import ActionError
from ddax.graph.ports import Acts, Remembers
from ddax.graph.services import Session
from ddax.ideas.calls import content_of
from ddax.ideas.origins import (
    MODEL,
    NOWHERE,
    PRIVATE,
    TOOL,
    UNTRUSTED,
    Origins,
    join,
    kind_of,
    of_record,
    of_source,
    quoted,
    trace,
)
from ddax.memory.protocol import MANY
from ddax.steps.accounts.leaf_ledger import RESULTS
from ddax.steps.accounts.long_arguments import whole
from ddax.types import ActionCall, JsonDict

APPROVALS = "approvals"
ANY = "any arguments"
"""The content of an approval that holds for all actions of a name."""


@dataclass(frozen=True)
class Asked:
    """An action as the policy sees it, with its ruling; `arguments` are the origins of its arguments."""

    reach: Reach
    arguments: Origins
    permission: Permission

    @property
    def outward(self) -> bool:
        """Whether others could see that it was done."""
        return self.reach in WAYS_OUT


@dataclass(frozen=True)
class Held:
    """A call that waits for a human, and why; `stowed` is how it stands in state.

    `more` goes into the question, and `usage` is what its leaf has cost so far.
    """

    reason: str
    seen: Asked
    call: ActionCall
    stowed: ActionCall
    more: JsonDict = field(default_factory=dict)
    usage: JsonDict = field(default_factory=dict)


async def asked(
    call: ActionCall, session: Session, *, task: str, before: Iterable[str], protect: bool
) -> Asked:
    """Ask the policy about a call of a task whose planner had read `before`."""
    action = session.actions[call["name"]]
    try:
        arguments = session.actions.arguments(call)
    except ActionError:  # it fails when it is executed, which says what is wrong
        return Asked("none", NOWHERE, permit("none", ()))
    reach = reach_of(action.effect, inside=action.stays_inside(session.library, arguments))
    if reach not in WAYS_OUT:
        return Asked(reach, NOWHERE, permit(reach, (), standing=_set(call["name"], session)))
    context = join({MODEL}, before)
    given = await _origins(action, arguments, session, task=task, context=context)
    standing = await _standing(call["name"], session, task)
    protect = protect and not action.told  # what the user asked for at the start is not taken back
    return Asked(reach, given, permit(reach, given, context, protect=protect, standing=standing))


async def approved(
    session: Session, *, task: str, leaf: str, call: ActionCall, turn: str = ""
) -> list[JsonDict]:
    """Return the approvals of a leaf, or of a call in it, that are bound to exactly these arguments."""
    rows = await session.memory.rows(APPROVALS, leaf=leaf, task=task)
    bound = content_of(await whole(call, session))
    here = (row for row in rows if row.get("turn", "") == turn)
    return [row for row in here if row["approved"] and row.get("content") == bound]


async def said_of(session: Remembers, *, task: str, leaf: str, turn: str) -> JsonDict | None:
    """Return the last word of a human on a call in a leaf of several turns; None where there is none."""
    rows = await session.memory.rows(APPROVALS, leaf=leaf, task=task, turn=turn)
    return rows[-1] if rows else None


async def approve(
    session: Session,
    *,
    task: str,
    leaf: str,
    call: ActionCall,
    passed: bool,
    step: int,
    for_run: bool = False,
    turn: str = "",
) -> None:
    """Keep what a human said of a leaf's action with these arguments, and of all of its name if told so.

    Of a call in a leaf of several turns the arguments are kept too: they may be those the human wrote.
    """
    bound = content_of(await whole(call, session))
    row = {"task": task, "leaf": leaf, "approved": passed, "step": step, "content": bound}
    row |= {"turn": turn, "args": call["args"]} if turn else {}
    await session.memory.log(APPROVALS, row, key=f"{task}:{leaf}:{step}")
    if for_run and passed:
        every = {
            "task": task,
            "leaf": "",
            "approved": True,
            "step": step,
            "content": ANY,
            "name": call["name"],
        }
        await session.memory.log(APPROVALS, every, key=f"{task}:every:{call['name']}")


def brought(action: Action | None, call: ActionCall, result: ActionResult | None) -> Origins:
    """Return where the result of an action, or its failure, comes from."""
    if action is None:
        return NOWHERE
    if action.brings:
        return frozenset(action.brings)
    if result is None:
        source = call["args"].get("source")
        return of_source(source) if isinstance(source, str) and action.effect != "none" else NOWHERE
    sources = [*result.sources, *(hit.source for hit in result.hits), *(page.source for page in result.pages)]
    read = join(*map(of_source, sources), *(of_record(r) for r in result.records if _says(r.source, r.meta)))
    return read if read or action.effect == "none" else frozenset({TOOL + action.name})


def _says(source: str, meta: Mapping[str, object]) -> bool:
    return bool(source) or "origins" in meta


async def _origins(
    action: Action, arguments: BaseModel, session: Session, *, task: str, context: Origins
) -> Origins:
    """Return the origins of the arguments that are sent; a call without any says nothing of the user's."""
    from ddax.steps.findings.gather import whole_text

    given = {
        name: value
        for name, value in arguments.model_dump(mode="json").items()
        if name not in action.unsent and value != type(arguments).model_fields[name].default
    }
    told = "\n".join([await whole_text(session, task), *session.settings.sources])
    hidden = any(kind_of(name) in PRIVATE for name in context)
    public = await _public(session, task) if hidden else {}
    found = [trace(value, told=told, public=public, context=context) for value in given.values()]
    others = _described(session, action)
    named = [quoted(value, told=told, texts=others) for value in given.values()]
    return join(*found, *named) or frozenset({MODEL})


def _described(session: Acts, called: Action) -> dict[str, str]:
    """Return what others say of their tools, by the tool; who is called knows what it said itself."""
    return {
        TOOL + name: "\n".join([action.doc, action.about or "", json.dumps(action.own_schema, default=str)])
        for name, action in session.actions.items()
        if action.described and action.described != called.described
    }


async def _public(session: Remembers, task: str) -> dict[str, str]:
    """Return what this task has read that is no secret: texts by their origin."""
    rows = await session.memory.rows(RESULTS, task=task, limit=MANY)
    ids = [str(item) for row in rows for item in row.get("evidence", ())]
    texts: dict[str, str] = {}
    for record in await session.memory.get(ids):
        for name in of_record(record):
            if kind_of(name) in UNTRUSTED - PRIVATE:
                texts[name] = f"{texts.get(name, '')}\n{record.source}\n{record.text}"
    return texts


def _set(name: str, session: Acts) -> Standing:
    """Return what the settings, or the words a run was started with, say of all actions of a name."""
    words = session.settings.actions
    if name in words.deny:
        return "deny"
    if name in words.ask:
        return "ask"
    return "allow" if name in words.allow or session.actions[name].told else ""


async def _standing(name: str, session: Session, task: str) -> Standing:
    """Return what the settings, or a human for this task, said of all actions of a name."""
    standing = _set(name, session)
    if standing:
        return standing
    rows = await session.memory.rows(APPROVALS, task=task, content=ANY)
    return "allow" if any(row.get("name") == name for row in rows) else ""
