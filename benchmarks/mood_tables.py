"""The tables of docs/metacognition.md: what each action of the mood brings, and how a loop ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

PARTS = ("questions", "repairs")
WITHOUT = ("without EXPLORE", "without CONSOLIDATE", "without VERIFY", "without REST", "metacognition off")
NAMES = dict(zip(WITHOUT, ("EXPLORE", "CONSOLIDATE", "VERIFY", "REST", "all four"), strict=True))
LOOP = ("the mood", "metacognition off", "tabu alone", "repeat counter")

Figures = Mapping[str, Mapping[str, Any]]


class Kind(NamedTuple):
    """What is measured of an action: how its figure is called, and in words what more and less of it are."""

    figure: str
    more: str
    less: str


KINDS = (
    Kind("right, gained over", "more is right", "less is right"),
    Kind("calls, more than", "costs calls", "saves calls"),
    Kind("repeats, fewer than", "avoids loops", "repeats more"),
)


def whole(figures: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return both tables as lines of Markdown."""
    known = {figure["name"]: figure for figure in figures}
    return [*_brought(known), "", *_loops(known)]


def verdict(figures: Figures, part: str, without: str) -> str:
    """Say what an action brings and costs in a part, as far as it can be told from chance."""
    found = []
    for kind in KINDS:
        figure = figures[f"{part}: {kind.figure} {without}"]
        if figure["low"] > 0:
            found.append(kind.more)
        elif figure["high"] < 0:
            found.append(kind.less)
    return ", ".join(found) or "nothing that could be told from chance"


def _brought(figures: Figures) -> list[str]:
    heads = ("action", "of", "right, gained", "calls, more", "repeats, fewer", "what it brings there")
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    for without in WITHOUT:
        for part in PARTS:
            numbers = [_number(figures[f"{part}: {kind.figure} {without}"]) for kind in KINDS]
            n = figures[f"{part}: {KINDS[0].figure} {without}"]["n"]
            cells = (NAMES[without], f"{n} {part}", *numbers, verdict(figures, part, without))
            lines.append(f"| {' | '.join(cells)} |")
    return lines


def _number(figure: Mapping[str, Any]) -> str:
    return f"{figure['value']:+.3g} ({figure['low']:+.3g} to {figure['high']:+.3g})"


def _loops(figures: Figures) -> list[str]:
    heads = ("the door that never opens", *LOOP)
    rows = {
        "opened where there is a key": "door with a key, {}: opened",
        "stopped honestly where there is none": "door without, {}: stopped honestly before the cap",
        "pushes in vain": "door, {}: pushes in vain",
        "steps": "door, {}: steps",
    }
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    for label, name in rows.items():
        numbers = [f"{figures[name.format(one)]['value']:.3g}" for one in LOOP]
        lines.append(f"| {' | '.join((label, *numbers))} |")
    return lines
