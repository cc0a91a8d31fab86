"""The effects of the mood on the engine: curiosity, a question of a resting mood, the log."""

from __future__ import annotations

from typing import Any

import pytest

from ddax.configs.settings import Mood
from ddax.environments.actions import VIEWS
from ddax.errors import BudgetExceeded, ReasonerError
from ddax.graph.state import Outcome
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.records import LEDGER
from ddax.metacognition.controller import _still
from ddax.metacognition.effects import CHANGE_OF_COURSE, EFFECTS, NEUTRAL, effects_of
from ddax.metacognition.matrices import ACTIONS
from ddax.nodes import protect as protect_module
from ddax.nodes.expand import expand
from ddax.nodes.metacognition import MAX_ASKED, metacognition
from ddax.nodes.protect import protect
from ddax.nodes.select import select
from ddax.reasoning import protocol as p
from ddax.reasoning.embedded import EmbeddedReasoner
from ddax.steps.choices.frontier import frontier
from ddax.steps.reflect.consolidating import CONSOLIDATIONS, ENDED, EVERY_SECONDS, consolidate_memory
from ddax.steps.select.steering import STANDSTILL
from ddax.types import Passage

STUCK = {"prior": [0.05, 0.05, 0.05, 0.85], "belief": [0.05, 0.05, 0.05, 0.85], "state": "STAGNANT"}


async def exploring(kit: Any, ask: list[Any], **settings: Any) -> Any:
    replies = {"expand": [p.Expansion((kit.leaf("a"),))] * 3, "ask": ask}
    session = kit.session(replies, **settings)
    state = await kit.opened(session, focus=["0"], step=1)
    return await kit.after(expand, {**state, "mood": {"action": "EXPLORE", "step": 0}}, session)


async def test_explore_searches_for_a_question_nobody_has_asked(kit: Any) -> None:
    state = await exploring(kit, [p.Question("Who paid for the tower?")])
    leaf = state["ideas"]["0.2"]
    assert leaf["title"] == "curious: Who paid for the tower?"
    assert leaf["action"]["args"] == {"query": "Who paid for the tower?"}


@pytest.mark.parametrize(
    ("ask", "settings"),
    [
        ([ReasonerError("nothing")], {}),
        ([BudgetExceeded("the cap max_model_calls=1 is reached.")], {}),
        ([p.Question("x?")], {"mood": {"engine": "numpy", "explore": False}}),
        ([p.Question("x?")], {"mood": {"engine": "numpy", "enabled": False}}),
    ],
)
async def test_without_curiosity_the_plan_goes_on(kit: Any, ask: Any, settings: Any) -> None:
    state = await exploring(kit, ask, **settings)
    assert [i["title"] for i in state["ideas"].values() if i["kind"] == "leaf"] == ["a"]


@pytest.mark.parametrize(
    ("action", "sign"), [("EXPLORE", 1), ("REST", -1), ("VERIFY", 0), ("CONSOLIDATE", 0)]
)
@pytest.mark.parametrize("on", [True, False])
async def test_exploring_turns_the_engine_up_and_resting_turns_it_down(
    kit: Any, action: str, sign: int, on: bool
) -> None:
    replies = {"expand": [p.Expansion((kit.leaf("a"),))], "ask": [p.Question("x?")]}
    switch = {"engine": "numpy", action.lower(): on}
    session = kit.session(replies, selection={"branching": 4, "c": 1.0}, mood=switch)
    calm = await kit.opened(session, focus=["0"], step=1)
    state = {**calm, "mood": {"action": action, "step": 0}}
    change = (await frontier(state, session)).c - (await frontier(calm, session)).c
    await kit.update(expand, state, session)
    request = next(sent for name, sent in session.reasoner.requests if name == "expand")
    told = (change, request.width - 4, request.temperature - NEUTRAL.temperature)
    if not on or not sign:
        assert told[:2] == (0, 0) and (on or told[2] == 0)
    else:
        assert all(value * sign > 0 for value in told)


async def test_an_old_mood_asks_nothing(kit: Any) -> None:
    session = kit.session({"expand": [p.Expansion((kit.leaf("a"),))]})
    state = await kit.opened(session, focus=["0"], step=5)
    after = await kit.after(expand, {**state, "mood": {"action": "EXPLORE", "step": 2}}, session)
    assert len(after["ideas"]) == 3


