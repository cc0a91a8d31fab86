"""The node `protect`: restrict, and ask the human what waits to be asked.

Holds the only interrupt of the graph. Before it one row is kept, by key: the question, so that a
resumed run puts (and pays for) the same one. With nobody there it takes the conservative path: what waits for an approval is given up, and the run says so.
"""

from __future__ import annotations

from typing import Any, Literal

from langgraph.types import Overwrite, interrupt
from pydantic import BaseModel, ConfigDict, Field

from ddax.dynamics.rigidity import leave_protect, mark_asked
from ddax.dynamics.state import Mind
from ddax.errors import ReasonerError
from ddax.graph.services import Session
from ddax.graph.state import State, Update
from ddax.ideas import dag, grow
from ddax.ideas.idea import REASON_BYTES, Patch, apply_patches, clip, fitted
from ddax.memory.overrides import human_name
from ddax.nodes.answered import choice_of_run, choice_on, note_answer
from ddax.nodes.gather import task_text, usage_row
from ddax.reasoning.budget import usage_of
from ddax.reasoning.protocol import AskRequest
from ddax.types import Idea, JsonDict, Record

ASKED = "questions"
OPTIONS = ("go on", "veto", "stop")
REST, REST_OPTIONS = "rest", ("go on", "stop")
"""The question of a resting mood: not about one action, so there is nothing to veto but the run."""


class HumanAnswer(BaseModel):
    """What a human may answer: choose an option, edit an action's arguments, veto, or teach."""

    model_config = ConfigDict(extra="forbid")

    choice: Literal["go on", "veto", "stop"] = Field("go on", description="What to do.")
    arguments: dict[str, Any] | None = Field(None, description="Changed arguments of the action in question.")
    lesson: str = Field("", max_length=1000, description="What to remember from now on.")
    by: str = Field("human", min_length=1, max_length=300, description="Who answers; each has a standing.")


async def protect(state: State, *, session: Session) -> Update:
    """Ask once in this entry, or take the conservative path where nobody is there."""
    if not session.settings.human:
        return _conservative(state)
    question, cost = await _question(state, session)
    answer = HumanAnswer.model_validate(interrupt(question, response_schema=HumanAnswer))
    return {**await _apply(state, session, answer), **cost}


async def _question(state: State, session: Session) -> tuple[JsonDict, Update]:
    """Return the question with its options, and what it cost; after a resume it is the same one."""
    pending = state.get("questions", {})
    mind = state["mind"]
    situation = f"rigidity is {mind['rho']:.2f} after {mind['hot']} outcomes that were not expected"
    if pending and pending[_first(state)].get("kind") == REST:
        row = await _asked(state, session, str(pending[_first(state)]["text"]), REST_OPTIONS)
        question = {"idea": state["work"]["root"], "kind": REST, "text": row["text"]}
        return {**question, "options": list(REST_OPTIONS), "pending": len(pending)}, {"usage": row["usage"]}
    if pending:
        return {**pending[_first(state)], "options": list(OPTIONS), "pending": len(pending)}, {}
    row = await _asked(state, session, situation)
    question = {"idea": state["work"]["root"], "kind": "protect", "text": row["text"]}
    return {**question, "options": list(OPTIONS), "pending": 1}, {"usage": row["usage"]}


def _first(state: State) -> str:
    """Return the idea whose question is put now: one question, one answer."""
    return min(state["questions"], key=dag.sort_key)


async def _asked(state: State, session: Session, situation: str, options: tuple[str, ...] = OPTIONS) -> JsonDict:
    """Return the row of the question of this step, which is asked and paid for once.

    A node with an interrupt runs again when it is answered. A reasoner that fails must not keep the
    question from the human: the situation itself is put then.
    """
    work = state["work"]
    key = f"{work['id']}:{state['step']}"
    known = await session.memory.rows(ASKED, key=key)
    if known:
        return known[0]
    request = AskRequest(await task_text(state, session), situation, options)
    try:
        question = await session.metered(work["id"], state.get("usage", {})).ask(request)
        row = {"text": question.text, "usage": usage_row(question.usage)}
    except ReasonerError as error:
        row = {"text": f"The {situation}. How shall I go on?", "usage": usage_row(usage_of(error))}
    await session.memory.log(ASKED, {"key": key, **row}, key=key)
    return row


async def _apply(state: State, session: Session, answer: HumanAnswer) -> Update:
    """Turn the answer into patches of ideas, mind and memory."""
    pending = state.get("questions", {})
    settled = [_first(state)] if pending else []
    left = {i: question for i, question in pending.items() if i not in settled}
    update: Update = {"mind": dict(leave_protect(mark_asked(_mind(state)))), "questions": Overwrite(left)}
    work = state["work"]
    if answer.lesson:
        thought = Record(
            "internal_thought",
            answer.lesson,
            title="taught by a human",
            task=work["id"],
            step=state["step"],
            writer=human_name(answer.by),
            created=work["opened"],
            meta={"kind": "lesson"},
        )
        await session.memory.put([thought])
    await _note(state, session, answer)
    resting = [i for i in settled if pending[i].get("kind") == REST]
    if answer.choice == "stop" or (answer.choice == "veto" and resting):
        return {**update, "status": "stopped", "stop_reason": "a human stopped the run"}
    patch: Patch = {}
    for idea_id in (i for i in settled if i not in resting):
        patch |= await _settle(state, session, idea_id, answer)
    return {**update, "ideas": grow.give_up(state["ideas"], work["root"], patch)} if patch else update


async def _note(state: State, session: Session, answer: HumanAnswer) -> None:
    """Keep account of the answer: who was overridden, by whom, in what."""
    idea = _first(state) if state.get("questions") else ""
    if idea and "action" in state["ideas"][idea]:
        action = state["ideas"][idea]["action"]
        made = choice_on(action, idea, choice=answer.choice, arguments=answer.arguments)
    else:
        made = choice_of_run(state, answer.choice)
    await note_answer(state, session, made, by=answer.by, lesson=answer.lesson)


async def _settle(state: State, session: Session, idea_id: str, answer: HumanAnswer) -> Patch:
    approved = answer.choice == "go on"
    row = {"task": state["work"]["id"], "leaf": idea_id, "approved": approved, "step": state["step"]}
    await session.memory.log("approvals", row, key=f"{row['task']}:{idea_id}:{row['step']}")
    if not approved:
        return grow.abandon(state["ideas"], idea_id, "vetoed by a human")
    patch = Idea(status="open", reason="approved")
    if answer.arguments is not None:
        before = state["ideas"][idea_id]["action"]
        patch["action"] = fitted({**before, "args": answer.arguments})
    return {idea_id: patch}


def _conservative(state: State) -> Update:
    """Give up what waits for an approval; open leaves stay, restricted by the policy table."""
    patch: Patch = {}
    for idea_id in state.get("questions", {}):
        reason = clip(f"nobody there to ask: {state['questions'][idea_id]['text']}", REASON_BYTES)
        patch = apply_patches(patch, [grow.abandon(state["ideas"], idea_id, reason)])
    update: Update = {"mind": dict(mark_asked(_mind(state))), "questions": Overwrite({})}
    if patch:
        failures = {
            i: {"idea": i, "title": state["ideas"][i]["title"], "cause": p["reason"]}
            for i, p in patch.items()
        }
        patch = grow.give_up(state["ideas"], state["work"]["root"], patch)
        update |= {"ideas": patch, "failures": failures}
    return update


def _mind(state: State) -> Mind:
    return state["mind"]  # type: ignore[return-value]
