"""Rigidity ρ and protect mode: pure functions from mind to mind (dda-x 4.2; docs/dynamics.md)."""

from __future__ import annotations

from math import exp

from ddax.dynamics.state import Mind

HYSTERESIS = 0.1
"""How far ρ must fall below the threshold before protect is left, or may be entered by ρ again."""
CALM_OUTCOMES = 2
"""Consecutive outcomes with ε < ε₀ that let calm return."""
PROTECT_STIFFNESS = 2.0
"""Factor on γ in protect."""


def sigmoid(z: float) -> float:
    """Return 1/(1 + e^−z) without overflow.

    >>> sigmoid(0.0)
    0.5
    """
    if z >= 0:
        return 1.0 / (1.0 + exp(-z))
    tail = exp(z)
    return tail / (1.0 + tail)


def k_eff(k_base: float, rho: float) -> float:
    """Return the openness k_eff = k_base(1 − ρ); 0 at ρ = 1.

    >>> k_eff(0.5, 0.2)
    0.4
    """
    return k_base * (1.0 - rho)


def gamma_now(mind: Mind) -> float:
    """Return the identity stiffness, doubled in protect."""
    return mind["gamma"] * (PROTECT_STIFFNESS if mind["protect"] else 1.0)


def next_rho(rho: float, surprise: float, *, epsilon_0: float, alpha: float, s: float) -> float:
    """Return clip(ρ + α[σ((ε − ε₀)/s) − ½], 0, 1) (dda-x 2.1).

    A surprise of ε₀ leaves ρ where it is; one above it stiffens.

    >>> next_rho(0.2, 0.3, epsilon_0=0.3, alpha=0.1, s=0.1)
    0.2
    >>> round(next_rho(0.2, 0.9, epsilon_0=0.3, alpha=0.1, s=0.1), 3)
    0.25
    """
    return min(1.0, max(0.0, rho + alpha * (sigmoid((surprise - epsilon_0) / s) - 0.5)))


def observe(mind: Mind, *, epsilon: float, surprise: float) -> Mind:
    """Take in the surprise of one outcome: `surprise` (hybrid) drives ρ, `epsilon` counts for protect.

    Both lie in [0, 1]. Several outcomes of one step are taken in one by one, in the order of their ids.
    """
    rho = next_rho(mind["rho"], surprise, epsilon_0=mind["epsilon_0"], alpha=mind["alpha"], s=mind["s"])
    felt: Mind = {
        **mind,
        "rho": rho,
        "epsilon": epsilon,
        "surprise": surprise,
        "outcomes": mind["outcomes"] + 1,
        "hot": mind["hot"] + 1 if epsilon > mind["epsilon_protect"] else 0,
        "calm": mind["calm"] + 1 if epsilon < mind["epsilon_0"] else 0,
        "armed": mind["armed"] or _settled(mind, rho),
    }
    return _leave_if_calm(felt) if mind["protect"] else _enter_if_threatened(felt)


def is_due(mind: Mind) -> bool:
    """Say whether protect has been entered and has not put its question yet."""
    return mind["protect"] and not mind["asked"]


def mark_asked(mind: Mind) -> Mind:
    """Record that this entry has put its one question, or taken the conservative path."""
    return {**mind, "asked": True}


def mark_conservative(mind: Mind) -> Mind:
    """Record that nobody was there to be asked, and that the conservative path was taken."""
    return {**mark_asked(mind), "conservative": mind["conservative"] + 1}


def enter_protect(mind: Mind) -> Mind:
    """Enter protect for a reason outside surprise, as where all candidates are misaligned."""
    if mind["protect"]:
        return mind
    return {
        **mind,
        "protect": True,
        "above": mind["rho"] > mind["protect_threshold"],
        "armed": False,
        "asked": False,
        "calm": 0,
        "entries": mind["entries"] + 1,
    }


def leave_protect(mind: Mind) -> Mind:
    """Leave protect, as by an answer; ρ stays, and starts no new entry until it has once settled."""
    return {
        **mind,
        "protect": False,
        "above": False,
        "asked": False,
        "armed": _settled(mind, mind["rho"]),
        "hot": 0,
        "calm": 0,
    }


def _settled(mind: Mind, rho: float) -> bool:
    return rho < mind["protect_threshold"] - HYSTERESIS


def _enter_if_threatened(mind: Mind) -> Mind:
    stiff = mind["armed"] and mind["rho"] > mind["protect_threshold"]
    return enter_protect(mind) if stiff or mind["hot"] >= mind["protect_after"] else mind


def _leave_if_calm(mind: Mind) -> Mind:
    above = mind["above"] or mind["rho"] > mind["protect_threshold"]
    free = not above or _settled(mind, mind["rho"])
    return leave_protect(mind) if free and mind["calm"] >= CALM_OUTCOMES else {**mind, "above": above}
