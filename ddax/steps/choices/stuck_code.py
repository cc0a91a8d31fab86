"""When a task of code is stuck: the predicate by which `select` falls back to `evolve`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ddax.configs.settings import Evolution
from ddax.dynamics.pressure import Impasse, PressureWeights, ambiguity_of, pressure, trigger
from ddax.graph.state import State
from ddax.ideas import dag
from ddax.types import Idea

TEST, REPAIR = "test", "repair"
"""The names of the leaves that run the tests and that repair the code."""
PROPOSED = "No fix is certain"
"""Begins an answer that shows patches of which a person has to take one."""


def evolution_due(state: State, settings: Evolution, *, step: int, seconds: float) -> bool:
    """Say whether to evolve: the tests are known to fail and the task is under pressure or stuck.

    Every step since the tests failed in which no repair was tried is a NO_CHANGE: nothing that was
    done could have changed them.
    """
    if not state["work"].get("code"):
        return False
    leaves = [i for i in dag.subtree(state["ideas"], state["work"]["root"]) if i["kind"] == "leaf"]
    failing = [i for i in leaves if _is(i, TEST) and i["status"] == "failed"]
    if not failing or any(_is(i, REPAIR) for i in leaves):
        return False
    stuck = step - max(i["step"] for i in failing) - 1
    value = pressure_at(
        depth=max(i["depth"] for i in leaves), seconds=seconds, stuck=stuck,
        decision=state.get("decision", {}), weights=PressureWeights(**settings.pressure_weights),
    )  # fmt: skip
    return trigger(
        value,
        [Impasse.NO_CHANGE] * stuck,
        threshold=settings.pressure_threshold,
        enabled=settings.evolution_enabled,
    )


def pressure_at(
    *, depth: int, seconds: float, stuck: int, decision: Mapping[str, Any], weights: PressureWeights
) -> float:
    """Return the pressure in [0, 1] at a depth, after seconds and so many steps without a change.

    How close the options are is taken from the best scores of the last decision.
    """
    close = ambiguity_of([float(term["total"]) for term in decision.get("top", ())])
    return pressure(depth=depth, seconds=seconds, impasses=stuck, ambiguity=close, weights=weights)


def _is(leaf: Idea, name: str) -> bool:
    return leaf["action"]["name"] == name
