"""A long page in few words: what is near the window in full, the rest as an outline that can be opened.

What stands alone on a page, as the button behind a long table, is never folded; runs of like rows are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from ddax.environments.browser.seen import ACTED_ON, Line, Node

WHOLE = 6_000
"""Characters up to which a page is shown whole."""
MANY = 12
"""Parts of a kind below one another from which they are rows of a long list."""
RUN = 100
"""Rows that one line of the outline stands for at most."""
SHOWN = 60
"""Characters that are shown of the first and the last row of a run."""
ALONE = 120
"""Elements far from the window that are shown because nothing else is called as they are, at most."""
PARTS = frozenset("row listitem treeitem option article gridcell menuitem".split())  # noqa: SIM905


def folded(lines: Sequence[Line], height: int) -> tuple[list[str], frozenset[str]]:
    """Return a page as lines of text, and the ids that these name; `height` is that of the window."""
    every = frozenset(line.node.id for line in lines)
    if sum(len(line.text) + 1 for line in lines) <= WHOLE:
        return [line.text for line in lines], every
    kept = _kept([line.node for line in lines], height)
    told: list[str] = []
    shown: set[str] = set()
    for keep, run in groupby(lines, key=lambda line: line.node.id in kept):
        part = list(run)
        if keep or len(part) < 3:
            told += [line.text for line in part]
            shown |= {line.node.id for line in part}
        else:
            told += _runs(part)
    return told, frozenset(shown)


def _kept(nodes: Sequence[Node], height: int) -> set[str]:
    """Return the ids of what is near the window, of headings, and of what stands alone far from it."""
    by_id = {node.id: node for node in nodes}
    rows = _rows(nodes)
    names = Counter((node.role, node.name) for node in nodes)
    kept = {node.id for node in nodes if _near(node, height) or node.role == "heading"}
    alone = [
        node.id
        for node in nodes
        if node.role in ACTED_ON
        and node.id not in kept
        and names[node.role, node.name] == 1
        and not any(one in rows for one in _chain(node, by_id))
    ]
    return kept | set(alone[:ALONE]) | set(alone[-ALONE // 2 :])


def _near(node: Node, height: int) -> bool:
    """Tell whether an element is in the window; a tall one that reaches through it is no part of it."""
    _, y, _, tall = node.box
    return y + tall > 0 and y < height and (tall < height or node.role in ("dialog", "alertdialog"))


def _rows(nodes: Sequence[Node]) -> set[str]:
    """Return the ids of the parts of long lists and tables."""
    count = Counter((node.parent, node.role) for node in nodes if node.role in PARTS)
    return {node.id for node in nodes if node.role in PARTS and count[node.parent, node.role] >= MANY}


def _chain(node: Node, by_id: dict[str, Node]) -> Iterable[str]:
    """Yield an element and what holds it."""
    at: Node | None = node
    while at is not None:
        yield at.id
        at = by_id.get(at.parent)


def _runs(lines: Sequence[Line]) -> list[str]:
    """Return a run of folded lines as lines that name its first and its last row."""
    tops = [n for n, line in enumerate(lines) if line.node.role in PARTS - {"gridcell"}] or list(
        range(len(lines))
    )
    rows = {top: lines[top:end] for top, end in zip(tops, [*tops[1:], len(lines)], strict=True)}
    told = []
    for first in range(0, len(tops), RUN):
        part = tops[first : first + RUN]
        a, b = part[0], part[-1]
        told.append(
            f"… {len(part)} more, from [{lines[a].node.id}] {_words(rows[a])} to "
            f"[{lines[b].node.id}] {_words(rows[b])}; scroll to one to see it."
        )
    return told


def _words(row: Sequence[Line]) -> str:
    """Return what a row is called, or the words in it: a row of a table has no name of its own."""
    node = row[0].node
    within = " ".join(line.node.own for line in row if line.node.own and line.node.role not in ACTED_ON)
    said = node.name or node.own or within or row[0].text.strip()
    return f'"{said if len(said) <= SHOWN else said[:SHOWN] + "…"}"'
