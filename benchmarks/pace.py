"""The pace of the machine: how long it takes for one fixed piece of work, at this moment.

A machine that is shared is slower in one hour than in another. Who compares the times of two runs has to
know by how much.
"""

from __future__ import annotations

import json
import time
from statistics import median

import numpy as np

SIZE, ROUNDS, ROWS = 20_000, 40, 300
"""The work: rounds of sines of so many numbers, sorted, and of JSON of so many rows; on one core."""
TRIES = 5


def pace() -> float:
    """Return the seconds that the fixed work takes now: the median of five tries, half a second."""
    return median(_once() for _ in range(TRIES))


def _once() -> float:
    numbers = np.linspace(0.0, 100.0, SIZE)
    rows = [{"number": number, "text": f"row {number}"} for number in range(ROWS)]
    began = time.perf_counter()
    for _ in range(ROUNDS):
        np.sort(np.sin(numbers))
        rows = json.loads(json.dumps(rows))
    return time.perf_counter() - began
