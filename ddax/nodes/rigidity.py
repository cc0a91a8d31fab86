"""The node `rigidity`: surprise, rigidity, protect, forces and x, and a row in the experience ledger."""

from __future__ import annotations

import asyncio

import numpy as np
from numpy.typing import NDArray

from ddax.dynamics.forces import mind_forces, receive
from ddax.dynamics.rigidity import observe
from ddax.dynamics.stability import critical_gains, reported
from ddax.dynamics.state import Mind, project
from ddax.dynamics.surprise import Calibration, forecast_surprise, hybrid_surprise, td_error
from ddax.graph.ports import Remembers
from ddax.graph.services import Session
from ddax.graph.state import Outcome, State, Update
from ddax.ideas import dag
from ddax.memory.records import LEDGER
from ddax.steps.choices.frontier import directions_of, inherited_q
from ddax.types import JsonDict


async def rigidity(state: State, *, session: Session) -> Update:
    """Take in the outcomes of this step one by one, in the order of their ids."""
    mind: Mind = state["mind"]  # type: ignore[assignment]
    candidates = [i for i in dag.live(state["ideas"], state["work"]["root"]) if i["status"] == "open"]
    values = np.array([inherited_q(state["ideas"], c) for c in candidates])
    surprises: dict[str, JsonDict] = {}
    learned: list[tuple[Outcome, Mind]] = []
    outcomes = [state["outcomes"][i] for i in sorted(state.get("outcomes", {}), key=dag.sort_key)]
    # All at once: each asking of the encoder is a trip to its cache and back.
    rows = await session.embed(*(text for o in outcomes for text in (o["expected"], o["text"])))
    D = await directions_of(candidates, mind, session)
    for outcome, expected, actual in zip(outcomes, rows[::2], rows[1::2], strict=True):
        idea_id, verdict = outcome["idea"], state["verdicts"].get(outcome["idea"], {})
        felt = _surprise(expected, actual, verdict, session.scale)
        before, mind = mind, observe(mind, epsilon=felt["epsilon"], surprise=felt["surprise"])
        seen = project(session.projection, actual.astype(np.float64))
        teleport = session.settings.selection.teleport
        mind = receive(mind, seen, D, values, teleport=teleport, before=before)
        D = await directions_of(candidates, mind, session)  # x has moved
        mind = {**mind, "m_crit": reported(critical_gains(mind, mind_forces(mind, D, values)))}
        surprises[idea_id] = {**verdict, **felt}
        learned.append((outcome, mind))
    # Rows that are written beside each other share one transaction, in this order.
    await asyncio.gather(*(_ledger(state, session, o, m, surprises[o["idea"]]) for o, m in learned))
    return {"mind": dict(_rounded(mind)), "verdicts": surprises}


def _surprise(
    expected: NDArray[np.float32], actual: NDArray[np.float32], verdict: JsonDict, scale: Calibration
) -> JsonDict:
    """Return ε of the forecast, the value error, and the hybrid that drives ρ.

    Where nothing was believed about the value before, the forecast alone speaks.
    """
    epsilon = forecast_surprise(expected, actual, scale)
    before = verdict.get("before")
    td = td_error(verdict["value"], before) if before is not None and "value" in verdict else epsilon
    return {
        "epsilon": round(epsilon, 6),
        "td": round(td, 6),
        "surprise": round(hybrid_surprise(epsilon, td), 6),
    }


async def _ledger(state: State, session: Remembers, outcome: Outcome, mind: Mind, felt: JsonDict) -> None:
    """Write one experience: what was done, expected and got, and how surprising it was."""
    work = state["work"]
    row = {
        "task": work["id"],
        "step": state["step"],
        "idea": outcome["idea"],
        "action": outcome["action"],
        "expected": outcome["expected"],
        "actual": outcome["text"],
        "ok": outcome["ok"],
        "epsilon": felt["epsilon"],
        "surprise": felt["surprise"],
        "raw": round(mind["raw_surprise"], 6),
        "value": felt.get("value"),
        "before": felt.get("before"),
        "rho": round(mind["rho"], 6),
        "m": mind["m"],
        "m_crit": _list(mind["m_crit"]),
        "x": mind["x"],
    }
    if felt.get("estimated"):
        row["estimated"] = True
    if outcome.get("settles"):
        row["settles"] = True
    await session.memory.log(LEDGER, row, key=f"{work['id']}:{outcome['idea']}:{state['step']}")


def _rounded(mind: Mind) -> JsonDict:
    """Round the numbers, so that state stays small and equal across machines."""
    return {k: round(v, 9) if isinstance(v, float) else _list(v) for k, v in mind.items()}


def _list(value: object) -> object:
    return [None if v is None else round(float(v), 6) for v in value] if isinstance(value, list) else value
