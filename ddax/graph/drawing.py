"""Draw the state machine without a network: Mermaid text, SVG by our own layout, PNG by Chromium.

Drawn is the graph of ddax, or one that nodes were added to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Literal

from ddax.errors import UsageError

if TYPE_CHECKING:
    from langchain_core.runnables.graph import Graph
    from langgraph.graph.state import CompiledStateGraph

Format = Literal["mermaid", "svg", "png"]

LEVELS: tuple[tuple[str, ...], ...] = (
    ("__start__",),
    ("open_task",),
    ("select",),
    ("expand", "act", "merge", "evolve", "reflect", "protect"),
    ("evaluate", "close"),
    ("rigidity", "__end__"),
    ("metacognition",),
)
"""The rows of the picture from top to bottom; a node that was added stands below the one it follows."""

OURS = frozenset({"open_task", "select", "close"})
"""The nodes by which a graph is known to be that of ddax, with others or without."""
CELL, ROW, BOX_W, BOX_H, MARGIN = 150, 90, 118, 38, 260


def mermaid(graph: CompiledStateGraph[Any, Any, Any, Any] | None = None) -> str:
    """Return the state machine as Mermaid text."""
    return _drawn(graph).draw_mermaid()


def svg(graph: CompiledStateGraph[Any, Any, Any, Any] | None = None) -> str:
    """Return the state machine as a self-contained SVG picture."""
    drawn = _drawn(graph)
    places = _places(drawn)
    width = int(CELL * (1 + 2 * max(abs(x) for x, _ in places.values()))) + MARGIN
    height = ROW * (1 + max(y for _, y in places.values())) + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="13"><title>ddax: the state machine</title>',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
        'orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#64748b"/></marker></defs>',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        *(_arrow(places, e.source, e.target, dashed=e.conditional, width=width) for e in drawn.edges),
        *(_box(name, place, width) for name, place in places.items()),
        "</svg>\n",
    ]
    return "\n".join(parts)


def draw(kind: Format, graph: CompiledStateGraph[Any, Any, Any, Any] | None = None) -> bytes:
    """Draw the state machine; raises UsageError where a picture needs a browser that is not there."""
    if kind == "mermaid":
        return mermaid(graph).encode()
    return svg(graph).encode() if kind == "svg" else _png(svg(graph))


def _drawn(graph: CompiledStateGraph[Any, Any, Any, Any] | None) -> Graph:
    from ddax.graph.builder import graph as ours

    return (ours if graph is None else graph).get_graph()


def _places(drawn: Graph) -> dict[str, tuple[float, int]]:
    """Return the column (centred at 0) and the row of every node."""
    levels = LEVELS if drawn.nodes.keys() >= OURS else _levels(drawn)
    rows = [_spread([name for name in level if name in drawn.nodes]) for level in levels]
    own = [name for name in drawn.nodes if not any(name in row for row in rows)]
    while own:
        name, column, y = _below(drawn, rows, own)
        rows.insert(y, {name: column})
        own.remove(name)
    return {name: (column, y) for y, row in enumerate(rows) for name, column in row.items()}


def _levels(drawn: Graph) -> list[list[str]]:
    """Return the rows of a graph that is not ours: by the steps from its start, with its end last."""
    rows, known = [["__start__"]], {"__start__", "__end__"}
    while True:
        after = [e.target for name in rows[-1] for e in drawn.edges if e.source == name]
        row = list(dict.fromkeys(name for name in after if name not in known))
        if not row:
            break
        known.update(row)
        rows.append(row)
    loose = [name for name in drawn.nodes if name not in known]
    return [row for row in (*rows, loose, ["__end__"]) if row]


def _spread(names: Sequence[str]) -> dict[str, float]:
    return {name: k - (len(names) - 1) / 2 for k, name in enumerate(names)}


def _below(drawn: Graph, rows: Sequence[Mapping[str, float]], own: Sequence[str]) -> tuple[str, float, int]:
    """Return one of the added nodes with its column and row: right below a node that leads to it."""
    for y, row in enumerate(rows):
        for edge in drawn.edges:
            if edge.source in row and edge.target in own:
                return edge.target, row[edge.source], y + 1
    return own[0], 0.0, len(rows)  # no edge leads to it: only a Command does


def _centre(place: tuple[float, int], width: int) -> tuple[float, float]:
    return width / 2 + place[0] * CELL, 35 + place[1] * ROW


def _box(name: str, place: tuple[float, int], width: int) -> str:
    x, y = _centre(place, width)
    end = name in ("__start__", "__end__")
    fill = "#0f172a" if end else "#e0e7ff"
    text = "#ffffff" if end else "#1e1b4b"
    label = escape(name.strip("_"))
    return (
        f'<rect x="{x - BOX_W / 2:.0f}" y="{y - BOX_H / 2:.0f}" width="{BOX_W}" height="{BOX_H}" rx="9" '
        f'fill="{fill}" stroke="#6366f1"/><text x="{x:.0f}" y="{y + 5:.0f}" fill="{text}" '
        f'text-anchor="middle">{label}</text>'
    )


def _arrow(
    places: Mapping[str, tuple[float, int]], source: str, target: str, *, dashed: bool, width: int
) -> str:
    (x1, y1), (x2, y2) = _centre(places[source], width), _centre(places[target], width)
    down = places[target][1] > places[source][1]
    if down:
        path = (
            f"M{x1:.0f} {y1 + BOX_H / 2:.0f} C{x1:.0f} {y1 + 60:.0f} "
            f"{x2:.0f} {y2 - 60:.0f} {x2:.0f} {y2 - BOX_H / 2:.0f}"
        )
    else:
        side = -1 if x1 <= width / 2 else 1
        # A long way back swings out further, so that it passes outside of the boxes between.
        reach = width / 2 - 12 if places[source][1] - places[target][1] < 3 else width / 2 + 110
        bend = width / 2 + side * reach
        path = (
            f"M{x1 + side * BOX_W / 2:.0f} {y1:.0f} C{bend:.0f} {y1:.0f} {bend:.0f} {y2:.0f} "
            f"{x2 + side * BOX_W / 2:.0f} {y2:.0f}"
        )
    dash = ' stroke-dasharray="5 4"' if dashed else ""
    return f'<path d="{path}" fill="none" stroke="#64748b"{dash} marker-end="url(#tip)"/>'


def _png(picture: str) -> bytes:
    """Render an SVG picture with an installed Chromium."""
    import shutil

    from playwright.sync_api import sync_playwright

    from ddax.environments.browser.chromium import PROGRAMS

    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        raise UsageError(
            "cannot draw a PNG: no Chromium is installed.",
            why="A browser turns the picture into pixels.",
            mend="Install it (make system), or take --format svg.",
        )
    with sync_playwright() as browsers:
        browser = browsers.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.set_content(picture)
        image = page.locator("svg").screenshot()
        browser.close()
    return image
