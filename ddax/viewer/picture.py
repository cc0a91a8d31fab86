"""Draw runs as SVG with nothing but text: the tree of ideas, and lines over steps to compare runs by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from ddax.viewer.layout import CARD, HEIGHT, Node, Plan, plan

COLOURS = {
    "open": "#64748b", "running": "#b45309", "waiting": "#7c3aed", "done": "#0f766e", "failed": "#be2c2c",
    "abandoned": "#7a8494",
}  # fmt: skip
LINES = ("#2f5fd0", "#b45309", "#0f766e", "#9333a8", "#be2c2c", "#4d7c0f", "#0e7490", "#a16207")
FONT = "font-family=\"system-ui, 'DejaVu Sans', sans-serif\""
BOLD, END = ' font-weight="600"', ' text-anchor="end"'
INK, SOFT, LINE = "#1b2330", "#616c7d", "#dfe3ea"
SLIM, WIDE_SIGNS = "ijltfrI.,:;'|!()[] ", "mwMW@%—"
LEAST = 640
"""The least width of a picture, for the words above it."""
WIDE, HIGH, GAP = 420.0, 150.0, 56.0


class Line(NamedTuple):
    """One line of a plot: its name, its colour's number, points (x, y), and the band around it if any."""

    name: str
    colour: int
    points: Sequence[tuple[float, float]]
    band: Sequence[tuple[float, float, float]] = ()


class Panel(NamedTuple):
    """One plot: its title and its lines; `top` is the least upper end of its axis."""

    title: str
    lines: Sequence[Line]
    top: float = 0.0


def tree(ideas: Mapping[str, Mapping[str, Any]], title: str) -> str:
    """Return the picture of the ideas: colour = status, size = value, dashed = given up."""
    found = plan(ideas)
    width, height = max(LEAST, found.width + 40), found.height + 110
    cards = ['<g transform="translate(20 94)">', *_edges(found, ideas), *_cards(found, ideas), "</g>"]
    head = _text((20, 28), one_line(title, 110), size=15, more=BOLD)
    return "\n".join([_open(width, height, title), head, _legend(), *cards, "</svg>"])


def _open(width: float, height: float, title: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" {FONT}><title>{escape(one_line(title, 200))}</title>'
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>'
    )


def _legend() -> str:
    parts = []
    for number, (status, colour) in enumerate(COLOURS.items()):
        x = 26 + number * 92
        parts.append(
            f'<circle cx="{x}" cy="46" r="4.5" fill="{colour}"/>'
            f'<text x="{x + 9}" y="50" font-size="11" fill="{SOFT}">{status}</text>'
        )
    words = (
        "disc: thought, square: action, diamond: merge; size: value; dots: needs; dashes: replaces, given up"
    )
    return "".join([*parts, _text((20, 68), words, size=11, fill=SOFT)])


