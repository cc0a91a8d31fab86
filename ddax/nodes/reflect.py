"""The node `reflect`: learn from the transitions that were least expected, by contrast.

A policy lesson sets what an action was expected to bring against what it brought, where |V(o′) − Q| was
largest; the value lesson what a result was thought to be worth against what it turned out to be, where
|V − Q| was largest at the end (dda-x 8.3, 8.6). Both are stored with their contrast, go to the memory,
and are recalled by later decisions: policy lessons by `expand`, value lessons by the judge.
"""

from __future__ import annotations

import asyncio
from typing import Literal

from ddax.errors import BudgetExceeded, ReasonerError
from ddax.graph.services import Session
from ddax.graph.state import State, Update
from ddax.ideas import dag
from ddax.ideas.idea import Ideas
from ddax.ideas.origins import read
from ddax.memory.protocol import MANY
from ddax.memory.records import LEDGER, REFLECTIONS
from ddax.reasoning.budget import usage_of
from ddax.reasoning.protocol import Lesson, ReflectRequest
from ddax.reasoning.sourced import FIXED, TOLD, UNKNOWN, of_request, sourced
from ddax.steps.accounts.ceremonies import Chance, holds
from ddax.steps.accounts.decision_record import Made, decide
from ddax.steps.accounts.participants import settle
from ddax.steps.choices.learned_rules import settle_rules
from ddax.steps.findings.gather import of_chain, task_text, usage_row
from ddax.steps.findings.quick_road import is_quick
from ddax.steps.reflect.consolidating import consolidate_memory
from ddax.types import JsonDict, Usage

POLICY_LESSONS = 3
VALUE_LESSONS = 1
LESSON_CHARS = 700
LATER = 0.25
"""Share of its worth that a lesson has: it changes nothing here, and a later task only if it is alike."""
SHARE = 0.1
"""Lessons for each call of a model that a run has made, at most: learning never costs as much as the task."""


async def reflect(state: State, *, session: Session) -> Update:
    """Store the lessons of this task, and settle the trust in those who took part in its debates."""
    work = state["work"]
    rows = await session.memory.rows(LEDGER, task=work["id"], limit=MANY)
    threshold = float(state["mind"]["epsilon_0"])
    spent = Usage()
    text = await task_text(state, session)
    found = contrasts(rows, state["ideas"], threshold)[: affordable(state)]
    found = [one for one in found if session.settings.rules.lessons and _is_worth(state, session, *one)]
    requests = [_request(state, text, kind, row) for kind, _, row in found]
    asked = (
        _lesson(state, session, request, row) for request, (_, _, row) in zip(requests, found, strict=True)
    )
    lessons = await asyncio.gather(*asked)
    for (kind, error, row), request, lesson in zip(found, requests, lessons, strict=True):
        spent = spent + lesson.usage
        if not lesson.text:
            continue
        stored = {
            "kind": kind,
            "text": lesson.text[:LESSON_CHARS],
            "task": work["id"],
            "idea": row["idea"],
            "epsilon": row["epsilon"],
            "error": round(error, 6),
            "expected": row["expected"],
            "actual": row["actual"],
            "about": f"{work['text']} {row['action']}",
            "origins": read(of_request(request)),
            "rests_on": list(state["ideas"].get(row["idea"], {}).get("evidence", [])),
        }
        await session.memory.log(REFLECTIONS, stored, key=f"{work['id']}:{kind}:{row['idea']}")
    await settle_rules(state, session)
    metrics = await settle(state, session)
    await consolidate_memory(state, session)
    return {"usage": usage_row(spent), "metrics": metrics, **await _sealed(state, session)}


def _is_worth(
    state: State, session: Session, kind: Literal["policy", "value"], error: float, row: JsonDict
) -> bool:
    """Tell whether a lesson is worth its price: it serves a later task, which may never come."""
    if is_quick(state["work"]):
        return True  # it is drawn without a model
    told = len(row["expected"]) + len(row["actual"]) + len(state["work"]["text"])
    why = f"a lesson on {'what was done' if kind == 'policy' else 'what was valued'}, for later tasks"
    return holds(
        state,
        session,
        Chance("reflect", row["idea"], change=min(1.0, error), stakes=LATER, characters=told, why=why),
    )


