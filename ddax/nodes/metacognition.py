"""The node `metacognition`: what the agent notices about its own thinking, and the mood that follows.

One observation a step: what a verification or a conflict of claims has shown speaks first, else the
outcome that was least expected. The effects of the mood are applied where they belong
(`steps.select.steering`, `expand`, `steps.choices.frontier`); a question of a resting
mood is put by `protect`.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import numpy as np

from ddax.graph.ports import Remembers
from ddax.graph.services import Session
from ddax.graph.state import Outcome, State, Update
from ddax.ideas import dag
from ddax.ideas.idea import Patch
from ddax.memory.protocol import MANY
from ddax.memory.records import LEDGER
from ddax.metacognition.controller import MoodState, Step
from ddax.metacognition.effects import effects_of
from ddax.metacognition.signals import Signal, SignalConverter
from ddax.steps.findings.claims import conflicts, felt
from ddax.steps.leaves.plain_questions import NO_PROGRESS
from ddax.steps.leaves.world_seen import changed
from ddax.types import EntailmentCheck, JsonDict

MOODS = "moods"
STALE = 0.2
"""Novelty below which an outcome is the same again."""
MAX_ASKED = 2
"""Questions of a resting mood in one task."""


@dataclass(frozen=True)
class Noticed:
    """What speaks in this step: the idea, its signal, its surprise, the flags of claims in conflict."""

    idea: str
    signal: Signal
    epsilon: float
    flags: Patch


async def metacognition(state: State, *, session: Session) -> Update:
    """Turn what happened in this step into an observation, a belief and an action."""
    if not session.settings.mood.enabled or not state.get("outcomes"):
        return {}
    mood: MoodState = state.get("mood") or session.controller.open_mood()  # type: ignore[assignment]
    seen = await _notice(state, session, mood)
    step = await asyncio.to_thread(  # it may start a process and read from a pipe
        session.controller.observe,
        mood,
        seen.signal.observation,
        likelihood=seen.signal.likelihood,
        epsilon=seen.epsilon,
        step=state["step"],
        stale=_stale(state, seen.signal),
    )
    question = await _question(state, session, mood, step, seen.signal)
    await _log(state, session, seen, step, asked=bool(question))
    update: Update = {"mood": dict(step.mood)}
    if seen.flags:
        update["ideas"] = seen.flags
    if question:
        update["questions"] = question
    return update


async def _notice(state: State, session: Session, mood: MoodState) -> Noticed:
    """Choose what speaks, and convert it into a signal."""
    outcomes, verdicts = state["outcomes"], state.get("verdicts", {})
    read = [i for i, o in outcomes.items() if o["ok"] and o["action"] == "visit"]
    root = state["work"]["root"]
    flags = await asyncio.to_thread(conflicts, state["ideas"], root, read, session.check) if read else {}
    names = sorted(outcomes, key=dag.sort_key)
    checked = [i for i in names if outcomes[i].get("relation", "neutral") != "neutral"]
    fighting = [i for i in names if i in flags]
    loudest = max(checked or fighting or names, key=lambda i: float(verdicts.get(i, {}).get("epsilon", 0.0)))
    check: EntailmentCheck = session.check
    confidence = float(verdicts.get(loudest, {}).get("confidence", 0.0))
    if checked:
        outcome = outcomes[loudest]
        check, confidence = felt(outcome["relation"], outcome["confidence"]), 1.0
    elif fighting:
        check = felt("contradiction", 1.0)
    settings, epsilon = session.settings.mood, float(verdicts.get(loudest, {}).get("epsilon", 0.0))
    converter = SignalConverter(check, settings.surprise_threshold, settings.confirmation_confidence)
    signal = await asyncio.to_thread(  # it may embed, which reads the disk
        converter.convert,
        outcomes[loudest]["expected"],
        outcomes[loudest]["text"],
        confidence=confidence,
        epsilon=epsilon,
        recent=mood["recent"],
        similarity=await _similarity(state, session, outcomes[loudest]),
    )
    return Noticed(loudest, signal, epsilon, flags)


def _stale(state: State, signal: Signal) -> bool | None:
    """Tell whether what was tried in this step brought nothing new; None where nothing was tried."""
    tried = [o for o in state["outcomes"].values() if o["action"] != "merge"]
    if not tried:
        return None
    return all(not o["ok"] for o in tried) or (signal.novelty is not None and signal.novelty < STALE)


async def _question(
    state: State, session: Remembers, before: MoodState, step: Step, signal: Signal
) -> dict[str, JsonDict]:
    """Return the question of a mood that has just come to rest, where a human is there to help."""
    settings, work = session.settings, state["work"]
    if not settings.human or before["action"] == step.action or not effects_of(step.mood, settings.mood).ask:
        return {}
    rows = await session.memory.rows(MOODS, task=work["id"], limit=MANY)
    if sum(1 for row in rows if row["asked"] and row["step"] < state["step"]) >= MAX_ASKED:
        return {}
    sure = round(max(step.mood["belief"]), 4)
    details = {"mood": step.mood["state"], "belief": sure, "reason": signal.reason}
    return {work["root"]: {"idea": work["root"], "kind": "rest", "text": NO_PROGRESS, "details": details}}


async def _log(state: State, session: Session, seen: Noticed, step: Step, *, asked: bool) -> None:
    """Keep the step for `ddax mood`, for the viewer and for learning."""
    work, mood = state["work"], step.mood
    row: JsonDict = {
        "task": work["id"],
        "thread": work["thread"],
        "step": state["step"],
        "idea": seen.idea,
        "observation": seen.signal.observation,
        "reason": seen.signal.reason,
        "epsilon": seen.epsilon,
        "novelty": seen.signal.novelty,
        "progress": seen.signal.progress,
        "belief": mood["belief"],
        "action": step.action,
        "efe": mood["efe"],
        "terms": session.controller.terms(mood),
        "asked": asked,
        "conflicts": sorted(seen.flags, key=dag.sort_key),
    }
    await session.memory.log(MOODS, row, key=f"{work['id']}:{state['step']}")


async def _similarity(state: State, session: Session, outcome: Outcome) -> float | None:
    """Return the similarity of an outcome to the most similar earlier one of this task, in [0, 1].

    None where there is no earlier one, and for a page that changed: an outcome is only how its view begins.
    """
    if await changed(state, session):
        return None
    rows = await session.memory.rows(LEDGER, task=state["work"]["id"], limit=MANY)
    earlier = [str(row["actual"]) for row in rows if row["step"] < state["step"]]
    if not earlier:
        return None
    # In 64 bit: in 32 the last digits hang on how many rows are multiplied at once, and so would the mood.
    vectors = np.asarray(await session.embed(outcome["text"], *earlier), dtype=np.float64)
    return float(max(0.0, (vectors[1:] @ vectors[0]).max()))
