"""The action `work`: a leaf of several turns, in which a model calls tools until its aim is reached.

There is one where the user brings tools and a model can use them. Its calls are done one by one by the node
`act` (`ddax.steps.leaves.leaf_turns`), never by the action itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic.json_schema import SkipJsonSchema

from ddax.actions.protocol import Action, ActionContext, ActionResult
from ddax.actions.registry import Registry
from ddax.errors import ActionError

OURS = ("search", "visit")
"""Actions of the program that a chain may use beside the tools."""
ABOUT = """Call tools one after the other, each call chosen by what those before brought. However many it
takes, it is one child: never plan its calls as children of their own. Use it where the arguments of a call
are not known yet."""


class WorkArguments(BaseModel):
    """The aim, and the tools that may be used for it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    aim: str = Field(min_length=1, description="What is to be found or done, with all that has to be known.")
    tools: tuple[str, ...] = Field((), description="Names of the actions to use; empty: all of the tools.")
    intent: SkipJsonSchema[str] = ""
    """Given beside the arguments, with every action: nobody is told of it here."""

    @field_validator("tools", mode="before")
    @classmethod
    def _listed(cls, given: Any) -> Any:
        """Take names in one text, as models write them."""
        if not isinstance(given, str):
            return given
        return [name.strip(" \"'[]") for name in given.split(",") if name.strip(" \"'[]")]


async def _never(context: ActionContext, arguments: BaseModel) -> ActionResult:
    raise ActionError("a leaf of several turns is done turn by turn.", kind="bad_call")


WORK = Action(
    "work", _never, WorkArguments, "none", "Call tools one after the other until an aim is reached.",
    about=ABOUT, chain=True,
)  # fmt: skip


def tools_for(arguments: WorkArguments, actions: Mapping[str, Action]) -> tuple[Action, ...]:
    """Return the actions a chain may call; what is named and is none of them is left out."""
    tools = {name: action for name, action in actions.items() if is_tool(action)}
    ours = {name: actions[name] for name in OURS if name in actions}
    named = {name: (tools | ours)[name] for name in arguments.tools if name in tools | ours}
    return tuple((named or tools).values())


def with_work(actions: Registry, *, denied: Collection[str] = ()) -> Registry:
    """Return actions with `work` beside them, where there are tools to work with."""
    if WORK.name in actions or WORK.name in denied or not any(map(is_tool, actions.values())):
        return actions
    return actions.beside(WORK)


def is_tool(action: Action) -> bool:
    """Tell whether an action is a tool that somebody brought."""
    return action.about is not None and not action.chain
