"""Overrides: regretted when reverted, undone or overtaken; settled in the agent's and the human's file."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddax.errors import UsageError
from ddax.memory.agents.agent_store import AgentStore
from ddax.memory.agents.overrides import Overrides, human_name

HOUR = 3600.0


class Clock:
    now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def agents(tmp_path: Path, clock: Clock) -> AgentStore:
    return AgentStore(tmp_path, clock=clock)


def log(
    agents: AgentStore, number: int = 0, *, by: str = "Ann", own: str = "own", human: str = "other"
) -> str:
    entry = Overrides(agents).log(
        "A", round_id=f"t/{number}", context={}, agent_output="own", human_decision="other", by=by,
        artifact="send#1",
    )  # fmt: skip
    return str(entry["id"])


def entry(agents: AgentStore, event: str, owner: str = "A") -> dict[str, object]:
    return next(e for e in agents.load(owner)["override_history"] if e["id"] == event)


def test_going_back_to_the_agents_choice_is_regret_at_once(agents: AgentStore) -> None:
    event = log(agents)
    assert Overrides(agents).decide("send#2", "own", by="Bob") == []
    assert Overrides(agents).decide("send#1", "own", by="Bob") == [event]
    for owner in ("A", "human:Ann"):
        assert entry(agents, event, owner) | {"regret_by": "revert", "reverted_by": "Bob"} == entry(
            agents, event, owner
        )
    assert agents.trust("human:Ann") < 0.6
    assert agents.trust("A") == pytest.approx(0.6)


def test_another_decision_counts_at_the_deadline(agents: AgentStore, clock: Clock) -> None:
    event = log(agents)
    assert Overrides(agents).decide("send#1", "a third", by="Bob") == []
    clock.now += 23 * HOUR
    assert Overrides(agents).check_reverts(clock.now) == []
    clock.now += 2 * HOUR
    assert Overrides(agents).check_reverts(clock.now) == [event]
    assert Overrides(agents).check_reverts(clock.now) == []
    assert entry(agents, event)["reverted_by"] == "system"


def test_one_that_stood_settles_both_at_the_deadline(agents: AgentStore, clock: Clock) -> None:
    log(agents)
    clock.now += 25 * HOUR
    assert Overrides(agents).check_reverts(clock.now) == []
    assert agents.load("A")["trust_score"] < 0.6 < agents.load("human:Ann")["trust_score"]
    assert agents.load("A")["trust_score_history"][-1]["reason"] == "override_stood"


def test_the_counterfactual_regrets_or_vindicates(agents: AgentStore) -> None:
    worse, better, same = (log(agents, n) for n in range(3))
    overrides = Overrides(agents)
    assert overrides.compare(worse[:8], own=0.9, human=0.2, margin=0.05)
    assert not overrides.compare(better, own=0.2, human=0.9, margin=0.05)
    assert not overrides.compare(same, own=0.54, human=0.5, margin=0.05)
    assert [entry(agents, e)["regret_by"] for e in (worse, better, same)] == ["counterfactual", None, None]
    assert [entry(agents, e)["vindicated"] for e in (worse, better, same)] == [False, True, True]
    assert agents.load("human:Ann")["long_term_stats"]["regret_rate_last_90d"] == pytest.approx(1 / 3)


def test_ids_may_be_shortened_and_a_second_revert_is_refused(agents: AgentStore) -> None:
    event = log(agents)
    assert Overrides(agents).revert(event[:6], by="Bob").entry["regret"] is True
    for wrong, what in ((event, "already regretted"), ("ffffffffff", "No override"), ("", "too short"),
                        (event[:2], "too short")):  # fmt: skip
        with pytest.raises(UsageError, match=what):
            Overrides(agents).revert(wrong, by="Bob")


def test_humans_and_agents_of_one_name_are_two(agents: AgentStore) -> None:
    assert (human_name("human"), human_name("A"), human_name("human:A")) == ("human", "human:A", "human:A")
    log(agents, by="A")
    assert agents.load("A")["primary_role"] == ""
    assert agents.load("human:A")["primary_role"] == "human"


@pytest.mark.parametrize("name", ["../x", "CON", "n" * 300, "\U0001f600", "a/b\\c"])
def test_a_human_of_any_name_has_a_standing(agents: AgentStore, name: str, tmp_path: Path) -> None:
    log(agents, by=name)
    assert human_name(name) in agents.standing(1.8e9)
    assert {path.parent for path in tmp_path.rglob("*.json")} == {tmp_path}


def test_an_open_override_outlives_a_hundred_later_ones(agents: AgentStore, clock: Clock) -> None:
    first = log(agents)
    for number in range(1, 121):
        log(agents, number)
    assert len(agents.load("A")["override_history"]) == 121
    clock.now += 25 * HOUR
    agents.log_round("A")
    Overrides(agents).check_reverts(clock.now)
    assert first not in {e["id"] for e in agents.load("A")["override_history"]}
    assert agents.load("A")["long_term_stats"]["total_overrides"] == 121
