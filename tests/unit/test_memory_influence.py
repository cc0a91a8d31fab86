"""What the files say together: influence, forecasts of good dissent, controversy, measures."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from ddax.memory.agents.agent_store import AgentStore
from ddax.memory.agents.dissents import LoggedDissent
from ddax.memory.agents.influence import controversy, forecast, influences, metrics
from ddax.memory.agents.overrides import Overrides
from ddax.memory.embeddings import HashEmbedder

NOW = 1_700_000_000.0
NUMBERS = count()


@pytest.fixture
def agents(tmp_path: Path) -> AgentStore:
    return AgentStore(tmp_path, clock=lambda: NOW, embedder=HashEmbedder())


def dissent(
    agents: AgentStore, name: str, text: str, *, right: bool | None = True, **context: object
) -> None:
    said = LoggedDissent(
        text=text, context=context, citations=["support"], impact=right, supported=True, verified_better=right
    )
    agents.log_dissent(name, said, round_id=f"r/{next(NUMBERS)}")


def test_who_moves_whom(agents: AgentStore) -> None:
    dissent(agents, "A", "one", moved={"B": -0.2, "C": -0.1})
    dissent(agents, "A", "two", moved={"B": -0.4})
    dissent(agents, "B", "three", moved={"A": 0.05})
    rows = influences(agents.all())
    assert [(row.source, row.target, row.n) for row in rows] == [("A", "B", 2), ("A", "C", 1), ("B", "A", 1)]
    assert rows[0].moved == pytest.approx(0.3)


def test_who_dissents_well_on_a_topic(agents: AgentStore) -> None:
    for _ in range(12):
        dissent(agents, "A", "the harbour wall and its stones", right=True)
        dissent(agents, "A", "cheese prices on the market", right=False)
    embedder = HashEmbedder()
    harbour, cheese = embedder.embed(["the harbour wall and its stones", "cheese prices on the market"])
    agent = agents.load("A")
    on, off = (forecast(agent, topic, embedder.fingerprint) for topic in (harbour, cheese))
    assert on.chance > 0.8 > 0.2 > off.chance
    assert on.brier is not None and on.brier_base is not None
    assert on.brier < on.brier_base == 0.25
    nobody = forecast(agents.load("new"), harbour, embedder.fingerprint)
    assert (nobody.chance, nobody.n, nobody.brier) == (0.5, 0, None)


def test_what_was_fought_over_comes_first(agents: AgentStore) -> None:
    dissent(agents, "A", "one", artifact="quiet")
    dissent(agents, "A", "two", artifact="loud")
    overrides = Overrides(agents)
    entry = overrides.log(
        "A", round_id="r", context={}, agent_output="x", human_decision="y", artifact="loud"
    )
    overrides.revert(entry["id"], by="Bob")
    rows = controversy(agents.all())
    assert [(r["artifact"], r["dissents"], r["overrides"], r["regrets"]) for r in rows] == [
        ("loud", 1, 1, 1), ("quiet", 1, 0, 0)
    ]  # fmt: skip
    assert rows[0]["controversy"] > rows[1]["controversy"] > 0


def test_the_measures_count_agents_and_not_humans(agents: AgentStore) -> None:
    assert metrics([], NOW)["dissent_impact"] is None
    dissent(agents, "A", "one")
    dissent(agents, "B", "two", right=False)
    overrides = Overrides(agents)
    for number in range(2):
        overrides.log("A", round_id=f"r{number}", context={}, agent_output="x", human_decision="y")
    overrides.revert(overrides.all()[0].entry["id"], by="Bob")
    agents.log_agreement("A", round_id="r9", kind="approval")
    found = metrics(agents.all(), NOW)
    assert (found["dissents"], found["dissent_impact"], found["dissents_verified"]) == (2, 0.5, 1)
    assert (found["overrides"], found["regret_rate"]) == (2, 0.5)
    assert (found["escalations"], found["escalation_usefulness"]) == (3, 0.3333)
