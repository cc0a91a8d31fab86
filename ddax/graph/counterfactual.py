"""Regret by counterfactual: leave a run where a human overrode it, take the agent's own choice, compare.

The fork runs on a copy of the thread, with a memory of its own; neither the thread nor the memory
nor anybody's trust is touched by it. Only then is the override settled, by the same verifier for both.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ddax.configs.settings import Context
from ddax.errors import InvariantError, NotAllowed, UsageError
from ddax.graph.builder import Builder, build_graph
from ddax.graph.services import Services, Session
from ddax.graph.threads.manifests import UNFINISHED
from ddax.memory.agents.overrides import Overrides
from ddax.nodes.act import SHOWN
from ddax.types import JsonDict

if TYPE_CHECKING:
    from ddax.graph.runner import Agent

Verifier = Callable[[Mapping[str, Any]], float]
"""Values the final state of a task in [0, 1]."""
MAX_QUESTIONS = 50
"""Questions to a human that a fork answers by the conservative path before it is given up."""


@dataclass(frozen=True)
class Comparison:
    """What an override and the agent's own choice came to, each with its value in [0, 1].

    `shown` are the actions of the own choice that write or spend and were therefore not done.
    """

    override: str
    own: float
    human: float
    regretted: bool
    own_answer: str
    human_answer: str
    shown: tuple[str, ...] = ()


def support_of(state: Mapping[str, Any]) -> float:
    """Value the end of a task by the support of its answer; 0 where none was found."""
    answer = state.get("answer") or {}
    return min(1.0, max(0.0, float(answer["support"]))) if answer.get("found") else 0.0


async def compare_override(
    agent: Agent,
    override: str,
    *,
    verify: Verifier = support_of,
    allow_effects: bool = False,
    build: Callable[[Services], Builder] = build_graph,
) -> Comparison:
    """Run the agent's own choice from the fork, compare both ends, and settle the override by it.

    Raises `UsageError` where there is no fork or the run is not over, and `NotAllowed` where the choice
    itself writes or spends; what does so later is shown, as in a dry run. With `allow_effects` all is done.
    """
    base = await agent.services.session(agent.context)
    if base.agents is None:
        raise UsageError(
            "no account of agents is kept here.",
            why="This agent was opened without one.",
            mend="Open the agent over a home.",
        )
    overrides = Overrides(base.agents)
    found = await asyncio.to_thread(overrides.get, override)
    place = _place(found.entry)
    context = await _context(agent, place["thread"])
    session = await agent.services.session(context)
    with session.used():
        fork, end = await _states(agent, place, context)
        _check_effect(session, fork, str(place["idea"]), allow_effects=allow_effects)
        apart = _apart(session, place, context, hands_off=not allow_effects)
        own = await _own_choice(apart, fork, place, context, build)
        rows = await apart.memory.rows(SHOWN, task=place["work"])
    mine, theirs = verify(own), verify(end)
    margin = session.settings.trust.regret_margin
    event = str(found.entry["id"])
    better = await asyncio.to_thread(lambda: overrides.compare(event, own=mine, human=theirs, margin=margin))
    shown = tuple(row["action"] for row in rows if row["step"] >= place["step"])
    return Comparison(event, mine, theirs, better, _answer(own), _answer(end), shown)


@dataclass(frozen=True)
class ForkServices:
    """Services with one session, which is closed by whom it belongs to."""

    ready: Session

    async def session(self, context: Context | None) -> Session:
        """Return the session, with the settings that are asked for."""
        return self.ready if context is None else replace(self.ready, settings=context)

    async def served(self, context: Context | None, owner: str) -> Session:
        """Refuse what comes over a server: this way is tried here alone."""
        raise InvariantError(
            "A run over a server came to the session of another run.",
            why="A way that is tried out is never driven by a server.",
            mend="Report it: this is a fault of ddax.",
        )

    async def close(self) -> None:
        """Leave the session open: it is not ours."""


def _place(entry: JsonDict) -> JsonDict:
    place: JsonDict = entry["context"]
    if "work" not in place or "step" not in place:
        raise UsageError(
            f"The override {entry['id']} has no fork.",
            why="It was not made at a question of a run.",
            mend="Only `ddax agents revert` can settle it before its deadline.",
        )
    return place


async def _context(agent: Agent, thread: str) -> Context:
    info = await asyncio.to_thread(agent.runs.load, thread)
    if info is None:
        raise UsageError(
            f"there is no thread {thread!r} any more.",
            why="It was removed since.",
            mend="List them: ddax runs",
        )
    return Context.model_validate(info.context) if info.context else agent.context


async def _states(agent: Agent, place: JsonDict, context: Context) -> tuple[JsonDict, JsonDict]:
    """Return the state at the question, and the one the task ended with."""
    fork: JsonDict | None = None
    end: JsonDict | None = None
    config: Any = {"configurable": {"thread_id": place["thread"]}}
    async for snapshot in agent.graph.aget_state_history(config):
        values = snapshot.values
        if values.get("work", {}).get("id") != place["work"]:
            continue
        end = values if end is None else end
        if "protect" in snapshot.next and values.get("step") == place["step"]:
            fork = values
    if fork is None or end is None:
        raise UsageError(
            f"The checkpoints of thread {place['thread']!r} no longer hold the question.",
            why="They were let go of by `ddax gc`.",
            mend="Only `ddax agents revert` can settle the override before its deadline.",
        )
    if end.get("status") in UNFINISHED:
        raise UsageError(
            f"thread {place['thread']!r} is not over.",
            why="Only what a finished thread would have chosen can be compared.",
            mend=f"ddax resume {place['thread']}",
        )
    return fork, end


def _check_effect(session: Session, fork: JsonDict, idea: str, *, allow_effects: bool) -> None:
    """Refuse to do again, or to do after a veto, what has an effect on the world."""
    action = fork["ideas"].get(idea, {}).get("action")
    if action is None or action["name"] not in session.actions or allow_effects:
        return
    chosen = session.actions[action["name"]]
    if chosen.lasting:
        raise NotAllowed(
            f"The action {action['name']!r} is not run to find out.",
            why=f"It {chosen.effect}.",
            mend="Allow it by --allow-effects, or settle the override yourself: ddax agents revert ID",
        )


def _apart(session: Session, place: JsonDict, context: Context, *, hands_off: bool) -> Session:
    """Return the session of the other way: what it remembers is gone with it."""
    from ddax.memory.fork import ForkMemory
    from ddax.memory.gate.write_gate import GatedMemory

    memory = ForkMemory(
        session.memory,
        session.embedder,
        session.clock,
        context.recall,
        task=place["work"],
        step=place["step"],
    )
    return replace(
        session, memory=GatedMemory(memory, session.check), agents=None, rubrics=None, judges=None, ticks={},
        keepers={}, goes={}, behind=None, hands_off=hands_off,
    )  # fmt: skip


async def _own_choice(
    apart: Session,
    fork: JsonDict,
    place: JsonDict,
    context: Context,
    build: Callable[[Services], Builder],
) -> JsonDict:
    """Run the task to its end from the question on, answered as the agent had chosen."""
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.types import Command

    from ddax.graph.runner import config_of

    graph = build(ForkServices(apart)).compile(checkpointer=InMemorySaver(), name="ddax")
    config = config_of(f"{place['thread']}-own", context)
    await graph.aupdate_state(config, fork, as_node="select")
    asked, alone = context.model_copy(update={"human": True}), context.model_copy(update={"human": False})
    await graph.ainvoke(None, config, context=asked)
    await graph.ainvoke(Command(resume={"choice": "go on"}), config, context=asked)
    for _ in range(MAX_QUESTIONS):
        state = await graph.aget_state(config)
        if not state.next:
            return dict(state.values)
        await graph.ainvoke(None, config, context=alone)
    raise UsageError(
        f"The fork of thread {place['thread']!r} does not come to an end.",
        why="It stopped or waits, so that there is no answer to compare.",
        mend=f"See why: ddax show {place['thread']}",
    )


def _answer(state: Mapping[str, Any]) -> str:
    answer = state.get("answer") or {}
    return str(answer.get("short") or answer.get("text") or "")
