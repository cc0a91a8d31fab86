"""Pictures of results: one description, written as PNG (matplotlib) and as a page on its own (plotly)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.core import ROOT

FOLDER = ROOT / "benchmarks" / "plots"


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

    figure = Figure(figsize=(5.2 * len(pictures), 3.8), layout="constrained")
    FigureCanvasAgg(figure)
    for k, picture in enumerate(pictures):
        axes = figure.add_subplot(1, len(pictures), k + 1)
        for n, series in enumerate(picture.series):
            ends = _ends(series)
            if picture.kind == "bar":
                width = 0.8 / len(picture.series)
                places = [i + (n - (len(picture.series) - 1) / 2) * width for i in range(len(series.x))]
                axes.bar(places, series.y, width, yerr=ends, capsize=2, label=series.name)
                axes.set_xticks(range(len(series.x)), [str(x) for x in series.x])
            else:
                (line,) = axes.plot(series.x, series.y, label=series.name, linewidth=1.6)
                if series.low:
                    axes.fill_between(series.x, series.low, series.high, alpha=0.15, color=line.get_color())
        for words, at in picture.marks:
            axes.axvline(at, color="grey", linestyle=":", label=words)
        if picture.log:
            axes.set_xscale("log")
            axes.set_yscale("log")
        axes.set(title=picture.title, xlabel=picture.x, ylabel=picture.y)
        axes.legend(fontsize=7)
    figure.savefig(path, dpi=80)


def _page(path: Path, pictures: Sequence[Picture]) -> None:
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    figure = make_subplots(1, len(pictures), subplot_titles=[picture.title for picture in pictures])
    for k, picture in enumerate(pictures, 1):
        for series in picture.series:
            ends = _ends(series)
            error = {"array": ends[1], "arrayminus": ends[0]} if ends else None
            kind = go.Bar if picture.kind == "bar" else go.Scatter
            figure.add_trace(
                kind(x=list(series.x), y=list(series.y), name=series.name, error_y=error), row=1, col=k
            )
        for words, at in picture.marks:
            figure.add_vline(x=at, line_dash="dot", annotation_text=words, row=1, col=k)
        scale = "log" if picture.log else None
        figure.update_xaxes(title_text=picture.x, type=scale, row=1, col=k)
        figure.update_yaxes(title_text=picture.y, type=scale, row=1, col=k)
    figure.write_html(path, include_plotlyjs=True)


def _ends(series: Series) -> list[list[float]] | None:
    if not series.low:
        return None
    return [
        [y - low for y, low in zip(series.y, series.low, strict=True)],
        [high - y for y, high in zip(series.y, series.high, strict=True)],
    ]
