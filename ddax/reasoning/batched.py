"""Further parts of a request that one reply answers: results to be judged, pages to be read."""

from __future__ import annotations

from dataclasses import dataclass

from ddax.types import Passage


@dataclass(frozen=True)
class Judged:
    """A further result, judged on one scale with the others."""

    idea: str
    result: str
    expected: str
    evidence: tuple[Passage, ...] = ()


@dataclass(frozen=True)
class Pages:
    """Further passages, from which claims on an intent of their own are taken."""

    intent: str
    passages: tuple[Passage, ...]
