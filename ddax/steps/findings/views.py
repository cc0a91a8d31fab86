"""Views of a world as a model is told them: the newest whole, of earlier ones what is not seen any more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ddax.types import Passage


def unlike_later(views: Mapping[str, Passage]) -> dict[str, Passage]:
    """Return views by their id, the oldest first, each cut to the lines that the next of its source lacks.

    What is left of one is a piece of it from the first such line to the last, so that it can be quoted; one
    that lacks nothing is left out.
    """
    later: dict[str, str] = {}
    found: dict[str, Passage] = {}
    for name, view in [*views.items()][::-1]:
        piece = _piece(view, later[view.source]) if view.source in later else view
        later[view.source] = view.text
        if piece is not None:
            found[name] = piece
    return {name: found[name] for name in views if name in found}


def _piece(view: Passage, later: str) -> Passage | None:
    """Return the part of a view from the first to the last line that another has not; None for no such."""
    there = {line.strip() for line in later.splitlines()}
    start, ends = 0, list[tuple[int, int]]()
    for line in view.text.splitlines(keepends=True):
        if line.strip() and line.strip() not in there:
            ends.append((start, start + len(line.rstrip())))
        start += len(line)
    if not ends:
        return None
    first, last = ends[0][0], ends[-1][1]
    return replace(view, text=view.text[first:last], start=view.start + first, end=view.start + last)