async def test_without_a_model_curiosity_is_about_what_was_mentioned_and_not_looked_into() -> None:
    reasoner = EmbeddedReasoner(HashEmbedder())
    text = "The Tower was built by Ilse Maran. Its stone came from Jon Berg. In the end Jon Berg left."
    read = (Passage("1", "Tower", "Tower", text),)
    request = p.AskRequest("Who built the Tower? Was it Ilse Maran?", "s", (), read, kind="curiosity")
    assert (await reasoner.ask(request)).text == "What is Jon Berg?"
    with pytest.raises(ReasonerError, match="curious"):
        await reasoner.ask(p.AskRequest("x", "s", (), (), kind="curiosity"))


async def resting(kit: Any, *, human: bool = True, before: str = "EXPLORE", **settings: Any) -> Any:
    """Return session, state and update of a mood that comes to rest."""
    session = kit.session({"ask": [p.Question("Where else shall I look?")]}, human=human, **settings)
    state = await kit.opened(session, step=3, verdicts={"0": {"epsilon": 0.1}})
    mood = {**session.controller.open_mood(), **STUCK, "action": before}
    outcome = Outcome(idea="0", ok=False, text="the same again", expected="something", action="search")
    state = {**state, "mood": mood, "outcomes": {"0": outcome}}
    return session, state, await kit.update(metacognition, state, session)


async def test_a_resting_mood_asks_the_human_once_and_goes_on(kit: Any, monkeypatch: Any) -> None:
    session, state, update = await resting(kit)
    assert update["mood"]["action"] == "REST"
    question = update["questions"]["0"]
    assert question["kind"] == "rest" and question["details"]["mood"] == "STAGNANT"
    assert question["text"].endswith("Shall I go on, or stop?") and "STAGNANT" not in question["text"]
    after = kit.reduced(state, update)
    chosen = await kit.after(select, after, session)
    assert chosen["decision"]["next"] == "protect"
    asked: list[Any] = []

    def interrupt(question: Any, **_: Any) -> Any:
        asked.append(question)
        return {"choice": "go on", "lesson": "Look into the annals."}

    monkeypatch.setattr(protect_module, "interrupt", interrupt)
    settled = await kit.after(protect, chosen, session)
    assert asked[0]["text"] == "Where else shall I look?" and asked[0]["options"] == ["go on", "stop"]
    assert settled["questions"] == {} and settled["ideas"] == chosen["ideas"]
    assert settled.get("status") != "stopped"
    following = await kit.update(select, settled, session)
    assert following["decision"]["next"] == "expand", "the question is not put again"


@pytest.mark.parametrize("choice", ["stop", "veto"])
async def test_a_human_may_end_a_resting_run(kit: Any, monkeypatch: Any, choice: str) -> None:
    session, state, update = await resting(kit)
    monkeypatch.setattr(protect_module, "interrupt", lambda *_, **__: {"choice": choice})
    ended = await kit.update(protect, kit.reduced(state, update), session)
    assert ended["status"] == "stopped" and "ideas" not in ended


@pytest.mark.parametrize(
    "options",
    [{"human": False}, {"before": "REST"}, {"mood": {"engine": "numpy", "rest": False}}],
)
async def test_rest_asks_nobody_where_nobody_is_there_or_it_was_asked_or_is_off(
    kit: Any, options: Any
) -> None:
    _, _, update = await resting(kit, **options)
    assert update["mood"]["action"] == "REST" and "questions" not in update


async def test_a_task_is_asked_about_at_most_twice(kit: Any) -> None:
    session, state, _ = await resting(kit)
    for step in range(4, 4 + MAX_ASKED + 2):
        last = await kit.update(metacognition, {**state, "step": step}, session)
    rows = await session.memory.rows("moods")
    assert [row["asked"] for row in rows].count(True) == MAX_ASKED
    assert "questions" not in last


async def test_the_log_holds_what_the_table_and_the_learning_need(kit: Any) -> None:
    session, _, update = await resting(kit, human=False)
    row = (await session.memory.rows("moods"))[0]
    assert row["belief"] == update["mood"]["belief"] and row["action"] == "REST"
    assert len(row["terms"]) == len(ACTIONS)
    for value, (information, preference) in zip(row["efe"], row["terms"], strict=True):
        assert value == pytest.approx(information + preference, abs=1e-8)


def test_a_mood_that_rests_on_changes_course_where_nobody_can_help() -> None:
    on, rest = Mood(), {"action": "REST", "still": 1}
    assert effects_of({"action": "REST", "still": 0}, on) == EFFECTS["REST"]
    assert effects_of(rest, on) == CHANGE_OF_COURSE
    assert effects_of(rest, on, human=True) == EFFECTS["REST"]
    assert CHANGE_OF_COURSE.curious and CHANGE_OF_COURSE.c > 1 and CHANGE_OF_COURSE.branching > 0
    assert effects_of(rest, Mood(rest=False)) == NEUTRAL


