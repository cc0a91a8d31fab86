"""Ceremony by doubt: what it could change against its price, decided alike each time, and kept."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ddax.cli.main import run_command
from ddax.debate.gate import Gate
from ddax.graph.routing import leaf_packet
from ddax.graph.services import Session
from ddax.memory.records import DECISIONS, DOUBTS
from ddax.nodes.act import act
from ddax.nodes.evaluate import Brief, _admits
from ddax.nodes.reflect import reflect
from ddax.reasoning import protocol as p
from ddax.reasoning.budget import Place
from ddax.reasoning.embedded import EmbeddedReasoner
from ddax.steps.accounts.ceremonies import Chance, holds, weighed_before, worth
from ddax.steps.accounts.weighed import note_doubts
from ddax.steps.findings.quick_road import QUICK, goes_on
from ddax.steps.select.steering import _is_worth
from ddax.types import Usage

CLAIM = p.Extraction((), "said by the model")


def at(session: Session) -> Session:
    return session.at(Place("evaluate", 3))


async def test_equal_doubts_are_decided_alike_and_all_of_them_are_kept(kit: Any) -> None:
    session = at(kit.session())
    state = {"usage": {"tokens": 500, "model_calls": 1}, "step": 3}
    for change, held in ((0.5, True), (0.5, True), (0.01, False), (0.0, False)):
        assert holds(state, session, Chance("judge", "0.1", change=change, characters=2000)) is held
    assert session.place is not None
    assert [row["held"] for row in session.place.doubts] == [True, True, False, False]
    assert session.place.doubts[0] == session.place.doubts[1]


@pytest.mark.parametrize(
    ("effort", "spent", "left"), [("normal", 0, 20_000), ("deep", 0, 80_000), ("normal", 395_000, 5_000)]
)
async def test_an_answer_is_worth_no_more_than_what_is_left(
    kit: Any, effort: str, spent: int, left: int
) -> None:
    assert worth({"tokens": spent}, kit.session(effort=effort)) == left


async def test_what_earlier_calls_took_changes_the_price(kit: Any) -> None:
    session, dear = kit.session(), {"evaluate.model_calls": 3, "evaluate.tokens": 30_000}
    ask = {"change": 0.1, "characters": 800}
    assert holds({}, session, Chance("judge", "0.1", **ask))
    assert not holds({"usage": dear}, session, Chance("judge", "0.1", **ask))
    again = {"evaluate.saved_calls": 3, "evaluate.saved_tokens": 30_000}
    assert not holds({"usage": again}, session, Chance("judge", "0.1", **ask)), (
        "kept replies count as paid ones"
    )


async def test_without_a_model_nothing_is_weighed_or_written(kit: Any) -> None:
    session = at(kit.session())
    object.__setattr__(session, "reasoner", EmbeddedReasoner(session.embedder))
    assert holds({}, session, Chance("judge", "0.1", change=0.0))
    assert session.place is not None and session.place.doubts == []


async def weigh(session: Session, state: Any, change: float, node: str = "evaluate", idea: str = "0") -> None:
    session = session.at(Place(node, 3, idea))
    holds(state, session, Chance("judge", idea, change=change))
    assert session.place is not None
    await note_doubts(session.place, state, session)


async def changes(session: Session, state: Any) -> list[float]:
    return [row["change"] for row in await weighed_before(state, 4, session.at(Place("select", 4)))]


async def test_what_was_weighed_before_a_thread_was_gone_back_in_is_not_of_the_new_way(kit: Any) -> None:
    session = kit.session()
    state = {**await kit.opened(session), "step": 3}
    old, new = ({**state, "decision": {"hash": name}} for name in ("old", "new"))
    await weigh(session, old, 0.5)
    assert await changes(session, new) == []
    await weigh(session, new, 0.25)
    await weigh(session, new, 0.25)
    assert (await changes(session, old), await changes(session, new)) == ([0.5], [0.25])


@pytest.mark.parametrize("node", ["act", "expand"])
async def test_the_doubts_of_leaves_and_of_ideas_tell_apart_two_ways_of_a_step(kit: Any, node: str) -> None:
    session = kit.session()
    state = {**await kit.opened(session), "step": 3}
    for name, change in (("old", 0.5), ("new", 0.25)):
        now: Any = {**state, "decision": {"hash": name}}
        await weigh(session, leaf_packet(now, "0") if node == "act" else now, change, node)
    assert await changes(session, {**state, "decision": {"hash": "new"}}) == [0.25]
    assert await changes(session, {**state, "decision": {"hash": "old"}}) == [0.5]


async def test_what_an_older_release_has_weighed_is_sealed_too(kit: Any) -> None:
    session = kit.session()
    state = {**await kit.opened(session), "step": 3, "decision": {"hash": "new"}}
    row = {"task": state["work"]["id"], "node": "act", "step": 3, "idea": "0", "doubts": [{"change": 0.5}]}
    await session.memory.log(DOUBTS, row, key="k")
    assert await changes(session, state) == [0.5]


@pytest.mark.parametrize(
    ("length", "beside", "asked"),
    [(3000, 1, 0), (5000, 1, 0), (5000, 4, 1), (20_000, 1, 1), (20_000, 40, 0), (600, 9, 0)],
)
async def test_claims_are_taken_where_the_synthesis_would_not_see_the_page(
    kit: Any, length: int, beside: int, asked: int
) -> None:
    line = "The tower of {} was built by the guild of weavers in {}. "
    kit.pages["Long"] = "".join(line.format(f"Mark{n}", 1500 + n) for n in range(length // 63))
    session = kit.session({"extract": [CLAIM]}, models={"quote_below": 1200})
    state = await kit.opened(session)
    packet = {**kit.packet("0.1", "visit", state=state, source="Long"), "beside": beside}
    await kit.update(act, packet, session)
    assert sum(method == "extract" for method, _ in session.reasoner.requests) == asked
    ((row,),) = [r["doubts"] for r in await session.memory.rows(DOUBTS, task=state["work"]["id"])]
    assert (row["ceremony"], row["held"]) == ("extract", bool(asked))


async def test_a_debate_is_held_at_a_contradiction_and_not_at_the_edge_of_the_margin(kit: Any) -> None:
    session = kit.session()
    state = {**await kit.opened(session), "outcomes": {"0": {"text": "so", "idea": "0"}}}
    for gate, held in ((Gate(True, "", 1.0), True), (Gate(True, "", 0.02), False), (Gate(False, ""), False)):
        assert _admits(state, session, "0", Brief("so"), gate, 3) is held


@pytest.mark.parametrize(
    ("found", "support", "on"),
    [(False, 0.0, True), (True, 0.2, True), (True, 0.5, False), (True, 1.0, False)],
)
async def test_the_quick_road_ends_at_a_carried_answer(
    kit: Any, found: bool, support: float, on: bool
) -> None:
    session = kit.session()
    state = await kit.opened(session)
    state["work"] = {**state["work"], "road": QUICK}
    assert goes_on(state, p.Synthesis("so", (), found, support), session) is on


async def test_a_check_of_a_claim_in_conflict_costs_nothing_but_a_longer_synthesis(kit: Any) -> None:
    session = at(kit.session())
    state = await kit.opened(session)
    claim = {**state["ideas"]["0"], "parent": "0", "V": 0.2, "reason": "conflicts with 0.2"}
    assert _is_worth(state, session, claim)
    assert session.place is not None
    assert session.place.doubts[0]["tokens"] == 0 and session.place.doubts[0]["change"] == 1.0


@pytest.mark.parametrize(("error", "lessons"), [(1.0, 1), (0.6, 1), (1.0, 0)])
async def test_a_lesson_that_costs_more_than_it_brings_is_not_drawn(
    kit: Any, error: float, lessons: int
) -> None:
    lesson = p.Lesson("Look into the annals.", usage=Usage(1, 5))
    session = kit.session({"reflect": [lesson]}, models={"worth": 20_000 if lessons else 100})
    state = await kit.opened(session)
    row = {"task": state["work"]["id"], "idea": "0", "action": "search", "expected": "a", "actual": "b",
           "epsilon": error, "value": None, "before": None}  # fmt: skip
    await session.memory.log("ledger", row, key="0")
    update = await kit.update(reflect, state, session)
    assert len(await session.memory.rows("reflections")) == lessons
    (entry,) = await session.memory.rows(DECISIONS, task=state["work"]["id"])
    assert [one["held"] for one in entry["doubts"]] == [bool(lessons)]
    assert update["decision"]["hash"] == entry["hash"]


async def test_why_shows_what_was_held_and_what_was_not(
    kit: Any, tmp_path: Any, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.setenv("DDAX_HOME", str(tmp_path))
    script = kit.script(usage=Usage(1, 900))
    async with kit.agent(tmp_path, script, debate={"ask": "deciding"}) as agent:
        await agent.run(kit.question, thread="t")

    def command(*words: str) -> str:
        from threading import Thread

        ended: list[int] = []
        other = Thread(
            target=lambda: ended.append(run_command(words, opener=lambda _: kit.agent(tmp_path, script)))
        )
        other.start()
        other.join()
        assert ended == [0]
        return str(capsys.readouterr().out)

    told = command("why", "t", "--weighed")
    assert "plan 0: held, nothing stands in for it" in told
    assert "not held" in told and "nothing is left to choose between" in told
    rows = json.loads(command("why", "t", "--weighed", "--json"))["weighed"]
    assert {row["ceremony"] for row in rows} >= {"plan", "extract", "judge"}
    assert "none changed" in command("verify", "t")