def _edges(found: Plan, ideas: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    at = {node.id: node for node in found.nodes}
    for node in found.nodes:
        above, idea = at.get(node.parent), ideas.get(node.id, {})
        if above is not None:
            x, bend = above.x + CARD, (node.x - above.x - CARD) / 2
            dash = ' stroke-dasharray="5 4"' if idea.get("status") == "abandoned" else ""
            way = [(x, above.y), (x + bend, above.y), (node.x - bend, node.y), (node.x, node.y)]
            yield f'<path d="{_curve(way)}" fill="none" stroke="#b9c1cd"{dash}/>'
        for need, look in _ties(idea):
            other = at.get(need)
            if other is not None and other.depth == node.depth:
                reach = min(30.0, 9 + abs(other.y - node.y) / 12)
                way = [
                    (other.x, other.y),
                    (other.x - reach, other.y),
                    (node.x - reach, node.y),
                    (node.x, node.y),
                ]
                yield f'<path d="{_curve(way)}" fill="none" {look}/>'


def _ties(idea: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the ideas that one is tied to beside its parent, each with the look of the line."""
    for other in idea.get("needs", ()):
        yield other, f'stroke="{LINES[0]}" stroke-dasharray="1.5 3" opacity=".6"'
    for other in filter(None, (idea.get("supersedes"), *idea.get("joined", ()))):
        yield str(other), f'stroke="{LINES[3]}" stroke-dasharray="6 3"'


def _cards(found: Plan, ideas: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    for node in found.nodes:
        yield _card(node, ideas.get(node.id, {}))


def _card(node: Node, idea: Mapping[str, Any]) -> str:
    x, y = node.x, node.y
    if node.more:
        return (
            f'<text x="{x + 29:.1f}" y="{y + 4:.1f}" font-size="12" fill="{LINES[0]}">{node.more} more</text>'
        )
    colour = COLOURS.get(str(idea.get("status")), SOFT)
    given_up = idea.get("status") == "abandoned"
    dash = f' stroke-dasharray="4 3" stroke="{colour}"' if given_up else f' stroke="{LINE}"'
    value = f"{float(idea['Q']):.2f}" if idea.get("N") else ""
    box = f'x="{x:.1f}" y="{y - HEIGHT / 2:.1f}" width="{CARD}" height="{HEIGHT}" rx="7"'
    title = fitted(str(idea.get("title", "")), CARD - 29 - (52 if value else 10))
    parts = [
        f'<rect {box} fill="#fff"{dash}/>',
        _mark(idea, x + 15, y, colour, hollow=given_up or idea.get("status") == "open"),
        _text((x + 29, y + 4), title, size=12),
        _text((x + CARD - 9, y + 4), value, size=10.5, fill=SOFT, more=END),
    ]
    if node.folded:
        parts.append(_text((x + CARD + 6, y + 4), f"+{node.below}", size=10, fill=SOFT))
    return "".join(parts)


def fitted(text: str, width: float) -> str:
    """Return a text as one line of so many pixels, at 12 to the em in most fonts without serifs."""
    line, taken = one_line(text, 80), 0.0
    for place, sign in enumerate(line):
        taken += 3.9 if sign in SLIM else 10.5 if sign in WIDE_SIGNS else 8.2 if sign.isupper() else 7.0
        if taken > width:
            return line[: max(1, place - 1)].rstrip() + "…"
    return line


def _mark(idea: Mapping[str, Any], x: float, y: float, colour: str, *, hollow: bool) -> str:
    r = 3.2 + 5.3 * min(1.0, max(0.0, float(idea.get("Q") or 0.0)))
    look = f'fill="#fff" stroke="{colour}" stroke-width="1.6"' if hollow else f'fill="{colour}"'
    if idea.get("kind") == "leaf":
        return f'<rect x="{x - r:.1f}" y="{y - r:.1f}" width="{2 * r:.1f}" height="{2 * r:.1f}" {look}/>'
    if idea.get("kind") == "merge":
        s = r * 1.3
        corners = ((x, y - s), (x + s, y), (x, y + s), (x - s, y))
        return f'<path d="M{"L".join(f"{a:.1f} {b:.1f}" for a, b in corners)}z" {look}/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}" {look}/>'


def plots(panels: Sequence[Panel], title: str) -> str:
    """Return plots, two in a row, with one legend for the names of their lines."""
    names = {line.name: line.colour for panel in panels for line in panel.lines}
    rows = -(-len(panels) // 2)
    width, top = 2 * (WIDE + GAP) + 30, 62 + 18 * -(-len(names) // 3)
    height = top + rows * (HIGH + GAP) + 10
    parts = [
        _open(width, height, title),
        _text((24, 30), one_line(title, 100), size=15, more=BOLD),
    ]
    for number, (name, colour) in enumerate(names.items()):
        x, y = 30 + (number % 3) * 310, 52 + 18 * (number // 3)
        parts.append(
            f'<path d="M{x} {y}h18" stroke="{_colour(colour)}" stroke-width="2.5"/>'
            f'<text x="{x + 24}" y="{y + 4}" font-size="11.5" fill="{SOFT}">'
            f"{escape(one_line(name, 44))}</text>"
        )
    for number, panel in enumerate(panels):
        parts.extend(_panel(panel, 46 + (number % 2) * (WIDE + GAP), top + 14 + (number // 2) * (HIGH + GAP)))
    return "\n".join([*parts, "</svg>"])


def _panel(panel: Panel, left: float, top: float) -> Iterator[str]:
    points = [point for line in panel.lines for point in line.points]
    right = max((x for x, _ in points), default=1.0) or 1.0
    highest = max([panel.top, *(y for _, y in points)]) or 1.0

    def place(x: float, y: float) -> str:
        return f"{left + x / right * WIDE:.1f} {top + HIGH - y / highest * HIGH:.1f}"

    yield _text((left, top - 8), panel.title, size=12.5, more=BOLD)
    for share in (0.0, 0.5, 1.0):
        y = top + HIGH - share * HIGH
        yield f'<path d="M{left:.0f} {y:.1f}h{WIDE:.0f}" stroke="{LINE}"/>'
        yield _text((left - 6, y + 4), _tick(share * highest), size=10.5, fill=SOFT, more=END)
    yield _text((left + WIDE, top + HIGH + 15), f"step {right:g}", size=10.5, fill=SOFT, more=END)
    for line in panel.lines:
        if len(line.band) > 1:
            upper = [place(x, high) for x, _, high in line.band]
            lower = [place(x, low) for x, low, _ in reversed(line.band)]
            yield f'<path d="M{"L".join(upper + lower)}Z" fill="{_colour(line.colour)}" opacity=".13"/>'
        if line.points:
            way = "L".join(place(x, y) for x, y in line.points)
            look = f'stroke="{_colour(line.colour)}" stroke-width="1.8" stroke-linejoin="round"'
            yield f'<path d="M{way}" fill="none" {look}/>'


def _text(at: tuple[float, float], words: str, *, size: float, fill: str = INK, more: str = "") -> str:
    place = f'x="{at[0]:.1f}" y="{at[1]:.1f}" font-size="{size:g}"'
    return f'<text {place} fill="{fill}"{more}>{escape(words)}</text>'


def _curve(points: Sequence[tuple[float, float]]) -> str:
    first, *rest = (f"{x:.1f} {y:.1f}" for x, y in points)
    return f"M{first}C{' '.join(rest)}"


def _colour(number: int) -> str:
    return LINES[number % len(LINES)]


def _tick(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def one_line(text: str, most: int) -> str:
    """Return a text as one printable line of so many characters at most."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
