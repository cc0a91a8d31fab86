"""What a snapshot of a thread says about where it stands, and how it goes on with an answer."""

from __future__ import annotations

from typing import Any

from langgraph.types import Command

from ddax.graph.results import fitting_answer


def cut_short(state: Any) -> bool:
    """Tell whether a task was cancelled between its values and its choice of what is next.

    LangGraph takes such a task for a finished one, and the thread would end there without a word.
    """
    return any(task.error is not None and task.result for task in state.tasks)


def checkpoint_of(state: Any) -> str:
    """Return the id of the checkpoint a snapshot shows; "" where there is none."""
    return str(state.config.get("configurable", {}).get("checkpoint_id", ""))


def answered(state: Any, answer: Any) -> Command[Any] | None:
    """Return the command that resumes a waiting thread with an answer that fits; None without both."""
    if not state.interrupts or answer is None:
        return None
    return Command(resume=fitting_answer(answer, state.interrupts[0].value))
