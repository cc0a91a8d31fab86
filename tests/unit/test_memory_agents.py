"""The agents' files: schema, window, archive, names, and writers at the same time."""

from __future__ import annotations

import json
import threading
from itertools import count
from pathlib import Path

import pytest

from ddax.errors import StateError, UsageError
from ddax.memory.agent_file import RAW_EVENTS, tally_of
from ddax.memory.agents import AgentStore
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.overrides import Overrides

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
    marks = {
        "impact": True,
        "supported": True,
        "verified_better": True,
        "round_id": f"r/{next(ROUNDS)}",
        **more,
    }
    return agents.log_dissent(name, text, context={}, citations=["Accuracy"], **marks)


def test_a_new_agent_has_the_schema_and_is_not_written(agents: AgentStore, tmp_path: Path) -> None:
    new = agents.load("Critic")
    assert new.keys() >= {
        "agent_name", "model", "primary_role", "dissent_history", "override_history", "trust_score",
        "trust_score_history", "long_term_stats", "rounds_participated", "probation_until",
    }  # fmt: skip
    assert (new["trust_score"], new["trust_score_history"][0]["reason"]) == (0.6, "initial")
    assert not (tmp_path / "agents").exists()
    assert agents.all() == []


def test_a_dissent_moves_the_trust_and_is_kept(agents: AgentStore, clock: Clock) -> None:
    entry = dissent(agents, "Critic")
    again = dissent(agents, "Critic")
    other = dissent(agents, "Critic", "A wholly different matter, namely bread.")
    assert entry["timestamp"] == "2023-11-14T22:13:20.000Z"
    assert again["depth_score"] < entry["depth_score"] < other["depth_score"]
    stored = json.loads(agents.path("Critic").read_text())
    assert [e["impact"] for e in stored["dissent_history"]] == [True] * 3
    assert stored["trust_score"] == stored["trust_by_formula"]["corrected"] == agents.trust("Critic") > 0.6
    assert stored["trust_score_history"][-1]["reason"] == "dissent_impact_true"
    assert stored["long_term_stats"]["dissent_impact_ratio_last_90d"] == 1.0


def test_a_dissent_without_support_or_verification_earns_nothing(agents: AgentStore) -> None:
    for _ in range(20):
        dissent(agents, "Gamer", "padding " * 500, supported=False, verified_better=False)
    assert agents.trust("Gamer") < 0.55
    for number in range(20):
        agents.log_agreement("Gamer", round_id=f"r/{number}", right=False)
    assert agents.trust("Gamer") < 0.45


def test_an_override_counts_when_it_stood_and_regret_takes_it_back(agents: AgentStore, clock: Clock) -> None:
    ids = []
    for number in range(2):
        row = agents.log_override(
            "A", round_id=f"r/{number}", context={}, agent_output="x", human_decision="y"
        )
        ids.append(row["id"])
    assert agents.trust("A") == pytest.approx(0.6)
    clock.now += 1.5 * DAY
    assert Overrides(agents).check_reverts(clock.now) == []
    fallen, praised = agents.trust("A"), agents.trust("human")
    assert fallen < 0.6 < praised
    Overrides(agents).revert(ids[0], by="human")
    assert fallen < agents.trust("A") < 0.6
    assert agents.trust("human") < praised
    first = agents.load("A")["override_history"][0]
    assert (first["regret"], first["reverted_by"]) == (True, "human")
    assert agents.load("A")["trust_score_history"][-1]["reason"] == "override_regretted"


def test_only_the_last_90_days_count_while_there_are_any(agents: AgentStore, clock: Clock) -> None:
    for _ in range(5):
        dissent(agents, "A", impact=False, verified_better=False)
    clock.now += 91 * DAY
    assert tally_of(agents.load("A"), clock.now).dissents == 5
    dissent(agents, "A")
    assert tally_of(agents.load("A"), clock.now).dissents == 1


def test_the_last_100_events_stay_raw_and_none_is_lost(agents: AgentStore, clock: Clock) -> None:
    for number in range(RAW_EVENTS + 20):
        clock.now += 1
        dissent(agents, "A", f"number {number}", impact=number % 2 == 0)
    agent = agents.load("A")
    assert len(agent["dissent_history"]) == RAW_EVENTS
    assert agent["dissent_history"][0]["dissent_text"] == "number 20"
    archived = agent["long_term_stats"]["archived"]
    assert (archived["dissents"], archived["impactful"]) == (20, 10)
    clock.now += 91 * DAY
    assert tally_of(agent, clock.now).dissents == RAW_EVENTS + 20


def test_probation_ends_with_the_fifth_round(agents: AgentStore) -> None:
    for number in range(1, 6):
        agent = agents.log_round("A")
        assert (agent["rounds_participated"], agent["probation_ended"] is not None) == (number, number == 5)


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


def test_writers_at_the_same_time_lose_nothing(agents: AgentStore) -> None:
    workers = [threading.Thread(target=lambda: [agents.log_round("A") for _ in range(10)]) for _ in range(5)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert agents.load("A")["rounds_participated"] == 50


def test_an_event_is_taken_in_once(agents: AgentStore) -> None:
    for _ in range(2):
        dissent(agents, "A", round_id="r/1")
        agents.log_round("A", "r/1")
        agents.log_agreement("A", round_id="r/2", right=True)
        agents.log_override("A", round_id="r/3", context={}, agent_output="x", human_decision="y")
    file = agents.path("A").read_text()
    agent = agents.load("A")
    assert [len(agent[k]) for k in ("dissent_history", "agreement_history", "override_history")] == [1, 1, 1]
    assert agent["rounds_participated"] == 1
    dissent(agents, "A", round_id="r/1")
    assert agents.path("A").read_text() == file


def test_a_dissent_is_settled_when_it_is_known_who_was_right(agents: AgentStore) -> None:
    entry = dissent(agents, "A", verified_better=None)
    before = agents.trust("A")
    assert agents.verify_dissent("A", str(entry["id"]), better=True)
    assert agents.trust("A") > before
    assert not agents.verify_dissent("A", str(entry["id"]), better=False)
    assert not agents.verify_dissent("A", "unknown", better=False)


def test_standing_is_as_of_a_time(agents: AgentStore, clock: Clock) -> None:
    agents.log_override("A", round_id="r", context={}, agent_output="x", human_decision="y")
    now, later = agents.standing(clock.now), agents.standing(clock.now + 2 * DAY)
    assert now["A"]["trust"] == pytest.approx(0.6)
    assert later["A"]["trust"] < 0.6 < later["human"]["trust"]
    assert later["human"]["role"] == "human"
