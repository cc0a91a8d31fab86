"""What a run did on a page, in words: told where an order was not carried out, so that it can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from ddax.environments.browser.seen import PageSeen
from ddax.environments.protocol import Move
from ddax.wording import amount

_TOLD = {"click": "pressed", "press": "pressed a key in", "type": "wrote into", "select": "chose in",
         "drag": "dragged", "upload": "handed a file to", "goto": "went to"}  # fmt: skip
"""Moves after which a page may not be as it was, each in a word."""
MOST = 8
"""Moves told at most."""


def told(move: Move, before: PageSeen) -> str:
    """Say what a move did, never what it wrote; empty for one that leaves a page as it is."""
    if move.name not in _TOLD:
        return ""
    node = before.node(move.target)
    called = f"“{node.name or node.before or node.own or node.role}”" if node else move.value or "the page"
    return f"{_TOLD[move.name]} {called}"


def all_told(did: Sequence[str]) -> str:
    """Return the moves that were made as a sentence, those of a kind in a row as one; empty for none."""
    runs = [(one, len(list(same))) for one, same in groupby(did)]
    said = [one if times == 1 else f"{one} {amount(times, 'time')}" for one, times in runs]
    left = [f"{len(said) - MOST} more"] if len(said) > MOST else []
    said = [*said[:MOST], *left]
    return f"Before that it {', then '.join(said)}. " if said else ""
