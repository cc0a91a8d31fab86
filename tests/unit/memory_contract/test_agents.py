"""What is known of agents: trust, dissents, overrides, regret and their windows."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from ddax.errors import UsageError
from ddax.memory.agents.agent_file import RAW_EVENTS, tally_of
from ddax.memory.agents.agent_store import Agents, AgentStore
from ddax.memory.agents.fake import DictAgents
from ddax.memory.agents.overrides import Overrides
from ddax.memory.embeddings import HashEmbedder
from tests.unit.memory_contract.parts import (
    DAY,
    NOW,
    ROUNDS,
    Clock,
    Opener,
    asking,
    dissenting,
    seen,
)


async def test_the_trust_of_a_writer_weighs_what_it_wrote(opened: Opener, agents: Agents) -> None:
    for _ in range(9):
        dissenting(agents, "Gamer", supported=False, impact=False, verified_better=False)
        dissenting(agents, "Critic", f"The quote says otherwise on page {next(ROUNDS)}.")
    memory = await opened(trust=agents.trust)
    await memory.put([seen(f"the river runs {w}", source=w, writer=w) for w in ("Gamer", "Critic", "New")])
    hits = await memory.recall(asking("the river runs"))
    assert {hit.record.writer: hit.trust for hit in hits} == {
        name: pytest.approx(agents.trust(name)) for name in ("Gamer", "Critic", "New")
    }
    assert agents.trust("Gamer") < agents.trust("New") == 0.6 < agents.trust("Critic")


def test_an_agent_nothing_is_known_of_has_the_schema_and_is_not_kept(agents: Agents) -> None:
    new = agents.load("Critic")
    assert new.keys() >= {
        "agent_name", "model", "primary_role", "dissent_history", "override_history", "trust_score",
        "trust_score_history", "long_term_stats", "rounds_participated", "probation_until",
    }  # fmt: skip
    assert (new["trust_score"], new["trust_score_history"][0]["reason"]) == (0.6, "initial")
    assert agents.all() == [] and agents.standing(NOW) == {}


def test_an_agent_that_is_loaded_is_a_copy_and_all_are_by_name(agents: Agents) -> None:
    for name in ("b", "C", "a"):
        agents.describe(name, model="m", primary_role="critic")
    agents.load("a")["model"] = "other"
    agents.all()[1]["model"] = "other"
    assert [(a["agent_name"], a["model"]) for a in agents.all()] == [("C", "m"), ("a", "m"), ("b", "m")]


def test_a_change_that_raises_keeps_nothing(agents: Agents) -> None:
    agents.log_round("A")
    with pytest.raises(ZeroDivisionError), agents.changing("A", "broken") as agent:
        agent["rounds_participated"] = 1 // 0
    with pytest.raises(ZeroDivisionError), agents.changing("B", "broken") as agent:
        agent["model"] = str(1 // 0)
    assert [agent["agent_name"] for agent in agents.all()] == ["A"]
    assert agents.log_round("A")["rounds_participated"] == 2


def test_agents_of_any_name_are_apart_and_one_in_their_unicode_forms(agents: Agents) -> None:
    names = ["../x", "x", "CON", "con", "\u00dc", "U", "n" * 300, "n" * 301, " x", "a/b", "\U0001f600"]
    for name in names:
        agents.describe(name, model=name, primary_role="critic")
    agents.describe("U\u0308", model="again", primary_role="critic")
    models = {agent["agent_name"]: agent["model"] for agent in agents.all()}
    assert models == {name: name for name in names} | {"\u00dc": "again"}
    with pytest.raises(UsageError):
        agents.load(" ")
    with pytest.raises(UsageError), agents.changing("", "no name"):
        pass


def test_a_dissent_moves_the_trust_of_its_agent_and_is_kept(agents: Agents) -> None:
    entry = dissenting(agents, "Critic")
    again = dissenting(agents, "Critic")
    other = dissenting(agents, "Critic", "A wholly different matter, namely bread.")
    assert again["depth_score"] < entry["depth_score"] < other["depth_score"]
    stored = agents.load("Critic")
    assert stored["dissent_history"] == [entry, again, other]
    assert stored["trust_score"] == stored["trust_by_formula"]["corrected"] == agents.trust("Critic") > 0.6
    assert stored["trust_score_history"][-1]["reason"] == "dissent_impact_true"
    assert stored["long_term_stats"]["dissent_impact_ratio_last_90d"] == 1.0


def test_a_dissent_without_support_or_verification_earns_nothing(agents: Agents) -> None:
    for _ in range(20):
        dissenting(agents, "Gamer", "padding " * 500, supported=False, verified_better=False)
    assert agents.trust("Gamer") < 0.55
    for number in range(20):
        agents.log_agreement("Gamer", round_id=f"r/{number}", right=False)
    assert agents.trust("Gamer") < 0.45


def test_an_override_counts_when_it_stood_and_regret_takes_it_back(agents: Agents, clock: Clock) -> None:
    ids = []
    for number in range(2):
        row = Overrides(agents).log(
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


def test_only_the_last_90_days_of_an_agent_count_while_there_are_any(agents: Agents, clock: Clock) -> None:
    for _ in range(5):
        dissenting(agents, "A", impact=False, verified_better=False)
    clock.now += 91 * DAY
    assert tally_of(agents.load("A"), clock.now).dissents == 5
    dissenting(agents, "A")
    assert tally_of(agents.load("A"), clock.now).dissents == 1


def test_the_window_counts_what_is_no_longer_raw_of_its_days(agents: Agents, clock: Clock) -> None:
    for number in range(150):
        dissenting(agents, "A", round_id=f"r/{number}", verified_better=number >= 50)
    assert tally_of(agents.load("A"), clock.now).wrong == 50
    assert tally_of(agents.load("A"), clock.now).dissents == 150
    clock.now += 80 * DAY
    for number in range(110):
        dissenting(agents, "A", round_id=f"late/{number}")
    assert tally_of(agents.load("A"), clock.now).dissents == 260
    clock.now += 20 * DAY
    dissenting(agents, "A", round_id="last")
    tally = tally_of(agents.load("A"), clock.now)
    assert (tally.dissents, tally.wrong) == (111, 0)
    stats = agents.load("A")["long_term_stats"]
    assert stats["archived"]["dissents"] == 161 and len(stats["archived_days"]) == 1


def test_the_last_100_events_of_an_agent_stay_raw_and_none_is_lost(agents: Agents, clock: Clock) -> None:
    for number in range(RAW_EVENTS + 20):
        clock.now += 1
        dissenting(agents, "A", f"number {number}", impact=number % 2 == 0)
    agent = agents.load("A")
    assert len(agent["dissent_history"]) == RAW_EVENTS
    assert agent["dissent_history"][0]["dissent_text"] == "number 20"
    archived = agent["long_term_stats"]["archived"]
    assert (archived["dissents"], archived["impactful"]) == (20, 10)
    clock.now += 91 * DAY
    assert tally_of(agent, clock.now).dissents == RAW_EVENTS + 20


def test_probation_ends_with_the_fifth_round(agents: Agents) -> None:
    for number in range(1, 6):
        agent = agents.log_round("A")
        assert (agent["rounds_participated"], agent["probation_ended"] is not None) == (number, number == 5)


def test_agents_changed_at_the_same_time_lose_nothing(agents: Agents) -> None:
    workers = [threading.Thread(target=lambda: [agents.log_round("A") for _ in range(10)]) for _ in range(5)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert agents.load("A")["rounds_participated"] == 50


def test_what_an_agent_did_is_taken_in_once(agents: Agents) -> None:
    for _ in range(2):
        dissenting(agents, "A", round_id="r/1")
        agents.log_round("A", "r/1")
        agents.log_agreement("A", round_id="r/2", right=True)
        Overrides(agents).log("A", round_id="r/3", context={}, agent_output="x", human_decision="y")
    agent = agents.load("A")
    assert [len(agent[k]) for k in ("dissent_history", "agreement_history", "override_history")] == [1, 1, 1]
    assert agent["rounds_participated"] == 1
    dissenting(agents, "A", round_id="r/1")
    assert agents.load("A") == agent


def test_the_standing_of_agents_is_as_of_a_time(agents: Agents, clock: Clock) -> None:
    Overrides(agents).log("A", round_id="r", context={}, agent_output="x", human_decision="y")
    now, later = agents.standing(clock.now), agents.standing(clock.now + 2 * DAY)
    assert now["A"]["trust"] == pytest.approx(0.6)
    assert later["A"]["trust"] < 0.6 < later["human"]["trust"]
    assert later["human"]["role"] == "human"


def test_fake_and_real_agents_come_to_the_same(tmp_path: Path, clock: Clock) -> None:
    fake = DictAgents(clock=clock, embedder=HashEmbedder())
    real = AgentStore(tmp_path, clock=clock, embedder=HashEmbedder())
    rng, words = np.random.default_rng(3), ["quote", "date", "name", "page", "wrong", "old", "other"]
    for number in range(60):
        clock.now += float(rng.random()) * 3 * DAY
        name, round_id = ("A", "B", "\u00fc")[int(rng.integers(3))], f"r/{int(rng.integers(20))}"
        text, kind, luck = " ".join(rng.choice(words, 4)), int(rng.integers(4)), bool(rng.integers(2))
        for agents in (fake, real):
            if kind == 0:
                dissenting(agents, name, text, round_id=round_id, impact=luck, verified_better=None)
            elif kind == 1:
                agents.log_agreement(name, round_id=round_id, right=luck)
            elif kind == 2:
                agents.log_round(name, round_id)
            else:
                Overrides(agents).log(
                    name, round_id=round_id, context={}, agent_output="own", human_decision=text
                )
            if number % 7 == 0:
                Overrides(agents).decide(round_id, "own", by="Ann")
                Overrides(agents).check_reverts(clock.now)
    assert fake.all() == real.all() and len(fake.all()) >= 4
    assert fake.standing(clock.now) == real.standing(clock.now)
