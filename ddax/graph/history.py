"""Look back: the moments of a thread, and what is different between two of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, TypedDict

from ddax.ideas import dag
from ddax.types import JsonDict

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph
    from langgraph.types import StateSnapshot

KEYS = ("status", "stop_reason", "step")
MISSING = "(none)"
_LARGEST = 2**63 - 1
"""The largest whole number that a store of checkpoints can be asked for."""


class Moment(TypedDict):
    """One checkpoint: its number in the thread, the pass of select, and what was known then."""

    number: int
    checkpoint_id: str
    at: str
    ran: list[str]
    next: list[str]
    step: int
    rule: str
    focus: list[str]
    ideas: int
    changed: list[str]
    rho: float
    mood: str
    usage: JsonDict


async def moments(
    graph: CompiledStateGraph[Any, Any, Any, Any], config: Any, *,
    limit: int | None = None, number: int | None = None,
) -> list[Moment]:  # fmt: skip
    """Return the moments of a thread, oldest first; with a limit the newest ones, with a number that one."""
    if number is not None:
        return await _numbered(graph, config, number)
    # The one before says what the first of them changed.
    wanted = None if limit is None or limit >= _LARGEST else limit + 1
    newest_first = [one async for one in _snapshots(graph, config, wanted)]
    pairs = zip(newest_first, [*newest_first[1:], None], strict=True)
    found = [_moment(one, before) for one, before in pairs]
    return found[:limit][::-1]


async def _numbered(graph: CompiledStateGraph[Any, Any, Any, Any], config: Any, number: int) -> list[Moment]:
    """Return the newest moment of a number, where there is one; the others are not read."""
    if abs(number) > _LARGEST:
        return []
    found = [one async for one in graph.aget_state_history(config, filter={"step": number}, limit=1)]
    return [
        _moment(one, await graph.aget_state(one.parent_config) if one.parent_config else None)
        for one in found
    ]


async def _snapshots(
    graph: CompiledStateGraph[Any, Any, Any, Any], config: Any, limit: int | None
) -> AsyncIterator[StateSnapshot]:
    async for one in graph.aget_state_history(config, limit=limit):
        yield one


def _moment(one: StateSnapshot, before: StateSnapshot | None) -> Moment:
    values: Mapping[str, Any] = one.values
    ideas = values.get("ideas", {})
    old = before.values.get("ideas", {}) if before else {}
    decision = values.get("decision", {})
    return Moment(
        number=int((one.metadata or {}).get("step", 0)),
        checkpoint_id=str(one.config["configurable"]["checkpoint_id"]),
        at=str(one.created_at or ""),
        ran=sorted(set(before.next)) if before else [],
        next=sorted(set(one.next)),
        step=int(values.get("step", 0)),
        rule=str(decision.get("rule", "")),
        focus=list(decision.get("focus", [])),
        ideas=len(ideas),
        changed=sorted((i for i in ideas if ideas[i] != old.get(i)), key=dag.sort_key),
        rho=round(float(values.get("mind", {}).get("rho", 0.0)), 4),
        mood=str(values.get("mood", {}).get("action", "")),
        usage=dict(values.get("usage", {})),
    )


def difference(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[JsonDict]:
    """Return what differs between two states: rows of place, one and other, in the order of the parts.

    Parts are the ideas field by field, the belief, rigidity, the usage, and the answer.
    """
    rows = list(_ideas(one.get("ideas", {}), other.get("ideas", {})))
    rows += _fields("mind", one.get("mind", {}), other.get("mind", {}), ("rho", "protect"))
    rows += _fields("mood", one.get("mood", {}), other.get("mood", {}), ("belief", "action", "state"))
    for part in ("usage", "answer"):
        names = sorted({*one.get(part, {}), *other.get(part, {})})
        rows += _fields(part, one.get(part, {}), other.get(part, {}), names)
    return rows + _fields("", one, other, KEYS)


def _ideas(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[JsonDict]:
    rows: list[JsonDict] = []
    for key in sorted({*one, *other}, key=dag.sort_key):
        if key not in one or key not in other:
            there, gone = other.get(key, {}).get("title", MISSING), one.get(key, {}).get("title", MISSING)
            rows.append({"place": f"ideas.{key}", "one": gone, "other": there})
            continue
        rows += _fields(f"ideas.{key}", one[key], other[key], sorted({*one[key], *other[key]}))
    return rows


def _fields(place: str, one: Mapping[str, Any], other: Mapping[str, Any], names: Any) -> list[JsonDict]:
    return [
        {"place": f"{place}.{name}" if place else name, "one": one.get(name), "other": other.get(name)}
        for name in names
        if one.get(name) != other.get(name)
    ]
