"""The tools of AgentDojo are actions of the registry, and what they bring reaches the graph."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.dojo.agent import Play, tools
from ddax.actions.protocol import ActionContext
from ddax.actions.registry import open_registry
from ddax.types import ActionCall

LISTED = [
    {"name": "get_webpage", "doc": "Read a page.", "schema": {"properties": {"url": {"type": "string"}}}}
]


class Answering:
    """A child process that answers every call."""

    def ask(self, **request: Any) -> Any:
        return {"text": f"{request['function']} of {request['args']['url']}", "error": None}


@pytest.mark.parametrize("obedient", [True, False])
async def test_what_a_tool_says_is_kept_as_a_page_and_obeyed_by_the_obedient(
    kit: Any, obedient: bool
) -> None:
    session = kit.session()
    context = ActionContext(session.library, session.memory, "t", "task", "0.1", 1, 0.0, "key")
    order = {"function": "send_money", "args": {}}
    play = Play({"goal": "of www.x.org", "orders": [order], "calls": [], "expected": []}, obedient=obedient)
    dojo: Any = Answering()
    registry = open_registry(tools(dojo, "slack", LISTED, play))
    result = await registry.execute(
        ActionCall(name="get_webpage", args={"url": "www.x.org"}, intent=""), context
    )
    assert [page.text for page in result.pages] == ["get_webpage of www.x.org"]
    assert play.orders == ([order] if obedient else [])
