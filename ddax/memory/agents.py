"""What each agent did and how far it is trusted: one JSON file an agent, in the source's schema.

Files are replaced whole, under a lock, so that several processes may write. The last 100 events stay
raw; older ones are counted in `long_term_stats`. The arithmetic is in `ddax.memory.trust`.
"""

from __future__ import annotations

import base64
import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from ddax.errors import StateError, StorageError, UsageError
from ddax.memory.files import ensure_folder, read_json, storage_errors, write_atomic
from ddax.memory.protocol import Embedder
from ddax.memory.records import clean, digest
from ddax.memory.trust import (
    INITIAL_TRUST,
    PROBATION_ROUNDS,
    Formula,
    Tally,
    dissent_depth,
    novelty_of,
    trust_corrected,
    trust_of,
    trust_source,
)
from ddax.types import JsonDict

AGENT_SCHEMA = 1
RAW_EVENTS = 100
WINDOW_DAYS = 90
REVERT_HOURS = 24
LOCK_SECONDS = 10.0
_SLUG = re.compile(r"[^a-z0-9]+")


class AgentStore:
    """The agents of one folder; every change is on disk when its call returns. Blocking."""

    def __init__(
        self,
        folder: Path,
        *,
        clock: Callable[[], float],
        embedder: Embedder | None = None,
        formula: Formula = "corrected",
    ) -> None:
        self._folder, self._clock, self._embedder = folder, clock, embedder
        self._formula: Formula = formula

    def load(self, name: str) -> JsonDict:
        """Return an agent's memory; a new one where there is none. Raises `StateError` for a damaged file."""
        found = read_json(self.path(name))
        if found is None:
            return _new_agent(_canonical(name), _stamp(self._clock()))
        if found.get("schema", AGENT_SCHEMA) > AGENT_SCHEMA or found.get("agent_name") != _canonical(name):
            raise StateError(
                f"The file {str(self.path(name))!r} is not the memory of {name!r} in a version known here.",
                mend="Upgrade ddax, or move the file aside.",
            )
        return found

    def path(self, name: str) -> Path:
        """Return the file of an agent: safe for any name, and one for its Unicode forms."""
        whole = _canonical(name)
        slug = _SLUG.sub("-", whole.casefold())[:40].strip("-")
        return self._folder / f"agent-{slug}-{digest('agent', whole)[:12]}.json"

    def trust(self, name: str) -> float:
        """Return the trust in an agent as it stands, in [0, 1]; 0.6 for a new one."""
        return float(self.load(name)["trust_score"])

    def all(self) -> list[JsonDict]:
        """Return the memories of all agents, by name."""
        with storage_errors(self._folder):
            files = sorted(self._folder.glob("agent-*.json")) if self._folder.is_dir() else []
        found = [agent for file in files if (agent := read_json(file)) is not None]
        return sorted(found, key=lambda agent: str(agent["agent_name"]))

    def describe(self, name: str, *, model: str, primary_role: str) -> JsonDict:
        """Set an agent's model and role."""
        with self._changing(name, "described") as agent:
            agent.update(model=clean(model), primary_role=clean(primary_role))
        return agent

    def log_round(self, name: str) -> JsonDict:
        """Count a round an agent took part in; probation ends with the fifth."""
        with self._changing(name, "round") as agent:
            agent["rounds_participated"] += 1
            if agent["rounds_participated"] >= PROBATION_ROUNDS and agent["probation_ended"] is None:
                agent["probation_ended"] = _stamp(self._clock())
        return agent

    def log_dissent(
        self,
        name: str,
        text: str,
        *,
        round_id: str,
        context: JsonDict,
        citations: Sequence[str],
        impact: bool,
        supported: bool,
        verified_better: bool = False,
    ) -> JsonDict:
        """Log a dissent and settle the trust; return the entry.

        `impact` says that it changed the output, `verified_better` that the change was then verified
        to be better, `supported` that a citation passed the support check.
        """
        with self._changing(name, f"dissent_impact_{str(impact).lower()}") as agent:
            vector, novelty = self._novelty(clean(text), agent)
            entry = {
                "round_id": round_id, "timestamp": _stamp(self._clock()), "context": context,
                "dissent_text": clean(text), "rubric_citations": list(citations), "impact": impact,
                "depth_score": dissent_depth(text, citations, novelty=novelty, supported=supported),
                "feedback_incorporated": impact, "verified_better": verified_better, "supported": supported,
                "embedding": vector,
            }  # fmt: skip
            agent["dissent_history"].append(entry)
        return entry

    def log_override(
        self, name: str, *, round_id: str, context: JsonDict, agent_output: str, human_decision: str
    ) -> JsonDict:
        """Log that a human overrode an agent; it stands unless it is regretted within 24 hours."""
        with self._changing(name, "override") as agent:
            now = self._clock()
            entry = {
                "round_id": round_id, "timestamp": _stamp(now), "context": context,
                "agent_output": clean(agent_output), "human_decision": clean(human_decision), "regret": False,
                "auto_check_deadline": _stamp(now + REVERT_HOURS * 3600.0), "reverted_by": None,
            }  # fmt: skip
            agent["override_history"].append(entry)
        return entry

    def log_regret(self, name: str, *, round_id: str, reverted_by: str) -> int:
        """Mark the overrides of a round as reverted; return how many changed."""
        with self._changing(name, "override_regretted") as agent:
            hit = [e for e in agent["override_history"] if e["round_id"] == round_id and not e["regret"]]
            for entry in hit:
                entry.update(regret=True, reverted_by=clean(reverted_by))
        return len(hit)

    @contextmanager
    def _changing(self, name: str, reason: str) -> Iterator[JsonDict]:
        """Change an agent's memory under its lock, settle its trust, and replace its file."""
        from filelock import FileLock, Timeout

        ensure_folder(self._folder)
        path = self.path(name)
        lock = FileLock(path.with_suffix(".lock"))
        with storage_errors(path):
            try:
                lock.acquire(timeout=LOCK_SECONDS)
            except Timeout as exc:
                raise StorageError(f"The file {str(path)!r} stays locked.", mend="Try again.") from exc
        try:
            agent = self.load(name)
            yield agent
            now = self._clock()
            agent["long_term_stats"]["archived"] = _archive(agent, now)
            _settle(agent, now, reason, self._formula)
            write_atomic(path, json.dumps(agent, indent=1, allow_nan=False))
        finally:
            lock.release()

    def _novelty(self, text: str, agent: JsonDict) -> tuple[JsonDict | None, float | None]:
        """Return the stored form of a dissent's vector, and its novelty; without an embedder none."""
        if self._embedder is None or not text.strip():
            return None, None
        vector = self._embedder.embed([text])[0]
        earlier = [
            _vector(entry["embedding"])
            for entry in agent["dissent_history"]
            if entry["embedding"] and entry["embedding"]["fingerprint"] == self._embedder.fingerprint
        ]
        data = base64.b64encode(vector.astype("<f2").tobytes()).decode("ascii")
        return {"fingerprint": self._embedder.fingerprint, "f2": data}, novelty_of(vector, earlier)


