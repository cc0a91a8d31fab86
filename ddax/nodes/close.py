"""The node `close`: the final synthesis, how the run ended, what failed and what it cost."""

from __future__ import annotations

from langchain_core.messages import AIMessage

from ddax.errors import BudgetExceeded, ReasonerError
from ddax.graph.services import Session
from ddax.graph.state import Answer, State, Update
from ddax.ideas import dag, grow
from ddax.ideas.idea import is_final
from ddax.nodes.gather import evidence, findings, recall, task_text, thoughts, usage_row
from ddax.nodes.merge import answer_of
from ddax.reasoning.protocol import MergeRequest

NO_ANSWER = "No answer was reached."


async def close(state: State, *, session: Session) -> Update:
    """Give the answer, or what there is of one, and the status of the run."""
    update: Update = {}
    answer = state.get("answer") or Answer()
    if not answer:
        answer, update = await _partial(state, session)
    status, reason = _status(state, answer)
    root = state["work"]["root"]
    update |= {"answer": answer, "status": status, "stop_reason": reason}
    left = grow.abandon(state["ideas"], root, reason or "the run was closed") if _open(state, root) else {}
    if left:
        update["ideas"] = left
    session.forget(state["work"]["id"], state["work"]["thread"])
    update["messages"] = [
        AIMessage(content=answer.get("text", "") or NO_ANSWER, id=f"answer-{state['work']['id']}")
    ]
    return update


async def _partial(state: State, session: Session) -> tuple[Answer, Update]:
    """Synthesise an answer from what is finished; where even that is not possible, say so."""
    root = state["ideas"][state["work"]["root"]]
    finished = [
        c["id"] for c in dag.subtree(state["ideas"], root["id"]) if is_final(c) and c["kind"] == "leaf"
    ]
    text = await task_text(state, session)
    request = MergeRequest(
        task=text,
        idea=root["title"],
        findings=await findings(state, session, finished),
        evidence=await evidence(state, session, state["work"]["text"]),
        thoughts=thoughts(await recall(state, session, state["work"]["text"])),
        final=True,
        seed=session.settings.seed,
    )
    try:
        reply = await session.metered(state["work"]["id"], state.get("usage", {})).merge(request)
    except (BudgetExceeded, ReasonerError) as error:
        return Answer(text=f"{NO_ANSWER} {error}", short="", found=False, support=0.0, citations=[]), {}
    return answer_of(reply), {"usage": usage_row(reply.usage)}


def _status(state: State, answer: Answer) -> tuple[str, str]:
    """Return status and reason: no success is reported for a failed run."""
    if state.get("status") == "stopped":
        return "stopped", state.get("stop_reason", "")
    root = state["ideas"][state["work"]["root"]]
    if root["status"] == "failed":
        kind = root.get("error", {}).get("kind", "")
        model = "model: " if kind in ("ReasonerError", "InvalidReply") else ""
        return "failed", f"{model}{root.get('reason', 'the task failed')}"
    if not answer.get("found"):
        return "failed", "not found in the sources"
    return "done", ""


def _open(state: State, root: str) -> bool:
    return any(not is_final(i) for i in dag.subtree(state["ideas"], root))
