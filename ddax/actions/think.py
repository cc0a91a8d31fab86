"""The action `think`: put together what the memory holds on a point, as an internal thought."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from ddax.actions.protocol import ActionContext, ActionResult
from ddax.actions.registry import action
from ddax.errors import ActionError
from ddax.ideas.origins import join, of_record, read
from ddax.memory.protocol import RecallQuery
from ddax.types import Record
from ddax.wording import amount


class ThinkArguments(BaseModel):
    """The point to think about."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    about: str = Field(min_length=1)
    intent: str = ""


@action(effect="none")
async def think(context: ActionContext, arguments: ThinkArguments) -> ActionResult:
    """Gather what is remembered about a point."""
    query = RecallQuery(arguments.about, context.task, before_step=context.step, now=context.now)
    hits = await context.memory.recall(query)
    if not hits:
        raise ActionError(f"nothing is remembered about {arguments.about[:80]!r}.", kind="nothing_found")
    lines = [
        f"{hit.record.title or hit.record.source}: {' '.join(hit.record.text.split())[:240]}"
        for hit in hits[:6]
    ]
    record = Record(
        "internal_thought",
        f"On {arguments.about}:\n" + "\n".join(lines),
        title=arguments.about[:80],
        task=context.task,
        idea=context.idea,
        step=context.step,
        created=context.now,
        meta={"kind": "think", "origins": read(join(*(of_record(hit.record) for hit in hits[:6])))},
    )
    return ActionResult(
        f"{amount(len(hits), 'memory', 'memories')} on {arguments.about[:80]}: {lines[0]}", records=(record,)
    )
