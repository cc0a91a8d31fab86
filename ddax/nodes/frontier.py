"""The frontier: descend from the root by Score to the ideas that are worth the next step.

No node of its own: `select` chooses by it, `rigidity` moves x by the same candidates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ddax.dynamics.forces import directions, mind_forces
from ddax.dynamics.score import Terms, Weights, normalised, ranking, score_terms, weights_of
from ddax.dynamics.state import Mind, decode_vector
from ddax.graph.services import Session
from ddax.graph.state import State
from ddax.ideas import dag
from ddax.ideas.idea import Ideas, is_final
from ddax.metacognition.effects import effects_of
from ddax.types import Idea, JsonDict, Vector

MAX_ROWS = 200
"""Scored candidates whose terms the decision log keeps."""


@dataclass(frozen=True)
class Frontier:
    """What a selection looks at: the unfinished ideas of a task, their directions, and the pull F."""

    ideas: Ideas
    root: str
    below: Mapping[str, list[Idea]]
    row: Mapping[str, int]
    D: NDArray[np.float64]
    F: Vector
    rho: float
    c: float
    weights: Weights
    tabu: Mapping[str, float]


async def frontier(state: State, session: Session) -> Frontier:
    """Gather the unfinished ideas of the task with directions and forces as they are now."""
    ideas, root, mind = state["ideas"], state["work"]["root"], _mind(state)
    unfinished = [
        i for i in dag.subtree(ideas, root) if i["kind"] != "merge" and dag.has_work(ideas, i["id"])
    ]
    D = await directions_of(unfinished, mind, session)
    Q = np.array([inherited_q(ideas, i) for i in unfinished])
    settings = session.settings.selection
    return Frontier(
        ideas=ideas,
        root=root,
        below=_by_parent(unfinished),
        row={idea["id"]: k for k, idea in enumerate(unfinished)},
        D=D,
        F=mind_forces(mind, D, Q).F,
        rho=mind["rho"],
        c=settings.c * effects_of(state.get("mood", {}), session.settings.mood).c,
        weights=weights_of(settings.preset, w_a=settings.w_a, w_q=settings.w_q),
        tabu=_tabu(ideas, root, session.settings.evolution.history_penalty_multiplier),
    )


async def directions_of(ideas: Iterable[Idea], mind: Mind, session: Session) -> NDArray[np.float64]:
    """Return d̂ `[n, d]`: where each idea is expected to move the state."""
    texts = [idea.get("expected", "") or idea["title"] for idea in ideas]
    if not texts:
        return np.zeros((0, session.projection.shape[0]))
    expected = np.stack(await session.encode(*texts))
    return directions(expected, decode_vector(mind["x"]))


def inherited_q(ideas: Ideas, idea: Idea) -> float:
    """Return Q of an idea; one that was never visited takes the nearest ancestor's."""
    for known in [idea, *dag.ancestors(ideas, idea["id"])]:
        if known["N"] > 0:
            return known["Q"]
    return 0.0


def descend(view: Frontier, targets: frozenset[str], k: int) -> tuple[list[str], list[JsonDict]]:
    """Draw up to k targets from the root downwards; return them and the terms of what was compared.

    A drawn target and its ancestors carry a virtual loss, so that the next draw looks elsewhere.
    """
    chosen: list[str] = []
    terms: list[JsonDict] = []
    loss: dict[str, int] = {}
    left = set(targets)
    while left and len(chosen) < k:
        picked = _walk(view, left, loss, terms if not chosen else [])
        chosen.append(picked)
        left.discard(picked)
        for idea in [view.ideas[picked], *dag.ancestors(view.ideas, picked)]:
            loss[idea["id"]] = loss.get(idea["id"], 0) + 1
    return chosen, terms[:MAX_ROWS]


def _walk(view: Frontier, left: set[str], loss: dict[str, int], terms: list[JsonDict]) -> str:
    """Go down from the root to one target by the best score at each level."""
    if view.weights.flat:
        return _best(view, [view.ideas[t] for t in sorted(left, key=dag.sort_key)], loss, terms)
    here = view.root
    while here not in left:
        leads = [
            i
            for i in view.below.get(here, [])
            if any(t == i["id"] or t.startswith(i["id"] + ".") for t in left)
        ]
        here = _best(view, leads, loss, terms)
    return here


def _best(view: Frontier, candidates: list[Idea], loss: dict[str, int], terms: list[JsonDict]) -> str:
    scored = score(view, candidates, loss)
    terms.extend(term_rows(candidates, scored))
    return candidates[ranking(scored)[0]]["id"]


def score(view: Frontier, candidates: list[Idea], loss: Mapping[str, int]) -> Terms:
    """Score siblings; ΣN also counts the finished ones."""
    ids = [c["id"] for c in candidates]
    lost = np.array([loss.get(i, 0) for i in ids], dtype=np.float64)
    N = np.array([c["N"] for c in candidates], dtype=np.float64)
    Q = np.array([inherited_q(view.ideas, c) for c in candidates])
    siblings = dag.children(view.ideas, candidates[0]["parent"]) if candidates[0]["parent"] else candidates
    return score_terms(
        view.F,
        view.D[[view.row[i] for i in ids]],
        Q=Q * N / np.maximum(N + lost, 1.0) * (N > 0) + Q / (1.0 + lost) * (N == 0),
        N=N + lost,
        P=normalised(np.array([c["P"] for c in candidates])),
        total_n=float(sum(s["N"] for s in siblings) + lost.sum()),
        rho=view.rho,
        c=view.c,
        weights=view.weights,
        tabu=np.array([view.tabu.get(i, 0.0) for i in ids]),
    )


def term_rows(candidates: list[Idea], terms: Terms) -> list[JsonDict]:
    """Return the terms of each candidate as plain JSON."""
    return [
        {
            "id": idea["id"],
            "total": round(float(terms.total[k]), 5),
            "alignment": round(float(terms.alignment[k]), 5),
            "value": round(float(terms.value[k]), 5),
            "exploration": round(float(terms.exploration[k]), 5),
            "tabu": round(float(terms.tabu[k]), 5),
        }
        for k, idea in enumerate(candidates)
    ]


def _mind(state: State) -> Mind:
    return state["mind"]  # type: ignore[return-value]


def _by_parent(unfinished: list[Idea]) -> dict[str, list[Idea]]:
    below: dict[str, list[Idea]] = {}
    for idea in unfinished:
        below.setdefault(idea["parent"], []).append(idea)
    return below


def _tabu(ideas: Ideas, root: str, penalty: float) -> dict[str, float]:
    """Return the penalty of open leaves that repeat an action of this task (evolution 1.2)."""
    tried: dict[str, int] = {}
    leaves = [i for i in dag.subtree(ideas, root) if i["kind"] == "leaf"]
    for leaf in leaves:
        if is_final(leaf):
            tried[_call(leaf)] = tried.get(_call(leaf), 0) + 1
    return {leaf["id"]: penalty * tried.get(_call(leaf), 0) for leaf in leaves if not is_final(leaf)}


def _call(leaf: Idea) -> str:
    return f"{leaf['action']['name']} {sorted(leaf['action']['args'].items())!r}"
