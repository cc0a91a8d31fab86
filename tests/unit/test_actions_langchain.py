"""LangChain tools as actions: their schema, their failures, and an effect that has to be stated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import StructuredTool, ToolException, tool

from ddax.actions.langchain import from_tool
from ddax.actions.protocol import ActionContext
from ddax.actions.registry import from_file, open_registry
from ddax.errors import ActionError
from ddax.types import ActionCall


@tool
def tide(harbour: str, hours: int = 6) -> str:
    """Tell the tide at a harbour."""
    if harbour == "nowhere":
        raise ToolException("there is no such harbour")
    return f"{hours} hours to high water at {harbour}"


def called(name: str, **args: Any) -> ActionCall:
    return ActionCall(name=name, args=args, intent="")


@pytest.fixture
def context(kit: Any) -> ActionContext:
    session = kit.session()
    return ActionContext(session.library, session.memory, "t", "When is high water?", "0.1", 1, 0.0, "key")


async def test_a_tool_is_called_with_checked_arguments(context: ActionContext) -> None:
    registry = open_registry((from_tool(tide, effect="reads", brings=("tool:tides",)),))
    assert (registry["tide"].effect, registry["tide"].doc) == ("reads", "Tell the tide at a harbour.")
    result = await registry.execute(called("tide", harbour="Belmark"), context)
    assert result.summary == "6 hours to high water at Belmark" and result.records
    with pytest.raises(ActionError, match="bad arguments: hours"):
        registry.arguments(called("tide", harbour="Belmark", hours="soon"))
    with pytest.raises(ActionError, match="there is no such harbour"):
        await registry.execute(called("tide", harbour="nowhere"), context)


async def test_a_tool_with_a_plain_json_schema_is_one_too(context: ActionContext) -> None:
    async def run(**args: Any) -> str:
        return repr(args)

    schema = {
        "type": "object", "required": ["ship"],
        "properties": {"ship": {"type": "string"}, "crew": {"type": ["integer", "null"]}},
    }  # fmt: skip
    made = StructuredTool(name="moor", description="Moor a ship.", args_schema=schema, coroutine=run)
    registry = open_registry((from_tool(made, effect="writes"),))
    assert "'Ada'" in (await registry.execute(called("moor", ship="Ada"), context)).summary
    for args in ({}, {"ship": 3}, {"ship": "Ada", "berth": 1}, {"ship": "Ada", "crew": "ten"}):
        with pytest.raises(ActionError, match="bad arguments"):
            registry.arguments(called("moor", **args))


def test_a_file_of_actions_may_hold_one(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from langchain_core.tools import tool\nfrom ddax.actions.langchain import from_tool\n\n\n"
        '@tool\ndef tide(harbour: str) -> str:\n    """Tell the tide."""\n    return harbour\n\n\n'
        'tides = from_tool(tide, effect="reads")\n'
    )
    (found,) = from_file(str(file))
    assert (found.name, found.origin) == ("tide", str(file))
