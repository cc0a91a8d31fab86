"""What would have flipped a choice: the smallest change of one term, found by choosing again.

Takes what a selection was made with, as the decision ledger keeps it. Leaves out where that is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ddax.dynamics.score import Known, Terms, Weights, ranking, terms_of

OF_A_CANDIDATE: Mapping[str, tuple[str, float, float]] = {
    "cosine": ("alignment", -1.0, 1.0),
    "q": ("value", 0.0, 1.0),
    "prior": ("exploration", 0.0, 1.0),
    "penalty": ("tabu", 0.0, 10.0),
}
"""What enters each term of a candidate, and its range."""
OF_ALL: Mapping[str, tuple[str, float, float]] = {
    "rho": ("rigidity", 0.0, 1.0),
    "c": ("exploration", 0.0, 10.0),
}
"""What enters the terms of all candidates at once."""
HALVINGS = 50
EVERYONE = ""


@dataclass(frozen=True)
class Level:
    """One comparison of siblings: rows as the ledger keeps them, and the policy they were scored with."""

    rows: tuple[Mapping[str, Any], ...]
    policy: Mapping[str, Any]

    def terms(self, change: Mapping[tuple[str, str], float] | None = None) -> Terms:
        """Score again, with the values of `change` by (candidate id, input) in place of the recorded ones."""
        new = change or {}

        def column(name: str) -> np.ndarray:
            return np.array([new.get((row["id"], name), row[name]) for row in self.rows], dtype=np.float64)

        policy: dict[str, Any] = {k: new.get((EVERYONE, k), v) for k, v in self.policy.items()}
        weights = Weights(
            w_a=policy["w_a"],
            w_q=policy["w_q"],
            tabu=policy["tabu"],
            damped=policy["damped"],
            floor=policy["floor"],
        )
        return terms_of(
            column("cosine"),
            Known(
                Q=column("q"), N=column("n"), P=column("prior"), tabu=column("penalty"),
                total_n=float(self.rows[0]["visits"]),
            ),
            rho=policy["rho"], c=policy["c"], weights=weights,
        )  # fmt: skip

    def winner(self, change: Mapping[tuple[str, str], float] | None = None) -> str:
        """Choose again; return the id of the best candidate."""
        return str(self.rows[ranking(self.terms(change))[0]]["id"])


class Flip(NamedTuple):
    """A change that alters a choice: input `name` of `candidate` ("" for all), from one value to another.

    `winner` is who would have been chosen, `share` the size of the change as a share of the input's range.
    """

    candidate: str
    name: str
    term: str
    before: float
    after: float
    winner: str
    share: float


def levels(terms: Sequence[Mapping[str, Any]], policy: Mapping[str, Any]) -> list[Level]:
    """Split the rows of one decision into the levels its descent went through, from the root down."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in terms:
        groups.setdefault(row["at"], []).append(row)
    return [Level(tuple(rows), policy) for rows in groups.values()]


def flips(level: Level) -> list[Flip]:
    """Return, for each input, the smallest change within its range that alters the choice; smallest first.

    Each is verified by choosing again: at the change the winner is another, just short of it the same.
    """
    return sorted(_all(level), key=lambda f: (f.share, f.candidate, f.name))


def _all(level: Level) -> Iterator[Flip]:
    if len(level.rows) < 2:
        return
    was = level.winner()
    for row in level.rows:
        for name, (term, low, high) in OF_A_CANDIDATE.items():
            yield from _flip(level, was, (row["id"], name), float(row[name]), (term, low, high))
    for name, (term, low, high) in OF_ALL.items():
        yield from _flip(level, was, (EVERYONE, name), float(level.policy[name]), (term, low, high))


def _flip(
    level: Level, was: str, key: tuple[str, str], before: float, kind: tuple[str, float, float]
) -> Iterator[Flip]:
    """Halve the way to each end of the range; scores are linear in it, so a choice once lost stays so."""
    term, low, high = kind
    for end in (low, high):
        if level.winner({key: end}) == was:
            continue
        same, other = before, end
        for _ in range(HALVINGS):
            middle = (same + other) / 2.0
            if level.winner({key: middle}) == was:
                same = middle
            else:
                other = middle
        yield Flip(
            key[0],
            key[1],
            term,
            before,
            other,
            level.winner({key: other}),
            abs(other - before) / (high - low),
        )
