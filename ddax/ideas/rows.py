"""The unfinished ideas of a task as columns of numbers, kept from change to change.

A selection scores what is unfinished, and a step changes a few ideas: so the columns are made once for a
structure (`Frame`) and carried on value by value (`Rows.after`). They are a function of the ideas alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ddax.types import FINAL, NO_PARENT, Idea, Vector

Numbers = NDArray[np.intp]
NO_ROW = -1


@dataclass(frozen=True, eq=False)
class Frame:
    """Which ideas of a task are unfinished and how they hang together; row k is idea `ids[k]`.

    The order is that of ids, so parents stand before their children and what lies at and below row k is
    rows k to `end[k]`. `up` is the row of the parent, −1 where it has none; `below` the ids of unfinished
    children, `texts` what an idea is expected to bring, `P` the priors. `final` are the rows' ids that are
    final themselves, `merges` the merges that are not.
    """

    ids: tuple[str, ...]
    row: Mapping[str, int]
    up: Numbers
    end: Numbers
    below: Mapping[str, tuple[str, ...]]
    texts: tuple[str, ...]
    P: Vector
    final: frozenset[str]
    merges: frozenset[str]

    @classmethod
    def of(cls, ideas: Mapping[str, Idea], unfinished: Iterable[Idea], live: Iterable[str]) -> Frame:
        """Return the frame of unfinished ideas in the order of their ids; `live` is what is not final."""
        rows = list(unfinished)
        row = {idea["id"]: k for k, idea in enumerate(rows)}
        below: dict[str, list[str]] = {}
        for idea in rows:
            below.setdefault(idea["parent"], []).append(idea["id"])
        up = [row.get(idea["parent"], NO_ROW) for idea in rows]
        size = [1] * len(rows)
        for k in range(len(rows) - 1, -1, -1):
            if up[k] != NO_ROW:
                size[up[k]] += size[k]
        return cls(
            tuple(row),
            row,
            np.array(up, dtype=np.intp),
            np.array(size, dtype=np.intp) + np.arange(len(rows)),
            {parent: tuple(ids) for parent, ids in below.items()},
            tuple(text_of(idea) for idea in rows),
            np.array([idea["P"] for idea in rows], dtype=np.float64),
            frozenset(idea["id"] for idea in rows if idea["status"] in FINAL),
            frozenset(i for i in live if ideas[i]["kind"] == "merge"),
        )

    def holds(self, idea_id: str, idea: Idea) -> bool:
        """Say whether this is the frame still, now that an idea has become this one."""
        final = idea["status"] in FINAL
        if idea["kind"] == "merge":
            return final is (idea_id not in self.merges)
        k = self.row.get(idea_id, NO_ROW)
        if k == NO_ROW:
            return final
        same = final is (idea_id in self.final)
        return same and idea["P"] == self.P[k] and text_of(idea) == self.texts[k]


@dataclass(frozen=True, eq=False)
class Rows:
    """The values of the ideas of a frame: `N`, their `own` Q, and `Q`, inherited where N is 0; all `[n]`.

    An idea that was never visited takes the Q of the nearest ancestor that was, 0 where none was.
    """

    frame: Frame
    N: Vector
    own: Vector
    Q: Vector

    @classmethod
    def of(cls, ideas: Mapping[str, Idea], frame: Frame) -> Rows:
        """Return the values of all ideas of a frame."""
        N = np.array([ideas[i]["N"] for i in frame.ids], dtype=np.float64)
        own = np.array([ideas[i]["Q"] for i in frame.ids], dtype=np.float64)
        return cls(frame, N, own, _inherited(ideas, frame, N, own))

    def after(self, ideas: Mapping[str, Idea], changed: Iterable[str]) -> Rows | None:
        """Return the values after these ideas have changed; None where the frame is another one now."""
        touched = [i for i in changed if i in ideas]
        if not all(self.frame.holds(i, ideas[i]) for i in touched):
            return None
        places = [(self.frame.row[i], ideas[i]) for i in touched if i in self.frame.row]
        if not places:
            return self
        N, own = self.N.copy(), self.own.copy()
        for k, idea in places:
            N[k], own[k] = idea["N"], idea["Q"]
        return Rows(self.frame, N, own, _inherited(ideas, self.frame, N, own))

    def with_own(self, ideas: Mapping[str, Idea], values: Mapping[str, float]) -> Vector:
        """Return Q `[n]` as inherited where these ideas of the frame had these values of their own."""
        own = self.own.copy()
        for idea_id, value in values.items():
            own[self.frame.row[idea_id]] = value
        return _inherited(ideas, self.frame, self.N, own)


def text_of(idea: Idea) -> str:
    """Return what an idea is expected to bring; its title where nothing is."""
    return idea.get("expected", "") or idea["title"]


def _inherited(ideas: Mapping[str, Idea], frame: Frame, N: Vector, own: Vector) -> Vector:
    """Return Q `[n]`, each from the nearest row at or above that was visited, by doubling steps upwards."""
    here = np.arange(len(N))
    top = frame.up == NO_ROW
    values = np.where(N > 0, own, 0.0)
    for k in np.flatnonzero(top & ~(N > 0)).tolist():
        values[k] = _above(ideas, frame.ids[k])
    source = np.where((N > 0) | top, here, frame.up)
    while not np.array_equal(further := source[source], source):
        source = further
    return values[source]


def _above(ideas: Mapping[str, Idea], idea_id: str) -> float:
    parent = ideas[idea_id]["parent"]
    while parent != NO_PARENT:
        if ideas[parent]["N"] > 0:
            return ideas[parent]["Q"]
        parent = ideas[parent]["parent"]
    return 0.0
