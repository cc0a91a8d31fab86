"""Write a decision down: its full terms in the ledger of the memory, its short form for state.

No node of its own. The ledger is a chain of hashes (`ddax.ideas.ledger`); `ddax verify` follows it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ddax.graph.services import Session
from ddax.graph.state import Decision, State
from ddax.ideas import dag
from ddax.ideas.ledger import BEFORE, HASH, VERSION, seal
from ddax.memory.records import DECISIONS
from ddax.types import JsonDict, NodeName

TOP = 8
SHOWN = ("id", "total", "alignment", "value", "exploration", "tabu")


async def decide(
    state: State,
    session: Session,
    *,
    step: int,
    following: NodeName,
    rule: str,
    focus: Sequence[str],
    terms: Sequence[JsonDict] = (),
    mode: str = "",
    more: Mapping[str, object] | None = None,
) -> Decision:
    """Seal a decision with all its terms, store it, and return its short form.

    `more` are further facts for the ledger: what the selection was made with, what was cut or imagined.
    """
    work = state["work"]
    entry = seal(
        {
            "version": VERSION,
            "thread": work["thread"],
            "task": work["id"],
            "step": step,
            "next": following,
            "rule": rule,
            "focus": list(focus),
            "mode": mode,
            "terms": list(terms),
            **(more or {}),
            "state": dag.digest(state["ideas"]),
            BEFORE: state.get("decision", {}).get("hash", ""),
        }
    )
    await session.memory.log(DECISIONS, entry, key=f"{work['id']}:{step}:{entry[HASH]}")
    best, *others = sorted(terms, key=lambda t: -t["total"])[:TOP] or [{}]
    first = {key: best[key] for key in SHOWN} if best else {}
    top = [first, *({"id": t["id"], "total": t["total"]} for t in others)] if best else []
    return Decision(
        step=step, next=following, rule=rule, focus=list(focus), top=top, mode=mode, hash=entry[HASH]
    )
