"""Weigh a ceremony before it is held, and keep what was decided for the ledger.

The rule is `ddax.dynamics.doubt`. What it costs is told by its prompt and by what earlier calls of the same
node took, as the state has it: a resumed run weighs as the undisturbed one. Nothing is weighed where no
model is paid.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from ddax.dynamics.doubt import Ceremony, Doubt, expected_tokens
from ddax.graph.services import Session
from ddax.graph.state import State
from ddax.memory.records import DOUBTS
from ddax.reasoning.budget import FREE
from ddax.steps.accounts.weighed import decided
from ddax.types import JsonDict, Usage

PAID_BY: Mapping[Ceremony, str] = MappingProxyType({
    "plan": "expand", "curiosity": "expand", "extract": "act", "judge": "evaluate", "argue": "evaluate",
    "verify": "merge", "reflect": "reflect",
})  # fmt: skip
"""The node whose calls are like those of a ceremony; a verification makes the synthesis hear more."""
FOLLOWED = MappingProxyType({"quick": 0.25, "normal": 1.0, "deep": 4.0})
"""How far doubts are followed under each effort, by which the worth of an answer is multiplied."""


class Chance(NamedTuple):
    """What a ceremony might change of an idea, and what it takes.

    `characters` are those of what one call is told of, `calls` how many are expected; a `needed` one has no
    alternative.
    """

    ceremony: Ceremony
    idea: str
    change: float
    stakes: float = 1.0
    characters: int = 0
    calls: int = 1
    needed: bool = False
    why: str = ""


def holds(place: Mapping[str, Any], session: Session, chance: Chance) -> bool:
    """Tell whether a ceremony is held; `place` is the state, or the packet of a leaf."""
    if session.reasoner.name in FREE:
        return True
    usage = place.get("usage", {})
    tokens = _expected(chance.ceremony, usage, chance.characters, chance.calls)
    found = Doubt(
        chance.ceremony, chance.idea, chance.change, chance.stakes, chance.calls, tokens,
        worth(usage, session), chance.needed, chance.why,
    )  # fmt: skip
    if session.place is not None:
        session.place.doubts.append({**found.row(), "step": int(place.get("step", 0))})
    return found.held


def worth(usage: Mapping[str, Any], session: Session) -> int:
    """Return the tokens that a right answer in place of a wrong one is worth, at most those that are left."""
    settings, spent = session.settings, Usage.of_row(usage)
    left = settings.budget.max_tokens - spent.tokens - spent.saved_tokens
    return max(0, min(round(settings.models.worth * FOLLOWED[settings.effort]), left))


def _expected(ceremony: Ceremony, usage: Mapping[str, Any], characters: int, calls: int) -> int:
    node = PAID_BY[ceremony]
    known = [int(usage.get(f"{node}.{key}") or 0) for key in ("model_calls", "tokens", *SAVED)]
    return expected_tokens(
        characters, calls, known_calls=known[0] + known[2], known_tokens=known[1] + known[3]
    )


SAVED = ("saved_calls", "saved_tokens")
"""What replies from our own cache had cost: a run with them weighs as one without."""


async def weighed_before(state: State, step: int, session: Session) -> list[JsonDict]:
    """Return what was weighed in the step that ends, for the entry that seals it, and in this node so far.

    A thread that was gone back in has other rows of the same step, which were weighed behind other decisions.
    """
    if session.reasoner.name in FREE:
        return []
    known = await session.memory.rows(DOUBTS, task=state["work"]["id"], step=step - 1)
    after = decided(state)
    rows = [row for row in known if row.get("after", after) == after]  # older packets name none
    rows.sort(key=lambda row: (str(row["node"]), str(row["idea"])))
    own = session.place.doubts if session.place is not None else []
    return [*(doubt for row in rows for doubt in row["doubts"]), *own]
