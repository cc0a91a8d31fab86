"""The forces on x and how it moves: Δx = k_eff·[F_id + m(F_T + F_R)] (dda-x parts 2 and 4).

Leaves out what the pull is used for (`score`) and how ρ changes (`rigidity`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ddax.dynamics.rigidity import gamma_now, k_eff
from ddax.dynamics.state import Mind, Place, encode_vector, place, unit_rows
from ddax.dynamics.surprise import raw_surprise
from ddax.types import Vector

Matrix = NDArray[np.float64]

LAMBDA_DELTA = 0.3
"""Share of the change between two outcomes that is added to the newest (dda-x 3.2)."""
TAU = 2.0
"""Sharpness of the preference over actions (dda-x 3.2)."""
W_OBJECTIVE, W_SUBJECTIVE = 0.7, 0.3
"""Weights of value and of identity in the preference over actions (dda-x 4.3)."""


@dataclass(frozen=True)
class Forces:
    """The three forces, their bracket F = F_id + m(F_T + F_R) and Δx = k_eff·F; each `[d]`."""

    F_id: Vector
    F_T: Vector
    F_R: Vector
    F: Vector
    delta_x: Vector

    @property
    def norms(self) -> list[float]:
        """Return the lengths of F_id, F_T and F_R."""
        return [float(np.linalg.norm(force)) for force in (self.F_id, self.F_T, self.F_R)]


def identity_force(x: Vector, x_star: Vector, *, gamma: float) -> Vector:
    """Return F_id `[d]` = γ(x* − x).

    >>> identity_force(np.zeros(2), np.array([1.0, 0.5]), gamma=2.0)
    array([2., 1.])
    """
    return gamma * (x_star - x)


def truth_target(i: Vector, i_prev: Vector | None) -> Vector:
    """Return x_T `[d]` = E(I) + 0.3·(E(I) − E(I_prev)); without an earlier outcome E(I).

    >>> truth_target(np.array([1.0, 0.0]), np.array([0.0, 0.0]))
    array([1.3, 0. ])
    """
    return i if i_prev is None else i + LAMBDA_DELTA * (i - i_prev)


def truth_force(x: Vector, i: Vector | None, i_prev: Vector | None) -> Vector:
    """Return F_T `[d]` = x_T − x; zero before the first outcome.

    >>> truth_force(np.array([1.0, 1.0]), np.array([1.0, 0.0]), None)
    array([ 0., -1.])
    """
    return np.zeros_like(x) if i is None else truth_target(i, i_prev) - x


def directions(expected: Matrix, x: Vector) -> Matrix:
    """Return d̂ `[n, d]` = unit(E(expected outcome) − x), row by row; zero where it leads nowhere.

    >>> directions(np.array([[3.0, 4.0]]), np.zeros(2))
    array([[0.6, 0.8]])
    """
    return unit_rows(np.asarray(expected, dtype=np.float64).reshape(-1, x.size) - x)


def preferences(
    D: Matrix, Q: Vector, pull: Vector, *, tau: float = TAU, along: Vector | None = None
) -> Vector:
    """Return π(a) `[n]` = softmax(τ·(0.7·Q + 0.3·d̂·(x* − x))), with `pull` = x* − x.

    `along` is d̂·(x* − x) `[n]` where it is known already.
    """
    scores = tau * (W_OBJECTIVE * Q + W_SUBJECTIVE * (D @ pull if along is None else along))
    weights = np.exp(scores - scores.max())
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def reflection_force(
    D: Matrix, Q: Vector, pull: Vector, *, tau: float = TAU, along: Vector | None = None
) -> Vector:
    """Return F_R `[d]` = Σ π(a)·d̂(a), at most 1 long; zero without candidates.

    `along` as in `preferences`.
    """
    return preferences(D, Q, pull, tau=tau, along=along) @ D if len(D) else np.zeros_like(pull)


def balance(
    where: Place, D: Matrix, Q: Vector, *, gamma: float, m: float, k: float, along: Vector | None = None
) -> Forces:
    """Return all forces at a place, for candidates with directions D `[n, d]` and values Q `[n]`.

    `along` as in `preferences`.
    """
    x = where.x
    F_id = identity_force(x, where.x_star, gamma=gamma)
    F_T = truth_force(x, where.i, where.i_prev)
    F_R = reflection_force(D, np.asarray(Q, dtype=np.float64), where.x_star - x, along=along)
    F = F_id + m * (F_T + F_R)
    return Forces(F_id, F_T, F_R, F, k * F)


def mind_forces(mind: Mind, D: Matrix, Q: Vector, *, along: Vector | None = None) -> Forces:
    """Return the forces on a mind now: γ doubles in protect, k_eff falls with ρ.

    `along` as in `preferences`.
    """
    k = k_eff(mind["k_base"], mind["rho"])
    return balance(place(mind), D, Q, gamma=gamma_now(mind), m=mind["m"], k=k, along=along)


def no_candidates(state_dim: int) -> tuple[Matrix, Vector]:
    """Return the empty D `[0, d]` and Q `[0]`."""
    return np.zeros((0, state_dim)), np.zeros(0)


def receive(
    mind: Mind, outcome: Vector, D: Matrix, Q: Vector, *, teleport: bool = False, before: Mind | None = None
) -> Mind:
    """Take in the embedding `[d]` of an outcome and move x; returns the new mind.

    The outcome enters through F_T and x ← x + Δx, so x stands still at ρ = 1; with `teleport`
    x ← outcome, as the source has it. Logs the source's raw surprise ‖x + Δx − outcome‖, with the Δx
    that was foreseen by the mind as it was `before` its surprise (`observe`), where that is given.
    """
    x = place(mind).x
    foreseen = mind_forces(before or mind, D, Q)
    told: Mind = {**mind, "i": encode_vector(outcome), "i_prev": mind["i"]}
    now = mind_forces(told, D, Q)
    moved = outcome if teleport else x + now.delta_x
    return {
        **told,
        "x": encode_vector(moved),
        "raw_surprise": raw_surprise(x, foreseen.delta_x, outcome),
        "delta_x": float(np.linalg.norm(moved - x)),
        "force_norms": now.norms,
    }
