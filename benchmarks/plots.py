"""Pictures of results: one description, written as PNG (matplotlib) and as a page on its own (plotly)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.core import ROOT

FOLDER = ROOT / "benchmarks" / "plots"
COLUMNS, LONG = 4, 12
"""Pictures in a row, and the letters of a name beyond which the names below bars are turned."""


@dataclass(frozen=True)
class Series:
    """One line or group of bars; `low` and `high` are the ends of its intervals, if it has any."""

    name: str
    x: Sequence[float | str]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()


@dataclass(frozen=True)
class Picture:
    """A chart: `kind` is line or bar; `marks` are names with the x at which a vertical line stands."""

    title: str
    x: str
    y: str
    series: Sequence[Series]
    kind: str = "line"
    log: bool = False
    marks: Sequence[tuple[str, float]] = ()


def write(name: str, pictures: Sequence[Picture], *, folder: Path = FOLDER) -> str:
    """Write NAME.png and NAME.html and say so, or why not."""
    try:
        import matplotlib
        import plotly
    except ImportError as error:
        return f"no plots: {error.name} (extra bench) is not installed"
    del matplotlib, plotly
    folder.mkdir(parents=True, exist_ok=True)
    _png(folder / f"{name}.png", pictures)
    _page(folder / f"{name}.html", pictures)
    return (
        f"plots: {(folder / name).relative_to(ROOT) if folder.is_relative_to(ROOT) else name}.png and .html"
    )


def _png(path: Path, pictures: Sequence[Picture]) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    rows, columns = _grid(len(pictures))
    figure = Figure(figsize=(5.2 * columns, 3.8 * rows), layout="constrained")
    FigureCanvasAgg(figure)
    for k, picture in enumerate(pictures):
        axes = figure.add_subplot(rows, columns, k + 1)
        if picture.kind == "bar":
            _bars(axes, picture.series)
        else:
            _curves(axes, picture.series)
        for words, at in picture.marks:
            axes.axvline(at, color="grey", linestyle=":", label=words)
        if picture.log:
            axes.set_xscale("log")
            axes.set_yscale("log")
        axes.set(title=picture.title, xlabel=picture.x, ylabel=picture.y)
        axes.legend(fontsize=7)
    figure.savefig(path, dpi=80)


def _bars(axes: Any, each: Sequence[Series]) -> None:
    width = 0.8 / len(each)
    for n, series in enumerate(each):
        places = [i + (n - (len(each) - 1) / 2) * width for i in range(len(series.x))]
        axes.bar(places, series.y, width, yerr=_ends(series), capsize=2, label=series.name)
    names = [str(x) for x in each[-1].x]
    turned = max(map(len, names)) > LONG
    style = {"rotation": 30, "ha": "right", "fontsize": 7} if turned else {}
    axes.set_xticks(range(len(names)), names, **style)


def _curves(axes: Any, each: Sequence[Series]) -> None:
    for series in each:
        (line,) = axes.plot(series.x, series.y, label=series.name, linewidth=1.6)
        if series.low:
            axes.fill_between(series.x, series.low, series.high, alpha=0.15, color=line.get_color())


def _page(path: Path, pictures: Sequence[Picture]) -> None:
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    rows, columns = _grid(len(pictures))
    figure = make_subplots(rows, columns, subplot_titles=[picture.title for picture in pictures])
    figure.update_layout(height=400 * rows if rows > 1 else None)
    for n, picture in enumerate(pictures):
        row, k = n // columns + 1, n % columns + 1
        for series in picture.series:
            ends = _ends(series)
            error = {"array": ends[1], "arrayminus": ends[0]} if ends else None
            kind = go.Bar if picture.kind == "bar" else go.Scatter
            figure.add_trace(
                kind(x=list(series.x), y=list(series.y), name=series.name, error_y=error), row=row, col=k
            )
        for words, at in picture.marks:
            figure.add_vline(x=at, line_dash="dot", annotation_text=words, row=row, col=k)
        scale = "log" if picture.log else None
        figure.update_xaxes(title_text=picture.x, type=scale, row=row, col=k)
        figure.update_yaxes(title_text=picture.y, type=scale, row=row, col=k)
    figure.write_html(path, include_plotlyjs=True)


def _grid(number: int) -> tuple[int, int]:
    columns = min(COLUMNS, number)
    return -(-number // columns), columns


def _ends(series: Series) -> list[list[float]] | None:
    if not series.low:
        return None
    return [
        [y - low for y, low in zip(series.y, series.low, strict=True)],
        [high - y for y, high in zip(series.y, series.high, strict=True)],
    ]
