"""The node `protect`: restrict, and ask the human what is most useful to know.

Holds the only interrupt of the graph. Before it one row is kept, by key: the question, so that a
resumed run puts (and pays for) the same one. With nobody there it takes the conservative path: what
waits for an approval is given up, only actions without effect and trusted reads go on, and the run
says so.
"""

from __future__ import annotations

from langgraph.types import Overwrite, interrupt
from pydantic import ValidationError

from ddax.dynamics.rigidity import leave_protect, mark_asked, mark_conservative
from ddax.dynamics.state import Mind
from ddax.errors import ActionError, StateError
from ddax.graph.ports import Acts, Remembers
from ddax.graph.services import Session
from ddax.graph.state import State, Update
from ddax.ideas import grow
from ddax.ideas.idea import REASON_BYTES, Patch, apply_patches, clip, fitted, is_final
from ddax.ideas.origins import MEMORY
from ddax.memory.agents.overrides import human_name
from ddax.memory.records import REFLECTIONS
from ddax.steps.accounts.long_arguments import stowed, whole
from ddax.steps.leaves.human_answers import (
    CHOOSE,
    CHOSEN,
    EDIT,
    GO_ON,
    REST,
    STOP,
    VETO,
    HumanAnswer,
    misread,
    unfit,
)
from ddax.steps.leaves.permission import approve
from ddax.steps.protect.best_question import first_pending, question_of
from ddax.steps.protect.human_decisions import choice_of_run, choice_on, note_answer
from ddax.types import ActionCall, Idea, JsonDict, Record

SCHEMA = HumanAnswer.model_json_schema()
MAX_TAUGHT = 5
"""Lessons of a human that one task keeps at hand; all are in the memory."""


async def protect(state: State, *, session: Session) -> Update:
    """Ask once in this entry, or take the conservative path where nobody is there."""
    if not session.settings.human:
        return _conservative(state)
    question, cost = await question_of(state, session)
    answer = _answered(question, state, session)
    update = await _apply(state, session, answer, str(question.get("about", "")))
    return {**update, "usage": cost} if cost else update


def _answered(question: JsonDict, state: State, session: Session) -> HumanAnswer:
    """Put a question until an answer fits it: a server and Studio pass on whatever is chosen."""
    asked = question
    while True:
        try:
            # Given as plain JSON it is shown alone: what LangGraph refused itself, nobody could tell from
            # an answer that is still to be read.
            answer = HumanAnswer.model_validate(interrupt(asked, response_schema=SCHEMA))
            problem = unfit(answer, question) or _misfit(answer, question, state, session)
        except ValidationError as error:
            problem = misread(error, question)
        else:
            if not problem:
                return answer
        asked = {**question, "problem": problem}


def _misfit(answer: HumanAnswer, question: JsonDict, state: State, session: Acts) -> str:
    """Return why changed arguments are none that the action takes; empty where they are, or none given."""
    if answer.arguments is None or question.get("kind") == REST or answer.choice not in (EDIT, CHOOSE, GO_ON):
        return ""
    idea = answer.idea or str(question.get("about", ""))
    call = question["action"] if "turn" in question else state["ideas"].get(idea, Idea()).get("action")
    if call is None:
        return f"arguments: idea {idea} has no action that takes any" if answer.choice == EDIT else ""
    if call["name"] not in session.actions:
        return ""  # a part that is gone: the action says so itself
    try:
        session.actions.arguments(ActionCall(**{**call, "args": answer.arguments}))
    except ActionError as error:
        return error.what.removesuffix(".")
    return ""


async def _apply(state: State, session: Session, answer: HumanAnswer, about: str) -> Update:
    """Turn the answer into patches of ideas, mind and memory; it is about one question alone."""
    pending = state.get("questions", {})
    settled = first_pending(state) if pending else ""
    left = {i: question for i, question in pending.items() if i != settled}
    update: Update = {"mind": dict(leave_protect(mark_asked(_mind(state)))), "questions": Overwrite(left)}
    if answer.lesson.strip():
        await _teach(state, session, answer)
        taught = [*state["work"].get("taught", []), answer.lesson.strip()][-MAX_TAUGHT:]
        update["work"] = {**state["work"], "taught": taught}
    idea = answer.idea or settled or about
    await _note(state, session, answer, idea)
    resting = bool(settled) and pending[settled].get("kind") == REST
    if answer.choice == STOP or (answer.choice == VETO and resting):
        return {**update, "status": "stopped", "stop_reason": "a human stopped the run"}
    patch: Patch = {}
    if settled and not resting:
        patch = await _settle(state, session, settled, answer)
    elif not resting and idea in state["ideas"]:
        patch = await _steer(state, session, idea, answer)
    return (
        {**update, "ideas": grow.give_up(state["ideas"], state["work"]["root"], patch)} if patch else update
    )


