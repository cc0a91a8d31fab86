"""What a run did on a page, in words: told where an order was not carried out, so that it can be undone."""

from __future__ import annotations

import re
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
_WANTED = re.compile(r"\b(?:tell|show|give) (?:me|us) (?P<what>(?!how\b)[^.;!?]+)", re.IGNORECASE)
QUOTED = re.compile(r"“[^“”]*”|\"[^\"]*\"")
_PLAIN = frozenset({"the", "a", "an", "my", "of", "in", "is", "it", "its", "what", "which", "who", "that",
                    "says", "say", "message", "page", "text", "result", "on", "for", "at", "me"})  # fmt: skip
"""Words that do not say what is to be told, or that every page answers."""


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


def wanted_of(task: str) -> list[str]:
    """Return what a task wants to be told in the end."""
    outside = QUOTED.sub(lambda quote: "\0" * len(quote[0]), task)
    return [found["what"].strip() for found in _WANTED.finditer(task) if outside[found.start()] != "\0"]


def answer_to(wanted: str, page: str) -> str:
    """Return the line of a page that has what is to be told, with the other words near it; "" for none."""
    words = [word for word in re.findall(r"\w+", wanted.casefold()) if word not in _PLAIN]
    lines = [line for line in page.splitlines() if line.strip()]
    if not words:
        return lines[0] if lines else ""
    said = [set(re.findall(r"\w+", line.casefold())) for line in lines]
    for at, found in enumerate(said):
        if words[0] in found and set(words) <= set().union(*said[max(0, at - 3) : at + 4]):
            return " ".join(lines[at : at + 1 + (found <= set(words))])  # a label alone, with what follows it
    return ""
