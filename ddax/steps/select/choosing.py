"""The rules of `select`: each says whether it holds, and then what is next. Their order is in `select`."""

from __future__ import annotations

from dataclasses import dataclass, field

from ddax.dynamics.rigidity import is_due
from ddax.graph.services import Session
from ddax.graph.state import State
from ddax.ideas import dag
from ddax.ideas.idea import is_final
from ddax.steps.choices.replan import MAX_REPLANS, replans, surprising
from ddax.steps.choices.stuck_code import evolution_due
from ddax.steps.select import planned_together
from ddax.steps.select.steering import before_the_end, forced, standstill
from ddax.types import Idea, NodeName


@dataclass(frozen=True)
class Choice:
    """What is next and why; `surprise` is that of the idea in focus, where it is why."""

    next: NodeName
    rule: str
    focus: tuple[str, ...] = ()
    mode: str = ""
    stop: tuple[str, str] = ("", "")
    targets: frozenset[str] = field(default_factory=frozenset)
    k: int = 1
    surprise: float | None = None


def ended(state: State, session: Session, step: int, seconds: float) -> Choice | None:
    """Stop at a cap, at a finished root, or at a standstill."""
    root = state["ideas"][state["work"]["root"]]
    if state.get("status") == "stopped":
        return Choice("reflect", "stopped")
    if is_final(root):
        return Choice("reflect", f"the root is {root['status']}")
    cap = reached(state, session, step, seconds)
    if cap:
        return Choice("reflect", "cap", stop=("stopped", f"budget: {cap}"))
    still = standstill(state, session)
    return Choice("reflect", "mood: standstill", stop=("stopped", still)) if still else None


def reached(state: State, session: Session, step: int, seconds: float) -> str:
    """Return the cap that is reached in words; empty where there is none."""
    budget, usage = session.settings.budget, state.get("usage", {})
    spent = {
        "max_steps": (step - 1, budget.max_steps),
        "max_seconds": (seconds, budget.max_seconds),
        # As many as the cap may have been made: what needs no call goes on.
        "max_model_calls": (usage.get("model_calls", 0) - 1, budget.max_model_calls),
        "max_tokens": (usage.get("tokens", 0), budget.max_tokens),
    }
    over = [f"{name} = {cap:g} reached" for name, (value, cap) in spent.items() if value >= cap]
    return over[0] if over else ""


def protected(state: State, session: Session, step: int, seconds: float) -> Choice | None:
    """Enter protect mode once an entry, and ask what waits to be asked."""
    mind = state.get("mind")
    if mind and is_due(mind):  # type: ignore[arg-type]  # plain JSON in state
        return Choice("protect", "protect mode")
    if state.get("questions"):
        return Choice("protect", "a question waits")
    return None


def forced_by_mood(state: State, session: Session, step: int, seconds: float) -> Choice | None:
    """Take the step the mood forces, and check what is in conflict before the task is closed."""
    found = forced(state, session, step) or before_the_end(state, session)
    return None if found is None else Choice(found.next, found.rule, focus=(found.focus,), mode=found.mode)


def surprised(state: State, session: Session, step: int, seconds: float) -> Choice | None:
    """Plan anew what rests on a surprising idea; everything else of the plan is followed."""
    found = surprising(state, session.settings.selection.replan_above)
    if found is None or replans(state["ideas"], state["work"]["root"]) >= MAX_REPLANS:
        return None
    idea, surprise = found
    return Choice("expand", "surprise: plan anew", focus=(idea,), mode="replan", surprise=surprise)


def stuck_code(state: State, session: Session, step: int, seconds: float) -> Choice | None:
    """Fall back to evolution on a task that has code and a test."""
    if evolution_due(state, session.settings.evolution, step=step, seconds=seconds):
        return Choice("evolve", "evolution trigger", focus=(state["work"]["root"],))
    return None


def finished_children(state: State, session: Session, step: int, seconds: float) -> Choice | None:
    """Merge an expansion whose children are all final."""
    ready = dag.mergeable(state["ideas"], state["work"]["root"])
    return Choice("merge", "children are final", focus=(ready["id"],)) if ready else None


def leaves_to_act_on(state: State, session: Session, step: int, seconds: float) -> Choice | None:
    """Act on the best runnable leaves, several at once."""
    leaves = dag.runnable_leaves(state["ideas"], state["work"]["root"])
    return _scored("act", "runnable leaves", leaves, session.settings.budget.max_parallel)


def idea_to_expand(state: State, session: Session, step: int, seconds: float) -> Choice | None:
    """Expand the best open inner idea."""
    ideas = dag.open_inner(state["ideas"], state["work"]["root"])
    return _scored("expand", "an open idea", ideas, planned_together.most(state, session))


def _scored(node: NodeName, rule: str, ideas: list[Idea], k: int) -> Choice | None:
    return Choice(node, rule, targets=frozenset(i["id"] for i in ideas), k=k) if ideas else None
