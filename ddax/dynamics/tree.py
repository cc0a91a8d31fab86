"""A search tree as plain lists of numbers: grow, descend by the score, back up values.

For searches that live in memory (benchmarks, environments, lookahead). The DAG of ideas keeps its own
statistics in graph state and shares the score, the choice of wider or deeper, and this rule: an
unvisited child takes its parent's Q, and only nodes with unfinished work are candidates. A level has
few children, for which lists are faster than arrays; `score_terms` is the same score for many at once.
What led at a level is kept with how far it led: as long as no sibling can have overtaken it, the siblings
are not scored again (`Lead`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ddax.dynamics.score import PRESETS, Weights, cosines, robust_child
from ddax.dynamics.state import TINY
from ddax.dynamics.widen import Outcomes, goes_wider
from ddax.types import Vector

ROOT_NODE = 0
NO_NODE = -1
SURE = 1e-9
"""By how much, relatively, a lead must be larger than what siblings could have gained; far above rounding."""
Move = Literal["evaluate", "grow"]


@dataclass(frozen=True)
class Policy:
    """How to descend: weights, `c` ≥ 0 that scales exploration, ρ in [0, 1] that damps it.

    `wider` says whether new children or known ones is a learned choice; None: as the weights have it.
    """

    weights: Weights = field(default_factory=lambda: PRESETS["hybrid"])
    c: float = 1.0
    rho: float = 0.0
    wider: bool | None = None

    @property
    def learns_width(self) -> bool:
        """Say whether wider or deeper is drawn; else the score alone decides."""
        return self.weights.wider if self.wider is None else self.wider

    @property
    def openness(self) -> float:
        """Return what exploration weighs: c, damped by ρ where the weights say so."""
        return (1.0 - self.rho if self.weights.damped else 1.0) * self.weights.c * self.c


class Choice(NamedTuple):
    """Where a descent came to: `evaluate` a node for the first time, or `grow` (more) children under it."""

    node: int
    move: Move


class Lead(NamedTuple):
    """The best child of a level, and what holds until another can be it."""

    version: int
    """Of the weights it was scored by."""
    best: int
    """The number of the child."""
    seen: int
    """Its N when it was scored."""
    visits: int
    """ΣN of the level then."""
    scale: float
    """What exploration was scaled by then."""
    above: float
    """Q of the level then."""
    alignment: float
    """Of the child."""
    share: float
    """Of the child in the priors of the level."""
    rival: float
    """The best score of its siblings."""
    steep: float
    """The largest part of the scale that one of them gets."""
    rise: float
    """What a sibling gains with Q of the level."""


class Tree:
    """Statistics of a tree; node 0 is the root, and a node's number is its place in every list.

    `Q` in [0, 1] is the mean of all values at and below a node, `N` their number, `below` the ΣN of its
    children, `V` the node's own first value (None before it), `P` its prior, `loss` its virtual losses.
    `left` is the number of the values that lie in no closed branch, `L` their mean, or Q where there are
    none. With `dim` > 0 nodes have directions, and `pull` sets the force F they are aligned with. Of the
    values that came from below known children `_total` and `_squares` are the sums.
    """

    def __init__(self, *, dim: int = 0) -> None:
        self.parent: list[int] = [NO_NODE]
        self.depth: list[int] = [0]
        self.Q: list[float] = [0.0]
        self.P: list[float] = [1.0]
        self.V: list[float | None] = [None]
        self.N: list[int] = [0]
        self.below: list[int] = [0]
        self.loss: list[int] = [0]
        self.left: list[int] = [0]
        self.L: list[float] = [0.0]
        self.closed: list[bool] = [False]
        self.children: list[list[int]] = [[]]
        self._dim = dim
        self._F = np.zeros(dim)
        self._D: list[NDArray[np.float64]] = [np.zeros((1, dim))]
        self._cosine: list[float] = [0.0]
        self._open: list[list[int]] = [[]]
        self._may_grow: list[bool] = [True]
        self._new: list[Outcomes] = [Outcomes()]
        self._total: list[float] = [0.0]
        self._squares: list[float] = [0.0]
        self._lead: list[Lead | None] = [None]
        self._felt: tuple[float, ...] = ()
        self._version = 0

    def __len__(self) -> int:
        """Return how many nodes there are."""
        return len(self.parent)

    def grow(
        self,
        node: int,
        P: Sequence[float] | Vector,
        *,
        D: NDArray[np.float64] | None = None,
        more: bool = False,
    ) -> list[int]:
        """Add children with priors P `[n]` and directions D `[n, dim]`; return their numbers.

        `more` says that the proposer could still bring others: without it, a node all of whose
        children are closed is closed as well.
        """
        first, n = len(self), len(P)
        new = list(range(first, first + n))
        directions = np.zeros((n, self._dim)) if D is None else np.asarray(D, dtype=np.float64)
        self._D.append(directions)
        self._cosine.extend(cosines(self._F, directions).tolist())
        self.parent.extend([node] * n)
        self.depth.extend([self.depth[node] + 1] * n)
        self.P.extend([max(0.0, float(p)) for p in P])
        for means in (self.Q, self.L):
            means.extend([0.0] * n)
        self.V.extend([None] * n)
        for counts in (self.N, self.below, self.loss, self.left):
            counts.extend([0] * n)
        self.closed.extend([False] * n)
        self._may_grow.extend([True] * n)
        self._new.extend([Outcomes()] * n)
        self._lead.extend([None] * n)
        for sums in (self._total, self._squares):
            sums.extend([0.0] * n)
        self._lead[node] = None
        for lists in (self.children, self._open):
            lists.extend([[] for _ in range(n)])
            lists[node].extend(new)
        self._may_grow[node] = more
        self._close_if_done(node)
        return new

    def pull(self, F: Vector) -> None:
        """Set the force `[dim]` that directions are aligned with, as after x has moved."""
        self._F = np.asarray(F, dtype=np.float64)
        self._cosine = cosines(self._F, np.concatenate(self._D)).tolist()
        self._version += 1

    def close(self, node: int) -> None:
        """Take a node out of the search, as a finished, pruned or joined one; its values are left no more."""
        if self.closed[node]:
            return
        self.closed[node] = True
        self._take_out(node)
        if node != ROOT_NODE:
            parent = self.parent[node]
            self._open[parent].remove(node)
            self._lead[parent] = None
            self._close_if_done(parent)

    def descend(self, policy: Policy, *, rng: np.random.Generator | None = None) -> Choice | None:
        """Go down by the score to where work is; None where everything is closed.

        Where wider or deeper is drawn, an rng is needed. Virtual losses are those of a `draw`: outside
        of one there are none.
        """
        if self.closed[ROOT_NODE]:
            return None
        return self._walk(policy, rng) if policy.learns_width else self._follow(policy)

    def _walk(self, policy: Policy, rng: np.random.Generator | None) -> Choice:
        """Go down scoring every level anew, as wider or deeper and virtual losses want it."""
        node = ROOT_NODE
        while node == ROOT_NODE or self.V[node] is not None:
            candidates = self._candidates(node, policy, rng)
            if not candidates:
                return Choice(node, "grow")
            node = candidates[0] if len(candidates) == 1 else self.best(candidates, policy)
        return Choice(node, "evaluate")

    def _follow(self, policy: Policy) -> Choice:
        """Go down as `_walk`, past the levels whose leading child cannot have been overtaken."""
        openness, w_q, floor = policy.openness, policy.weights.w_q, policy.weights.floor
        felt = (openness, policy.weights.w_a, w_q, floor, policy.weights.living)
        if felt != self._felt:
            self._felt, self._version = felt, self._version + 1
        Q = self.L if policy.weights.living else self.Q
        V, N, below, unfinished, leads = self.V, self.N, self.below, self._open, self._lead
        version, here = self._version, ROOT_NODE
        while here == ROOT_NODE or V[here] is not None:
            kids = unfinished[here]
            if len(kids) < 2:
                if not kids:
                    return Choice(here, "grow")
                here = kids[0]
                continue
            lead = leads[here]
            if lead is not None and lead[0] == version:
                _, best, seen, visits, scale, above, alignment, share, rival, steep, rise = lead
                q, n = Q[here], N[best]
                if below[here] == visits and q == above:
                    here = best
                    continue
                if n and below[here] - visits == n - seen:  # no sibling was visited since
                    visits = below[here]
                    now = openness * sqrt(visits if visits > floor else floor)
                    gained = rise * (q - above)
                    bar = rival + (now - scale) * steep + (gained if gained > 0.0 else 0.0)
                    if alignment + w_q * Q[best] + now * share / (1 + n) > bar:
                        here = best
                        continue
            here = self._leading(here, policy)
        return Choice(here, "evaluate")

    def _leading(self, here: int, policy: Policy) -> int:
        """Return the best open child of a node by `best`, and keep how far it leads."""
        kids, N, P, weights, cosine = self._open[here], self.N, self.P, policy.weights, self._cosine
        Q = self.L if weights.living else self.Q
        w_a, w_q, above = weights.w_a, weights.w_q, Q[here]
        priors = sum([P[k] for k in kids])
        even, whole = priors <= TINY, len(kids) if priors <= TINY else priors
        scale = policy.openness * sqrt(max(weights.floor, self.below[here]))
        each, fresh = scale / whole, 0
        best, top, first, mine = kids[0], -1e300, 0.0, 0.0
        rival, theirs = -1e300, 0.0
        for k in kids:
            n, prior = N[k], 1.0 if even else P[k]
            part = each * prior / (1 + n)
            if n:
                score = w_a * cosine[k] + w_q * Q[k] + part
            else:
                score, fresh = w_a * cosine[k] + w_q * above + part, fresh + 1
            if score > top or (score == top and prior > first):
                rival, theirs = top, max(theirs, mine)
                best, top, first, mine = k, score, prior, part
            else:
                rival, theirs = max(rival, score), max(theirs, part)
        steep = theirs / scale if scale > 0.0 else 1.0
        rise = w_q if fresh > (not N[best]) else 0.0
        self._lead[here] = Lead(  # by place: naming eleven fields costs a tenth of a descent
            self._version, best, N[best], self.below[here], scale, above, w_a * cosine[best],
            (1.0 if even else P[best]) / whole, rival + SURE * (1.0 + abs(rival)), steep, rise,
        )  # fmt: skip
        return best

    def draw(self, policy: Policy, k: int, *, rng: np.random.Generator | None = None) -> list[Choice]:
        """Draw up to k different places, each under the virtual losses of those before."""
        found: dict[int, Choice] = {}
        lost: list[int] = []
        for _ in range(k):
            if self.closed[ROOT_NODE]:
                break
            choice = self._walk(policy, rng)
            found.setdefault(choice.node, choice)
            for node in self.path(choice.node):
                self.loss[node] += 1
                lost.append(node)
        for node in lost:
            self.loss[node] -= 1
        return list(found.values())

    def best(self, candidates: Sequence[int], policy: Policy) -> int:
        """Return the sibling with the best score; ties go to the larger prior, then to the earlier one."""
        here = self.parent[candidates[0]]
        weights, N, P, loss, cosine = policy.weights, self.N, self.P, self.loss, self._cosine
        Q = self.L if weights.living else self.Q
        w_a, w_q, inherited = weights.w_a, weights.w_q, Q[here]
        priors, losses = sum([P[k] for k in candidates]), sum([loss[k] for k in candidates])
        openness = policy.openness
        even = priors <= TINY
        scale = openness * sqrt(max(weights.floor, self.below[here] + losses))
        scale /= len(candidates) if even else priors
        best, top, top_prior = candidates[0], -1e300, 0.0
        for k in candidates:
            n, prior = N[k], 1.0 if even else P[k]
            q = Q[k] if n else inherited
            if losses and loss[k]:
                q *= (n or 1) / ((n or 1) + loss[k])
                n += loss[k]
            score = w_a * cosine[k] + w_q * q + scale * prior / (1 + n)
            if score > top or (score == top and prior > top_prior):
                best, top, top_prior = k, score, prior
        return best

    def backpropagate(self, node: int, value: float) -> None:
        """Take in a value in [0, 1] of a node: N and Q of it and its ancestors, once each.

        A first value of a child is what its parent learns of new children; any other value is what
        an ancestor learns of known ones.
        """
        first = self.V[node] is None
        if first:
            self.V[node] = value
        N, Q, parent, below = self.N, self.Q, self.parent, self.below
        total, squares, square = self._total, self._squares, value * value
        N[node] = n = N[node] + 1
        Q[node] += (value - Q[node]) / n
        here = parent[node]
        if first and here != NO_NODE:
            self._new[here] = self._new[here].add(value)
            N[here] = n = N[here] + 1
            Q[here] += (value - Q[here]) / n
            below[here] += 1
            here = parent[here]
        while here != NO_NODE:
            N[here] = n = N[here] + 1
            Q[here] += (value - Q[here]) / n
            below[here] += 1
            total[here] += value
            squares[here] += square
            here = parent[here]
        self._live_on(node, value)

    def path(self, node: int) -> list[int]:
        """Return the nodes from the root to a node, both included."""
        path = [node]
        while path[-1] != ROOT_NODE:
            path.append(self.parent[path[-1]])
        return path[::-1]

    def robust_child(self, node: int = ROOT_NODE) -> int:
        """Return the most visited child of a node; ties go to the larger Q, then to the earlier one."""
        kids = self.children[node]
        return kids[robust_child(np.array([self.N[k] for k in kids]), np.array([self.Q[k] for k in kids]))]

    def _candidates(self, node: int, policy: Policy, rng: np.random.Generator | None) -> list[int]:
        """Return the children to choose from; none says that new ones are to be grown."""
        kids = self._open[node]
        if not kids or not policy.learns_width:
            return kids
        known = [k for k in kids if self.V[k] is not None]
        if not known or (len(known) == len(kids) and not self._may_grow[node]):
            return kids
        if rng is None:
            raise ValueError("A policy that goes wider draws by chance and needs an rng.")
        new = self._new[node]
        later = Outcomes(self.below[node] - new.n, self._total[node], self._squares[node])
        if goes_wider(new, later, rng):
            return [k for k in kids if self.V[k] is None]
        return known

    def _live_on(self, node: int, value: float) -> None:
        """Take a value into what is left of a node and its ancestors, up to one that is closed."""
        left, L, closed, parent, here = self.left, self.L, self.closed, self.parent, node
        while here != NO_NODE and not closed[here]:
            left[here] = n = left[here] + 1
            L[here] += (value - L[here]) / n
            here = parent[here]
        while here != NO_NODE:  # what a closed branch brings is not left; it only moves Q
            if not left[here]:
                L[here] = self.Q[here]
            here = parent[here]

    def _take_out(self, node: int) -> None:
        """Take the values of a node that was closed out of what is left of its ancestors."""
        gone, mean, here = self.left[node], self.L[node], self.parent[node]
        while gone and here != NO_NODE and not self.closed[here]:
            self.left[here] = n = self.left[here] - gone
            self.L[here] += (self.L[here] - mean) * gone / n if n else self.Q[here] - self.L[here]
            self._lead[here] = None
            here = self.parent[here]

    def _close_if_done(self, node: int) -> None:
        if not self._may_grow[node] and not self._open[node]:
            self.close(node)
