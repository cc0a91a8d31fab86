"""What was seen last of the world a task is done in, for whoever plans its next moves."""

from __future__ import annotations

import asyncio

from ddax.environments.actions import PLACES, VIEWS
from ddax.graph.ports import Remembers
from ddax.graph.services import Session
from ddax.graph.state import State
from ddax.memory.protocol import MANY
from ddax.reasoning.budget import FREE
from ddax.reasoning.protocol import Seen
from ddax.types import Passage, Picture

PICTURES = "pictures"
"""The log of pictures: which leaf took which; their bytes lie in the cache."""


async def keep_picture(task: str, leaf: str, step: int, picture: Picture, session: Session) -> None:
    """Keep a picture a leaf brought, where a model that sees may ask for it."""
    if session.pictures is None:
        return
    await asyncio.to_thread(session.pictures.put, picture)
    row = {
        "task": task, "idea": leaf, "step": step, "digest": picture.digest, "width": picture.width,
        "height": picture.height,
    }  # fmt: skip
    await session.memory.log(PICTURES, row, key=f"{task}:{leaf}:{step}")


async def seen_last(state: State, session: Session) -> Seen | None:
    """Return what the last look or move of earlier steps saw; None without a world, or before the first.

    Without a model nobody reads it: the embedded reasoner plans by the words of the task.
    """
    if "look" not in session.actions or session.reasoner.name in FREE:
        return None
    task, now = state["work"]["id"], state.get("step", 0)
    views = await session.memory.rows(VIEWS, task=task, limit=MANY)
    last = next((row for row in reversed(views) if row["step"] < now), None)
    if last is None:
        return None
    return Seen(last["text"], tuple(last["elements"]), await _picture(task, last["idea"], session))


async def changed(state: State, session: Remembers) -> bool:
    """Tell whether a look or a move of this step saw what this task had not seen before."""
    views = await session.memory.rows(VIEWS, task=state["work"]["id"], limit=MANY)
    known = {(row["text"], *row["elements"]) for row in views if row["step"] < state["step"]}
    return any(row["step"] == state["step"] and (row["text"], *row["elements"]) not in known for row in views)


def same_view(passage: Passage, view: Seen) -> bool:
    """Tell whether a passage is what was seen last, which is told by itself."""
    return passage.text.split() == view.text.split()


async def viewed(state: State, session: Remembers) -> tuple[str, ...]:
    """Return the sources that were seen in the world of a task: they need no visit."""
    rows = await session.memory.rows(PLACES, task=state["work"]["id"], limit=MANY)
    return tuple(dict.fromkeys(str(row["source"]) for row in rows if row.get("source")))


async def _picture(task: str, leaf: str, session: Session) -> Picture | None:
    if not session.sees or session.pictures is None:
        return None
    rows = await session.memory.rows(PICTURES, task=task, idea=leaf)
    data = await asyncio.to_thread(session.pictures.get, rows[-1]["digest"]) if rows else None
    if data is None:
        return None
    return Picture(rows[-1]["digest"], rows[-1]["width"], rows[-1]["height"], data)
