"""The tree of ideas and the line of instruments above it, for terminals of any width.

Everything shown is a `Text`, never markup, so that a title cannot style or break the screen.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ddax.cli.board import SAYING, SIGNS, TITLE, Board, Sign, cost_words, score_words
from ddax.cli.text import clean, shorten

if TYPE_CHECKING:
    from rich.console import Group
    from rich.text import Text
    from rich.tree import Tree

BAR = 10
_UNKNOWN = Sign("?", "?", "white")


def picture(board: Board, *, width: int, rows: int = 0, ascii_only: bool = False) -> Group:
    """Draw the instruments and the tree, at most `rows` ideas (0: all of them)."""
    from rich.console import Group

    return Group(
        *instruments(board, width=width, ascii_only=ascii_only), tree(board, rows=rows, ascii_only=ascii_only)
    )


def instruments(board: Board, *, width: int, ascii_only: bool = False) -> list[Text]:
    """Return rigidity, mood, cost and the current score as lines that fit `width`."""
    from rich.text import Text

    rho = float(board.mind.get("rho", 0.0))
    full, empty = ("#", ".") if ascii_only else ("█", "░")
    filled = round(min(max(rho, 0.0), 1.0) * BAR)
    guard = " protect" if board.mind.get("protect") else ""
    cells = [
        f"rigidity {full * filled}{empty * (BAR - filled)} {rho:.2f}{guard}",
        f"mood {clean(board.mood.get('action') or '-', 30)}",
        cost_words(board.usage),
        f"step {board.step} {clean(board.node, 20)}".strip(),
        board.counts(),
    ]
    score = score_words(board.decision.get("top") or ())
    lines = [*_packed(cells, width), *textwrap.wrap(score, width), *_saying(board, width)]
    style = "red" if board.mind.get("protect") else "bold"
    return [Text(line, style=style if number == 0 else "", no_wrap=True, overflow="ellipsis")
            for number, line in enumerate(lines)]  # fmt: skip


def _saying(board: Board, width: int) -> list[str]:
    """Return the end of the reply that is being written, on one line."""
    if not board.saying:
        return []
    idea, request = board.said_for
    head = f"{clean(request, 20)} {clean(idea, 20)}".strip() + ": "
    return [head + clean(board.saying, SAYING)[-max(width - len(head), 1) :]]


def _packed(cells: list[str], width: int) -> list[str]:
    """Put cells into as few lines as fit."""
    lines: list[str] = []
    for cell in cells:
        if lines and len(lines[-1]) + 3 + len(cell) <= width:
            lines[-1] += f" | {cell}"
        else:
            lines.append(shorten(cell, width))
    return lines


def tree(board: Board, *, rows: int = 0, ascii_only: bool = False) -> Tree:
    """Return the tree of ideas; what does not fit into `rows` is counted where it is missing."""
    from rich.text import Text
    from rich.tree import Tree

    shown = visible(board, rows)
    below: dict[str, list[str]] = {}
    for key in sorted(board.ideas, key=number_key):
        parent = str(board.ideas[key].get("parent", ""))
        below.setdefault(parent if parent in board.ideas else "", []).append(key)
    top = Tree(Text("ideas", style="bold"), hide_root=True, guide_style="bright_black")
    stack = [(top, "")]
    while stack:
        branch, parent = stack.pop()
        for key in below.get(parent, ()):
            if key in shown:
                stack.append((branch.add(_label(board, key, ascii_only=ascii_only)), key))
        hidden = sum(1 for key in below.get(parent, ()) if key not in shown)
        if hidden:
            branch.add(Text(f"{'...' if ascii_only else '…'} {hidden} more", style="bright_black"))
    return top


def visible(board: Board, rows: int) -> frozenset[str]:
    """Choose the ideas to show: what is worked on, the unfinished, the newest, with their parents."""
    if rows <= 0 or len(board.ideas) <= rows:
        return frozenset(board.ideas)
    from ddax.types import FINAL  # here: it brings numpy, which --help must not wait for

    def rank(key: str) -> tuple[bool, bool, tuple[int, ...]]:
        idea = board.ideas[key]
        return key not in board.focus, idea.get("status") in FINAL, tuple(-n for n in number_key(key))

    chosen: set[str] = set()
    for key in sorted(board.ideas, key=rank):
        path = _path(board.ideas, key) - chosen
        if len(chosen) + len(path) <= rows:
            chosen |= path
        if len(chosen) == rows:
            break
    return frozenset(chosen)


def _path(ideas: Mapping[str, Mapping[str, Any]], key: str) -> set[str]:
    path: set[str] = set()
    while key in ideas and key not in path:
        path.add(key)
        key = str(ideas[key].get("parent", ""))
    return path


def number_key(idea: str) -> tuple[int, ...]:
    """Order ids by their numbers; a part that is no number counts as 0."""
    return tuple(int(part) if part.isascii() and part.isdigit() else 0 for part in idea.split("."))


def _label(board: Board, key: str, *, ascii_only: bool) -> Text:
    from rich.text import Text

    idea = board.ideas[key]
    status = str(idea.get("status", ""))
    sign = SIGNS.get(status, _UNKNOWN)
    label = Text(no_wrap=True, overflow="ellipsis")
    label.append(f"{sign.plain if ascii_only else sign.icon} {clean(status, 12)} ", style=sign.colour)
    label.append(clean(idea.get("title") or key, TITLE), style="bold" if key in board.focus else "")
    if idea.get("N"):
        label.append(f"  Q {float(idea.get('Q', 0.0)):.2f} N {int(idea['N'])}", style="bright_black")
    why = idea.get("reason") if status in {"failed", "waiting", "abandoned"} else ""
    if why:
        label.append(f"  {clean(why, 80)}", style="bright_black")
    return label
