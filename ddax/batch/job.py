"""Do one task of a batch in a home of its own, and write down what came of it.

A task that was begun is resumed. The homes are apart, so that no result depends on which task ran
before or beside it.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ddax.batch.tasks import BatchTask
from ddax.batch.validators import checks, score
from ddax.errors import DdaxError, ThreadInUse, first_fault
from ddax.types import JsonDict

if TYPE_CHECKING:
    from ddax.configs.settings import Context
    from ddax.graph.services import Parts

WAIT_SECONDS = 90.0
"""How long whoever had the task before is waited for: one that was killed may not be quite gone."""
POLL_SECONDS = 0.5
Clock = Callable[[], float]


async def do(
    task: BatchTask, base: Context, home: Path, parts: Parts, *, clock: Clock = time.monotonic
) -> JsonDict:
    """Run or resume a task and return its row; an error of ours is a row too, never a lost task."""
    started = clock()
    try:
        row = await _ran_alone(task, settings_of(task, base), home, parts, clock)
    except DdaxError as error:
        row = failed(task, type(error).__name__, str(error))
    return {**row, "seconds": round(clock() - started, 3)}


def settings_of(task: BatchTask, base: Context) -> Context:
    """Return the settings of a task: those of the batch, with its own on top; raises SettingsError."""
    from pydantic import ValidationError

    from ddax.configs.keys import nearest_one, setting_fields
    from ddax.configs.settings import Context
    from ddax.errors import SettingsError

    values = _merged(base.model_dump(mode="json"), task.settings)
    if task.sources is not None:
        values["sources"] = list(task.sources)
    try:
        return Context.model_validate({**values, "human": False})
    except ValidationError as error:
        where, fault = first_fault(error.errors(include_url=False))
        key = ".".join(map(str, where))
        known = any(f"{key}.".startswith(f"{field}.") for field in setting_fields(Context))
        raise SettingsError(
            f"{task.place}: {key}: {fault}.",
            why="Its row holds settings that do not fit." if known else nearest_one(key, Context),
            mend="`ddax config show` lists every setting.",
        ) from error


def failed(task: BatchTask, kind: str, cause: str) -> JsonDict:
    """Return the row of a task that has no answer."""
    return {"id": task.id, "status": "failed", "answer": "", "error": {"kind": kind, "cause": cause},
            "score": 0.0 if task.validators else None, "checks": [], "seconds": 0.0}  # fmt: skip


async def _ran_alone(task: BatchTask, context: Context, home: Path, parts: Parts, clock: Clock) -> JsonDict:
    """Run a task once nobody else does; a batch gives it to one runner at a time."""
    until = clock() + WAIT_SECONDS
    while True:
        try:
            return await _ran(task, context, home, parts)
        except ThreadInUse:
            if clock() >= until:
                raise
            await asyncio.sleep(POLL_SECONDS)


async def _ran(task: BatchTask, context: Context, home: Path, parts: Parts) -> JsonDict:
    from ddax.graph.runner import open_agent

    async with open_agent(context, home=home, parts=parts) as agent:
        begun = await asyncio.to_thread(agent.runs.all)
        # A name of its own: a Postgres holds the threads of every task, and of other batches.
        thread = begun[0].thread_id if begun else f"{task.id}-{secrets.token_hex(8)}"
        result = await (agent.resume(thread) if begun else agent.run(task.task, thread=thread))
        work = (await agent.state(thread)).get("work", {})
        memory = (await agent.services.session(context)).memory
        repaired = any(row["solved"] for row in await memory.rows("repairs", task=work.get("id", "")))
        ended = await asyncio.to_thread(agent.runs.load, thread)
    found = checks(task, result, repaired=repaired)
    row: dict[str, Any] = {"id": task.id, **result, "digest": ended.digest if ended else ""}
    del row["thread_id"]
    row["usage"] = {key: value for key, value in row["usage"].items() if key != "seconds"}
    return {**row, "error": None, "score": score(found), "checks": found}


def _merged(base: JsonDict, changes: JsonDict) -> JsonDict:
    merged = dict(base)
    for key, value in changes.items():
        old = merged.get(key)
        merged[key] = _merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged
