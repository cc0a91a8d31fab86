"""Tasks for which the user's own tools are all there is, with a model behind a real server."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest

from ddax import Context, open_agent
from ddax.actions.registry import action
from ddax.graph.services import Parts
from ddax.reasoning.testing import FakeOpenAI, Say
from ddax.steps.findings.own_tools import AGAIN, NO_CALL

pytestmark = pytest.mark.integration
TASK = "Turn the lamp in the hall to green."


class Lamps:
    """Lamps of two rooms, and what was done to them."""

    def __init__(self) -> None:
        self.done: list[tuple[str, str]] = []

    def tool(self) -> Any:
        done = self.done

        @action(effect="none")
        def set_lamp(room: Literal["kitchen", "hall"], colour: Literal["red", "green"]) -> str:
            """Set the lamp of a room to a colour."""
            done.append((room, colour))
            return f"The lamp in the {room} is {colour} now."

        return set_lamp


def model(body: dict[str, Any]) -> Say:
    """Write one call into the text, then say what was done; anything else is planned badly."""
    if body.get("tools") and "response_format" not in body:
        if any(message["role"] == "tool" for message in body["messages"]):
            return Say("The lamp in the hall is green now.")
        call = {"name": "set_lamp", "arguments": {"room": "hall", "colour": "green"}}
        return Say(f"```json\n{json.dumps(call)}\n```")
    return Say(json.dumps({"children": []}))


@pytest.fixture
def server(monkeypatch):
    with FakeOpenAI(answer=model) as running:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        yield running


async def ran(server: Any, task: str, lamps: Lamps, **settings: Any) -> Any:
    record = {"name": "openai:scripted-model", "base_url": server.base_url}
    context = Context.model_validate({"model": record, "mood": {"engine": "numpy"}, **settings})
    async with open_agent(context, parts=Parts(actions=(lamps.tool(),))) as agent:
        return await agent.run(task)


async def test_a_tool_is_used_at_once_and_what_was_said_is_the_answer(server):
    lamps = Lamps()
    result = await ran(server, TASK, lamps)
    assert lamps.done == [("hall", "green")]
    assert (result["status"], result["answer"]) == ("done", "The lamp in the hall is green now.")
    assert result["usage"]["model_calls"] == 2
    assert [c["quote"] for c in result["citations"]] == ["The lamp in the hall is green now."]
    assert [span["status"] for span in result["spans"]] == ["supported"]
    assert json.dumps(server.requests[0]["messages"]).count(TASK) == 1


@pytest.mark.parametrize("settings", [{}, {"knowledge": "allow"}, {"effort": "deep"}])
async def test_an_answer_for_which_no_tool_was_called_says_so(server, settings):
    lamps, said = Lamps(), "The lamp in the hall was green last week."

    def never(body: dict[str, Any]) -> Say:
        if body.get("tools") and "response_format" not in body:
            return Say(said)
        return Say(json.dumps({"answer": said, "found": True, "quotes": [], "short": "", "children": []}))

    with FakeOpenAI(answer=never) as quiet:
        result = await ran(quiet, TASK, lamps, **settings)
    assert lamps.done == []
    assert result["notes"].count(NO_CALL) == 1


async def test_an_answer_that_ended_a_loop_of_one_call_says_so():
    lamps = Lamps()
    call = Say(json.dumps({"name": "set_lamp", "arguments": {"room": "hall", "colour": "green"}}))
    with FakeOpenAI(answer=lambda body: call) as looping:
        result = await ran(looping, TASK, lamps)
    assert (result["status"], result["answer"]) == ("done", "The lamp in the hall is green now.")
    assert result["notes"] == [AGAIN.format("set_lamp")]
    assert len(lamps.done) == 2


async def test_a_written_call_with_a_wrong_name_goes_back_with_the_nearest(server):
    lamps = Lamps()
    wrong = {"name": "set_lmap", "arguments": {"room": "hall", "colour": "green"}}
    server.add(Say(json.dumps(wrong)), model({"tools": [1], "messages": []}))
    result = await ran(server, TASK, lamps)
    assert lamps.done == [("hall", "green")]
    assert (result["answer"], NO_CALL in result["notes"]) == ("The lamp in the hall is green now.", False)
    told = json.dumps(server.requests[1]["messages"])
    assert "there is no tool 'set_lmap'; the nearest is 'set_lamp'" in told


async def test_a_form_that_was_asked_for_is_written_by_one_more_call(server):
    lamps = Lamps()
    form = {"type": "object", "properties": {"room": {"type": "string"}}, "required": ["room"]}
    server.add(model({"tools": [1], "messages": []}), Say("The lamp in the hall is green now."))
    quotes = [{"passage": "p1", "quote": "The lamp in the hall is green now."}]
    server.add(Say({"quotes": quotes, "found": True, "data": {"room": "hall"}}))
    result = await ran(server, TASK, lamps, output=form)
    assert lamps.done == [("hall", "green")]
    assert (result["status"], result["output"]) == ("done", {"room": "hall"})
    assert result["usage"]["model_calls"] == 3


async def test_with_effort_deep_a_model_plans(server):
    lamps = Lamps()
    await ran(server, TASK, lamps, effort="deep")
    assert lamps.done == []
    assert "response_format" in server.requests[0]


async def test_in_a_conversation_under_way_a_model_plans_what_is_meant_now(server):
    lamps = Lamps()
    record = {"name": "openai:scripted-model", "base_url": server.base_url}
    context = Context.model_validate({"model": record, "mood": {"engine": "numpy"}})
    async with open_agent(context, parts=Parts(actions=(lamps.tool(),))) as agent:
        await agent.run(TASK, thread="talk")
        sent = len(server.requests)
        await agent.run("And now to red.", thread="talk")
    assert "response_format" in server.requests[sent]
    assert TASK in json.dumps(server.requests[sent]["messages"])


async def test_a_long_answer_keeps_all_of_its_lines(server):
    lamps, lines = Lamps(), "\n".join(f"- Step {n}: the lamp in the hall is green now." for n in range(30))
    server.add(model({"tools": [1], "messages": []}), Say(lines))
    result = await ran(server, TASK, lamps)
    assert (result["status"], result["answer"]) == ("done", lines)


async def test_what_no_result_carries_has_no_support(server):
    lamps = Lamps()
    server.add(model({"tools": [1], "messages": []}), Say("The ferry to Oslo leaves at nine."))
    result = await ran(server, TASK, lamps)
    assert result["support"] == 0.0
    assert [span["status"] for span in result["spans"]] == ["unchecked"]


async def test_of_a_long_result_a_model_chooses_what_to_quote(server):
    @action(effect="none")
    def manual(room: str) -> str:
        """Return the manual of a room's lamp."""
        return "Turn it gently. " * 60 + "It takes a bulb of 40 watts."

    call = {"name": "manual", "arguments": {"room": "hall"}}
    quote = {"passage": "p1", "quote": "It takes a bulb of 40 watts."}
    server.add(Say(json.dumps(call)), Say("A bulb of 40 watts."))
    server.add(Say({"quotes": [quote], "found": True, "answer": "A bulb of 40 watts. [1]", "short": ""}))
    record = {"name": "openai:scripted-model", "base_url": server.base_url}
    context = Context.model_validate({"model": record, "mood": {"engine": "numpy"}})
    async with open_agent(context, parts=Parts(actions=(manual,))) as agent:
        result = await agent.run("Which bulb does the lamp in the hall take?")
    assert [c["quote"] for c in result["citations"]] == ["It takes a bulb of 40 watts."]
