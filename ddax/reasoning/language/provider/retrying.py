"""When to try again, how long to wait, and when to stop asking: limits, back-off and circuit breaker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ddax.errors import ReasonerError, Unavailable
from ddax.reasoning.language.provider.failures import Failure


@dataclass(frozen=True)
class Limits:
    """Limits of one request; seconds, characters and tokens."""

    attempts: int = 3
    """Calls of one request at most: the first, those after a failure, and the repair."""
    first_wait: float = 0.5
    """Seconds before the second attempt, doubled for each further one."""
    deadline: float = 90.0
    """Seconds after which a request that has not succeeded makes no further attempt."""
    idle_seconds: float = 120.0
    """Seconds without a sign of life after which a reply that is streamed is given up."""
    attempt_seconds: float = 600.0
    """Seconds for one attempt, however lively."""
    breaker_failures: int = 3
    """Consecutive failed requests that open the circuit."""
    breaker_seconds: float = 30.0
    """Seconds the circuit stays open."""
    output_tokens: int = 16_000
    """Tokens of one reply, where the provider takes such a limit."""
    context_tokens: int = 0
    """Tokens that a request and its reply may have together; 0: not known."""
    task_characters: int = 400_000
    """Characters of a task in one prompt, where the context has room for them."""
    passage_characters: int = 24_000
    """Characters of passages in one prompt, shared among them."""
    text_characters: int = 6_000
    """Characters of any other quoted text in a prompt."""
    code_characters: int = 100_000
    """Characters of a program in a prompt; a longer one is refused, since a cut one cannot be mended."""
    repair_characters: int = 4_000
    """Characters of a bad reply that are sent back."""


def wait_before(failure: Failure, attempt: int, limits: Limits, rng: np.random.Generator) -> float:
    """Return the seconds to wait after the failed `attempt` (from 1).

    That is what the server asks, else exponential back-off with jitter in [½, 1) of it.
    """
    if failure.retry_after is not None:
        return failure.retry_after
    return float(limits.first_wait * 2.0 ** (attempt - 1) * rng.uniform(0.5, 1.0))


class Breaker:
    """Refuse calls for a while after consecutive failed requests, then let one try."""

    def __init__(self, limits: Limits, clock: Callable[[], float]) -> None:
        self._limits, self._clock = limits, clock
        self._failures = 0
        self._until = 0.0
        self._kind: type[Unavailable] = Unavailable

    def check(self, model: str) -> None:
        """Raise `Unavailable` while the circuit is open."""
        if self._failures < self._limits.breaker_failures:
            return
        left = self._until - self._clock()
        if left > 0:
            raise self._kind(
                f"{model} failed {self._failures} times in a row and is not asked for {left:.0f} s.",
                why="What fails so often would fail again, and cost time or money.",
                mend="Ask again later, or choose another model.",
            )
        self._until = self._clock() + self._limits.breaker_seconds

    def succeeded(self) -> None:
        """Close the circuit."""
        self._failures = 0

    def failed(self, error: ReasonerError) -> None:
        """Count a request that failed with an error; opens the circuit at the threshold."""
        self._failures += 1
        self._kind = type(error) if isinstance(error, Unavailable) else Unavailable
        if self._failures >= self._limits.breaker_failures:
            self._until = self._clock() + self._limits.breaker_seconds
