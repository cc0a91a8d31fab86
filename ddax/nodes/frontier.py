"""The frontier: descend from the root by Score to the ideas that are worth the next step.

No node of its own: `select` chooses by it, `rigidity` moves x by the same candidates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ddax.dynamics.forces import directions, mind_forces
from ddax.dynamics.score import (
    Terms,
    Weights,
    all_misaligned,
    cosines,
    normalised,
    ranking,
    terms_of,
    weights_of,
)
from ddax.dynamics.state import Mind, decode_vector
from ddax.graph.services import Session
from ddax.graph.state import State
from ddax.ideas import dag
from ddax.ideas.idea import Ideas
from ddax.ideas.indexed import index_of
from ddax.metacognition.effects import effects_of
from ddax.nodes.widen import Width
from ddax.types import NO_PARENT, Idea, JsonDict, Vector

MAX_ROWS = 200
"""Scored candidates whose terms the decision log keeps."""
FLAT = ""
"""Stands for the idea a level belongs to, where all candidates are one frontier."""


@dataclass(frozen=True)
class Frontier:
    """What a selection looks at: the unfinished ideas of a task, their directions, and the pull F.

    `visits` is ΣN over all children of an idea, also the finished ones. `row` is the place of an unfinished
    idea in D `[n, d]` and in `Q` (inherited, and without lost branches where the weights say so), `N`, `P`
    and `cosine` (of F and d̂), all `[n]`; parents stand before their children, and `up` has the row of each
    parent, −1 where it has none.
    """

    ideas: Ideas
    root: str
    below: Mapping[str, list[Idea]]
    visits: Mapping[str, int]
    row: Mapping[str, int]
    up: list[int]
    D: NDArray[np.float64]
    Q: Vector
    N: Vector
    P: Vector
    cosine: Vector
    F: Vector
    rho: float
    c: float
    weights: Weights
    tabu: Mapping[str, float]
    minimum: float


@dataclass
class Descent:
    """Where a descent led: the drawn targets, and of the first draw every candidate with its terms.

    `wider` is the idea under which new children are to be proposed instead; `misaligned` says that at
    some level of the first draw every candidate scored below the minimum.
    """

    focus: list[str] = field(default_factory=list)
    terms: list[JsonDict] = field(default_factory=list)
    wider: str = ""
    misaligned: bool = False


async def frontier(state: State, session: Session) -> Frontier:
    """Gather the unfinished ideas of the task with directions and forces as they are now."""
    ideas, root, mind = state["ideas"], state["work"]["root"], _mind(state)
    unfinished = dag.unfinished(ideas, root)
    D = await directions_of(unfinished, mind, session)
    row, up, Q = _rows(ideas, unfinished)
    F = mind_forces(mind, D, Q).F
    settings = session.settings.selection
    weights = weights_of(settings.preset, w_a=settings.w_a, w_q=settings.w_q, wider=settings.wider)
    lost = dag.lost_values(ideas, root) if weights.living else {}
    if lost:
        Q = _rows(ideas, unfinished, lost)[2]
    return Frontier(
        ideas=ideas,
        root=root,
        below=_by_parent(unfinished),
        visits=index_of(ideas).visits,
        row=row,
        up=up,
        D=D,
        Q=Q,
        N=np.array([i["N"] for i in unfinished], dtype=np.float64),
        P=np.array([i["P"] for i in unfinished], dtype=np.float64),
        cosine=cosines(F, D),
        F=F,
        rho=mind["rho"],
        c=settings.c
        * effects_of(state.get("mood", {}), session.settings.mood, human=session.settings.human).c,
        weights=weights,
        tabu=_tabu(ideas, unfinished, session.settings.evolution.history_penalty_multiplier),
        minimum=settings.min_alignment,
    )


async def directions_of(ideas: Iterable[Idea], mind: Mind, session: Session) -> NDArray[np.float64]:
    """Return d̂ `[n, d]`: where each idea is expected to move the state."""
    texts = [idea.get("expected", "") or idea["title"] for idea in ideas]
    if not texts:
        return np.zeros((0, session.projection.shape[0]))
    return directions(await session.encode(*texts), decode_vector(mind["x"]))


def inherited_q(ideas: Ideas, idea: Idea) -> float:
    """Return Q of an idea; one that was never visited takes the nearest ancestor's."""
    for known in [idea, *dag.ancestors(ideas, idea["id"])]:
        if known["N"] > 0:
            return known["Q"]
    return 0.0


