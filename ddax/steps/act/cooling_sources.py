"""Sources that refused us are left alone for a while."""

from __future__ import annotations

from ddax.errors import ActionError, Blocked
from ddax.graph.services import Session
from ddax.ideas.calls import content_of
from ddax.types import ActionCall


async def refuse_cooling(call: ActionCall, session: Session) -> None:
    """Refuse a call while what it asks is to be left alone; raises ActionError."""
    source = _cooled(call)
    rows = await session.memory.rows("cooldowns", source=source)
    if rows and rows[-1]["until"] > session.clock():
        raise ActionError(
            f"{source!r} is cooling down for {rows[-1]['until'] - session.clock():.0f} s more.",
            why=str(rows[-1]["why"]),
            kind="cooling_down",
        )


def _cooled(call: ActionCall) -> str:
    """Return what cools down after a refusal: the source; where a call has none, this very call."""
    return str(call["args"].get("source") or f"{call['name']} {content_of(call)[:12]}")


async def cool(call: ActionCall, session: Session, error: Blocked) -> None:
    """Leave alone for a while what refused a call."""
    until = session.clock() + error.cooldown
    row = {"source": _cooled(call), "until": until, "why": error.what}
    await session.memory.log("cooldowns", row, key=f"{row['source']}@{until:.3f}")
