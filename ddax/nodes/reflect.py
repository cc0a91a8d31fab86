"""The node `reflect`: learn from the transitions that were least expected.

Policy lessons come from outcomes that differed most from what was believed of the action, the value
lesson from the largest jump in value (dda-x 8.3, 8.6). They go to the memory for later tasks.
"""

from __future__ import annotations

from ddax.errors import BudgetExceeded, ReasonerError
from ddax.graph.services import Session
from ddax.graph.state import State, Update
from ddax.nodes.consolidating import consolidate_memory
from ddax.nodes.gather import MANY, task_text, usage_row
from ddax.nodes.rules import settle_rules
from ddax.nodes.standing import settle
from ddax.reasoning.protocol import Lesson, ReflectRequest
from ddax.types import JsonDict, Usage

POLICY_LESSONS = 3
VALUE_LESSONS = 1
LESSON_CHARS = 700


async def reflect(state: State, *, session: Session) -> Update:
    """Store the lessons of this task, and settle the trust in those who took part in its debates."""
    work = state["work"]
    rows = await session.memory.rows("ledger", task=work["id"], limit=MANY)
    threshold = float(state["mind"]["epsilon_0"])
    spent = Usage()
    text = await task_text(state, session)
    for kind, row in _surprising(rows, threshold):
        lesson = await _lesson(state, session, text, kind, row)
        if lesson is None:
            break
        spent = spent + lesson.usage
        stored = {
            "kind": kind,
            "text": lesson.text[:LESSON_CHARS],
            "task": work["id"],
            "idea": row["idea"],
            "epsilon": row["epsilon"],
            "about": f"{work['text']} {row['action']}",
        }
        await session.memory.log("reflections", stored, key=f"{work['id']}:{kind}:{row['idea']}")
    await settle_rules(state, session)
    metrics = await settle(state, session)
    await consolidate_memory(state, session)
    return {"usage": usage_row(spent), "metrics": metrics}


def _surprising(rows: list[JsonDict], threshold: float) -> list[tuple[str, JsonDict]]:
    """Return the transitions worth a lesson, most surprising first, with the kind of lesson."""
    policy = sorted((r for r in rows if r["epsilon"] > threshold), key=lambda r: (-r["epsilon"], r["idea"]))
    jumps = [r for r in rows if r["before"] is not None and abs(r["value"] - r["before"]) > threshold]
    value = sorted(jumps, key=lambda r: (-abs(r["value"] - r["before"]), r["idea"]))
    return [("policy", r) for r in policy[:POLICY_LESSONS]] + [("value", r) for r in value[:VALUE_LESSONS]]


async def _lesson(state: State, session: Session, text: str, kind: str, row: JsonDict) -> Lesson | None:
    """Ask for one lesson; a spent budget or a silent model ends the learning, not the run."""
    request = ReflectRequest(
        text,
        row["action"],
        row["expected"],
        row["actual"],
        row["epsilon"],
        "policy" if kind == "policy" else "value",
    )
    try:
        return await session.metered(state["work"]["id"], state.get("usage", {})).reflect(request)
    except (BudgetExceeded, ReasonerError) as error:
        await session.memory.log(
            "notes",
            {"task": state["work"]["id"], "note": f"no lesson: {error}"},
            key=f"{state['work']['id']}:{kind}",
        )
        return None
