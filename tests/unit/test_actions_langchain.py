"""LangChain tools as actions: their schema, their failures, and an effect that has to be stated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import StructuredTool, ToolException, tool

from ddax.actions.langchain import from_tool
from ddax.actions.protocol import ActionContext
from ddax.actions.registry import from_file, open_registry
from ddax.actions.schemas import model_of
from ddax.errors import ActionError, UsageError
from ddax.reasoning.language.replies.planned import argument_names
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


ODD = ("_id", "_", "__", "json", "schema", "model_config", "model_dump", "a-b", "")


async def test_a_tool_may_name_its_arguments_as_json_may(context: ActionContext) -> None:
    async def run(**args: Any) -> str:
        return repr(args)

    schema = {
        "type": "object", "required": ["_id"],
        "properties": {**{name: {"type": "string"} for name in ODD}, "argument_id": {"type": "integer"}},
    }  # fmt: skip
    made = StructuredTool(name="find", description="Find.", args_schema=schema, coroutine=run)
    found = from_tool(made, effect="reads")
    registry = open_registry((found,))
    given = dict.fromkeys(ODD, "5") | {"argument_id": 5}
    assert argument_names("find", {"find": found.arguments}) == tuple(given)
    assert (await registry.execute(called("find", **given), context)).summary == repr(given)
    for args in ({"_id": 5}, {"argument_id": 5}):
        with pytest.raises(ActionError, match="bad arguments: _id"):
            registry.arguments(called("find", **args))


@pytest.mark.parametrize("part", [True, {}, {"type": "null"}, {"type": ["null"]}, {"anyOf": None}])
def test_a_part_of_a_schema_may_be_anything_that_json_schema_allows(part: Any) -> None:
    for required in ([], ["doc"], None):
        model = model_of("find", {"type": "object", "properties": {"doc": part}, "required": required})
        assert model.model_validate({"doc": None}).model_dump() == {"doc": None}


ENDLESS: dict[str, Any] = {}
ENDLESS["anyOf"] = [ENDLESS]


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ("string", "it is 'string'"), ({"properties": ["a"]}, "'properties' are"),
        ({"required": True}, "'required' is True"), ({"properties": {"a": {"type": 5}}}, "'type' is 5"),
        ({"properties": {"a": {"type": ["string", 7]}}}, "'type' is"),
        ({"properties": {"a": {"type": {"x": 1}}}}, "'type' is"),
        ({"properties": {"a": {"anyOf": 5}}}, "'anyOf' is 5"),
        ({"properties": {"a": ENDLESS}}, "holds itself"),
    ],
)  # fmt: skip
def test_a_schema_that_is_none_is_told_with_the_name_of_its_tool(schema: Any, said: str) -> None:
    with pytest.raises(UsageError, match="'find'") as refused:
        model_of("find", schema)
    assert said in refused.value.why


@pytest.mark.parametrize(
    "part",
    [{"$ref": "#/properties/a"}, {"enum": [{"x": 1}, []]}, {"type": "berth"}, {"anyOf": [5, {"type": []}]}],
)
def test_a_part_that_is_left_to_the_tool_takes_anything(part: Any) -> None:
    model = model_of("find", {"properties": {"a": part}, "required": ["a", {"b": 1}]})
    assert model.model_validate({"a": {"x": 1}}).model_dump() == {"a": {"x": 1}}


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