async def _teach(state: State, session: Remembers, answer: HumanAnswer) -> None:
    """Remember what a human taught: as a thought, and as a lesson for the decisions of later tasks."""
    work, text = state["work"], answer.lesson.strip()
    thought = Record(
        "internal_thought",
        text,
        title="taught by a human",
        task=work["id"],
        step=state["step"],
        writer=human_name(answer.by),
        created=work["opened"],
        meta={"kind": "lesson"},
    )
    await session.memory.put([thought])
    lesson = {
        "kind": "policy",
        "text": text,
        "task": work["id"],
        "idea": answer.idea or work["root"],
        "epsilon": 1.0,
        "about": f"{work['text']} {text}",
        "created": work["opened"],
        # The user's word while this task runs; in a later one it may be what nobody there was told.
        "origins": [MEMORY],
    }
    await session.memory.log(REFLECTIONS, lesson, key=f"{work['id']}:taught:{state['step']}")


async def _note(state: State, session: Session, answer: HumanAnswer, idea: str) -> None:
    """Keep account of the answer: who was overridden, by whom, in what."""
    choice = GO_ON if answer.choice == EDIT else answer.choice
    if idea in state["ideas"] and "action" in state["ideas"][idea]:
        decided = GO_ON if choice == CHOOSE else choice
        asked = state.get("questions", {}).get(idea, {})
        action = asked["action"] if "turn" in asked else state["ideas"][idea]["action"]
        action = await _known(action, session)
        made = choice_on(action, idea, choice=decided, arguments=_arguments(state, idea, answer))
    else:
        made = choice_of_run(state, choice)
    await note_answer(state, session, made, by=answer.by, lesson=answer.lesson)


async def _known(call: ActionCall, session: Session) -> ActionCall:
    """Return a call in full, or as state holds it: a lost argument must not hold up a refusal."""
    try:
        return await whole(call, session)
    except StateError:
        return call


async def _settle(state: State, session: Session, idea_id: str, answer: HumanAnswer) -> Patch:
    """Settle a leaf that waited for an approval; one that was given up meanwhile stays so."""
    if is_final(state["ideas"][idea_id]):
        return {}
    passed = answer.choice in (GO_ON, EDIT)
    if "turn" in state["questions"][idea_id]:
        return await _settle_call(state, session, idea_id, answer, passed=passed)
    patch = await _edited(state, session, idea_id, answer, Idea(status="open", reason="approved"))
    # Bound to what the human saw, which is what the question holds, or to what the human wrote instead.
    call = patch.get("action") or state["questions"][idea_id].get("action")
    if call is not None:
        await approve(
            session, task=state["work"]["id"], leaf=idea_id, call=call, passed=passed, step=state["step"],
            for_run=answer.for_run,
        )  # fmt: skip
    return {idea_id: patch} if passed else grow.abandon(state["ideas"], idea_id, "vetoed by a human")


async def _settle_call(
    state: State, session: Session, idea_id: str, answer: HumanAnswer, *, passed: bool
) -> Patch:
    """Settle one call of a leaf of several turns: approved or refused, the leaf goes on behind it."""
    question = state["questions"][idea_id]
    call: ActionCall = question["action"]
    if passed and answer.arguments is not None:
        changed = ActionCall(name=call["name"], args=answer.arguments, intent=call["intent"])
        call = await stowed(changed, session)
    await approve(
        session, task=state["work"]["id"], leaf=idea_id, call=call, passed=passed, step=state["step"],
        for_run=answer.for_run, turn=question["turn"],
    )  # fmt: skip
    return {idea_id: Idea(status="open", reason="approved" if passed else "a human refused one of its calls")}


async def _steer(state: State, session: Session, idea_id: str, answer: HumanAnswer) -> Patch:
    """Change the idea a question of protect was about: veto it, edit its action, or take it next."""
    if is_final(state["ideas"][idea_id]):
        return {}
    if answer.choice == VETO:
        return grow.abandon(state["ideas"], idea_id, "vetoed by a human")
    if answer.choice == CHOOSE:
        return {idea_id: await _edited(state, session, idea_id, answer, Idea(reason=CHOSEN))}
    if answer.arguments is None:
        return {}
    return {idea_id: await _edited(state, session, idea_id, answer, Idea())}


async def _edited(state: State, session: Session, idea_id: str, answer: HumanAnswer, patch: Idea) -> Idea:
    before = state["ideas"][idea_id].get("action")
    changed = _arguments(state, idea_id, answer)
    if before is not None and changed is not None:
        patch["action"] = fitted(await stowed({**before, "args": changed}, session))
    return patch


def _arguments(state: State, idea_id: str, answer: HumanAnswer) -> JsonDict | None:
    return answer.arguments if "action" in state["ideas"][idea_id] else None


def _conservative(state: State) -> Update:
    """Give up what waits for an approval; open leaves stay, restricted by the policy table."""
    patch: Patch = {}
    for idea_id in state.get("questions", {}):
        question = state["questions"][idea_id]
        why = question.get("details", {}).get("reason", question["text"])
        reason = clip(f"nobody there to ask: {why}", REASON_BYTES)
        patch = apply_patches(patch, [grow.abandon(state["ideas"], idea_id, reason)])
    update: Update = {"mind": dict(mark_conservative(_mind(state))), "questions": Overwrite({})}
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
