"""What the judges of a task go by: who sits, the rubric, the calibration; and what became of their values.

Rubric and maps are kept in the task's log at the first verdict: the maps as they
stood when the task opened, so that a resumed run judges as the undisturbed one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ddax.debate.calibration import CalibrationMap
from ddax.debate.outcomes import outcome_rows
from ddax.debate.panel import debaters, fixed_roles
from ddax.debate.roles import Debater
from ddax.debate.rubric import load_rubric
from ddax.debate.task_rubric import rubric_row, task_rubric
from ddax.graph.ports import Asks
from ddax.graph.services import Session
from ddax.graph.state import Answer, State
from ddax.ideas.origins import Origins
from ddax.memory.protocol import MANY
from ddax.reasoning.budget import FREE
from ddax.reasoning.protocol import Reasoner
from ddax.reasoning.sourced import TOLD, UNKNOWN
from ddax.steps.accounts.participants import panel, rubric_of
from ddax.types import NOT_FOUND, JsonDict

DEBATES = "debates"
JUDGING = "judging"


@dataclass(frozen=True)
class Bench:
    """The participants, their roles, the criteria, this task's calibration."""

    present: tuple[Debater, ...]
    fixed: Mapping[str, str]
    rubric: tuple[str, ...]
    maps: Mapping[str, CalibrationMap]

    def correct(self, model: str, value: float) -> float:
        """Return a judge's value as its map corrects it."""
        return self.maps[model](value) if model in self.maps else value


async def bench(state: State, session: Session, text: str, *, idea: str) -> Bench:
    """Return who judges this task and by what; the cost is noted for `idea`."""
    row = await judging(state, session, text)
    work, usage = state["work"]["id"], state.get("usage", {})

    def opened(model: str) -> Reasoner:
        return replace(session, reasoner=session.benches[model]).metered(work, usage, idea=idea)

    own = session.metered(work, usage, idea=idea)
    present = await panel(state, session, *debaters(session.seats, own, opened))
    alone = (Debater(own.name, own),)
    maps = {name: CalibrationMap.of(kept) for name, kept in row["maps"].items()}
    return Bench(tuple(present) or alone, fixed_roles(session.seats), tuple(row["rubric"]), maps)


async def judging(state: State, session: Session, text: str) -> JsonDict:
    """Return what was fixed for this task at its first verdict, and fix it where this is the first."""
    work, settings = state["work"], session.settings.debate
    rows = await session.memory.rows(JUDGING, task=work["id"])
    if rows:
        return rows[0]
    maps = {}
    if session.judges is not None and settings.calibrate:
        maps = await asyncio.to_thread(session.judges.maps, before=work["opened"])
    base = await rubric_of(state, session)
    own = task_rubric(text if has_own_rubric(session) else "")
    row: JsonDict = {
        "task": work["id"],
        **rubric_row(base, own),
        "maps": {name: it.row() for name, it in maps.items() if it.kind != "identity"},
    }
    await session.memory.log(JUDGING, row, key=work["id"])
    return row


def has_own_rubric(session: Asks) -> bool:
    """Tell whether a task adds criteria of its own; a model that judges reads the task itself."""
    asked = session.settings.debate.task_rubric
    return session.reasoner.name in FREE if asked is None else asked


def of_rubric(row: JsonDict) -> Origins:
    """Return where the criteria of a task come from: those beside its own and the shipped ones were taught.

    Who taught one may have told it what the user of this task does not know.
    """
    known = {*load_rubric().names, *row.get("task_criteria", {})}
    return TOLD if known.issuperset(row["rubric"]) else UNKNOWN | TOLD


async def settle_values(state: State, session: Session, answer: Answer, status: str) -> None:
    """Keep how the judged values of a finished task turned out; where it did not finish nothing is known."""
    if session.judges is None or status not in ("done", "failed", NOT_FOUND):
        return
    debates = await session.memory.rows(DEBATES, task=state["work"]["id"], limit=MANY)
    evidence = {idea_id: idea.get("evidence", []) for idea_id, idea in state["ideas"].items()}
    cited = frozenset(str(c["passage_id"]) for c in answer.get("citations", []))
    rows = outcome_rows(debates, evidence, cited, found=status == "done" and bool(answer.get("found")))
    if rows:
        await asyncio.to_thread(session.judges.add, state["work"]["id"], rows)
