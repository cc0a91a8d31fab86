"""One view of what is being worked on and what is known for it: the goal stack, recalled rows, rules.

The stack is read off the DAG of ideas, which every checkpoint holds: a resumed run has the stack it had.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ddax.configs.settings import Rules
from ddax.ideas import dag
from ddax.ideas.idea import is_final
from ddax.memory.protocol import Memory, MemoryHit, RecallQuery
from ddax.memory.rules import Match, matching
from ddax.types import Idea


@dataclass(frozen=True)
class ContextNode:
    """One goal of the stack: an idea that is not final, what it expects, and what it still waits for."""

    id: str
    goal: str
    status: str
    expected: str
    depth: int
    waits_for: tuple[str, ...]


@dataclass(frozen=True)
class UnifiedView:
    """The goals from the root down, the rows recalled for the lowest one, and the rules that may be used."""

    stack: tuple[ContextNode, ...]
    hits: tuple[MemoryHit, ...]
    rules: tuple[Match, ...]


def goal_stack(ideas: Mapping[str, Idea], focus: str) -> tuple[ContextNode, ...]:
    """Return the goals that lead to an idea, the root first; those that are over are left out."""
    path = [*reversed(dag.ancestors(ideas, focus)), ideas[focus]]
    return tuple(_node(ideas, idea) for idea in path if not is_final(idea))


class UnifiedMemory:
    """See operational memory and rules as one; it keeps nothing itself."""

    def __init__(self, memory: Memory, bounds: Rules) -> None:
        self._memory, self._bounds = memory, bounds

    async def view(
        self,
        ideas: Mapping[str, Idea],
        focus: str,
        query: RecallQuery,
        *,
        situation: str | None = None,
        slots: int = 0,
    ) -> UnifiedView:
        """Gather the goals above an idea with what is known for it, as the query's task may see it.

        Rules are looked for by the task's `situation`, its words with the names left open (default: the
        text of the query), and by how many names those are.
        """
        rules = await matching(
            self._memory, query.text if situation is None else situation, slots=slots, now=query.now,
            minimum=self._bounds.min_similarity, decay=self._bounds.decay, min_rate=self._bounds.min_rate,
        )  # fmt: skip
        hits = await self._memory.recall(query)
        return UnifiedView(goal_stack(ideas, focus), tuple(hits), tuple(rules))


def _node(ideas: Mapping[str, Idea], idea: Idea) -> ContextNode:
    open_needs = tuple(need for need in idea["needs"] if not is_final(ideas[need]))
    expected = idea.get("expected", "")
    return ContextNode(idea["id"], idea["title"], idea["status"], expected, idea["depth"], open_needs)
