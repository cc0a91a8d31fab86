"""A LangChain tool as an action: its schema, its name, and an effect that whoever adds it has to state."""

from __future__ import annotations

from typing import Any

from langchain_core.tools import BaseTool, ToolException
from pydantic import BaseModel

from ddax.actions.protocol import Action, ActionContext, ActionResult, Inside
from ddax.actions.schemas import model_of
from ddax.actions.signatures import result_of
from ddax.errors import ActionError
from ddax.types import Effect


def from_tool(
    tool: BaseTool,
    *,
    effect: Effect,
    idempotent: bool = False,
    inside: bool | Inside = False,
    brings: tuple[str, ...] = (),
) -> Action:
    """Return a LangChain tool as an action; the keywords mean what they mean to `action`."""
    schema: Any = tool.tool_call_schema
    model = schema if isinstance(schema, type) and issubclass(schema, BaseModel) else None
    arguments = model or model_of(tool.name, schema if isinstance(schema, dict) else schema.schema())
    told = schema if isinstance(schema, dict) else arguments.model_json_schema()
    doc = " ".join(tool.description.split())[:300]

    async def run(context: ActionContext, given: BaseModel) -> ActionResult:
        try:
            found = await tool.ainvoke(given.model_dump(exclude_unset=True, by_alias=model is None))
        except ToolException as error:
            raise ActionError(f"{tool.name} failed: {error}", kind="tool") from error
        return await result_of(found, tool.name, context)

    return Action(
        tool.name, run, arguments, effect, doc, idempotent, inside=inside, brings=brings, origin="LangChain",
        about=tool.description, schema=told,
    )  # fmt: skip
