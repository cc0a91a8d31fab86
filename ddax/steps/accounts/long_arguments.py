"""Arguments too long for graph state: kept in the memory by their hash, whole again where they are used.

An action is never done, shown or approved with an argument that was cut.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ddax.errors import StateError
from ddax.graph.ports import Remembers
from ddax.graph.services import Session
from ddax.ideas.idea import ARGUMENT_BYTES, UNCUT
from ddax.memory.records import digest
from ddax.types import ActionCall, Proposal

TEXTS = "arguments"
KEPT = "ddax:kept"
"""The one key of the object that stands for a long argument; no tool has an argument of that shape."""
ARGUMENTS_BYTES = 600
"""What all arguments of a call take in graph state; the longest are kept outside until they fit."""
REFERENCE_BYTES = 50
"""What the object takes that stands for one."""


async def stowed(call: ActionCall, session: Remembers) -> ActionCall:
    """Return a call that fits into graph state, its long arguments kept in the memory."""
    args = dict(call["args"])
    texts = {name: json.dumps(value, ensure_ascii=False, default=str) for name, value in args.items()}
    sizes = {name: len(text.encode("utf-8", "replace")) for name, text in texts.items()}
    for name in sorted((n for n in args if n not in UNCUT), key=lambda n: -sizes[n]):
        fits = sizes[name] <= ARGUMENT_BYTES and sum(sizes.values()) <= ARGUMENTS_BYTES
        if fits or sizes[name] <= REFERENCE_BYTES:
            break
        key = digest(texts[name])[:32]
        await session.memory.log(TEXTS, {"digest": key, "value": args[name]}, key=key)
        args[name], sizes[name] = {KEPT: key}, REFERENCE_BYTES
    return ActionCall(name=call["name"], args=args, intent=call["intent"])


async def stowed_all(proposals: tuple[Proposal, ...], session: Session) -> tuple[Proposal, ...]:
    """Return proposals whose actions fit into graph state."""
    found: list[Proposal] = []
    for proposal in proposals:
        action = proposal.action
        found.append(proposal if action is None else replace(proposal, action=await stowed(action, session)))
    return tuple(found)


async def whole(call: ActionCall, session: Session) -> ActionCall:
    """Return a call with every argument as it was proposed.

    Raises `StateError` where the memory does not hold one any more: a cut argument is never used.
    """
    args = dict(call["args"])
    for name, value in call["args"].items():
        args[name] = await _value(value, session)
    return ActionCall(name=call["name"], args=args, intent=call.get("intent", ""))


async def _value(value: Any, session: Remembers) -> Any:
    if not (isinstance(value, Mapping) and set(value) == {KEPT}):
        return value
    rows = await session.memory.rows(TEXTS, digest=str(value[KEPT]))
    if not rows:
        raise StateError(
            f"the memory does not hold the long argument {value[KEPT]!r} any more.",
            why="It is kept outside the checkpoints, by its hash.",
            mend="Bring the memory back from its backup, or let the task be planned anew.",
        )
    return rows[0]["value"]
