"""Earlier turns of a thread: in the requests to whoever plans and answers, and in what is searched for."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from ddax import open_agent
from ddax.configs.settings import Context
from ddax.ideas.origins import PRIVATE, kind_of
from ddax.nodes.expand import expand
from ddax.nodes.open_task import open_task
from ddax.steps.findings.earlier_turns import ANSWER_BYTES, TURNS, earlier

CONTEXT: dict[str, Any] = {"mood": {"engine": "numpy"}}
PERMITS = "# Parking permits\n\nA parking permit lasts two years. A parking permit costs 40 pounds a year.\n"
DAMS = "# Dams\n\nA dam lasts eighty years. A dam costs nine million pounds.\n"


@pytest.fixture
def folder(tmp_path: Any) -> str:
    place = tmp_path / "docs"
    place.mkdir()
    (place / "permits.md").write_text(PERMITS)
    (place / "dams.md").write_text(DAMS)
    return str(place)


async def test_a_follow_up_is_searched_as_what_it_means(folder: str, tmp_path: Any) -> None:
    async with open_agent(Context(**CONTEXT, sources=(folder,)), home=tmp_path / "home") as agent:
        first = await agent.run("How long does a parking permit last?", thread="t")
        assert "two years" in first["answer"]
        second = await agent.run("And what does it cost?", thread="t")
        assert "40 pounds" in second["answer"]
        assert "nine million" not in second["answer"]
        state = await agent.state("t")
    assert state["work"]["read_as"] == "What does the parking permit cost?"
    assert state["ideas"]["1"]["title"].endswith("[read as: What does the parking permit cost?]")
    searches = [
        i["action"]["args"]["query"] for k, i in state["ideas"].items()
        if k.startswith("1.") and i.get("action", {}).get("name") == "search"
    ]  # fmt: skip
    assert searches
    assert all("permit" in query for query in searches)


async def test_an_answer_goes_out_as_a_message_with_its_citations_as_plain_data(
    folder: str, tmp_path: Any
) -> None:
    async with open_agent(Context(**CONTEXT, sources=(folder,)), home=tmp_path / "home") as agent:
        await agent.run("How long does a parking permit last?", thread="t")
        (message,) = (await agent.state("t"))["messages"]
    (cited,) = [c for c in message.additional_kwargs["citations"] if "two years" in c["quote"]][:1]
    assert cited["title"] == "Parking permits"
    assert message.response_metadata["ddax"]["question"] == "How long does a parking permit last?"
    assert message.response_metadata["ddax"]["status"] == "done"


async def test_messages_of_a_front_end_are_earlier_turns(kit: Any) -> None:
    said = [
        SystemMessage("Be kind."), HumanMessage("Who designed the Vasa?"), ToolMessage("x", tool_call_id="1"),
        AIMessage("Henrik Hybertsson."), HumanMessage("When did it sink?"),
    ]  # fmt: skip
    session = kit.session({})
    state = await kit.after(open_task, {"messages": said}, session)
    (turn,) = earlier(state)
    assert (turn.question, turn.answer) == ("Who designed the Vasa?", "Henrik Hybertsson.")
    assert state["work"]["text"] == "When did it sink?"
    assert state["work"]["read_as"] == "When did Vasa sink?"
    assert {kind_of(name) for name in state["ideas"]["0"]["origins"]} & PRIVATE


async def test_whoever_plans_is_told_the_earlier_turns(kit: Any) -> None:
    from ddax.reasoning import protocol as p

    session = kit.session({"expand": [p.Expansion(())]}, repeat=True)
    said = [HumanMessage("Who designed the Vasa?"), AIMessage("Henrik."), HumanMessage("When did it sink?")]
    state = await kit.after(open_task, {"messages": said}, session)
    await kit.update(expand, {**state, "decision": {}, "focus": ["0"]}, session)
    (request,) = [request for name, request in session.reasoner.requests if name == "expand"]
    assert [turn.question for turn in request.earlier] == ["Who designed the Vasa?"]
    assert request.task == "When did it sink?"


def test_turns_are_bounded_and_the_newest_stay() -> None:
    many: list[Any] = [
        m for n in range(9) for m in (HumanMessage(f"question {n}"), AIMessage(f"{n} " + "long " * 999))
    ]
    found = earlier({"messages": many})
    assert [turn.question for turn in found] == [f"question {n}" for n in range(9 - TURNS, 9)]
    assert all(len(turn.answer.encode()) <= ANSWER_BYTES + 3 for turn in found)


def test_secrets_in_turns_are_taken_out() -> None:
    (turn,) = earlier(
        {"messages": [HumanMessage("key hunter2"), AIMessage("hunter2")]},
        lambda t: t.replace("hunter2", "***"),
    )
    assert (turn.question, turn.answer) == ("key ***", "***")


def test_foreign_messages_of_any_shape_are_read() -> None:
    odd = AIMessage("yes", additional_kwargs={"citations": "x"}, response_metadata={"ddax": 3})
    odd_too = AIMessage("no", additional_kwargs={"citations": [4, {}]})
    said: list[Any] = [
        HumanMessage("a?"),
        odd,
        HumanMessage([{"type": "text", "text": "b?"}]),
        odd_too,
        AIMessage(""),
    ]
    assert [turn.question for turn in earlier({"messages": said})] == ["a?", "b?"]


def _own(number: int, **told: str) -> list[Any]:
    said = {"task": str(number), "question": f"How long is Bridge{number}?", "short": f"{number} m", **told}
    answer = AIMessage(f"It is {number} m.", response_metadata={"ddax": said})
    return [HumanMessage(f"How long is Bridge{number}?"), answer]


def test_of_a_long_thread_only_the_newest_turns_are_read() -> None:
    cleaned = list[str]()

    def clean(text: str) -> str:
        cleaned.append(text)
        return text

    spent = []
    for count in (6, 300):
        told = [message for number in range(count) for message in _own(number)]
        cleaned.clear()
        turns = earlier({"messages": told}, clean)
        spent.append(len(cleaned))
        assert [turn.short for turn in turns] == [f"{n} m" for n in range(count - TURNS, count)]
        assert all(turn.read_as == "" for turn in turns)
    assert spent[0] == spent[1]


def test_a_turn_of_ours_says_how_it_was_read_and_one_of_a_front_end_is_read_after_those_before_it() -> None:
    own = [*_own(0), *_own(1, question="And how wide is it?", read_as="How wide is Bridge1?")]
    brought = [HumanMessage("And how old is it?"), AIMessage("Nine years.")]
    for more in range(8):
        turns = earlier({"messages": [*own, *brought * (more + 1)]})
        brought_ones = [turn for turn in turns if "old" in turn.question]
        assert brought_ones and all("Bridge1" in turn.read_as for turn in brought_ones), more