def tally_of(agent: JsonDict, now: float) -> Tally:
    """Count an agent's events of the last 90 days; all of its history where there are none."""
    since = _stamp(now - timedelta(days=WINDOW_DAYS).total_seconds())
    recent = _count(agent["dissent_history"], agent["override_history"], now, since)
    if not recent.empty:
        return recent
    whole = _count(agent["dissent_history"], agent["override_history"], now, "")
    return whole + Tally(**agent["long_term_stats"]["archived"])


def _new_agent(name: str, stamp: str) -> JsonDict:
    return {
        "schema": AGENT_SCHEMA, "agent_name": name, "model": "", "primary_role": "",
        "dissent_history": [], "override_history": [],
        "trust_score": INITIAL_TRUST,
        "trust_by_formula": {"source": INITIAL_TRUST, "corrected": INITIAL_TRUST},
        "trust_score_history": [{"timestamp": stamp, "score": INITIAL_TRUST, "reason": "initial"}],
        "long_term_stats": {**_stats(Tally()), "archived": vars(Tally())},
        "rounds_participated": 0, "probation_until": None, "probation_ended": None,
    }  # fmt: skip


def _settle(agent: JsonDict, now: float, reason: str, formula: Formula) -> None:
    """Compute the trust by both formulas; the chosen one is written to the history where it moved."""
    tally = tally_of(agent, now)
    score = trust_of(tally, formula)
    agent["trust_by_formula"] = {"source": trust_source(tally), "corrected": trust_corrected(tally)}
    if score != agent["trust_score"]:
        history = [
            *agent["trust_score_history"],
            {"timestamp": _stamp(now), "score": score, "reason": reason},
        ]
        agent["trust_score_history"] = history[-RAW_EVENTS:]
    agent["trust_score"] = score
    whole = _count(agent["dissent_history"], agent["override_history"], now, "")
    total = whole.overrides + agent["long_term_stats"]["archived"]["overrides"]
    agent["long_term_stats"].update(_stats(tally), total_overrides=total)


def _archive(agent: JsonDict, now: float) -> JsonDict:
    """Move what is older than the last 100 events of each kind into the counts, and return these."""
    archived = Tally(**agent["long_term_stats"]["archived"])
    old_dissents = agent["dissent_history"][:-RAW_EVENTS]
    old_overrides = agent["override_history"][:-RAW_EVENTS]
    agent["dissent_history"] = agent["dissent_history"][-RAW_EVENTS:]
    agent["override_history"] = agent["override_history"][-RAW_EVENTS:]
    return vars(archived + _count(old_dissents, old_overrides, now, ""))


def _count(dissents: list[JsonDict], overrides: list[JsonDict], now: float, since: str) -> Tally:
    heard = [entry for entry in dissents if entry["timestamp"] >= since]
    overruled = [entry for entry in overrides if entry["timestamp"] >= since]
    stamp = _stamp(now)
    return Tally(
        dissents=len(heard),
        impactful=sum(bool(e["impact"]) for e in heard),
        verified=sum(bool(e["impact"] and e.get("verified_better")) for e in heard),
        depth=sum(float(e["depth_score"]) for e in heard),
        overrides=len(overruled),
        settled=sum(bool(e["regret"] or e["auto_check_deadline"] <= stamp) for e in overruled),
        regretted=sum(bool(e["regret"]) for e in overruled),
    )


def _stats(tally: Tally) -> JsonDict:
    dissents, overrides = max(1, tally.dissents), max(1, tally.overrides)
    return {
        "avg_dissent_depth_last_90d": tally.depth / dissents,
        "dissent_impact_ratio_last_90d": tally.impactful / dissents,
        "total_overrides": tally.overrides,
        "regret_rate_last_90d": tally.regretted / overrides,
    }


def _canonical(name: str) -> str:
    whole = unicodedata.normalize("NFC", clean(name))
    if not whole.strip():
        raise UsageError("An agent needs a name.", why=f"It has {name!r}.")
    return whole


def _stamp(now: float) -> str:
    """Write a time as UTC to the millisecond, so that texts compare as times do."""
    return datetime.fromtimestamp(now, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _vector(stored: JsonDict) -> np.ndarray:
    return np.frombuffer(base64.b64decode(stored["f2"]), dtype="<f2").astype(np.float32)
