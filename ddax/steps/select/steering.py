"""What the mood forces on `select`: an early merge, a check; and what must be checked before the end.

Every step here is enforced by the engine, whatever a model would say.
"""

from __future__ import annotations

from typing import NamedTuple

from ddax.debate.gate import WEAK
from ddax.dynamics.doubt import by_nearness
from ddax.graph.services import Session
from ddax.graph.state import State
from ddax.ideas import dag
from ddax.ideas.idea import is_final
from ddax.metacognition.effects import effects_of, switched_on
from ddax.steps.accounts.ceremonies import Chance, holds
from ddax.steps.choices.stuck_code import TEST
from ddax.steps.findings.claims import claims, in_conflict, to_verify
from ddax.types import Idea, NodeName
from ddax.wording import amount

LEAST = 0.05
"""Chance that a check changes what is said of a claim that is worth nothing so far."""
STANDSTILL = 4
"""Times in a row that a resting mood has seen nothing new."""


class Forced(NamedTuple):
    """A step that is taken before the others."""

    next: NodeName
    rule: str
    focus: str
    mode: str


def forced(state: State, session: Session, step: int) -> Forced | None:
    """Return the step that the mood of the step before forces, if it can be taken."""
    mood = state.get("mood", {})
    force = effects_of(mood, session.settings.mood).force if mood.get("step") == step - 1 else None
    if force == "merge":
        return _interim(state)
    if force == "verify":
        return _tests(state) or _verify(state, session, "mood: verify", weak=True)
    return None


def standstill(state: State, session: Session) -> str:
    """Return why to stop where nothing gets on and nobody is there to ask; "" where there is no reason.

    REST waits for help from outside. Where none can come, going on would only spend the budget.
    """
    mood, settings = state.get("mood", {}), session.settings
    if settings.human or not effects_of(mood, settings.mood).ask or mood.get("still", 0) < STANDSTILL:
        return ""
    return f"standstill: {amount(mood['still'], 'step')} brought nothing new, and nobody is there to ask"


def before_the_end(state: State, session: Session) -> Forced | None:
    """Return the check of a claim in conflict that is due before the merge at the root closes the task."""
    settings = session.settings.mood
    ready = dag.mergeable(state["ideas"], state["work"]["root"])
    if ready is None or ready["parent"] != state["work"]["root"]:
        return None
    if not settings.enabled or not switched_on("VERIFY", settings):
        return None
    return _verify(state, session, "a claim in conflict is verified first", weak=False)


def _interim(state: State) -> Forced | None:
    ideas, root = state["ideas"], state["work"]["root"]
    for idea in dag.subtree(ideas, root):
        closing = dag.current_merge(ideas, idea["id"])
        if idea["status"] != "waiting" or closing is None or is_final(closing):
            continue
        finished = [c["id"] for c in dag.children(ideas, idea["id"]) if c["status"] == "done"]
        merged = {n for m in dag.merges(ideas, idea["id"]) if is_final(m) for n in m["needs"]}
        if len(finished) >= 2 and len(finished) < len(closing["needs"]) and not merged:
            return Forced("merge", "mood: consolidate", idea["id"], "interim")
    return None


def _verify(state: State, session: Session, rule: str, *, weak: bool) -> Forced | None:
    ideas, root = state["ideas"], state["work"]["root"]
    if "search" not in session.actions:
        return None
    if len(dag.subtree(ideas, root)) + 2 > session.settings.budget.max_ideas:
        return None
    claim = to_verify(ideas, root, weak=weak)
    if claim is None or not _is_worth(state, session, claim):
        return None
    return Forced("expand", rule, claim["id"], "verify")


def _is_worth(state: State, session: Session, claim: Idea) -> bool:
    """Tell whether a check is worth its price: a search is free, one more finding to hear is not."""
    ideas, settings = state["ideas"], session.settings.models
    fighting = in_conflict(claim)
    change = 1.0 if fighting else by_nearness(claim["V"], WEAK)
    beside = sum(child["kind"] != "merge" for child in dag.children(ideas, claim["parent"]))
    return holds(
        state,
        session,
        Chance(
            "verify",
            claim["id"],
            change=change or LEAST,
            stakes=1 / max(1, len(claims(ideas, state["work"]["root"]))),
            characters=settings.passages,
            calls=int(beside == settings.pass_on),
            why="claims contradict" if fighting else "a weak claim",
        ),
    )


def _tests(state: State) -> Forced | None:
    """Return the run of the tests that waits its turn: in code that is what reality says."""
    for leaf in dag.runnable_leaves(state["ideas"], state["work"]["root"]):
        if leaf["action"]["name"] == TEST:
            return Forced("act", "mood: verify by running the tests", leaf["id"], "")
    return None
