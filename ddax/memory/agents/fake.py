"""The fake of the agents' files: the same behaviour in a dict, nothing on disk."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ddax.memory.agents.agent_file import new_agent
from ddax.memory.agents.agent_store import Agents, canonical
from ddax.types import JsonDict


@dataclass(frozen=True, eq=False)
class DictAgents(Agents):
    """Keep agents in this process only, each as the JSON that would be its file."""

    _files: dict[str, str] = field(default_factory=dict[str, str], init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

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
