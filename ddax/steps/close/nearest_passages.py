"""The passages that come nearest: shown below an answer that was not found."""

from __future__ import annotations

from collections.abc import Sequence

from ddax.graph.state import Answer
from ddax.types import JsonDict
from ddax.wording import REMEMBERED

NEAREST = "These passages come nearest:"
SENTENCES = "These sentences come nearest, and the passages they stand in:"


def with_nearest(answer: Answer, *, as_asked: bool) -> Answer:
    """Return an answer whose text shows its nearest passages, but for one that was found.

    Where the task says how the answer is to be written (`as_asked`), nothing is put below it.
    """
    shown = answer.get("nearest", [])
    if not shown or as_asked or answer.get("found"):
        return answer
    said = sentences(shown)
    above = f"{SENTENCES}\n{said}" if said else NEAREST
    quotes = [quoted(one, f"[{k}] " if said else "") for k, one in enumerate(shown, 1)]
    text = "\n\n".join([f"{answer.get('text', '')} {above}", *quotes])
    return Answer(**{**answer, "text": text, "nearest": []})


def sentences(shown: Sequence[JsonDict]) -> str:
    """Return the nearest sentences as a list, the nearest first, each with the number of its passage.

    An answer that an earlier release has kept has none.
    """
    ranked = sorted(
        (rank, said, k) for k, one in enumerate(shown, 1) for rank, said in one.get("sentences", ())
    )
    return "\n".join(f"- {said} [{k}]" for _, said, k in ranked)


def quoted(shown: JsonDict, number: str = "") -> str:
    """Return a passage as a quotation of Markdown, with its number and place; an empty line would end it."""
    lines = [f"> {line}" for line in shown["quote"].splitlines() if line.strip()]
    mark = REMEMBERED if shown.get("remembered") else ""
    return "\n".join([*lines, f"> — {number}{shown['place']}{mark}"])
