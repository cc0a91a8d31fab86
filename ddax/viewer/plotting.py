"""The pictures of `picture` as PNG, by matplotlib where it is installed (extra `bench`)."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ddax.errors import UsageError
from ddax.viewer.layout import CARD, HEIGHT, plan
from ddax.viewer.picture import COLOURS, LINE, LINES, SOFT, fitted, one_line

if TYPE_CHECKING:
    from ddax.viewer.picture import Panel

DPI = 130
MARKS = {"inner": "o", "leaf": "s", "merge": "D"}


def figure(width: float, height: float) -> Any:
    """Return an empty matplotlib figure in inches; raises UsageError where matplotlib is missing."""
    try:
        module: Any = importlib.import_module("matplotlib.figure")
    except ModuleNotFoundError as exc:
        raise UsageError(
            "A PNG cannot be drawn.",
            why="matplotlib is not installed.",
            mend="Install it: uv pip install 'ddax[bench]', or take --format svg.",
        ) from exc
    return module.Figure(figsize=(width, height), dpi=DPI, layout="constrained")


def tree_png(ideas: Mapping[str, Mapping[str, Any]], title: str, file: Any) -> None:
    """Draw the tree of ideas into a file."""
    found = plan(ideas)
    drawn = figure(min(40.0, found.width / 95), min(60.0, 1.2 + found.height / 95))
    axes = drawn.subplots()
    patches: Any = importlib.import_module("matplotlib.patches")
    at = {node.id: node for node in found.nodes}
    for node in found.nodes:
        above, idea = at.get(node.parent), ideas.get(node.id, {})
        if above is not None:
            style = "--" if idea.get("status") == "abandoned" else "-"
            axes.plot([above.x + CARD, node.x], [above.y, node.y], style, color="#b9c1cd", lw=0.9, zorder=1)
        if node.more:
            axes.text(node.x + 14, node.y, f"{node.more} more", fontsize=7, va="center", color=LINES[0])
            continue
        colour = COLOURS.get(str(idea.get("status")), SOFT)
        hollow = idea.get("status") in ("abandoned", "open")
        axes.add_patch(
            patches.FancyBboxPatch(
                (node.x, node.y - HEIGHT / 2),
                CARD,
                HEIGHT,
                boxstyle="round,pad=0,rounding_size=7",
                facecolor="white",
                edgecolor=colour if idea.get("status") == "abandoned" else LINE,
                linestyle="--" if idea.get("status") == "abandoned" else "-",
                zorder=1,
            )
        )
        axes.scatter(
            [node.x + 15],
            [node.y],
            s=18 + 70 * float(idea.get("Q") or 0.0),
            marker=MARKS.get(str(idea.get("kind")), "o"),
            facecolors="white" if hollow else colour,
            edgecolors=colour,
            zorder=2,
        )
        value = f"{float(idea['Q']):.2f}" if idea.get("N") else ""
        name = fitted(str(idea.get("title", "")), CARD - 29 - (40 if value else 10))
        axes.text(node.x + 29, node.y, name, fontsize=7, va="center", zorder=3, parse_math=False)
        axes.text(node.x + CARD - 7, node.y, value, fontsize=6, va="center", ha="right", color=SOFT, zorder=3)
        if node.folded:
            axes.text(node.x + CARD + 6, node.y, f"+{node.below}", fontsize=6, va="center", color=SOFT)
    axes.set_title(one_line(title, 100), fontsize=10, loc="left", parse_math=False)
    for status, colour in COLOURS.items():
        axes.scatter([], [], s=24, color=colour, label=status)
    drawn.legend(loc="outside lower left", ncols=len(COLOURS), fontsize=7, frameon=False)
    axes.set_xlim(-10, found.width + 30)
    axes.set_ylim(found.height, -HEIGHT)
    axes.set_axis_off()
    drawn.savefig(file, format="png")


def plots_png(panels: Sequence[Panel], title: str, file: Any) -> None:
    """Draw plots into a file."""
    rows = -(-len(panels) // 2)
    drawn = figure(11.0, 3.0 * rows + 1.2)
    grid = drawn.subplots(rows, 2, squeeze=False)
    for panel, axes in zip(panels, grid.flat, strict=False):
        for line in panel.lines:
            colour = LINES[line.colour % len(LINES)]
            axes.plot(
                *zip(*line.points, strict=True), color=colour, lw=1.6, label=line.name
            ) if line.points else None
            if line.band:
                x, low, high = zip(*line.band, strict=True)
                axes.fill_between(x, low, high, color=colour, alpha=0.13, lw=0)
        axes.set_title(panel.title, fontsize=10, loc="left")
        axes.set_xlabel("step", fontsize=8)
        axes.grid(color="#dfe3ea")
        if panel.top:
            axes.set_ylim(0, panel.top * 1.03)
    names = {line.name: None for panel in panels for line in panel.lines if line.points}
    if names:
        drawn.legend(*grid[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=8)
    drawn.suptitle(one_line(title, 100), fontsize=11, parse_math=False)
    drawn.savefig(file, format="png")
