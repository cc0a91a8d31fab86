"""At an impasse the ACT-R utility chooses among the leaves, from what like actions brought before.

`select` asks it after its descent. An impasse is a step in which everything that was
tried has failed (NO_CHANGE), or a best place that several leaves share (TIE).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ddax.dynamics.pressure import Impasse, impasse_of
from ddax.dynamics.utility import Option, Tabu, Utility, learned_chance, resolve
from ddax.graph.ports import Acts
from ddax.graph.services import Session
from ddax.graph.state import State
from ddax.ideas import dag
from ddax.ideas.idea import is_final
from ddax.memory.protocol import MANY
from ddax.memory.records import LEDGER
from ddax.types import Idea, JsonDict

NEWEST = 200
"""Experiences that are looked at."""
ALIKE = 0.5
"""Likeness from which an experience counts as one with the same kind of action."""
GOAL = 10.0
"""G, what an action that succeeds is worth; costs are in its units."""
COSTS: Mapping[str, float] = {"none": 0.0, "reads": 1.0, "writes": 2.0, "spends": 3.0}
NOISE = 0.1


@dataclass(frozen=True)
class Resolved:
    """The impasse, the leaves best first, and the terms of each utility for the decision record."""

    kind: Impasse
    order: tuple[str, ...]
    utilities: tuple[JsonDict, ...]

    def row(self) -> JsonDict:
        """Return it as plain JSON."""
        return {"kind": str(self.kind), "utilities": list(self.utilities)}


async def by_utility(
    state: State, session: Session, targets: Sequence[str], terms: Sequence[JsonDict], *, step: int
) -> Resolved | None:
    """Rank runnable leaves by U = P·G − C − penalty·count + noise; None where there is no impasse."""
    leaves = [state["ideas"][target] for target in sorted(targets, key=dag.sort_key)]
    if len(leaves) < 2 or any(leaf["kind"] != "leaf" for leaf in leaves):
        return None
    # Totals of other levels are of other siblings, and say nothing of the place the descent came to.
    last = [term for term in terms if term["at"] == terms[-1]["at"] and term["id"] in targets]
    kind = impasse_of([float(term["total"]) for term in last], changed=_changed(state))
    if kind is None:
        return None
    chances = await _chances(state, session, leaves)
    options = [
        Option(leaf["action"]["name"], leaf["action"]["args"], P=chance, C=_cost(session, leaf))
        for leaf, chance in zip(leaves, chances, strict=True)
    ]
    ranked = resolve(
        options, _tried(state), rng=session.rng(step, "utility"), G=GOAL, noise=NOISE,
        penalty=session.settings.evolution.history_penalty_multiplier,
    )  # fmt: skip
    of = {id(option): leaf["id"] for option, leaf in zip(options, leaves, strict=True)}
    order = tuple(of[id(utility.option)] for utility in ranked)
    return Resolved(kind, order, tuple(_row(i, utility) for i, utility in zip(order, ranked, strict=True)))


def _changed(state: State) -> bool:
    """Tell whether the last step brought anything; a step in which nothing was tried counts as one."""
    tried = state.get("outcomes", {}).values()
    return not tried or any(outcome["ok"] for outcome in tried)


def _tried(state: State) -> Tabu:
    """Count every action of the task that has ended, the later ones in full."""
    ended = [
        idea
        for idea in dag.subtree(state["ideas"], state["work"]["root"])
        if idea["kind"] == "leaf" and is_final(idea)
    ]
    history = Tabu()
    for idea in sorted(ended, key=lambda i: (i["step"], dag.sort_key(i["id"]))):
        history = history.step().record(idea["action"]["name"], idea["action"]["args"])
    return history


async def _chances(state: State, session: Session, leaves: Sequence[Idea]) -> list[float]:
    """Return P of each leaf: how often the same action, with a like expectation, has worked."""
    work = state["work"]
    earlier = await session.memory.rows(LEDGER, limit=MANY, committed_before=work["opened"])
    here = await session.memory.rows(LEDGER, task=work["id"], limit=MANY)
    known = [*earlier, *(row for row in here if row["step"] <= state["step"])]
    names = {leaf["action"]["name"] for leaf in leaves}
    rows = [row for row in known if row["action"] in names][-NEWEST:]
    if not rows:
        return [learned_chance(0, 0)] * len(leaves)
    vectors = await session.embed(*(_expected(leaf) for leaf in leaves), *(str(r["expected"]) for r in rows))
    alike = vectors[: len(leaves)] @ vectors[len(leaves) :].T
    return [_chance(leaf, rows, alike[k]) for k, leaf in enumerate(leaves)]


def _chance(leaf: Idea, rows: Sequence[JsonDict], alike: NDArray[np.float32]) -> float:
    won = lost = 0.0
    for row, likeness in zip(rows, alike, strict=True):
        if row["action"] == leaf["action"]["name"] and likeness >= ALIKE:
            won, lost = (won + float(likeness), lost) if row["ok"] else (won, lost + float(likeness))
    return learned_chance(won, lost)


def _expected(leaf: Idea) -> str:
    return leaf.get("expected", "") or leaf["title"]


def _cost(session: Acts, leaf: Idea) -> float:
    action = session.actions.get(leaf["action"]["name"])
    # What is not there can only fail: it is as dear as the dearest.
    return max(COSTS.values()) if action is None else COSTS[action.effect]


def _row(idea: str, utility: Utility) -> JsonDict:
    numbers = {
        "total": utility.value, "gain": utility.gain, "cost": utility.cost,
        "tabu": utility.tabu, "noise": utility.noise, "chance": utility.option.P,
    }  # fmt: skip
    return {"id": idea, **{name: round(float(value), 6) for name, value in numbers.items()}}
