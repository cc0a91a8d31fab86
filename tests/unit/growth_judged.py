"""Whether time grows as the size of a text does: judged by ratios of CPU time, never by seconds.

A thing is tried at sizes that grow four times each. Below a floor nothing is judged. Where four times the
size took far more than four times as long, it is measured again, best of several, before it counts.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from time import thread_time
from typing import Any

FLOOR = 0.004
"""Seconds below which a time is not judged: no pattern that grows by squares is that fast on 8,000 signs."""
STEP = 4
"""How much larger each size is than the one before."""
TOO_MUCH = 8.0
"""Four times the size may take four times as long; with squares it takes sixteen times."""
CUT = 0.6
"""Seconds of CPU time after which a trial is cut off; it counts as having taken so long."""


class _Cut(Exception):
    """The trial took too long."""


@contextmanager
def cut_off(seconds: float) -> Iterator[None]:
    """End what is done within once it took so much CPU time; patterns look at signals too."""

    def over(*_: object) -> None:
        raise _Cut

    old = signal.signal(signal.SIGVTALRM, over)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, old)


def spent(trial: Callable[[Any], Any], text: Any) -> float:
    """Return the CPU seconds of one trial; of one that was cut off, what it had taken."""
    begun = thread_time()
    try:
        with cut_off(CUT):
            trial(text)
    except _Cut:
        return max(CUT, thread_time() - begun)
    return thread_time() - begun


def grows_too_fast(
    trial: Callable[[Any], Any], text: Callable[[int], Any], largest: int, *, floor: float = FLOOR
) -> float:
    """Return how many times longer a step to four times the size took, where that is too much; else 0."""
    if largest < STEP or spent(trial, text(largest)) < floor:
        return 0.0
    small, large = _last_step(trial, text, largest)
    for tries in (1, 4):  # what seems to grow too fast is measured again before it counts
        ratio = _ratio(trial, text(small), text(large), tries=tries)
        if ratio <= TOO_MUCH:
            return 0.0
    return ratio


def _last_step(trial: Callable[[Any], Any], text: Callable[[int], Any], largest: int) -> tuple[int, int]:
    """Return two sizes of which the smaller one leaves room for a ratio below the time of the cut."""
    sizes = [largest]
    while sizes[0] >= STEP:
        sizes.insert(0, sizes[0] // STEP)
    for small, large in pairwise(sizes):
        if spent(trial, text(large)) > CUT / TOO_MUCH / 2:
            return small, large
    return sizes[-2], sizes[-1]


def _ratio(trial: Callable[[Any], Any], small: Any, large: Any, *, tries: int) -> float:
    """Measure both sizes, the small one more often: the least time is the one that nothing disturbed."""
    least = min(spent(trial, small) for _ in range(tries * 2))
    most = min(spent(trial, large) for _ in range(tries))
    return most / max(least, 1e-6) if most >= FLOOR else 0.0
