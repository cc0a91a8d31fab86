"""The node `close`: the final synthesis, how the run ended, what failed and what it cost.

An answer that breaks a requirement of the task is refused: it is shown, but the run has failed, and
says which one.
"""

from __future__ import annotations

import asyncio

from ddax.errors import UNDONE, BudgetExceeded, InvalidReply, ReasonerError
from ddax.graph.repairs import unrepaired
from ddax.graph.services import Session
from ddax.graph.state import Answer, State, Update
from ddax.ideas import dag, grow
from ddax.ideas.idea import clip, is_final
from ddax.ideas.requirements import Facts, Requirement, breaks_answer, broken
from ddax.reasoning.budget import REACHED, usage_of
from ddax.reasoning.protocol import MergeRequest
from ddax.reasoning.sourced import FIXED, TOLD, of_passages, sourced
from ddax.steps.accounts.judges import settle_values
from ddax.steps.choices.stuck_code import PROPOSED
from ddax.steps.close.citation_places import placed
from ddax.steps.close.nearest_passages import with_nearest
from ddax.steps.close.remembered_citations import remembered
from ddax.steps.close.unmoved import is_order, unmoved
from ddax.steps.close.withheld import noted, with_unsearched, withheld
from ddax.steps.findings.claims import doubts
from ddax.steps.findings.earlier_turns import earlier, message_of, of_turns
from ddax.steps.findings.final_answer import answer_of, form_of, supported
from ddax.steps.findings.from_knowledge import all_own
from ddax.steps.findings.gather import (
    asked,
    brief_of,
    evidence,
    findings,
    of_chain,
    of_ideas,
    read_pages,
    recall,
    thought_origins,
    thoughts,
    told_text,
    usage_row,
)
from ddax.steps.findings.own_tools import told_of_tools
from ddax.steps.findings.quote_check import synthesis
from ddax.steps.leaves.leaf_turns import UNFINISHED
from ddax.types import NOT_FOUND, Idea, JsonDict
from ddax.wording import NOT_DONE, sentence

NO_ANSWER = "No answer was reached."
REFUSED_BYTES = 400
MODEL_KINDS = ("ReasonerError", "InvalidReply")
"""Kinds of errors by which a model fails an idea."""
SILENT = frozenset({"nothing_found", "not_found", "empty"})
"""Kinds of errors by which an action says that nothing is there, which is an answer."""


async def close(state: State, *, session: Session) -> Update:
    """Give the answer, or what there is of one, and the status of the run."""
    update: Update = {}
    answer = state.get("answer") or Answer()
    if not answer:
        answer, update = await _without(state, session)
    answer = await _unread(state, answer, session)
    whole, answer = answer, fitted(answer, state["work"].get("requirements", []))
    if "carried" in answer and answer["text"] != whole["text"]:
        answer = await supported(answer, state, session)
    refused = broken(state["work"].get("requirements", []), _facts(state, answer))
    idle = unmoved(state, session)
    status, reason = _status(state, answer, refused, undone=bool(idle) and is_order(state["work"]["text"]))
    answer = await placed(await remembered(state, answer, session), session)
    answer = await withheld(answer, state["work"], session)
    answer = with_nearest(answer, as_asked=bool(state["work"].get("requirements") or form_of(session)))
    answer = await with_unsearched(answer, state["work"], session)
    code = "" if session.repairs else await asyncio.to_thread(unrepaired, None, session.settings.sources)
    answer = noted(answer, code, *await told_of_tools(state, session), idle)
    await settle_values(state, session, answer, status)
    root = state["work"]["root"]
    doubtful = doubts(state, answer.get("citations", []))
    if doubtful:
        answer = Answer(**{**answer, "doubts": doubtful})
    update |= {"answer": answer, "status": status, "stop_reason": reason}
    if refused:
        update["failures"] = {f"requirement:{k}": _refusal(root, text) for k, text in enumerate(refused)}
    left = grow.abandon(state["ideas"], root, reason or "the run was closed") if _open(state, root) else {}
    if left:
        update["ideas"] = left
    seconds = session.tick(state["work"]["thread"])
    update["usage"] = {**update.get("usage", {}), "seconds": seconds}
    session.forget(state["work"]["id"], state["work"]["thread"])
    update["messages"] = [message_of(answer, state["work"], status, NO_ANSWER)]
    return update


async def _without(state: State, session: Session) -> tuple[Answer, Update]:
    """Return what there is to say without an answer; what a model could not put it is not asked again."""
    last = dag.current_merge(state["ideas"], state["work"]["root"])
    if last is not None and last.get("error", {}).get("kind") == InvalidReply.__name__:
        return _no_answer(last.get("reason", "")), {}
    return await _partial(state, session)


async def _partial(state: State, session: Session) -> tuple[Answer, Update]:
    """Synthesise an answer from what is finished; where even that is not possible, say so."""
    root = state["ideas"][state["work"]["root"]]
    finished = [
        c["id"] for c in dag.subtree(state["ideas"], root["id"]) if is_final(c) and c["kind"] == "leaf"
    ]
    recalled = await recall(state, session, asked(state["work"]))
    request = MergeRequest(
        task=await told_text(state, session),
        idea=root["title"],
        findings=await findings(state, session, finished),
        evidence=await evidence(state, session, asked(state["work"])),
        thoughts=thoughts(recalled),
        final=True,
        seed=session.settings.seed,
        brief=brief_of(state, session),
        own=await all_own(state, session),
        form=form_of(session),
        earlier=earlier(state, session.redactor.text),
    )
    request = sourced(
        request, task=TOLD, brief=TOLD, form=TOLD, fault=FIXED, kind=FIXED,
        idea=of_chain(state["ideas"], root), earlier=of_turns(state) if request.earlier else FIXED,
        findings=of_ideas(state["ideas"], finished),
        evidence=of_passages(request.evidence), thoughts=thought_origins(recalled),
    )  # fmt: skip
    try:
        reply = await synthesis(state, request, session)
    except (BudgetExceeded, ReasonerError) as error:
        return _no_answer(_why(error, state)), {"usage": usage_row(usage_of(error))}
    update: Update = {"usage": usage_row(reply.usage)}
    return await supported(answer_of(reply), state, session, stated=reply.stated), update


