"""CONSOLIDATE's work on the memory: done when the task ends, so that no recall within it changes.

Rows of tasks that have not ended stay as they are; a task is known to have ended
by a row of its own.
"""

from __future__ import annotations

from ddax.graph.ports import Remembers
from ddax.graph.services import Session
from ddax.graph.state import State
from ddax.memory.protocol import MANY
from ddax.memory.upkeep.consolidate import consolidate
from ddax.metacognition.effects import switched_on
from ddax.steps.findings.gather import TASKS

ENDED, CONSOLIDATIONS = "ended", "consolidations"
EVERY_SECONDS = 86_400.0
"""Time between two consolidations of one memory: each walks over every row."""


async def consolidate_memory(state: State, session: Session) -> None:
    """Consolidate the memory once, where the mood of this task has asked for it; then note its end."""
    work, settings = state["work"], session.settings.mood
    wanted = await session.memory.rows("moods", task=work["id"], action="CONSOLIDATE", limit=1)
    if wanted and settings.enabled and switched_on("CONSOLIDATE", settings):
        done = await session.memory.rows(CONSOLIDATIONS, limit=MANY)
        # By a clock that was wrong one may lie ahead: it must not stop all that come before it.
        if all(abs(work["opened"] - row["at"]) >= EVERY_SECONDS or row["task"] == work["id"] for row in done):
            await _consolidate(state, session)
    await session.memory.log(ENDED, {"task": work["id"]}, key=work["id"])


async def _consolidate(state: State, session: Remembers) -> None:
    work = state["work"]
    ended = {row["task"] for row in await session.memory.rows(ENDED, limit=MANY)}
    known = {str(row["task"]) for row in await session.memory.rows(TASKS, limit=MANY)}
    busy = (known - ended) | {work["id"]}
    plan = await consolidate(session.memory, now=work["opened"], busy=busy)
    row = {"task": work["id"], "at": work["opened"], **plan.counts()}
    await session.memory.log(CONSOLIDATIONS, row, key=work["id"])
