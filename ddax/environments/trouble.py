"""The errors every world raises in the same words."""

from __future__ import annotations

from ddax.environments.protocol import Move, Observation, Snapshot
from ddax.errors import ActionError


def check_move(world: str, seen: Observation, move: Move, *, name: str = "go") -> None:
    """Refuse a move in a world that has ended, and one that its elements do not offer."""
    if seen.done:
        raise ActionError(
            f"the world {world!r} has ended.",
            mend="Go back to an earlier place, or reset.",
            kind="world_ended",
        )
    offered = [element.id for element in seen.elements]
    if move.name != name or move.target not in offered:
        raise ActionError(
            f"there is no move {' '.join(filter(None, move.to_row()))!r} in {world!r}.",
            why=f"It offers {name} with one of {', '.join(offered)}.",
            kind="no_such_move",
        )


def check_snapshot(world: str, snapshot: Snapshot) -> None:
    """Refuse a snapshot that another world made."""
    if snapshot.world != world:
        raise ActionError(
            f"the snapshot of {snapshot.world!r} does not fit {world!r}.", kind="foreign_snapshot"
        )


def not_started(world: str) -> ActionError:
    """Return the error of a world that was not reset yet."""
    return ActionError(
        f"the world {world!r} has not been started.", mend="Reset it first.", kind="not_started"
    )
