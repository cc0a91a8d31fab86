"""The mood over time as plain series: what a plot or a viewer draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ddax.metacognition.matrices import ACTIONS, STATES
from ddax.types import JsonDict


def series(rows: Sequence[Mapping[str, Any]]) -> JsonDict:
    """Return the logged moods as columns of equal length, in the order they were made.

    `belief` has a column per state of mind; `value`, `information` and `preference` one per action
    (nats; value = information + preference); `epsilon`, `novelty` and `progress` may hold null.
    """

    def column(name: str) -> list[Any]:
        return [row.get(name) for row in rows]

    def columns(names: Sequence[str], pick: str, part: int | None = None) -> dict[str, list[float]]:
        return {
            name: [float(row[pick][k] if part is None else row[pick][k][part]) for row in rows]
            for k, name in enumerate(names)
        }

    plain = ("task", "step", "idea", "observation", "action", "reason", "epsilon", "novelty", "progress")
    return {
        **{name: column(name) for name in plain},
        "belief": columns(STATES, "belief"),
        "value": columns(ACTIONS, "efe"),
        "information": columns(ACTIONS, "terms", 0),
        "preference": columns(ACTIONS, "terms", 1),
    }