async def _sealed(state: State, session: Session) -> Update:
    """Seal what was weighed here: no selection follows that would."""
    weighed = session.place.doubts if session.place is not None else []
    if not weighed:
        return {}
    made = Made(
        following="close",
        rule="worth learning",
        focus=(),
        terms=(),
        mode="",
        more={"doubts": weighed},
    )
    decision = await decide(state, session, made, step=state["step"])
    return {"decision": decision}


def affordable(state: State) -> int:
    """Return how many lessons a run may pay for: a part of the calls it has made, and one at least."""
    calls = int(state.get("usage", {}).get("model_calls", 0))
    return max(1, int(calls * SHARE)) if calls else POLICY_LESSONS + VALUE_LESSONS


def contrasts(
    rows: list[JsonDict], ideas: Ideas, threshold: float
) -> list[tuple[Literal["policy", "value"], float, JsonDict]]:
    """Return the transitions worth a lesson with their error: three of policy, then one of value."""
    policy = _largest([(policy_error(row), row) for row in rows], threshold)
    value = _largest([(value_error(row, ideas), row) for row in rows], threshold)
    return [
        *(("policy", error, row) for error, row in policy[:POLICY_LESSONS]),
        *(("value", error, row) for error, row in value[:VALUE_LESSONS]),
    ]


def policy_error(row: JsonDict) -> float:
    """Return |V(o′) − Q(o, a)|, in [0, 1]; where nothing was believed of the action before, ε.

    A value that no judge gave proves nothing alone: the forecast must have been as wrong, and a merge is no
    action that one chooses. What a check has settled is what was wanted: other words of the forecast are no
    error.
    """
    value, before, wrong = row["value"], row["before"], float(row["epsilon"])
    estimated = bool(row.get("estimated"))
    if before is None:
        return 0.0 if estimated or row.get("settles") else wrong
    if estimated and row["action"] == "merge":
        return 0.0
    if value is None:
        return wrong
    error = abs(float(value) - float(before))
    return min(wrong, error) if estimated else error


def value_error(row: JsonDict, ideas: Ideas) -> float:
    """Return |V − Q|: what a result was valued at, and what it is worth after all that came of it.

    A merge speaks for its parent; a leaf that nothing else was valued under has no error, nor has a
    value that no judge gave.
    """
    if row["value"] is None or row.get("estimated") or row["idea"] not in ideas:
        return 0.0
    idea = ideas[row["idea"]]
    judged = ideas[idea["parent"]] if idea["kind"] == "merge" else idea
    return abs(float(row["value"]) - judged["Q"]) if judged["N"] > 1 else 0.0


def _largest(found: list[tuple[float, JsonDict]], threshold: float) -> list[tuple[float, JsonDict]]:
    worth = [(error, row) for error, row in found if error > threshold]
    return sorted(worth, key=lambda pair: (-pair[0], dag.sort_key(pair[1]["idea"])))


def _request(state: State, text: str, kind: Literal["policy", "value"], row: JsonDict) -> ReflectRequest:
    request = ReflectRequest(
        text,
        row["action"],
        row["expected"],
        row["actual"],
        row["epsilon"],
        kind,
    )
    idea = state["ideas"].get(row["idea"])
    came = UNKNOWN if idea is None else of_chain(state["ideas"], idea)
    return sourced(request, task=TOLD, action=FIXED, expected=came, actual=came)


async def _lesson(state: State, session: Session, request: ReflectRequest, row: JsonDict) -> Lesson:
    """Ask for one lesson; a spent budget or a silent model leaves that one empty, and the run goes on."""
    if is_quick(state["work"]):
        return await session.free.reflect(request)
    try:
        return await session.metered(state["work"]["id"], state.get("usage", {})).reflect(request)
    except (BudgetExceeded, ReasonerError) as error:
        await session.memory.log(
            "notes",
            {"task": state["work"]["id"], "note": f"no lesson: {error}"},
            key=f"{state['work']['id']}:{request.kind}:{row['idea']}",
        )
        return Lesson("", usage_of(error))