async def _unread(state: State, answer: Answer, session: Session) -> Answer:
    """Say what kept a run from reading: one that read no source cannot say what is not in them."""
    if answer.get("found") or answer["text"].startswith(NO_ANSWER):
        return answer
    ideas = dag.subtree(state["ideas"], state["work"]["root"])
    acted = session.world is not None and any(i["kind"] == "leaf" and i["status"] == "done" for i in ideas)
    if acted or state["work"].get("code") or await read_pages(state, session):
        return answer
    if state.get("status") == "stopped":
        return _no_answer(f"The run was stopped before anything was read ({state['stop_reason']}).")
    lost = next(filter(_failed_by_model, ideas), None)
    if lost is None and session.world is None:  # of a world it is told what was not carried out
        lost = next(filter(_broke_off, ideas), None)
    return _no_answer(f"Nothing was read, since this failed: {lost.get('reason', '')}") if lost else answer


def _broke_off(idea: Idea) -> bool:
    kind = idea.get("error", {}).get("kind", "")
    return idea["kind"] == "leaf" and idea["status"] == "failed" and kind not in {"", *SILENT}


def _is_unfinished(idea: Idea) -> bool:
    return idea["status"] == "done" and idea.get("error", {}).get("kind") == UNFINISHED


def _failed_by_model(idea: Idea) -> bool:
    return idea["status"] == "failed" and idea.get("error", {}).get("kind", "") in MODEL_KINDS


def _why(error: BudgetExceeded | ReasonerError, state: State) -> str:
    """Say why nothing could be said at the end; the cap that stopped the run has the figure of then."""
    stopped = state.get("stop_reason", "").removeprefix("budget: ")
    cap = error.what.partition(REACHED)[0]
    return (
        str(error).replace(error.what, f"{stopped}.", 1) if stopped.startswith(cap + REACHED) else str(error)
    )


def _no_answer(why: str) -> Answer:
    return Answer(text=f"{NO_ANSWER} {sentence(why)}", short="", found=False, support=0.0, citations=[])


def fitted(answer: Answer, requirements: list[Requirement]) -> Answer:
    """Return the answer with its short form as its text, where only that keeps the demanded wording."""
    short = answer.get("short", "").strip()
    if not short or not answer.get("found") or not breaks_answer(requirements, answer.get("text", "")):
        return answer
    return answer if breaks_answer(requirements, short) else Answer(**{**answer, "text": short})


def _facts(state: State, answer: Answer) -> Facts:
    """Return what the run did, as far as requirements ask."""
    leaves = [
        i
        for i in dag.subtree(state["ideas"], state["work"]["root"])
        if i["kind"] == "leaf" and i["status"] == "done"
    ]
    visits = [i for i in leaves if i["action"]["name"] == "visit"]
    others = [
        v for i in leaves if i not in visits for v in i["action"]["args"].values() if isinstance(v, str)
    ]
    cited = [name for c in answer.get("citations", []) for name in (c["source"],)]
    return Facts(
        answer=answer.get("text", ""),
        visited=tuple(str(i["action"]["args"].get("source", "")) for i in visits),
        cited=tuple(dict.fromkeys(cited)),
        touched=tuple(others),
    )


def _refusal(root: str, text: str) -> JsonDict:
    return {"idea": root, "title": "requirement", "cause": text}


def _status(state: State, answer: Answer, refused: list[str], *, undone: bool) -> tuple[str, str]:
    """Return status and reason: no success is told of a failed run or an order not begun."""
    if state.get("status") == "stopped":
        return "stopped", state.get("stop_reason", "")
    root = state["ideas"][state["work"]["root"]]
    if root["status"] == "failed":
        model = "model: " if _failed_by_model(root) else ""
        return "failed", f"{model}{root.get('reason', 'the task failed')}"
    if cut := next(filter(_is_unfinished, dag.subtree(state["ideas"], root["id"])), None):
        return "stopped", cut.get("reason", UNFINISHED)
    if not answer.get("found"):
        return _unfound(state, answer)
    if refused:
        return "failed", clip(f"requirement broken: {'; '.join(refused)}", REFUSED_BYTES)
    return ("failed", "not carried out") if undone else ("done", "")


def _unfound(state: State, answer: Answer) -> tuple[str, str]:
    """Return status and reason where there is no answer: what was not done is no silence of the sources."""
    text, ideas = answer.get("text", ""), dag.subtree(state["ideas"], state["work"]["root"])
    if text.startswith(NO_ANSWER):
        lost = next(filter(_failed_by_model, ideas), None)
        return "failed", f"model: {lost.get('reason', '')}" if lost else "no answer was reached"
    if text.startswith(PROPOSED):
        return NOT_FOUND, "patches are proposed, and none is certain"
    undone = any(i["status"] == "failed" and i.get("error", {}).get("kind") == UNDONE for i in ideas)
    if undone or text.startswith(NOT_DONE):
        return "failed", "not carried out"
    return NOT_FOUND, "not found in the sources"


def _open(state: State, root: str) -> bool:
    return any(not is_final(i) for i in dag.subtree(state["ideas"], root))
