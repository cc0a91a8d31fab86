"""What a sandbox back end offers: a hardened process with two pipes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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
    processes: int = 64
    files: int = 64
    hash_seed: int = 0


class Sandbox(Protocol):
    """A way to start a Python process that can do no harm."""

    name: str

    def start(self, code: str, files: Mapping[str, str], *, limits: Limits) -> Popen[bytes]:
        """Start `python -c code` in isolation with text files under `/ddax`.

        Standard input and output are pipes. The process dies with the thread that started it.
        Raises SandboxError where it cannot be started.
        """
        ...
