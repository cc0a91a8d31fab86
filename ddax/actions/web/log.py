"""What the egress guard notes of each request, and how it names what broke off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ddax.errors import ActionError

KEPT_EXCHANGES = 10_000
"""Exchanges a log keeps; older ones leave it."""


@dataclass
class Exchange:
    """One request or tunnel: the target without its query, what was ruled and why, and how much passed."""

    at: float
    method: str = ""
    target: str = ""
    ruling: Literal["open", "passed", "refused", "failed"] = "open"
    kind: str = ""
    reason: str = ""
    address: str = ""
    received: int = 0
    sent: int = 0
    seconds: float = 0.0
    answered: bool = False
    """Something was said to the client already: nothing else may be written into it."""


def broken(url: str, exc: Exception) -> ActionError:
    """Name a failure of the transport."""
    why = f"{type(exc).__name__}: {exc}"
    return ActionError(f"{url!r} broke off.", why=why, kind="transport", retriable=True)
