"""What a sandbox back end offers: a hardened process with two pipes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from subprocess import Popen
from typing import Protocol


@dataclass(frozen=True)
class Limits:
    """Limits of one candidate: `cpu` and `wall` in seconds, `memory`, `file` and `scratch` in MiB.

    `processes` and `files` are counts; `scratch` bounds each writable folder. By `hash_seed` texts are
    hashed, which decides the order of sets.
    """

    cpu: float = 10.0
    wall: float = 12.0
    memory: int = 1024
    file: int = 10
    scratch: int = 64
    processes: int = 256
    files: int = 128
    hash_seed: int = 0


FLOOR, SLACK = 0.03, 5.0
"""Seconds of the processor that a test may use in any case, and how many times what it took before."""


@dataclass(frozen=True)
class Pace:
    """Seconds of the processor that the tests of the unchanged program took: what a candidate is measured by.

    `units` are those that came to an end, by number; of one that did not, as much is expected as of the
    longest. `loading` is what program and tests took to be imported.
    """

    loading: float = 0.0
    units: Mapping[int, float] = field(default_factory=dict)

    def allowed(self, unit: int, patience: float = 1.0) -> float:
        """Return how long a test may compute."""
        usual = self.units.get(unit, max(self.units.values(), default=0.0))
        return max(patience * FLOOR, SLACK * usual)

    def whole(self, units: Iterable[int]) -> float:
        """Return how long a candidate may compute for these tests."""
        longest = max(self.units.values(), default=0.0)
        return SLACK * (self.loading + sum(self.units.get(unit, longest) for unit in units))


class Sandbox(Protocol):
    """A way to start a Python process that can do no harm."""

    name: str

    def start(self, code: str, files: Mapping[str, str], *, limits: Limits) -> Popen[bytes]:
        """Start `python -c code` in isolation with text files under `/ddax`.

        Standard input and output are pipes. The process dies with the thread that started it.
        Raises SandboxError where it cannot be started.
        """
        ...
