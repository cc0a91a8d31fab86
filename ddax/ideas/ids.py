"""The ids of ideas: "0.2.1" is the first child of the second child of root "0"."""

from __future__ import annotations

from functools import lru_cache


def task_of(idea_id: str) -> str:
    """Return the id of the root an idea belongs to."""
    return idea_id.split(".", 1)[0]


@lru_cache(maxsize=1 << 17)  # each pass over the DAG sorts by it, and ids never change
def sort_key(idea_id: str) -> tuple[int, ...]:
    """Order ids by their numbers, so that "0.10" comes after "0.9"."""
    return tuple(int(part) for part in idea_id.split("."))
