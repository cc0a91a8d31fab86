"""Where a frontier points: directions kept while neither its texts nor the mind's place change."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ddax.dynamics.forces import directions
from ddax.dynamics.score import lengths_of
from ddax.dynamics.state import Mind, decode_vector
from ddax.types import Vector

Matrix = NDArray[np.float64]
KEPT = 4
"""Frontiers whose directions are kept: tasks that run beside each other in one session."""


class Aim(NamedTuple):
    """The directions D `[n, d]` from x, their lengths `[n]`, and D·(x* − x) `[n]`; none can be written to."""

    D: Matrix
    lengths: Vector
    along: Vector


class Aims:
    """The newest aims; what is asked for again is not computed again."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[int, str, str], tuple[tuple[str, ...], Aim]] = OrderedDict()

    def of(self, texts: tuple[str, ...], mind: Mind) -> Aim | None:
        """Return the aim of these texts, this very tuple, where the mind stands; None if none is kept."""
        # The tuple is kept beside its aim, so its id is nobody else's; comparing it would cost what it saves.
        kept = self._kept.get((id(texts), mind["x"], mind["x_star"]))
        return None if kept is None else kept[1]

    def take(self, texts: tuple[str, ...], mind: Mind, places: Matrix) -> Aim:
        """Return the aim of texts that lie at `places` `[n, d]`, and keep it."""
        x, x_star = decode_vector(mind["x"]), decode_vector(mind["x_star"])
        D = directions(places, x)
        aim = Aim(D, lengths_of(D), D @ (x_star - x))
        for array in aim:
            array.flags.writeable = False
        self._kept[id(texts), mind["x"], mind["x_star"]] = (texts, aim)
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return aim
