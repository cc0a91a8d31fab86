"""The agents' files: schema, window, archive, names, and writers at the same time."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from ddax.errors import StateError, UsageError
from ddax.memory.agents.agent_store import AgentStore
from ddax.memory.agents.dissents import LoggedDissent
from ddax.memory.embeddings import HashEmbedder

DAY = 86400.0


class Clock:
    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def agents(tmp_path: Path, clock: Clock) -> AgentStore:
    return AgentStore(tmp_path / "agents", clock=clock, embedder=HashEmbedder())


ROUNDS = count()


def dissent(
    agents: AgentStore, name: str, text: str = "The quote says otherwise.", **more: object
) -> dict[str, object]:
    place = str(more.pop("round_id", "") or f"r/{next(ROUNDS)}")
    marks: Any = {"impact": True, "supported": True, "verified_better": True, **more}
    said = LoggedDissent(text=text, citations=["Accuracy"], **marks)
    return agents.log_dissent(name, said, round_id=place)


def test_a_new_agent_is_not_written(agents: AgentStore, tmp_path: Path) -> None:
    assert agents.load("Critic")["agent_name"] == "Critic"
    assert not (tmp_path / "agents").exists()


def test_a_dissent_is_in_the_file_with_its_time(agents: AgentStore) -> None:
    entry = dissent(agents, "Critic")
    assert entry["timestamp"] == "2023-11-14T22:13:20.000Z"
    stored = json.loads(agents.path("Critic").read_text())
    assert stored["dissent_history"] == [entry] and stored["trust_score"] == agents.trust("Critic") > 0.6


def test_names_are_safe_distinct_and_one_for_their_unicode_forms(agents: AgentStore, tmp_path: Path) -> None:
    names = ["../x", "x", "CON", "con", "Ü", "U", "n" * 300, "n" * 301, " x", "a/b", "a\\b", "\U0001f600"]
    for name in names:
        agents.describe(name, model="m", primary_role="critic")
    assert {agent["agent_name"] for agent in agents.all()} == set(names)
    files = list(tmp_path.rglob("*.json"))
    assert len({path.name.casefold() for path in files}) == len(names)
    assert {path.parent for path in files} == {tmp_path / "agents"}
    assert agents.path("u\u0308") == agents.path("\u00fc")
    with pytest.raises(UsageError):
        agents.load(" ")


def test_a_damaged_or_foreign_file_is_refused(agents: AgentStore) -> None:
    agents.log_round("A")
    good = agents.path("A").read_text()
    agents.path("A").write_text(good[:40])
    with pytest.raises(StateError):
        agents.log_round("A")
    agents.path("A").write_text(good.replace('"schema": 1', '"schema": 2'))
    with pytest.raises(StateError):
        agents.load("A")


def test_an_event_that_was_taken_in_leaves_the_file_as_it_is(agents: AgentStore) -> None:
    dissent(agents, "A", round_id="r/1")
    file = agents.path("A").stat().st_mtime_ns, agents.path("A").read_text()
    dissent(agents, "A", round_id="r/1")
    assert (agents.path("A").stat().st_mtime_ns, agents.path("A").read_text()) == file
