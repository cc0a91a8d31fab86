"""Embed in company: texts that threads ask for at the same moment go through the model together.

A short text alone costs more than beside others, and leaves that act together ask for one each.
Its vector is the same either way (`ddax.memory.embeddings`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from ddax.memory.embed.rows import Rows

FEW = 8
"""Texts up to which a request waits for company; a larger one is company enough by itself."""


@dataclass(frozen=True, eq=False)
class Asked:
    """Texts that a thread waits for, and what comes of it."""

    texts: Sequence[str]
    rows: Future[Rows] = field(default_factory=Future)


class Company:
    """Work on the texts of several threads at once; as many threads work at a time as there are turns."""

    def __init__(self, work: Callable[[Sequence[str]], Rows], *, turns: int) -> None:
        self._work, self._turns, self._guard = work, threading.BoundedSemaphore(turns), threading.Lock()
        self._waiting: list[Asked] = []

    def embed(self, texts: Sequence[str]) -> Rows:
        """Return one vector a text, `[n, dim]`; raises what the work raises."""
        if len(texts) > FEW:
            return self._work(texts)
        asked = Asked(texts)
        with self._guard:
            self._waiting.append(asked)
        with self._turns:
            self._answer(self._taken(asked))
        return asked.rows.result()

    def _taken(self, asked: Asked) -> list[Asked]:
        """Take all that wait; none where another thread has taken this one with its own."""
        with self._guard:
            if asked not in self._waiting:
                return []
            taken, self._waiting = self._waiting, []
            return taken

    def _answer(self, taken: Sequence[Asked]) -> None:
        if not taken:
            return
        try:
            parts = together(self._work, [asked.texts for asked in taken])
        except BaseException as error:
            for asked in taken:
                asked.rows.set_exception(error)
            return
        for asked, rows in zip(taken, parts, strict=True):
            asked.rows.set_result(rows)


def together(work: Callable[[Sequence[str]], Rows], asked: Sequence[Sequence[str]]) -> list[Rows]:
    """Return for each who asks the vectors of their texts, `[n, dim]`; the work is done once for all."""
    rows = work([text for texts in asked for text in texts])
    return np.split(rows, list(accumulate(map(len, asked)))[:-1])
