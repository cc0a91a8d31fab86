"""The node `metacognition`: what the agent notices about its own thinking, and the mood that follows.

One observation a step: the outcome that was least expected speaks. The effect of the mood on the
engine is applied where it belongs (`select`, `expand`), by `ddax.metacognition.effects`.
"""

from __future__ import annotations

from ddax.graph.services import Session
from ddax.graph.state import Outcome, State, Update
from ddax.ideas import dag
from ddax.metacognition.controller import MoodState
from ddax.metacognition.signals import SignalConverter
from ddax.nodes.gather import MANY
from ddax.types import JsonDict


async def metacognition(state: State, *, session: Session) -> Update:
    """Turn the most surprising outcome of this step into an observation, a belief and an action."""
    settings, verdicts = session.settings.mood, state.get("verdicts", {})
    outcomes = state.get("outcomes", {})
    if not settings.enabled or not outcomes:
        return {}
    mood: MoodState = state.get("mood") or session.controller.open_mood()  # type: ignore[assignment]
    loudest = max(sorted(outcomes, key=dag.sort_key), key=lambda i: verdicts.get(i, {}).get("epsilon", 0.0))
    outcome, verdict = outcomes[loudest], verdicts.get(loudest, {})
    converter = SignalConverter(
        session.check, settings.surprise_threshold, settings.confirmation_confidence
    )
    signal = converter.convert(
        outcome["expected"],
        outcome["text"],
        confidence=float(verdict.get("confidence", 0.0)),
        epsilon=float(verdict.get("epsilon", 0.0)),
        recent=mood["recent"],
        similarity=await _similarity(state, session, outcome),
    )
    felt = session.controller.observe(
        mood,
        signal.observation,
        likelihood=signal.likelihood,
        epsilon=float(verdict.get("epsilon", 0.0)),
        step=state["step"],
    )
    row: JsonDict = {
        "task": state["work"]["id"],
        "step": state["step"],
        "idea": loudest,
        "observation": signal.observation,
        "reason": signal.reason,
        "novelty": signal.novelty,
        "progress": signal.progress,
        "belief": felt.mood["belief"],
        "action": felt.action,
        "efe": felt.mood["efe"],
    }
    await session.memory.log("moods", row, key=f"{state['work']['id']}:{state['step']}")
    return {"mood": dict(felt.mood)}


async def _similarity(state: State, session: Session, outcome: Outcome) -> float | None:
    """Return the similarity of an outcome to the most similar earlier one of this task, in [0, 1]."""
    rows = await session.memory.rows("ledger", task=state["work"]["id"], limit=MANY)
    earlier = [str(row["actual"]) for row in rows if row["step"] < state["step"]]
    if not earlier:
        return None
    vectors = await session.embed(outcome["text"], *earlier)
    return float(max(0.0, (vectors[1:] @ vectors[0]).max()))
