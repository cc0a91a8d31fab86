"""Both critical gains m_crit: where the update stops being stable, and where identity stops ruling.

The derivation stands in docs/dynamics.md.
"""

from __future__ import annotations

from math import inf, isinf
from typing import NamedTuple

import numpy as np

from ddax.dynamics.forces import Forces
from ddax.dynamics.rigidity import gamma_now, k_eff
from ddax.dynamics.state import TINY, Mind, place
from ddax.types import Vector


class CriticalGains(NamedTuple):
    """The two critical gains of the outside forces; infinite where no gain is too large."""

    stable: float
    identity: float


def m_crit_stable(k: float, gamma: float) -> float:
    """Return 2/k_eff − γ: below, x ← x + Δx converges; infinite at k_eff = 0.

    A negative number says that γ alone already overshoots.
    """
    return inf if k <= TINY else 2.0 / k - gamma


def m_crit_identity(x: Vector, x_star: Vector, *, gamma: float, outside: Vector) -> float:
    """Return γ‖x* − x‖/‖F_T + F_R‖: below, identity pulls harder than the outside `[d]`."""
    push = float(np.linalg.norm(outside))
    return inf if push <= TINY else gamma * float(np.linalg.norm(x_star - x)) / push


def contraction(k: float, *, gamma: float, m: float) -> float:
    """Return |1 − k_eff(γ + m)|, the factor by which a step shrinks the distance to rest; stable below 1.

    >>> contraction(0.5, gamma=1.0, m=0.5)
    0.25
    """
    return abs(1.0 - k * (gamma + m))


def critical_gains(mind: Mind, forces: Forces) -> CriticalGains:
    """Return both m_crit of a mind under its present forces."""
    where, gamma = place(mind), gamma_now(mind)
    return CriticalGains(
        m_crit_stable(k_eff(mind["k_base"], mind["rho"]), gamma),
        m_crit_identity(where.x, where.x_star, gamma=gamma, outside=forces.F_T + forces.F_R),
    )


def reported(gains: CriticalGains) -> list[float | None]:
    """Return both gains as plain JSON, stability first; None stands for an infinite one."""
    return [None if isinf(gain) else float(gain) for gain in gains]
