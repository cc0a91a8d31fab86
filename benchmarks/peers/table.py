"""The tables of the page and of the README: ours beside the best of the others, our losses first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from benchmarks.agree import spread, touch
from benchmarks.peers.driving import OURS
from benchmarks.peers.rows import BETWEEN, Measure

PARTS = ("dag", "crash", "injection", "game", "hotpot", "memories", "others")
ORDER = ("behind", "level", "ahead", "")
SHORT = (
    "two-hop questions: answered",
    "two-hop questions: model calls a question answered",
    "Game of 24: solved",
    "Game of 24: tokens a puzzle solved",
    "crash in 16 leaves: answered calls that are made again",
    "injected pages: orders obeyed",
    "DAG of 64 leaves: tokens",
    "import",
)
"""The measures of the README's table."""


class Line(NamedTuple):
    """One measure: what each has, ours first, and how ours stands to the best of the others."""

    measure: str
    each: Mapping[str, Mapping[str, Any]]
    best: str
    stands: str


def measures() -> dict[str, Measure]:
    """Return every measure by its name."""
    modules = (import_module(f"benchmarks.peers.{name}") for name in PARTS)
    found = [value for module in modules for value in vars(module).values() if isinstance(value, Measure)]
    return {measure.name: measure for measure in found}


def lines(figures: Sequence[Mapping[str, Any]]) -> list[Line]:
    """Return a line for each measure that several have, where ours is behind first."""
    known, found = measures(), dict[str, dict[str, Mapping[str, Any]]]()
    for figure in figures:
        name, between, peer = figure["name"].partition(BETWEEN)
        if between:
            found.setdefault(name, {})[peer] = figure
    several = [_line(name, each, known[name].better) for name, each in found.items() if len(each) > 1]
    return sorted(several, key=lambda line: ORDER.index(line.stands))


def _line(name: str, each: Mapping[str, Mapping[str, Any]], better: str) -> Line:
    others = {peer: figure for peer, figure in each.items() if peer != OURS}
    sign = -1.0 if better == "higher" else 1.0
    best = min(others, key=lambda peer: sign * others[peer]["value"])
    return Line(name, each, best, _stands(each[OURS], others[best], sign) if better and OURS in each else "")


def _stands(ours: Mapping[str, Any], best: Mapping[str, Any], sign: float) -> str:
    """Tell how ours stands: level where the values are the same or their spreads touch.

    How large a spread is at least says `benchmarks.agree`; a count that was taken once has none.
    """
    if touch(spread(ours), spread(best)):
        return "level"
    return "behind" if sign * (ours["value"] - best["value"]) > 0 else "ahead"


def whole(figures: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the table of the page: every measure, every peer."""
    rows = [
        f"| {line.measure} | {_ours(line)} | {_said(line.each[line.best])} {line.best} | "
        f"{'; '.join(_others(line))} | {line.stands} |"
        for line in lines(figures)
    ]
    return [
        f"| measure | {OURS} | best of the others | the others | {OURS} is |",
        "|---|---|---|---|---|",
        *rows,
    ]


def short(figures: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the table of the README: the measures of `SHORT`, without who is not the best."""
    rows = [
        f"| {line.measure} | {_ours(line)} | {_said(line.each[line.best])} {line.best} | {line.stands} |"
        for line in lines(figures) if line.measure in SHORT
    ]  # fmt: skip
    return [f"| | {OURS} | best of the others | {OURS} is |", "|---|---|---|---|", *rows]


def _ours(line: Line) -> str:
    return _said(line.each[OURS]) if OURS in line.each else "error"


def _others(line: Line) -> list[str]:
    return [f"{_said(figure)} {peer}" for peer, figure in line.each.items() if peer not in (OURS, line.best)]


def _said(figure: Mapping[str, Any]) -> str:
    unit = figure.get("unit") or ""
    if unit == "share":
        return f"{100 * figure['value']:.0f} %"
    value = f"{figure['value']:.3g}" if figure["value"] < 1000 else f"{figure['value']:,.0f}"
    return f"{value} {unit}".strip()
