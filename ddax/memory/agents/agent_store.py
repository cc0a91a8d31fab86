"""What each agent did and how far it is trusted: one JSON file an agent, in the source's schema.

`Agents` says what is logged and what it comes to, wherever it is kept; `AgentStore` keeps it in files
that are replaced whole, under a lock, so that several processes may write. An event that was written
before is not written again. What a file holds is in `ddax.memory.agents.agent_file`, what becomes of
overrides in `ddax.memory.agents.overrides`, the fake that keeps it in a dict in `ddax.memory.agents.fake`.
"""

from __future__ import annotations

import base64
import json
import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import numpy as np

from ddax.configs.settings import Trust
from ddax.errors import StateError, UsageError
from ddax.memory.agents.agent_file import (
    AGENT_SCHEMA,
    completed,
    count_round,
    find,
    has_form,
    new_agent,
    score_of,
    settle,
    stamp,
    take_in,
)
from ddax.memory.agents.dissents import LoggedDissent, dissent_depth, novelty_of
from ddax.memory.agents.trust import Formula
from ddax.memory.files import in_lines, locked, read_json, storage_errors, write_atomic
from ddax.memory.protocol import Embedder
from ddax.memory.records import clean, digest
from ddax.types import JsonDict

TRUST = Trust()
"""What holds where nobody sets anything else."""
_SLUG = re.compile(r"[^a-z0-9]+")


class Standing(TypedDict):
    """How an agent stands at one time: its trust in [0, 1], rounds it took part in, and its role."""

    trust: float
    rounds: int
    role: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Agents(ABC):
    """The agents of one place: what each did, settled to its trust. Blocking.

    A store says how an agent is loaded, listed and changed; the rest is the same for all.
    """

    clock: Callable[[], float]
    embedder: Embedder | None = None
    formula: Formula = TRUST.formula
    regret_hours: float = TRUST.regret_hours

    @abstractmethod
    def load(self, name: str) -> JsonDict:
        """Return an agent's memory; a new one, which is not kept, where there is none."""

    @abstractmethod
    def all(self) -> list[JsonDict]:
        """Return the memories of all agents, by name."""

    @abstractmethod
    def changing(self, name: str, reason: str) -> AbstractContextManager[JsonDict]:
        """Change an agent's memory with nobody else changing it, settle its trust, and keep it.

        What the block raises is raised, and nothing is kept.
        """

    def trust(self, name: str) -> float:
        """Return the trust in an agent as it stands, in [0, 1]; 0.6 for a new one."""
        return score_of(self.load(name), self.clock(), self.formula)

    def standing(self, now: float) -> dict[str, Standing]:
        """Return how every known agent stands at a time."""
        return {
            str(agent["agent_name"]): Standing(
                trust=round(score_of(agent, now, self.formula), 6),
                rounds=int(agent["rounds_participated"]),
                role=str(agent["primary_role"]),
            )
            for agent in self.all()
        }

    def describe(self, name: str, *, model: str, primary_role: str) -> JsonDict:
        """Set an agent's model and role."""
        with self.changing(name, "described") as agent:
            agent.update(model=clean(model), primary_role=clean(primary_role))
        return agent

    def log_round(self, name: str, round_id: str = "") -> JsonDict:
        """Count a round an agent took part in, each named one once; probation ends with the fifth."""
        with self.changing(name, "round") as agent:
            if not round_id or take_in(agent, _event("round", name, round_id), None, {}):
                count_round(agent, self.clock())
        return agent

    def log_dissent(self, name: str, said: LoggedDissent, *, round_id: str) -> JsonDict:
        """Log a dissent once and settle the trust; return the entry."""
        event = _event("dissent", name, round_id, json.dumps(said.context, sort_keys=True), said.text)
        part = clean(said.text if said.held is None else said.held)
        with self.changing(name, f"dissent_impact_{str(said.impact).lower()}") as agent:
            known = find(agent, "dissent_history", event)
            if known is not None:
                return known
            vector, novelty = self._novelty(part, agent)
            depth = dissent_depth(
                part, said.citations, upheld=said.citations if said.upheld is None else said.upheld,
                novelty=novelty, supported=said.supported,
            )  # fmt: skip
            entry = {
                "id": event, "round_id": round_id, "timestamp": stamp(self.clock()),
                "context": said.context, "dissent_text": clean(said.text),
                "rubric_citations": list(said.citations), "impact": said.impact, "depth_score": depth,
                "feedback_incorporated": said.impact, "verified_better": said.verified_better,
                "supported": said.supported, "embedding": vector,
            }  # fmt: skip
            take_in(agent, event, "dissent_history", entry)
        return entry

    def log_agreement(
        self, name: str, *, round_id: str, kind: str = "review", right: bool | None = None
    ) -> None:
        """Log once that an agent kept silent in a review, or that a human let its decision pass.

        `kind` is "review" or "approval"; `right` says whether the silence was later shown right.
        """
        event = _event("agreement", name, kind, round_id)
        entry = {
            "id": event,
            "round_id": round_id,
            "timestamp": stamp(self.clock()),
            "kind": kind,
            "right": right,
        }
        with self.changing(name, f"{kind}_{str(right).lower()}") as agent:
            take_in(agent, event, "agreement_history", entry)

    def settled(self, agent: JsonDict, before: str, reason: str) -> bool:
        """Settle an agent that is no more what it was, as JSON, before; tell whether it is to be kept."""
        changed = json.dumps(agent) != before
        if changed or score_of(agent, self.clock(), self.formula) != agent["trust_score"]:
            settle(agent, self.clock(), reason, self.formula)
            return True
        return False

    def _novelty(self, text: str, agent: JsonDict) -> tuple[JsonDict | None, float | None]:
        """Return the stored form of a dissent's vector, and its novelty; without an embedder none."""
        if self.embedder is None or not text.strip():
            return None, None
        vector = self.embedder.embed([text])[0]
        earlier = vectors_of(agent["dissent_history"], self.embedder.fingerprint)
        data = base64.b64encode(vector.astype("<f2").tobytes()).decode("ascii")
        return {"fingerprint": self.embedder.fingerprint, "f2": data}, novelty_of(vector, earlier)


