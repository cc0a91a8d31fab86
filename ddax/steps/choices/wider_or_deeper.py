"""Wider or deeper in the DAG: new children of an idea, or into the known ones.

What new children are worth is learned from the first values of an idea's leaves, what known ones are
worth from the values of everything deeper. Where nothing new is planned, wider means to expand again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ddax.dynamics.widen import Outcomes, goes_wider
from ddax.ideas import dag
from ddax.ideas.idea import Ideas
from ddax.types import Idea

MAX_WIDER = 2
"""How often one idea is expanded again for width."""
NO_MORE = "children, and no more came to mind"
"""The reason of a waiting idea whose last widening brought nothing new."""


@dataclass(frozen=True)
class Width:
    """The draw of one selection; `room` says whether the caps leave place for more children."""

    rng: np.random.Generator
    room: bool

    def side(self, ideas: Ideas, here: str, leads: list[Idea]) -> list[Idea]:
        """Return the leads on the side that was drawn; none says: propose new children here."""
        known = [i for i in leads if i["N"] > 0]
        fresh = [i for i in leads if i["N"] == 0]
        if not known or not (fresh or (self.room and may_widen(ideas, here))):
            return leads
        return fresh if goes_wider(*outcomes(ideas, here), self.rng) else known


def may_widen(ideas: Ideas, idea_id: str) -> bool:
    """Say whether an idea may be expanded again: it waits for its children, and more may come to mind."""
    idea = ideas[idea_id]
    times = {child["step"] for child in dag.children(ideas, idea_id)}
    return idea["status"] == "waiting" and idea.get("reason") != NO_MORE and len(times) <= MAX_WIDER


def outcomes(ideas: Ideas, idea_id: str) -> tuple[Outcomes, Outcomes]:
    """Return what an idea's own leaves were worth at first, and what came from deeper down."""
    new, known = Outcomes(), Outcomes()
    prefix = idea_id + "."
    for idea in ideas.values():
        if idea["kind"] == "leaf" and idea["N"] > 0 and idea["id"].startswith(prefix):
            if idea["parent"] == idea_id:
                new = new.add(idea["V"])
            else:
                known = known.add(idea["V"])
    return new, known
