"""The README's table as bars: one picture a measure, every peer beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.agree import spread
from benchmarks.peers.driving import OURS
from benchmarks.peers.table import SHORT, Line, lines
from benchmarks.plots import Picture, Series


def pictures(figures: Sequence[Mapping[str, Any]]) -> list[Picture]:
    """Return a picture for each measure of the README's table that several have, losses first."""
    return [_picture(line) for line in lines(figures) if line.measure in SHORT]


def _picture(line: Line) -> Picture:
    peers = sorted(line.each, key=lambda peer: peer != OURS)
    ends = [spread(line.each[peer]) for peer in peers]
    bars = Series(
        f"{OURS} is {line.stands}",
        peers,
        [line.each[peer]["value"] for peer in peers],
        [low for low, _ in ends],
        [high for _, high in ends],
    )
    unit = next(figure.get("unit") or "" for figure in line.each.values())
    return Picture(line.measure, "", unit, [bars], "bar")