@dataclass(frozen=True, eq=False)
class AgentStore(Agents):
    """The agents of one folder; every change is on disk when its call returns."""

    folder: Path

    def load(self, name: str) -> JsonDict:
        """Return an agent's memory; a new one where there is none. Raises `StateError` for a damaged file."""
        path = self.path(name)
        found = read_json(path)
        if found is None:
            return new_agent(canonical(name), self.clock())
        if found.get("agent_name") != canonical(name):
            raise _foreign(path)
        return _checked(path, found)

    def path(self, name: str) -> Path:
        """Return the file of an agent: safe for any name, and one for its Unicode forms."""
        whole = canonical(name)
        slug = _SLUG.sub("-", whole.casefold())[:40].strip("-")
        return self.folder / f"agent-{slug}-{digest('agent', whole)[:12]}.json"

    def all(self) -> list[JsonDict]:
        """Return the memories of all agents, by name."""
        with storage_errors(self.folder):
            files = sorted(self.folder.glob("agent-*.json")) if self.folder.is_dir() else []
        found = [_checked(file, agent) for file in files if (agent := read_json(file)) is not None]
        return sorted(found, key=lambda agent: str(agent["agent_name"]))

    @contextmanager
    def changing(self, name: str, reason: str) -> Iterator[JsonDict]:
        """Change an agent's memory under its lock, settle its trust, and replace its file."""
        path = self.path(name)
        with locked(path):
            agent = self.load(name)
            before = json.dumps(agent)
            yield agent
            if self.settled(agent, before, reason):
                write_atomic(path, in_lines(agent))


def vectors_of(dissents: Sequence[JsonDict], fingerprint: str) -> list[np.ndarray]:
    """Return the vectors of dissents that were made by one embedder, in their order."""
    stored = [entry["embedding"] for entry in dissents]
    return [_vector(kept) for kept in stored if kept and kept["fingerprint"] == fingerprint]


def canonical(name: str) -> str:
    """Return the one form of an agent's name; raises `UsageError` for an empty one."""
    whole = unicodedata.normalize("NFC", clean(name))
    if not whole.strip():
        raise UsageError(
            "An agent needs a name.",
            why=f"{name!r} holds nothing but white space.",
            mend="Give it one; those there are: ddax agents list",
        )
    return whole


def _event(*parts: str) -> str:
    return digest(*parts)[:16]


def _checked(path: Path, found: JsonDict) -> JsonDict:
    if not has_form(found):
        raise _foreign(path)
    return completed(found)


def _foreign(path: Path) -> StateError:
    return StateError(
        f"The file {str(path)!r} is not the memory of an agent in a version known here.",
        why=f"It is another file, a damaged one, or one of a schema above {AGENT_SCHEMA}.",
        mend="Upgrade ddax, or move the file aside.",
    )


def _vector(stored: JsonDict) -> np.ndarray:
    return np.frombuffer(base64.b64decode(stored["f2"]), dtype="<f2").astype(np.float32)
