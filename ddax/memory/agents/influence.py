"""What the agents' files say together: who moves whom, who will dissent well, what was fought over.

Pure functions on the agents' JSON; nothing here changes a file (agent-memory 9).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ddax.memory.agents.agent_file import HUMAN, tally_of
from ddax.memory.agents.agent_store import vectors_of
from ddax.types import JsonDict

LIKENESS_POWER = 3.0
"""How sharply a dissent on a like topic counts more than one on another."""
PRIOR_EVENTS = 2.0
"""Events that an agent's own rate counts as, beside its dissents on like topics."""
BASE_RATE = 0.5


class Influence(NamedTuple):
    """How far dissents of `source` moved the value that `target` gave: mean |Δ| in [0, 1] over n."""

    source: str
    target: str
    moved: float
    n: int


@dataclass(frozen=True)
class Forecast:
    """The chance in [0, 1] that an agent dissents well on a topic.

    `brier` is the mean squared error of such forecasts, each made from the dissents before it, and
    `brier_base` that of always saying ½; both None before there is anything to test.
    """

    agent: str
    chance: float
    n: int
    brier: float | None
    brier_base: float | None


def influences(agents: Sequence[JsonDict]) -> list[Influence]:
    """Return who moves whom, strongest first, from the judges' values before and after each dissent."""
    moved: dict[tuple[str, str], list[float]] = {}
    for agent in agents:
        for entry in agent["dissent_history"]:
            for target, delta in entry["context"].get("moved", {}).items():
                moved.setdefault((str(agent["agent_name"]), str(target)), []).append(abs(float(delta)))
    rows = [Influence(a, b, float(np.mean(found)), len(found)) for (a, b), found in moved.items()]
    return sorted(rows, key=lambda row: (-row.moved, row.source, row.target))


def forecast(agent: JsonDict, topic: np.ndarray, fingerprint: str) -> Forecast:
    """Forecast how well an agent dissents on a topic `[d]`, by its verified dissents on like topics."""
    settled = [e for e in agent["dissent_history"] if e["verified_better"] is not None and e["embedding"]]
    settled = [e for e in settled if e["embedding"]["fingerprint"] == fingerprint]
    vectors = vectors_of(settled, fingerprint)
    right = [float(entry["verified_better"]) for entry in settled]
    errors = [(_chance(vectors[:k], right[:k], vectors[k]) - right[k]) ** 2 for k in range(1, len(right))]
    base = [(BASE_RATE - value) ** 2 for value in right[1:]]
    return Forecast(
        str(agent["agent_name"]),
        _chance(vectors, right, topic),
        len(right),
        float(np.mean(errors)) if errors else None,
        float(np.mean(base)) if base else None,
    )


def controversy(agents: Sequence[JsonDict]) -> list[JsonDict]:
    """Return what was fought over, most first: dissents, overrides and regrets for each artifact.

    The score in [0, 1) is 1 − 1/(1 + dissents + 2·overrides + regrets): it only says what to look at.
    """
    found: dict[str, JsonDict] = {}
    for agent in agents:
        if agent["primary_role"] == HUMAN:
            continue
        for entry in agent["dissent_history"]:
            row = _row(found, str(entry["context"].get("artifact", entry["round_id"])))
            row["dissents"] += 1
        for entry in agent["override_history"]:
            row = _row(found, str(entry["artifact"]))
            row["overrides"] += 1
            row["regrets"] += bool(entry["regret"])
    for row in found.values():
        row["controversy"] = round(
            1.0 - 1.0 / (1 + row["dissents"] + 2 * row["overrides"] + row["regrets"]), 4
        )
    return sorted(found.values(), key=lambda row: (-row["controversy"], row["artifact"]))


def metrics(agents: Sequence[JsonDict], now: float) -> JsonDict:
    """Return the project-wide measures of the source: dissent impact, regret rate, escalation usefulness.

    Escalations are decisions a human looked at; one was useful where the human changed it and did not
    regret that. A share of nothing is None.
    """
    files = [agent for agent in agents if agent["primary_role"] != HUMAN]
    tallies = [tally_of(agent, now) for agent in files]
    dissents, overrides = sum(t.dissents for t in tallies), sum(t.overrides for t in tallies)
    regretted, approved = sum(t.regretted for t in tallies), sum(t.approved for t in tallies)
    return {
        "dissents": dissents,
        "dissent_impact": share(sum(t.impactful for t in tallies), dissents),
        "dissents_verified": sum(t.verified for t in tallies),
        "overrides": overrides,
        "regret_rate": share(regretted, overrides),
        "escalations": overrides + approved,
        "escalation_usefulness": share(overrides - regretted, overrides + approved),
    }


def share(part: int, whole: int) -> float | None:
    """Return part/whole rounded to 4 digits; None where there is no whole."""
    return round(part / whole, 4) if whole else None


def _row(found: dict[str, JsonDict], artifact: str) -> JsonDict:
    empty = {"artifact": artifact, "dissents": 0, "overrides": 0, "regrets": 0, "controversy": 0.0}
    return found.setdefault(artifact, empty)


def _chance(vectors: Sequence[np.ndarray], right: Sequence[float], topic: np.ndarray) -> float:
    """Return the share of right dissents weighed by likeness, shrunk towards the agent's own rate."""
    if not right:
        return BASE_RATE
    own = (sum(right) + BASE_RATE * PRIOR_EVENTS) / (len(right) + PRIOR_EVENTS)
    like = (
        np.clip(np.stack(vectors).astype(np.float64) @ topic.astype(np.float64), 0.0, 1.0) ** LIKENESS_POWER
    )
    return float((like @ np.array(right) + own * PRIOR_EVENTS) / (like.sum() + PRIOR_EVENTS))
