"""Which question `protect` puts: the one whose answer is expected to change the decision most.

The question of a step is made, and paid for, once: its row is kept by key, so that
a run that waits, also in another process, puts the same one.
"""

from __future__ import annotations

import numpy as np

from ddax.dynamics.question import expected_change, leanings
from ddax.errors import BudgetExceeded, ReasonerError
from ddax.graph.ports import Remembers
from ddax.graph.services import Session
from ddax.graph.state import State
from ddax.ideas import dag
from ddax.ideas.idea import is_final
from ddax.ideas.origins import Origins, join
from ddax.reasoning.budget import FREE, usage_of
from ddax.reasoning.protocol import AskRequest
from ddax.reasoning.sourced import FIXED, sourced
from ddax.steps.accounts.long_arguments import whole
from ddax.steps.choices.frontier import frontier, inherited_q, score
from ddax.steps.findings.gather import of_chain, of_task, task_text, usage_row
from ddax.steps.leaves.human_answers import APPROVAL_OPTIONS, PROTECT_OPTIONS, REST, REST_OPTIONS
from ddax.steps.leaves.plain_questions import surprised
from ddax.types import Idea, JsonDict, Usage

ASKED = "questions"
SHOWN = 5
"""Candidates a question shows."""


async def question_of(state: State, session: Session) -> tuple[JsonDict, JsonDict]:
    """Return the question of this step and what it cost; after a resume it is the same one."""
    pending = state.get("questions", {})
    if pending:
        return await _pending(state, session)
    about, candidates, ahead = await _most_useful(state, session)
    mind = state["mind"]
    situation = surprised(mind["hot"], ahead)
    came = join(*(of_chain(state["ideas"], idea) for idea in ahead)) if ahead else FIXED
    row = await _asked(state, session, situation, PROTECT_OPTIONS, came)
    question = {
        "idea": about or state["work"]["root"],
        "kind": "protect",
        "text": row["text"],
        "about": about,
        "candidates": candidates,
        "options": list(PROTECT_OPTIONS if about else ("go on", "teach", "stop")),
        "pending": 1,
        "details": {"rigidity": round(float(mind["rho"]), 4), "unexpected": mind["hot"]},
    }
    return question, row["usage"]


def first_pending(state: State) -> str:
    """Return the idea whose question is put now: of a resting mood first, then the one most rests on."""
    unfinished = max(1, sum(1 for i in state["ideas"].values() if not is_final(i)))

    def rank(idea_id: str) -> tuple[bool, float, tuple[int, ...]]:
        lost = 1 + sum(1 for i in dag.dependents(state["ideas"], idea_id) if not is_final(i))
        # Nothing is known of the answer, so a veto is as likely as not; it would cost what rests on the idea.
        return (
            state["questions"][idea_id].get("kind") != REST,
            -0.5 * lost / unfinished,
            dag.sort_key(idea_id),
        )

    return min(state["questions"], key=rank)


async def _pending(state: State, session: Session) -> tuple[JsonDict, JsonDict]:
    pending, first = state["questions"], first_pending(state)
    if pending[first].get("kind") == REST:
        row = await _asked(state, session, str(pending[first]["text"]), REST_OPTIONS, FIXED)
        question = {"idea": state["work"]["root"], "kind": REST, "text": row["text"]}
        question |= {"details": pending[first].get("details", {})}
        return {**question, "options": list(REST_OPTIONS), "pending": len(pending)}, row["usage"]
    shown = {**pending[first], "about": first, "options": list(APPROVAL_OPTIONS), "pending": len(pending)}
    if "action" in shown:
        shown["action"] = dict(await whole(shown["action"], session))
    return shown, {}


async def _most_useful(state: State, session: Session) -> tuple[str, list[JsonDict], list[Idea]]:
    """Return the candidate to ask about, the best ones as rows, and all ideas; most useful to ask first."""
    ideas, root = state["ideas"], state["work"]["root"]
    open_ones = dag.runnable_leaves(ideas, root) or dag.open_inner(ideas, root)
    if not open_ones:
        return "", [], []
    view = await frontier(state, session)
    terms = score(view, open_ones, {})
    leaning = leanings(terms.total)
    belief = np.array([inherited_q(ideas, i) for i in open_ones])
    change = expected_change(leaning, belief)
    order = sorted(range(len(open_ones)), key=lambda k: (-round(float(change[k]), 9), k))
    rows: list[JsonDict] = [
        {
            "id": open_ones[k]["id"],
            "title": open_ones[k]["title"],
            "leaning": round(float(leaning[k]), 4),
            "belief": round(float(belief[k]), 4),
            "expected_change": round(float(change[k]), 4),
        }
        for k in order[:SHOWN]
    ]
    return open_ones[order[0]]["id"], rows, [open_ones[k] for k in order]


async def _asked(
    state: State, session: Session, situation: str, options: tuple[str, ...], came: Origins
) -> JsonDict:
    """Return the row of the question of this step, which is asked and paid for once.

    A node with an interrupt runs again when it is answered. A reasoner that fails, or a spent
    budget, must not keep the question from the human: the situation itself is put then.
    """
    work = state["work"]
    key = f"{work['id']}:{state['step']}"
    known = await session.memory.rows(ASKED, key=key)
    if known:
        return known[0]
    if session.reasoner.name in FREE and situation.endswith("?"):  # it asks already, in words of its own
        return await _kept(session, key, situation, Usage())
    request = AskRequest(await task_text(state, session), situation, options)
    request = sourced(request, task=of_task(state), situation=came, options=FIXED, evidence=FIXED)
    try:
        question = await session.metered(work["id"], state.get("usage", {})).ask(request)
    except (BudgetExceeded, ReasonerError) as error:
        return await _kept(session, key, situation, usage_of(error))
    return await _kept(session, key, question.text, question.usage)


async def _kept(session: Remembers, key: str, text: str, usage: Usage) -> JsonDict:
    row = {"text": text, "usage": usage_row(usage)}
    await session.memory.log(ASKED, {"key": key, **row}, key=key)
    return row
