"""The scripted reasoner replies in order, records what it was asked, and says when it has no more."""

import pytest

from ddax.errors import InvalidReply, ReasonerError, UsageError
from ddax.reasoning import protocol as p
from ddax.reasoning.scripted import METHODS, ScriptedReasoner

ASK = p.AskRequest("t", "s", ())


async def test_replies_come_in_order_and_requests_are_recorded():
    async def late(request):
        return p.Question(request.task)

    script = [p.Question("one"), lambda request: p.Question(request.situation), late]
    reasoner = ScriptedReasoner({"ask": script})
    assert [(await reasoner.ask(ASK)).text for _ in range(3)] == ["one", "s", "t"]
    assert reasoner.requests == [("ask", ASK)] * 3
    assert reasoner.left("ask") == 0
    assert len(script) == 3


@pytest.mark.parametrize("method", METHODS)
async def test_an_exhausted_script_is_an_error_that_names_the_method(method):
    with pytest.raises(ReasonerError, match=f"number 1 for '{method}'"):
        await getattr(ScriptedReasoner({}), method)(ASK)


async def test_an_error_in_the_script_is_raised():
    reasoner = ScriptedReasoner({"ask": [InvalidReply("bad"), lambda _: ReasonerError("down")]})
    with pytest.raises(InvalidReply):
        await reasoner.ask(ASK)
    with pytest.raises(ReasonerError, match="down"):
        await reasoner.ask(ASK)


async def test_the_last_reply_repeats_where_that_is_asked_for():
    reasoner = ScriptedReasoner({"ask": [p.Question("a"), p.Question("b")]}, repeat=True)
    assert [(await reasoner.ask(ASK)).text for _ in range(4)] == ["a", "b", "b", "b"]


async def test_a_reply_of_another_type_and_an_unknown_method_are_refused():
    with pytest.raises(UsageError, match="Give a Question"):
        await ScriptedReasoner({"ask": [p.Lesson("x")]}).ask(ASK)
    with pytest.raises(UsageError, match="plan"):
        ScriptedReasoner({"plan": []})
