"""The one router: it reads the choice that `select` wrote, and never decides or raises."""

from __future__ import annotations

from typing import Literal, get_args

from langgraph.types import Send

from ddax.graph.state import State

Next = Literal["expand", "act", "merge", "evolve", "protect", "reflect"]
CHOICES: tuple[str, ...] = get_args(Next)


def route(state: State) -> Next | list[Send]:
    """Return the node `select` chose, or one `Send` for each leaf that acts."""
    chosen = state.get("decision", {}).get("next", "reflect")
    if chosen == "act":
        return [Send("act", leaf_packet(state, leaf)) for leaf in state.get("focus", [])] or "reflect"
    return chosen if chosen in CHOICES else "reflect"  # type: ignore[return-value]


def leaf_packet(state: State, leaf: str) -> dict[str, object]:
    """Return what one leaf gets: ids and its action, never page text."""
    idea = state.get("ideas", {}).get(leaf, {})
    work = state.get("work", {})
    return {
        "leaf": leaf,
        "action": idea.get("action"),
        "expected": idea.get("expected", ""),
        "step": state.get("step", 0),
        "usage": dict(state.get("usage", {})),
        "origins": list(idea.get("origins", [])),
        "protect": bool(state.get("mind", {}).get("protect", False)),
        "work": {key: work[key] for key in ("id", "root", "thread", "opened") if key in work},
    }
