"""What the policy says of a call in protect mode."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ddax.actions.protocol import ActionContext, ActionResult
from ddax.actions.registry import action
from ddax.steps.leaves.permission import asked
from ddax.types import ActionCall


@action(effect="writes")
async def press(context: ActionContext, name: str) -> ActionResult:
    """Press a button of a page."""
    return ActionResult("pressed")


@pytest.mark.parametrize(
    ("told", "protect", "before", "ruling"),
    [
        (False, False, ("user",), "ask"),
        (False, True, ("user",), "ask"),
        (True, False, ("user",), "allow"),
        (True, True, ("user",), "allow"),
        (True, True, ("user", "web:shop.example"), "allow"),
    ],
)
async def test_what_the_user_allowed_at_the_start_is_ruled_on_by_the_table_alone(
    kit: Any, told: bool, protect: bool, before: tuple[str, ...], ruling: str
) -> None:
    session = kit.session({}, actions=(replace(press, told=told),))
    state = await kit.opened(session, "Press Buy in the shop.")
    call = ActionCall(name="press", args={"name": "Buy"}, intent="")
    found = await asked(call, session, task=state["work"]["id"], before=before, protect=protect)
    assert found.permission.ruling == ruling
