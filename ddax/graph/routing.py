"""The one router: it reads the choice that `select` wrote, and never decides or raises."""

from __future__ import annotations

from typing import Literal, get_args

from langgraph.types import Send

from ddax.graph.state import State
from ddax.ideas import dag
from ddax.types import Idea

Next = Literal["expand", "act", "merge", "evolve", "protect", "reflect"]
CHAIN = "work"
"""The action of a leaf of several turns: it alone is told what the ideas it needs have found."""
CHOICES: tuple[str, ...] = get_args(Next)
CARRIED = ("id", "root", "thread", "opened", "trunk", "road", "read_as")
"""What a leaf is told of the task; a key that a task has not is left out."""


def route(state: State) -> Next | list[Send]:
    """Return the node `select` chose, or one `Send` for each leaf that acts."""
    chosen = state.get("decision", {}).get("next", "reflect")
    if chosen == "act":
        focus = state.get("focus", [])
        left = _left_open(state, focus)
        packets = [leaf_packet(state, leaf, left=left, beside=len(focus)) for leaf in focus]
        return [Send("act", packet) for packet in packets] or "reflect"
    return chosen if chosen in CHOICES else "reflect"  # type: ignore[return-value]


def leaf_packet(state: State, leaf: str, *, left: int = 0, beside: int = 1) -> dict[str, object]:
    """Return what one leaf gets: ids and its action, never page text."""
    idea = state.get("ideas", {}).get(leaf, {})
    work, action = state.get("work", {}), idea.get("action")
    needs = idea.get("needs", []) if action is not None and action["name"] == CHAIN else []
    return {
        "leaf": leaf,
        "title": idea.get("title", ""),
        "action": action,
        "expected": idea.get("expected", ""),
        "step": state.get("step", 0),
        "usage": dict(state.get("usage", {})),
        "origins": list(idea.get("origins", [])),
        "protect": bool(state.get("mind", {}).get("protect", False)),
        "size": dag.size_of(idea),
        "left": left,
        "beside": beside,
        "after": state.get("decision", {}).get("hash", ""),
        "known": [_finding(state["ideas"][n]) for n in needs if n in state["ideas"]],
        "work": {key: value for key, value in work.items() if key in CARRIED},
    }


def _finding(idea: Idea) -> dict[str, object]:
    """Return what a finished idea found, in the words that stand in the state."""
    told = idea.get("result", "") or idea.get("reason", "")
    row = {"id": idea["id"], "title": idea["title"], "status": idea["status"], "result": told}
    return {**row, "origins": list(idea.get("origins", []))}


def _left_open(state: State, focus: list[str]) -> int:
    """Count the ideas of the task that stay open beside those in focus."""
    ideas, root = state.get("ideas", {}), state.get("work", {}).get("root", "")
    live = dag.live(ideas, root) if root in ideas else []
    return sum(i["status"] == "open" and i["kind"] != "merge" for i in live) - len(focus)
