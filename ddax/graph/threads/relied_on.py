"""See at a resume that the memory still has what a thread rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ddax.errors import StateError
from ddax.wording import amount

if TYPE_CHECKING:
    from ddax.memory.protocol import Memory


async def check_relied(memory: Memory, values: Mapping[str, Any], thread: str) -> None:
    """Raise StateError where rows that a thread has read or thought are gone, and nobody let go of them.

    Without them it would go on as if it had found nothing.
    """
    ideas, work = values.get("ideas", {}), values.get("work", {})
    cited = list(dict.fromkeys(str(row) for idea in ideas.values() for row in idea.get("evidence", ())))
    there = {record.id for record in await memory.get(cited)}
    missing = [row for row in cited if row not in there]
    let_go = {stone.id for stone in await memory.upkeep.tombstones(missing)} if missing else set()
    lost = [row for row in missing if row not in let_go]
    # A fork may rest on the task that it comes from.
    tasks = [str(work[key]) for key in ("id", "trunk") if work.get(key)]
    known = [await memory.rows("tasks", limit=1, task=task) for task in tasks]
    begun = not tasks or any(known)
    if not lost and begun:
        return
    what = f"{amount(len(lost), 'row')} of {len(cited):,} it has read or thought" if lost else "its task"
    raise StateError(
        f"The memory has lost what thread {thread!r} rests on.",
        why=f"It lacks {what}: it is another memory, an older copy, or was begun anew. The thread would go "
        "on as if it had found nothing.",
        mend="Put back a copy or an export that has them: ddax memory restore FILE; or ask again in a new "
        "thread: ddax run",
    )
