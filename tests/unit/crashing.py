"""A run that breaks off in the middle of a node, for the tests of what goes on from there."""

from __future__ import annotations

from typing import Any


class Crash(Exception):
    """Stands for the death of the process."""


def crash_at(node: str, step: int) -> Any:
    """Return what breaks a run off as it hears of a node of a step."""

    def on_event(event: dict[str, Any]) -> None:
        if (event["node"], event["step"]) == (node, step):
            raise Crash

    return on_event
