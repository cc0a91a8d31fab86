"""The ledger of leaf actions: what was begun, what came of it, and what is paid for already.

An intent row is written before an effect and a result row after it, both under the task id of the
superstep. An intent without a result is unknown: the same action of the same leaf goes on under its
idempotency key. What spends is known by its content too, so that it is paid once in a task and all its
forks. Leaves out what an action does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ddax.graph.ports import Remembers
from ddax.graph.state import Work
from ddax.ideas.calls import content_of
from ddax.types import ActionCall, Effect, JsonDict

INTENTS, RESULTS, UNKNOWNS, TURNS = "intents", "results", "unknowns", "turns"


@dataclass(frozen=True)
class Entry:
    """One leaf action in the ledger.

    `key` is the task id of its superstep, `idem` what the other side is given to know it by, `begun` the
    step of the newest intent that has no result (None where there is none), `done` its result row.
    In a chain (`chained`) the key is the place in its leaf, which stays whatever superstep goes on there.
    """

    task: str
    leaf: str
    step: int
    action: ActionCall
    key: str
    content: str
    idem: str
    begun: int | None = None
    done: JsonDict | None = None
    chained: bool = False

    @property
    def name(self) -> str:
        """The key of its result row among those of all tasks."""
        return f"{self.task}:{self.key}" if self.chained else self.key

    @property
    def attempt(self) -> str:
        """The key of its intent row: a later step that begins it again has one of its own."""
        return f"{self.name}@{self.step}" if self.chained else self.key

    def columns(self) -> JsonDict:
        """Return what intent and result rows have in common."""
        return {"task": self.task, "key": self.key, "content": self.content, "idem": self.idem}


async def look_up(
    session: Remembers, effect: Effect, *, work: Work, leaf: str, step: int, action: ActionCall, key: str,
    chained: bool = False,
) -> Entry:  # fmt: skip
    """Return the entry of a leaf that is about to be executed, with what is known of it."""
    content, task = content_of(action), work["id"]
    entry = Entry(task, leaf, step, action, key, content, "", chained=chained)
    idem = f"{work.get('trunk', task)}:{content}" if effect == "spends" else entry.name
    entry = replace(entry, idem=idem)
    # An intent stands before each result: where a leaf has none, nothing came of it either.
    intents = await session.memory.rows(INTENTS, task=task, leaf=leaf, content=content)
    known = await session.memory.rows(RESULTS, task=task, key=key) if intents else []
    if not known and effect == "spends":
        known = await session.memory.rows(RESULTS, task=task, content=content, ok=True)
        # The task it was forked off, and its other forks, pay under the same key.
        known = known or await session.memory.rows(RESULTS, idem=idem, ok=True)
    if known:
        paid = known[0]["key"] != key
        return replace(entry, done={**known[0], "usage": {}} if paid else known[0])
    open_ones = [
        row for row in intents if not await session.memory.rows(RESULTS, task=task, idem=row["idem"])
    ]
    if not open_ones:
        return entry
    return replace(entry, idem=open_ones[0]["idem"], begun=max(int(row["step"]) for row in open_ones))


async def intend(session: Remembers, entry: Entry) -> None:
    """Write down that an action is begun; each attempt of a later step has a row of its own."""
    row = {**entry.columns(), "leaf": entry.leaf, "step": entry.step, "action": dict(entry.action)}
    await session.memory.log(INTENTS, row, key=entry.attempt)


async def settle(session: Remembers, entry: Entry, row: JsonDict) -> None:
    """Write down what came of it."""
    await session.memory.log(RESULTS, {**entry.columns(), **row}, key=entry.name)


async def note_unknown(session: Remembers, entry: Entry, effect: Effect, ruling: str) -> None:
    """Count an outcome that nobody knows, and say how it was met."""
    row = {"task": entry.task, "leaf": entry.leaf, "key": entry.key, "effect": effect, "ruling": ruling}
    await session.memory.log(UNKNOWNS, row, key=f"{entry.name}:{ruling}")
