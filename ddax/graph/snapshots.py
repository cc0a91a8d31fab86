"""What a snapshot of a thread says about where it stands."""

from __future__ import annotations

from typing import Any


def cut_short(state: Any) -> bool:
    """Tell whether a task was cancelled between its values and its choice of what is next.

    LangGraph takes such a task for a finished one, and the thread would end there without a word.
    """
    return any(task.error is not None and task.result for task in state.tasks)


def checkpoint_of(state: Any) -> str:
    """Return the id of the checkpoint a snapshot shows; "" where there is none."""
    return str(state.config.get("configurable", {}).get("checkpoint_id", ""))
