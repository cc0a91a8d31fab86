"""What a cognitive action does to the engine: pure values that the nodes apply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ddax.configs.settings import Mood


@dataclass(frozen=True)
class Effects:
    """How the mood steers the next step.

    `c` multiplies the exploration constant, `branching` is added to the width of an expansion,
    `force` names a step that `select` must take if it can, `temperature` in [0, 1] is for the
    reasoner, `ask` says to put a question to the human, if one is there, instead of acting;
    `curious` asks the next expansion for a question nobody has asked, `consolidate` runs the
    consolidation of the memory.
    """

    c: float = 1.0
    branching: int = 0
    force: Literal["merge", "verify"] | None = None
    temperature: float = 0.3
    ask: bool = False
    curious: bool = False
    consolidate: bool = False


NEUTRAL = Effects()
EFFECTS: dict[str, Effects] = {
    "EXPLORE": Effects(c=1.5, branching=2, temperature=0.7, curious=True),
    "CONSOLIDATE": Effects(force="merge", consolidate=True),
    "VERIFY": Effects(force="verify", temperature=0.1),
    "REST": Effects(c=0.5, branching=-2, temperature=0.0, ask=True),
}

CHANGE_OF_COURSE = Effects(c=1.5, branching=2, temperature=0.7, curious=True, ask=True)
"""Of a mood that rests on while nothing new comes and nobody is there to help: the last thing to try."""


def effects_of(mood: Mapping[str, Any], settings: Mood, *, human: bool = False) -> Effects:
    """Return the effects of the action a mood has chosen; `human` says that one is there to help.

    Neutral before the first, with the controller off, and for an action that is switched off.
    """
    action = mood.get("action") or ""
    if not action or not settings.enabled or not switched_on(action, settings):
        return NEUTRAL
    if action == "REST" and mood.get("still", 0) and not human:
        return CHANGE_OF_COURSE
    return EFFECTS[action]


def switched_on(action: str, settings: Mood) -> bool:
    """Tell whether an action is allowed to have its effect."""
    return bool(getattr(settings, action.lower()))