@pytest.mark.parametrize(
    ("still", "options", "stops"),
    [
        (STANDSTILL, {}, True),
        (STANDSTILL - 1, {}, False),
        (STANDSTILL, {"human": True}, False),
        (STANDSTILL, {"mood": {"engine": "numpy", "rest": False}}, False),
        (STANDSTILL, {"mood": {"engine": "numpy", "enabled": False}}, False),
    ],
)
async def test_a_standstill_ends_the_run_and_says_so(kit: Any, still: int, options: Any, stops: bool) -> None:
    session = kit.session(**options)
    state = await kit.opened(session, step=9, mood={"action": "REST", "still": still, "step": 1})
    update = await kit.update(select, state, session)
    assert (update["decision"]["next"] == "reflect") is stops
    if stops:
        assert update["status"] == "stopped" and update["stop_reason"].startswith("standstill: ")


@pytest.mark.parametrize(
    ("stale", "before", "action", "after"),
    [(True, 2, "REST", 3), (True, 2, "VERIFY", 0), (False, 2, "REST", 0), (None, 2, "REST", 2)],
)
def test_only_rest_on_rest_with_nothing_new_counts(stale: Any, before: int, action: str, after: int) -> None:
    assert _still({"still": before}, action, stale) == after  # type: ignore[typeddict-item]
    assert _still({}, action, stale) == (after == 3)  # type: ignore[typeddict-item]


@pytest.mark.parametrize(("now", "still"), [('[e1] textbox "Day" = "31"', 0), ('[e1] textbox "Day"', 1)])
async def test_a_page_that_changed_is_new_though_it_begins_as_before(kit: Any, now: str, still: int) -> None:
    session = kit.session()
    state = await kit.opened(session, step=2, mood={**session.controller.open_mood(), **STUCK, "step": 1})
    outcome = Outcome(idea="0.1", ok=True, text="Page: Date", expected="x", action="move")
    state["outcomes"] = {"0.1": outcome}
    for step, text in ((1, '[e1] textbox "Day"'), (2, now)):
        row = {"task": state["work"]["id"], "idea": "0.1", "step": step, "text": text, "elements": []}
        await session.memory.log(VIEWS, row, key=str(step))
    earlier = {"task": state["work"]["id"], "step": 1, "actual": "Page: Date"}
    await session.memory.log(LEDGER, earlier, key="1")
    mood = (await kit.update(metacognition, state, session))["mood"]
    assert (mood["action"], mood["still"]) == ("REST", still)


async def test_the_memory_is_consolidated_at_the_end_of_a_task_that_asked_for_it(kit: Any) -> None:
    session = kit.session()
    one = await kit.opened(session)
    await session.memory.log("moods", {"task": one["work"]["id"], "action": "CONSOLIDATE"}, key="1")
    await consolidate_memory(one, session)
    rows = await session.memory.rows(CONSOLIDATIONS)
    assert [row["task"] for row in rows] == [one["work"]["id"]]
    assert [row["task"] for row in await session.memory.rows(ENDED)] == [one["work"]["id"]]
    for settings in ({}, {"mood": {"engine": "numpy", "consolidate": False}}):
        kit.now += 10 * 86_400
        other = kit.session(**settings)
        state = await kit.opened(other)
        await consolidate_memory(state, other)
        assert await other.memory.rows(CONSOLIDATIONS) == [], "not asked for, or switched off"


async def test_a_memory_is_consolidated_once_a_day(kit: Any) -> None:
    session = kit.session()
    for day, expected in ((0.0, 1), (0.5, 1), (1.1, 2)):
        state = await kit.opened(session, f"task at {day}")
        work = {**state["work"], "id": f"w{day}", "opened": 1e9 + day * EVERY_SECONDS}
        await session.memory.log("moods", {"task": work["id"], "action": "CONSOLIDATE"}, key=work["id"])
        await consolidate_memory({**state, "work": work}, session)
        assert len(await session.memory.rows(CONSOLIDATIONS)) == expected


async def test_a_consolidation_by_a_clock_far_ahead_stops_no_other(kit: Any) -> None:
    session = kit.session()
    state = await kit.opened(session)
    ahead = {"task": "w", "at": state["work"]["opened"] + 365 * EVERY_SECONDS}
    await session.memory.log(CONSOLIDATIONS, ahead, key="w")
    await session.memory.log("moods", {"task": state["work"]["id"], "action": "CONSOLIDATE"}, key="1")
    await consolidate_memory(state, session)
    assert len(await session.memory.rows(CONSOLIDATIONS)) == 2
