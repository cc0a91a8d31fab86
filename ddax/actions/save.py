"""The action `save`: keep a text as an internal thought."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from ddax.actions.protocol import ActionContext, ActionResult
from ddax.actions.registry import action
from ddax.text.chunks import chunks
from ddax.types import Record
from ddax.wording import amount


class SaveArguments(BaseModel):
    """The text to keep and a title to find it by."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str = Field(min_length=1, max_length=200_000)
    title: str = ""
    intent: str = ""


@action(effect="none")
async def save(context: ActionContext, arguments: SaveArguments) -> ActionResult:
    """Keep a text in the memory, cut into chunks."""
    records = tuple(
        Record(
            "internal_thought",
            piece.text,
            title=arguments.title,
            start=piece.start,
            end=piece.end,
            task=context.task,
            idea=context.idea,
            step=context.step,
            created=context.now,
            meta={"kind": "save"},
        )
        for piece in chunks(arguments.text)
    )
    return ActionResult(
        f"kept {len(arguments.text)} characters in {amount(len(records), 'piece')}", records=records
    )
