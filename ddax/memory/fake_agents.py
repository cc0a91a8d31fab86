"""The fake of the agents' files: the same behaviour in a dict, nothing on disk."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ddax.memory.agent_file import new_agent
from ddax.memory.agents import REGRET_HOURS, Agents, canonical
from ddax.memory.protocol import Embedder
from ddax.memory.trust import Formula
from ddax.types import JsonDict


class DictAgents(Agents):
    """Keep agents in this process only, each as the JSON that would be its file."""

    def __init__(
        self,
        *,
        clock: Callable[[], float],
        embedder: Embedder | None = None,
        formula: Formula = "corrected",
        regret_hours: float = REGRET_HOURS,
    ) -> None:
        super().__init__(clock=clock, embedder=embedder, formula=formula, regret_hours=regret_hours)
        self._files: dict[str, str] = {}
        self._lock = threading.Lock()

    def load(self, name: str) -> JsonDict:
        """Return an agent's memory; a new one, which is not kept, where there is none."""
        whole = canonical(name)
        kept = self._files.get(whole)
        found: JsonDict = new_agent(whole, self.clock()) if kept is None else json.loads(kept)
        return found

    def all(self) -> list[JsonDict]:
        """Return the memories of all agents, by name."""
        return [self.load(name) for name in sorted(self._files)]

    @contextmanager
    def changing(self, name: str, reason: str) -> Iterator[JsonDict]:
        """Change an agent's memory with nobody else changing it, settle its trust, and keep it."""
        with self._lock:
            agent = self.load(name)
            before = json.dumps(agent)
            yield agent
            if self.settled(agent, before, reason):
                self._files[canonical(name)] = json.dumps(agent, allow_nan=False)
