"""Where the ideas of a picture stand: layers from left to right, branches folded where there are many.

The same rule as in the page (`static/layout.js`); a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

CARD, ROW, LAYER, HEIGHT = 226, 36, 288, 28
BUDGET, SIBLINGS, TALL = 140, 40, 24

Rows = Mapping[str, Mapping[str, Any]]


@dataclass
class Node:
    """One card: where it stands, what hangs on it, and how many ideas are folded away behind it."""

    id: str
    depth: int
    parent: str
    more: int = 0
    folded: bool = False
    below: int = 0
    x: float = 0.0
    y: float = 0.0
    children: list[Node] = field(default_factory=list)


@dataclass(frozen=True)
class Plan:
    """The cards of a picture from top to bottom, and its size."""

    nodes: tuple[Node, ...]
    width: float
    height: float


def plan(ideas: Rows) -> Plan:
    """Return where the ideas stand."""
    children = _children(ideas)
    roots = [key for key in ideas if ideas[key].get("parent", "") not in ideas]
    below = _below(roots, children)
    opened = _unfolded(roots, children)
    nodes, line = _walk(roots, children, below, opened)
    middle = 0.5 if line <= TALL else 0.0
    for node in reversed(nodes):
        if node.children:
            first, last = node.children[0].y, node.children[-1].y
            node.y = first + middle * (last - first)
    deepest = max((node.depth for node in nodes), default=0)
    return Plan(tuple(nodes), deepest * LAYER + CARD + 40, max(1, line) * ROW)


def _children(ideas: Rows) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key, idea in ideas.items():
        if idea.get("parent", "") in ideas:
            found.setdefault(str(idea["parent"]), []).append(key)
    return found


def _below(roots: Sequence[str], children: Mapping[str, list[str]]) -> dict[str, int]:
    order = list(roots)
    for key in order:
        order.extend(children.get(key, ()))
    below: dict[str, int] = {}
    for key in reversed(order):
        below[key] = sum(1 + below[child] for child in children.get(key, ()))
    return below


def _unfolded(roots: Sequence[str], children: Mapping[str, list[str]]) -> set[str]:
    """Return which ideas are unfolded: level by level, up to a budget."""
    opened: set[str] = set()
    shown, level = len(roots), list(roots)
    while level:
        following: list[str] = []
        for key in level:
            width = min(len(children.get(key, ())), SIBLINGS)
            if width and shown + width <= BUDGET:
                opened.add(key)
                shown += width
                following.extend(children[key][:SIBLINGS])
        level = following
    return opened


def _walk(
    roots: Sequence[str], children: Mapping[str, list[str]], below: Mapping[str, int], opened: set[str]
) -> tuple[list[Node], int]:
    nodes: list[Node] = []
    at: dict[str, Node] = {}
    stack = [Node(key, 0, "") for key in reversed(roots)]
    line = 0
    while stack:
        node = stack.pop()
        own = [] if node.more else children.get(node.id, [])
        node.x, node.y, node.below = node.depth * LAYER, line * ROW, below.get(node.id, 0)
        node.folded = bool(own) and node.id not in opened
        at[node.id] = node
        nodes.append(node)
        if node.parent:
            at[node.parent].children.append(node)
        if not own or node.folded:
            line += 1
            continue
        if len(own) > SIBLINGS:
            stack.append(Node(f"{node.id}/more", node.depth + 1, node.id, more=len(own) - SIBLINGS))
        stack.extend(Node(key, node.depth + 1, node.id) for key in reversed(own[:SIBLINGS]))
    return nodes, line