def descend(view: Frontier, targets: frozenset[str], k: int, width: Width | None = None) -> Descent:
    """Draw up to k targets from the root downwards.

    A drawn target and its ancestors carry a virtual loss, so that the next draw looks elsewhere. With
    `width` the first draw also decides at each level whether to go wider or deeper.
    """
    found = Descent()
    loss: dict[str, int] = {}
    left = set(targets)
    ways = _ways(view, targets)
    while left and len(found.focus) < k:
        first = not found.focus
        picked = _walk(view, left, ways, loss, found if first else None, width if first else None)
        if found.wider:
            break
        found.focus.append(picked)
        left.discard(picked)
        for idea in [view.ideas[picked], *dag.ancestors(view.ideas, picked)]:
            loss[idea["id"]] = loss.get(idea["id"], 0) + 1
            ways[view.row[idea["id"]]] -= 1
    del found.terms[MAX_ROWS:]
    return found


def _walk(
    view: Frontier,
    left: set[str],
    ways: list[int],
    loss: dict[str, int],
    found: Descent | None,
    width: Width | None,
) -> str:
    """Go down from the root to one target by the best score at each level.

    `ways` counts, row by row, the targets that are left at and below each idea; without `found` no terms
    are kept.
    """
    if view.weights.flat:
        return _best(view, [view.ideas[t] for t in sorted(left, key=dag.sort_key)], loss, found)
    here = view.root
    while here not in left:
        leads = [i for i in view.below.get(here, []) if ways[view.row[i["id"]]]]
        if found is not None and width is not None and view.weights.wider:
            leads = width.side(view.ideas, here, leads)
            if not leads:
                found.wider = here
                return here
        here = _best(view, leads, loss, found)
    return here


def _ways(view: Frontier, targets: frozenset[str]) -> list[int]:
    """Return, row by row, how many targets lie at and below each unfinished idea."""
    ways = [0] * len(view.row)
    for target in targets:
        ways[view.row[target]] = 1
    for k in range(len(ways) - 1, 0, -1):
        if ways[k] and view.up[k] >= 0:
            ways[view.up[k]] += ways[k]
    return ways


def _best(view: Frontier, candidates: list[Idea], loss: Mapping[str, int], found: Descent | None) -> str:
    if found is None and len(candidates) == 1:
        return candidates[0]["id"]
    scored = score(view, candidates, loss)
    if found is not None:
        found.terms.extend(term_rows(view, candidates, scored))
        misaligned = view.weights.w_a > 0 and all_misaligned(scored, view.minimum)
        found.misaligned = found.misaligned or misaligned
    return candidates[ranking(scored)[0]]["id"]


def score(view: Frontier, candidates: list[Idea], loss: Mapping[str, int]) -> Terms:
    """Score siblings; ΣN also counts the finished ones."""
    ids = [c["id"] for c in candidates]
    rows = [view.row[i] for i in ids]
    lost = np.array([loss.get(i, 0) for i in ids], dtype=np.float64)
    N, visited = view.N[rows], np.maximum(view.N[rows], 1.0)
    return terms_of(
        view.cosine[rows],
        Q=view.Q[rows] * visited / (visited + lost),
        N=N + lost,
        P=normalised(view.P[rows]),
        total_n=float(_level_visits(view, candidates) + lost.sum()),
        rho=view.rho,
        c=view.c,
        weights=view.weights,
        tabu=np.array([view.tabu.get(i, 0.0) for i in ids]),
    )


