"""The frontier: descend from the root by Score to the ideas that are worth the next step.

`select` chooses by it, `rigidity` moves x by the same candidates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ddax.dynamics.aims import Aim
from ddax.dynamics.forces import directions, mind_forces
from ddax.dynamics.score import (
    Known,
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
from ddax.ideas.indexed import as_dag, index_of
from ddax.ideas.rows import text_of
from ddax.metacognition.effects import effects_of
from ddax.steps.choices.wider_or_deeper import Width
from ddax.types import NO_PARENT, Idea, JsonDict, Vector

FLAT = ""
"""Stands for the idea a level belongs to, where all candidates are one frontier."""


@dataclass(frozen=True)
class Frontier:
    """What a selection looks at: the unfinished ideas of a task, their directions, and the pull F.

    `visits` is ΣN over all children of an idea, also the finished ones. `row` is the place of an unfinished
    idea in D `[n, d]` and in `Q` (inherited, and without lost branches where the weights say so), `N`, `P`
    and `cosine` (of F and d̂), all `[n]`, in the order of ids; what lies at and below row k is rows k to
    `end[k]`. `below` has the ids of unfinished children.
    """

    ideas: Ideas
    root: str
    below: Mapping[str, tuple[str, ...]]
    visits: Mapping[str, int]
    row: Mapping[str, int]
    end: NDArray[np.intp]
    D: NDArray[np.float64]
    Q: Vector
    N: Vector
    P: Vector
    cosine: Vector
    F: Vector
    rho: float
    c: float
    weights: Weights
    penalty: float
    minimum: float

    def tabu(self, ids: Sequence[str]) -> list[float]:
        """Return the penalties of ideas: of leaves that repeat actions of this task (evolution 1.2)."""
        index = index_of(self.ideas)
        tried = index.tried.get(dag.task_of(self.root))
        if not tried:
            return [0.0] * len(ids)
        times = [tried.get(index.calls.get(i, ""), 0) for i in ids]
        return [self.penalty * n if n else 0.0 for n in times]


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
    ideas, root, mind = as_dag(state["ideas"]), state["work"]["root"], _mind(state)
    rows = dag.rows(ideas, root)
    frame = rows.frame
    aim = await _aim(frame.texts, mind, session)
    F = mind_forces(mind, aim.D, rows.Q, along=aim.along).F
    settings = session.settings.selection
    weights = weights_of(settings.preset, w_a=settings.w_a, w_q=settings.w_q, wider=settings.wider)
    lost = dag.lost_values(ideas, root) if weights.living else {}
    without = {i: _living(ideas[i], *lost[i]) for i in lost if i in frame.row}
    Q = rows.with_own(ideas, without) if without else rows.Q
    return Frontier(
        ideas=ideas,
        root=root,
        below=frame.below,
        visits=index_of(ideas).visits,
        row=frame.row,
        end=frame.end,
        D=aim.D,
        Q=Q,
        N=rows.N,
        P=frame.P,
        cosine=cosines(F, aim.D, aim.lengths),
        F=F,
        rho=mind["rho"],
        c=settings.c
        * effects_of(state.get("mood", {}), session.settings.mood, human=session.settings.human).c,
        weights=weights,
        penalty=session.settings.evolution.history_penalty_multiplier,
        minimum=settings.min_alignment,
    )


async def _aim(texts: tuple[str, ...], mind: Mind, session: Session) -> Aim:
    known = session.aims.of(texts, mind)
    if known is not None:
        return known
    places = await session.encode(*texts) if texts else np.zeros((0, session.projection.shape[0]))
    return session.aims.take(texts, mind, places)


async def directions_of(ideas: Iterable[Idea], mind: Mind, session: Session) -> NDArray[np.float64]:
    """Return d̂ `[n, d]`: where each idea is expected to move the state."""
    texts = [text_of(idea) for idea in ideas]
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
    ways = _ways(view, targets)
    while len(found.focus) < min(k, len(targets)):
        first = not found.focus
        left = targets.difference(found.focus) if found.focus else targets
        picked = _walk(view, left, ways, loss, found if first else None, width if first else None)
        if found.wider:
            break
        found.focus.append(picked)
        for idea in [view.ideas[picked], *dag.ancestors(view.ideas, picked)]:
            loss[idea["id"]] = loss.get(idea["id"], 0) + 1
            ways[view.row[idea["id"]]] -= 1
    return found


def _walk(
    view: Frontier,
    left: frozenset[str],
    ways: NDArray[np.intp],
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
        leads = [view.ideas[i] for i in view.below.get(here, ()) if ways[view.row[i]]]
        if found is not None and width is not None and view.weights.wider:
            leads = width.side(view.ideas, here, leads)
            if not leads:
                found.wider = here
                return here
        here = _best(view, leads, loss, found)
    return here


def _ways(view: Frontier, targets: frozenset[str]) -> NDArray[np.intp]:
    """Return, row by row, how many targets lie at and below each unfinished idea."""
    upto = np.zeros(len(view.row) + 1, dtype=np.intp)
    upto[[view.row[target] + 1 for target in targets]] = 1
    np.cumsum(upto, out=upto)
    return upto[view.end] - upto[:-1]


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
        Known(
            Q=view.Q[rows] * visited / (visited + lost),
            N=N + lost,
            P=normalised(view.P[rows]),
            total_n=float(_level_visits(view, candidates) + lost.sum()),
            tabu=np.array(view.tabu(ids), dtype=np.float64),
        ),
        rho=view.rho,
        c=view.c,
        weights=view.weights,
    )


def term_rows(view: Frontier, candidates: list[Idea], terms: Terms) -> list[JsonDict]:
    """Return the terms of each candidate as plain JSON, with what they were computed from.

    `at` is the idea whose children are compared, `visits` their ΣN; `cosine`, `prior`, `q` and `n` are
    what entered the terms, so that `ddax why` can compute them again.
    """
    at = FLAT if view.weights.flat else candidates[0]["parent"]
    visits = _level_visits(view, candidates)
    penalties = view.tabu([idea["id"] for idea in candidates])
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
            "penalty": round(penalties[k], 9),
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


def _living(idea: Idea, n: int, total: float) -> float:
    """Return the mean of the values of an idea outside lost branches; where there are none, its Q."""
    left = idea["N"] - n
    return min(1.0, max(0.0, (idea["N"] * idea["Q"] - total) / left)) if left > 0 else idea["Q"]
