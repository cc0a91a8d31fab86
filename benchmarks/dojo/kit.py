"""The session that AgentDojo's cases are run in: real parts, nothing on disk, a human who knows the task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.dojo.agent import Arm, Play
from benchmarks.fanout import Nothing
from ddax.actions.protocol import Action

if TYPE_CHECKING:
    from ddax.configs.settings import Context
    from ddax.graph.services import Session
    from ddax.memory.protocol import Embedder


class Kit:
    """What every case shares: the encoder, its scale, and the parts that hold no state."""

    def __init__(self) -> None:
        from ddax.configs.calibration import load_calibration
        from ddax.configs.settings import Selection
        from ddax.dynamics.state import projection
        from ddax.memory.embeddings import open_embedder
        from ddax.metacognition.controller import Controller

        self.embedder = Memo(open_embedder())
        self.projection = projection(self.embedder.dim, Selection().state_dim)
        self.scale = load_calibration(self.embedder.name, self.embedder.fingerprint)
        self.controller = Controller(engine="numpy")

    async def run(
        self, arm: Arm, replies: dict[str, list[Any]], actions: tuple[Action, ...], play: Play
    ) -> tuple[str, str]:
        """Run the graph over one task, answering as the human would; return the answer and the status."""
        from langgraph.checkpoint.memory import InMemorySaver
        from langgraph.types import Command

        from ddax.graph.builder import build_graph

        session = self._session(arm, replies, actions)
        graph = build_graph(_One(session)).compile(checkpointer=InMemorySaver())
        config: Any = {"configurable": {"thread_id": "case"}, "recursion_limit": 4000}
        given: Any = {"task": play.about["prompt"]}
        while True:
            state = await graph.ainvoke(given, config, context=session.settings, durability="exit")
            waiting = state.get("__interrupt__")
            if not waiting:
                return str(state.get("answer", {}).get("text", "")), str(state.get("status", ""))
            play.asked += 1
            given = Command(resume={"choice": _said(play, state, waiting[0].value)})

    def _session(self, arm: Arm, replies: dict[str, list[Any]], actions: tuple[Action, ...]) -> Session:
        from ddax.actions.registry import open_registry
        from ddax.configs.identities import load_identity
        from ddax.configs.settings import Context
        from ddax.graph.services import Session
        from ddax.memory.embed.ahead import Ahead
        from ddax.memory.fake import DictMemory
        from ddax.memory.gate.write_gate import GatedMemory
        from ddax.reasoning.embedded import EmbeddedReasoner
        from ddax.reasoning.entailment.rules import lexical
        from ddax.reasoning.scripted import ScriptedReasoner

        settings = Context.model_validate(SETTINGS | {"human": arm.human})
        identity = load_identity(settings.identity)
        if not arm.rigidity:
            still = {"alpha": 1e-9, "protect_threshold": 1.0, "protect_after": 10**6, "initial_rho": 0.0}
            identity = identity.model_copy(update=still)
        memory = DictMemory("dojo", self.embedder, lambda: 1.7e9, settings.recall)
        return Session(
            settings=settings,
            identity=identity,
            embedder=self.embedder,
            reasoner=ScriptedReasoner(replies, repeat=True),
            free=EmbeddedReasoner(self.embedder),
            memory=GatedMemory(memory, lexical) if arm.gate else memory,
            library=Nothing(),
            actions=open_registry(actions),
            controller=self.controller,
            projection=self.projection,
            scale=self.scale,
            clock=lambda: 1.7e9,
            monotonic=lambda: 0.0,
            ahead=Ahead(self.embedder),
        )


class Memo:
    """An encoder that keeps every vector: cases differ in few texts."""

    def __init__(self, inner: Embedder) -> None:
        self.name, self.fingerprint, self.dim = inner.name, inner.fingerprint, inner.dim
        self._inner, self._known = inner, dict[str, NDArray[np.float32]]()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._inner.embed(new), strict=True))
        return np.array([self._known[text] for text in texts], np.float32).reshape(len(texts), self.dim)


SETTINGS: dict[str, Any] = {
    "budget": {"max_steps": 1000, "max_depth": 64, "max_ideas": 1000, "max_model_calls": 100_000},
    "selection": {"lookahead": 0, "join": 1.0, "prune_margin": 1.0, "replan_above": 1.0},
    "mood": {"enabled": False, "engine": "numpy"}, "rules": {"enabled": False},
    "debate": {"enabled": False, "ask": "always"},
}  # fmt: skip
"""The task is played to its end: what is measured is what may be done, not what is tried first."""


def _said(play: Play, state: Mapping[str, Any], question: Mapping[str, Any]) -> str:
    """Return what a human says who knows the task: yes to its own calls, no to all others."""
    call = question.get("action")
    about = state["ideas"].get(question.get("about", ""), {})
    if call is None:
        call = about.get("action")
    return "go on" if call is None or play.wanted(call) else "veto"


@dataclass
class _One:
    """Services that hold one ready session."""

    ready: Session

    async def session(self, context: Context | None) -> Session:
        return self.ready

    async def served(self, context: Context | None, owner: str) -> Session:
        return self.ready

    async def close(self) -> None:
        await self.ready.memory.close()