def term_rows(view: Frontier, candidates: list[Idea], terms: Terms) -> list[JsonDict]:
    """Return the terms of each candidate as plain JSON, with what they were computed from.

    `at` is the idea whose children are compared, `visits` their ΣN; `cosine`, `prior`, `q` and `n` are
    what entered the terms, so that `ddax why` can compute them again.
    """
    at = FLAT if view.weights.flat else candidates[0]["parent"]
    visits = _level_visits(view, candidates)
    return [
        {
            "id": idea["id"],
            "at": at,
            "visits": visits,
            "total": round(float(terms.total[k]), 5),
            "alignment": round(float(terms.alignment[k]), 5),
            "value": round(float(terms.value[k]), 5),
            "exploration": round(float(terms.exploration[k]), 5),
            "tabu": round(float(terms.tabu[k]), 5),
            "cosine": round(float(terms.cosine[k]), 9),
            "prior": round(float(terms.prior[k]), 9),
            "q": round(float(view.Q[view.row[idea["id"]]]), 9),
            "n": idea["N"],
            "penalty": round(view.tabu.get(idea["id"], 0.0), 9),
        }
        for k, idea in enumerate(candidates)
    ]


def policy_row(view: Frontier) -> JsonDict:
    """Return what a selection was made with, beside its candidates, as plain JSON."""
    weights = view.weights
    return {
        "rho": round(view.rho, 9),
        "c": round(view.c * view.weights.c, 9),
        "w_a": weights.w_a,
        "w_q": weights.w_q,
        "tabu": weights.tabu,
        "damped": weights.damped,
        "floor": weights.floor,
    }


def _level_visits(view: Frontier, candidates: list[Idea]) -> int:
    if view.weights.flat or candidates[0]["parent"] == NO_PARENT:
        return sum(c["N"] for c in candidates)
    return view.visits.get(candidates[0]["parent"], 0)


def _mind(state: State) -> Mind:
    return state["mind"]  # type: ignore[return-value]


def _by_parent(unfinished: list[Idea]) -> dict[str, list[Idea]]:
    below: dict[str, list[Idea]] = {}
    for idea in unfinished:
        below.setdefault(idea["parent"], []).append(idea)
    return below


def _rows(
    ideas: Ideas, unfinished: list[Idea], lost: Mapping[str, tuple[int, float]] | None = None
) -> tuple[dict[str, int], list[int], Vector]:
    """Return the rows of unfinished ideas, parents first, those of their parents, and Q as inherited."""
    row: dict[str, int] = {}
    up: list[int] = []
    Q: list[float] = []
    for k, idea in enumerate(unfinished):
        row[idea["id"]] = k
        above = row.get(idea["parent"], -1)
        up.append(above)
        own = idea["Q"] if not lost or idea["id"] not in lost else _living(idea, *lost[idea["id"]])
        Q.append(own if idea["N"] > 0 else Q[above] if above >= 0 else inherited_q(ideas, idea))
    return row, up, np.array(Q, dtype=np.float64)


def _living(idea: Idea, n: int, total: float) -> float:
    """Return the mean of the values of an idea outside lost branches; where there are none, its Q."""
    left = idea["N"] - n
    return min(1.0, max(0.0, (idea["N"] * idea["Q"] - total) / left)) if left > 0 else idea["Q"]


def _tabu(ideas: Ideas, unfinished: list[Idea], penalty: float) -> dict[str, float]:
    """Return the penalty of open leaves that repeat an action of this task (evolution 1.2)."""
    index = index_of(ideas)
    tried = index.tried.get(dag.task_of(unfinished[0]["id"])) if unfinished else None
    if not tried:
        return {}
    calls = ((i["id"], index.calls[i["id"]]) for i in unfinished if i["kind"] == "leaf")
    return {leaf: penalty * tried[call] for leaf, call in calls if tried.get(call)}
