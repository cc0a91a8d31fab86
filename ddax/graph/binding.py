"""Bind a node to its services: open the session, check what the node returns, tell what happened.

The bound node has the signature LangGraph wants; the node itself stays a plain function of state
and collaborators.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from inspect import signature
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from ddax.configs.secrets import Redactor
from ddax.configs.settings import Context
from ddax.errors import BudgetExceeded, DdaxError, InvariantError
from ddax.graph.reports.costs import by_node, note_calls
from ddax.graph.services import Services, Session
from ddax.graph.session.callers import check_state, owner_of_run
from ddax.graph.state import State, Update
from ddax.ideas import dag
from ddax.ideas.indexed import as_dag
from ddax.reasoning.budget import Place
from ddax.steps.accounts.weighed import note_doubts

Node = Callable[..., Awaitable[Update]]
STATE_KEYS = frozenset(State.__annotations__)
OPENS = "open_task"
"""The node whose state has the task before, or none."""
ONE_IDEA = frozenset({"expand", "merge"})
"""Nodes that work on the first idea in focus."""


def bind(node: Node, services: Services) -> Any:
    """Return the node as LangGraph runs it: an async function of state and runtime.

    Typed loosely because LangGraph wants the state class of each node, and `act` has its own.
    """
    wants_runtime = "runtime" in signature(node).parameters

    async def bound(state: Any, runtime: Runtime[Context]) -> Update:
        # Short: LangGraph reads all of this function's bytecode, for every graph it compiles.
        return await _perform(node, services, state, runtime, {"runtime": runtime} if wants_runtime else {})

    bound.__name__, bound.__doc__ = node.__name__, node.__doc__
    return bound


async def _perform(
    node: Node, services: Services, state: Any, runtime: Runtime[Context], extra: dict[str, Any]
) -> Update:
    """Run the node in its session, which stays open for it; what it raises goes on without secrets."""
    try:
        owner = owner_of_run(runtime)
        opened = await (
            services.session(runtime.context) if owner is None else services.served(runtime.context, owner)
        )
        with opened.used():
            return await _told(node, opened, state, runtime, extra)
    except DdaxError as error:  # a server tells its words to clients
        error.reword((await asyncio.to_thread(Redactor.of_process)).text)
        raise


async def _told(
    node: Node, opened: Session, state: Any, runtime: Runtime[Context], extra: dict[str, Any]
) -> Update:
    """Run the node, check its update and tell what it did."""
    if "ideas" in state:  # read back from a store they are a plain dict
        state = {**state, "ideas": as_dag(state["ideas"])}
    if state.get("work") and node.__name__ != OPENS:
        if opened.served:
            check_state(state, opened.settings)
        opened.go_on(state["work"], state.get("usage", {}), runtime.control)
    place = place_of(node.__name__, state, opened, runtime.stream_writer)
    session = opened.at(place)
    try:
        update = await node(state, session=session, **extra)
    except BudgetExceeded as error:
        cost: Update = {"usage": place.paid.row()} if place.calls else {}
        update = {"status": "stopped", "stop_reason": f"budget: {error.what.rstrip('.')}", **cost}
    finally:
        await note_calls(place, state, session)
    await note_doubts(place, state, session)
    update = by_node(node.__name__, update)
    check_update(node.__name__, state, update)
    runtime.stream_writer(event(node.__name__, state, update))
    return update


def place_of(name: str, state: Any, session: Session, tell: Callable[[Any], None]) -> Place:
    """Return where the reasoner is asked; the pieces of replies are told if the settings say so."""
    focus = state.get("focus") or [""]
    idea = str(state.get("leaf") or (focus[0] if name in ONE_IDEA else ""))
    return Place(name, int(state.get("step", 0)), idea, tell if session.settings.stream else None)


def check_update(name: str, state: Any, update: Update, *, keys: frozenset[str] = STATE_KEYS) -> None:
    """Refuse an update that graph state has no place for, or that would break the DAG."""
    unknown = set(update) - keys
    if unknown:
        raise InvariantError(
            f"Node {name!r} returned the unknown key {min(unknown)!r}.",
            why=f"The state has {', '.join(sorted(keys))}.",
            mend="Let the node return one of these; its state before stands, and the thread can be resumed.",
        )
    if "ideas" in update and "leaf" not in state:  # a leaf gets a packet, not the DAG
        try:
            dag.check_patch(state.get("ideas", {}), update["ideas"])
        except InvariantError as broken:
            what = f"Node {name!r} returned ideas that do not fit: {broken.what}"
            raise InvariantError(what, why=broken.why, mend=broken.mend) from broken


def event(name: str, state: Any, update: Update) -> dict[str, Any]:
    """Describe what a node did, for whoever watches: plain JSON, no page text."""
    old = state.get("ideas", {})
    ideas = {i: {"id": i, **old.get(i, {}), **patch} for i, patch in update.get("ideas", {}).items()}
    data: dict[str, Any] = {"ideas": list(ideas.values())} if ideas else {}
    for key in ("decision", "mind", "mood", "usage", "answer", "status", "stop_reason"):
        if key in update:
            value = update[key]
            data[key] = value.value if isinstance(value, Overwrite) else value
    return {"type": "node", "node": name, "step": update.get("step", state.get("step", 0)), "data": data}
