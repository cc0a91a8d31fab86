"""The passages that come nearest: shown below an answer that was not found."""

from __future__ import annotations

from ddax.graph.state import Answer
from ddax.types import JsonDict
from ddax.wording import REMEMBERED

NEAREST = "These passages come nearest:"


def with_nearest(answer: Answer, *, as_asked: bool) -> Answer:
    """Return an answer whose text shows its nearest passages, but for one that was found.

    Where the task says how the answer is to be written (`as_asked`), nothing is put below it.
    """
    shown = answer.get("nearest", [])
    if not shown or as_asked or answer.get("found"):
        return answer
    text = "\n\n".join([f"{answer.get('text', '')} {NEAREST}", *map(quoted, shown)])
    return Answer(**{**answer, "text": text, "nearest": []})


def quoted(shown: JsonDict) -> str:
    """Return a passage as a quotation of Markdown, with its place; an empty line would end it."""
    lines = [f"> {line}" for line in shown["quote"].splitlines() if line.strip()]
    mark = REMEMBERED if shown.get("remembered") else ""
    return "\n".join([*lines, f"> — {shown['place']}{mark}"])
