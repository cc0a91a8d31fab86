"""The contract of a node that is spliced into the graph."""

from __future__ import annotations

import copy
import inspect
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from ddax.configs.settings import Context
from ddax.graph.builder import Builder, build_graph, splice
from ddax.graph.splicing import state_keys
from ddax.testing.contract import Contract, expect
from ddax.testing.pages import QUESTION, small_agent

MAX_BYTES = 4096
"""What one node may write in one superstep, as JSON."""
SEEN: dict[str, Any] = {
    "task": QUESTION,
    "step": 2,
    "focus": ["0.0"],
    "ideas": {
        "0": {"id": "0", "parent": "", "kind": "inner", "title": QUESTION, "status": "running", "depth": 0},
        "0.0": {"id": "0.0", "parent": "0", "kind": "leaf", "title": "read", "status": "done", "depth": 1},
    },
    "outcomes": {"0.0": {"idea": "0.0", "ok": True, "text": "It was read.", "expected": "a page"}},
    "verdicts": {},
    "usage": {"model_calls": 0, "tokens": 0, "usd": 0.0},
    "status": "running",
}
"""A state as a node between `act` and `evaluate` sees it."""


class NodeContract(Contract):
    """State in, changed keys out: what holds for every node.

    `node` is the function; `after` and `before` are the nodes it is spliced between; `state` is a state
    it is tried with.
    """

    node: Callable[..., Any]
    after = "act"
    before = "evaluate"
    state: dict[str, Any] = SEEN

    def function(self) -> Callable[..., Any]:
        """Return the node as a plain function, however the class was given it."""
        given = inspect.getattr_static(self, "node")
        return given.__func__ if isinstance(given, staticmethod) else given

    def graph(self, builder: Builder) -> Builder:
        """Return a graph with the node spliced in."""
        return splice(builder, "spliced", self.function(), after=self.after, before=self.before)

    async def call(self, state: dict[str, Any]) -> dict[str, Any]:
        """Run the node on a state as LangGraph would, and return its update."""
        node = self.function()
        runtime = Runtime(context=Context(), stream_writer=lambda _: None)
        update = node(state, runtime) if len(inspect.signature(node).parameters) > 1 else node(state)
        if inspect.isawaitable(update):
            update = await update
        return {} if update is None else update

    async def rule_it_returns_keys_of_the_state_as_small_plain_json(self) -> None:
        update = await self.call(copy.deepcopy(self.state))
        expect(
            isinstance(update, dict), f"a node returns a dict of changed keys, not {type(update).__name__}"
        )
        keys = state_keys(self.graph(build_graph()))
        unknown = sorted(set(update) - keys)
        expect(not unknown, f"the state has no key {unknown}; it has {', '.join(sorted(keys))}")
        plain = {key: v.value if isinstance(v, Overwrite) else v for key, v in update.items()}
        plain.pop("messages", None)  # message objects are LangGraph's own
        size = len(json.dumps(plain, allow_nan=False).encode())
        expect(size <= MAX_BYTES, f"an update is {MAX_BYTES} bytes at most, this one has {size}")

    async def rule_it_leaves_the_state_it_is_given_as_it_was(self) -> None:
        given = copy.deepcopy(self.state)
        await self.call(given)
        expect(given == self.state, "the node changed its state in place; return the changed keys instead")

    async def rule_the_same_state_gives_the_same_update(self) -> None:
        first, second = [await self.call(copy.deepcopy(self.state)) for _ in range(2)]
        expect(first == second, f"two runs on the same state differ: {first} and {second}")

    async def rule_a_run_with_it_is_answered_and_has_passed_through_it(self) -> None:
        def build(services: Any) -> Any:
            return self.graph(build_graph(services))

        with tempfile.TemporaryDirectory() as folder:
            async with small_agent(Path(folder), build=build) as agent:
                result = await agent.run(QUESTION, thread="node")
                history = [one async for one in agent.graph.aget_state_history(_thread("node"))]
        past = {name for one in history for name in one.next}
        expect(result["status"] == "done", f"the run ended as {result['status']}: {result['stop_reason']}")
        expect("spliced" in past, f"no step of the run went through the node behind {self.after!r}")


def _thread(name: str) -> Any:
    return {"configurable": {"thread_id": name}}
