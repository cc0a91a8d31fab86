"""Write a decision down: its full terms in the ledger of the memory, its short form for state.

The ledger is a chain of hashes (`ddax.ideas.ledger`); `ddax verify` follows it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ddax.graph.services import Session
from ddax.graph.state import Decision, State
from ddax.ideas import dag
from ddax.ideas.ledger import BEFORE, HASH, VERSION, seal
from ddax.memory.records import DECISIONS
from ddax.types import JsonDict, NodeName

TOP = 8
SHOWN = ("id", "total", "alignment", "value", "exploration", "tabu")


@dataclass(frozen=True, kw_only=True)
class Made:
    """A decision as it is made: the next node by which rule, on which ideas, and what it was chosen from.

    `more` are further facts for the ledger: what the selection was made with, what was cut or imagined.
    """

    following: NodeName
    rule: str
    focus: Sequence[str]
    terms: Sequence[JsonDict]
    mode: str
    more: Mapping[str, object]


async def decide(state: State, session: Session, made: Made, *, step: int) -> Decision:
    """Seal a decision with all its terms, store it, and return its short form."""
    work = state["work"]
    entry = seal(
        {
            "version": VERSION,
            "thread": work["thread"],
            "task": work["id"],
            "step": step,
            "next": made.following,
            "rule": made.rule,
            "focus": list(made.focus),
            "mode": made.mode,
            "terms": list(made.terms),
            **made.more,
            "state": dag.digest(state["ideas"]),
            BEFORE: state.get("decision", {}).get("hash", ""),
        }
    )
    await session.memory.log(DECISIONS, entry, key=f"{work['id']}:{step}:{entry[HASH]}")
    best, *others = sorted(made.terms, key=lambda t: -t["total"])[:TOP] or [{}]
    first = {key: best[key] for key in SHOWN} if best else {}
    top = [first, *({"id": t["id"], "total": t["total"]} for t in others)] if best else []
    return Decision(
        step=step, next=made.following, rule=made.rule, focus=list(made.focus), top=top, mode=made.mode,
        hash=entry[HASH],
    )  # fmt: skip
