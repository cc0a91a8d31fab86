"""A leaf of several turns: calls one after the other, each guarded, kept, and done once."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any, Literal

import pytest

from ddax.actions.protocol import ActionContext, ActionResult
from ddax.actions.registry import action
from ddax.actions.work import with_work
from ddax.errors import ActionError, BudgetExceeded, ReasonerError, Unavailable
from ddax.nodes.act import act
from ddax.nodes.close import close
from ddax.nodes.protect import protect
from ddax.reasoning.acting import Acted, Call
from ddax.steps.accounts.leaf_ledger import INTENTS, RESULTS, TURNS
from ddax.steps.findings.gather import findings
from ddax.steps.leaves.permission import APPROVALS
from ddax.types import Usage

COST = Usage(1, 10, 0.001)


class Board:
    """Tools over a count of what was done."""

    def __init__(self) -> None:
        self.done: list[Any] = []
        self.fails: list[BaseException] = []

    def tools(self) -> tuple[Any, ...]:
        done, fails = self.done, self.fails

        @action(effect="none")
        async def look(context: ActionContext, door: int) -> str:
            """Look at a door."""
            done.append(door)
            if fails:
                raise fails.pop(0)
            return f"behind door {door} stands {door + 1}"

        @action(effect="writes", brings=("web:board.example",))
        async def post(context: ActionContext, text: str) -> str:
            """Put a note on the board."""
            done.append((text, context.key))
            return "posted"

        @action(effect="none")
        async def paint(context: ActionContext, colour: Literal["red", "blue"]) -> str:
            """Paint the door."""
            done.append(colour)
            return f"painted {colour}"

        @action(effect="none", brings=("file",))
        async def secret(context: ActionContext) -> str:
            """Read what is private."""
            done.append("secret")
            return "the code is 4711"

        @action(effect="reads")
        async def ask_web(context: ActionContext, query: str) -> str:
            """Ask somebody outside."""
            done.append(query)
            return "asked"

        return look, post, paint, secret, ask_web


def looks(*doors: int) -> list[Acted]:
    return [Acted((Call("look", {"door": n}),), usage=COST) for n in doors]


def end(text: str = "the end") -> Acted:
    return Acted((), text, usage=COST)


class Leaf:
    """One leaf of several turns over a session with a script."""

    def __init__(self, kit: Any, *turns: Any, **settings: Any) -> None:
        self.kit, self.board = kit, Board()
        opened = kit.session({"act": list(turns)}, actions=self.board.tools(), **settings)
        self.session = replace(opened, actions=with_work(opened.actions))
        self.state: dict[str, Any] = {}

    def allow(self, *names: str) -> None:
        """Let actions of these names be done unasked."""
        settings = self.session.settings
        more = settings.model_copy(update={"actions": settings.actions.model_copy(update={"allow": names})})
        self.session = replace(self.session, settings=more)

    async def run(self, *, step: int = 2, **more: Any) -> dict[str, Any]:
        if not self.state:
            self.state = await self.kit.opened(self.session)
        args = more.pop("args", {"aim": "find the last door"})
        packet = {**self.kit.packet("0.1", "work", state=self.state, **args), "step": step, **more}
        found: dict[str, Any] = await self.kit.update(act, packet, self.session, task_id=f"step-{step}")
        return found

    @property
    def asked(self) -> list[Any]:
        return [request for name, request in self.session.reasoner.requests if name == "act"]

    async def rows(self, table: str) -> list[Any]:
        found: list[Any] = await self.session.memory.rows(table, leaf="0.1")
        return found


async def test_each_call_sees_the_results_before_it(kit: Any) -> None:
    leaf = Leaf(kit, *looks(1, 2, 3), end("door 4"))
    update = await leaf.run()
    assert leaf.board.done == [1, 2, 3]
    assert [len(request.done) for request in leaf.asked] == [0, 1, 2, 3]
    assert leaf.asked[-1].done[1].text == "behind door 2 stands 3"
    idea = update["ideas"]["0.1"]
    assert (idea["status"], idea["result"]) == ("done", "door 4")
    assert len(idea["evidence"]) == 3
    assert "tool:look" in idea["origins"]
    assert Usage.of_row(update["usage"]) == Usage(4, 40, 0.004)
    assert [row["action"]["args"]["door"] for row in await leaf.rows(INTENTS)] == [1, 2, 3]
    results = await leaf.session.memory.rows(RESULTS, task=leaf.state["work"]["id"])
    assert [row["key"] for row in results] == ["0.1:0.0", "0.1:1.0", "0.1:2.0"]


async def test_a_tool_is_told_as_its_author_wrote_it(kit: Any) -> None:
    leaf = Leaf(kit, end())
    await leaf.run(args={"aim": "paint", "tools": "paint, nothing"})
    (tool,) = leaf.asked[0].tools
    assert (tool.name, tool.text, tool.foreign) == ("paint", "Paint the door.", False)
    assert tool.schema["properties"]["colour"]["enum"] == ["red", "blue"]
    assert '"red" | "blue"' in tool.arguments


async def test_without_names_all_tools_are_offered_and_ours_are_by_name(kit: Any) -> None:
    leaf = Leaf(kit, end(), end())
    await leaf.run()
    await leaf.run(args={"aim": "x", "tools": ["look", "search", "save"]}, leaf="0.2")
    assert [tool.name for tool in leaf.asked[0].tools] == ["look", "post", "paint", "secret", "ask_web"]
    assert [tool.name for tool in leaf.asked[1].tools] == ["look", "search"]


@pytest.mark.parametrize("broken", [1, 2, 3])
async def test_a_killed_leaf_goes_on_behind_its_last_call(kit: Any, broken: int) -> None:
    whole = Leaf(kit, *looks(1, 2, 3), end("door 4"))
    expected = await whole.run()
    leaf = Leaf(kit, *looks(1, 2, 3)[:broken], Unavailable("the server is away."))
    with pytest.raises(Unavailable):
        await leaf.run()
    leaf.session.reasoner._replies["act"] = [*looks(1, 2, 3)[broken:], end("door 4")]
    leaf.session.keepers.clear()  # as in another process
    update = await leaf.run()
    assert leaf.board.done == [1, 2, 3]
    assert len(leaf.asked) == 5, "a turn that was paid is not asked for again"
    assert json.dumps(update, sort_keys=True) == json.dumps(expected, sort_keys=True)
    keeper = leaf.session.keepers[leaf.state["work"]["id"]]
    assert keeper.spent == Usage(4, 40, 0.004)


async def cancelled(leaf: Leaf) -> None:
    """Cancel a leaf within its second call."""
    began = asyncio.Event()
    execute = leaf.session.actions.execute

    async def hang(call: Any, context: Any) -> ActionResult:
        if call["args"].get("door") == 2 or call["args"].get("text") == "two":
            began.set()
            await asyncio.Event().wait()
        return await execute(call, context)

    leaf.session.actions.execute = hang  # type: ignore[method-assign]
    task = asyncio.ensure_future(leaf.run())
    await asyncio.wait_for(began.wait(), 20)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    leaf.session.actions.execute = execute  # type: ignore[method-assign]


async def test_a_cancelled_leaf_goes_on_with_the_call_it_was_in(kit: Any) -> None:
    leaf = Leaf(kit, *looks(1, 2), end())
    await cancelled(leaf)
    assert leaf.board.done == [1]
    await leaf.run()
    assert leaf.board.done == [1, 2]
    assert len(leaf.asked) == 3


async def test_a_write_that_broke_off_is_asked_about_and_done_under_the_same_key(kit: Any) -> None:
    turns = [Acted((Call("post", {"text": text}),), usage=COST) for text in ("one", "two")]
    leaf = Leaf(kit, *turns, end(), human=True)
    leaf.allow("post")
    await cancelled(leaf)
    update = await leaf.run()
    assert update["questions"]["0.1"]["kind"] == "unknown outcome"
    assert [text for text, _ in leaf.board.done] == ["one"]
    intents = await leaf.rows(INTENTS)
    await answer(leaf, update, {"choice": "go on"})
    await leaf.run(step=4)
    assert [text for text, _ in leaf.board.done] == ["one", "two"]
    assert leaf.board.done[-1][1] == intents[-1]["idem"]


async def answer(leaf: Leaf, update: dict[str, Any], said: Any) -> None:
    """Answer the question of a leaf as a human."""
    import ddax.nodes.protect as node

    leaf.state = leaf.kit.reduced(leaf.state, {"ideas": {"0.1": leaf_idea()}})
    state = {**leaf.kit.reduced(leaf.state, update), "step": 3}
    before, node.interrupt = node.interrupt, lambda question, **_: said
    try:
        after = await leaf.kit.after(protect, state, leaf.session)
    finally:
        node.interrupt = before
    assert after["ideas"]["0.1"]["status"] == "open"
    assert not after["questions"]


def leaf_idea() -> dict[str, Any]:
    call = {"name": "work", "args": {"aim": "x"}, "intent": ""}
    return {
        "id": "0.1", "parent": "0", "kind": "leaf", "title": "t", "status": "running", "needs": [],
        "action": call, "expected": "e", "P": 1.0, "Q": 0.5, "N": 0, "depth": 1, "step": 1,
    }  # fmt: skip


def writing() -> list[Acted]:
    post = Acted((Call("post", {"text": "note"}),), usage=COST)
    return [*looks(1), post, *looks(2), end("posted")]


async def test_an_approval_in_the_middle_pauses_the_leaf_and_it_goes_on(kit: Any) -> None:
    leaf = Leaf(kit, *writing(), human=True)
    update = await leaf.run()
    assert leaf.board.done == [1]
    question = update["questions"]["0.1"]
    assert (question["action"]["name"], question["effect"], question["turn"]) == ("post", "writes", "1.0")
    assert update["ideas"]["0.1"]["status"] == "waiting"
    assert update["usage"]["model_calls"] == 2, "what was paid so far is counted once"
    await answer(leaf, update, {"choice": "go on"})
    update = await leaf.run(step=4)
    assert [x if isinstance(x, int) else x[0] for x in leaf.board.done] == [1, "note", 2]
    assert update["ideas"]["0.1"]["result"] == "posted"
    assert update["usage"]["model_calls"] == 2
    assert len(leaf.asked) == 4


async def test_a_refused_call_is_told_and_the_leaf_goes_on(kit: Any) -> None:
    leaf = Leaf(kit, *writing(), human=True)
    await answer(leaf, await leaf.run(), {"choice": "veto"})
    update = await leaf.run(step=4)
    assert leaf.board.done == [1, 2]
    refused = leaf.asked[-1].done[1]
    assert (refused.ok, refused.text) == (False, "a human refused this call of post")
    assert update["ideas"]["0.1"]["status"] == "done"


async def test_a_human_may_change_the_arguments_of_one_call(kit: Any) -> None:
    leaf = Leaf(kit, *writing(), human=True)
    await answer(leaf, await leaf.run(), {"choice": "edit", "arguments": {"text": "other"}})
    await leaf.run(step=4)
    assert leaf.board.done[1][0] == "other"
    assert leaf.asked[-1].done[1].call.args == {"text": "other"}


async def test_an_approval_is_for_one_call_and_not_for_its_like(kit: Any) -> None:
    post = Acted((Call("post", {"text": "note"}),), usage=COST)
    leaf = Leaf(kit, post, post, post, end(), human=True)
    await answer(leaf, await leaf.run(), {"choice": "go on"})
    update = await leaf.run(step=4)
    assert update["questions"]["0.1"]["turn"] == "2.0"
    assert len(leaf.board.done) == 1
    assert [row["turn"] for row in await leaf.session.memory.rows(APPROVALS)] == ["0.0"]


async def test_with_nobody_there_what_would_be_asked_is_refused_and_told(kit: Any) -> None:
    leaf = Leaf(kit, *writing())
    update = await leaf.run()
    assert leaf.board.done == [1, 2]
    assert "nobody is there to ask" in leaf.asked[-1].done[1].text
    assert update["ideas"]["0.1"]["status"] == "done"


async def test_what_was_read_in_the_chain_counts_for_the_next_call(kit: Any) -> None:
    told = Acted((Call("ask_web", {"query": "code 4711"}),), usage=COST)
    for first, ruling in ((Call("secret", {}), "asked"), (Call("look", {"door": 1}), "asked")):
        leaf = Leaf(kit, Acted((first,), usage=COST), told, end(), human=True)
        update = await leaf.run()
        assert ("questions" in update) == (ruling == "asked"), "a tool's result may be private"
    leaf = Leaf(kit, told, end(), human=True)
    assert "questions" not in await leaf.run()


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (Call("paint", {"colour": "green"}), "'red' or 'blue'"),
        (Call("paint", {}), "colour"),
        (Call("look", {"door": "the left one"}), "door"),
        (Call("fly", {}), "there is no tool 'fly'"),
    ],
)
async def test_a_call_that_does_not_fit_is_told_and_mended(kit: Any, call: Call, told: str) -> None:
    leaf = Leaf(
        kit, Acted((call,), usage=COST), Acted((Call("paint", {"colour": "red"}),), usage=COST), end()
    )
    update = await leaf.run()
    assert leaf.board.done == ["red"]
    assert not leaf.asked[1].done[0].ok
    assert told in leaf.asked[1].done[0].text
    assert update["ideas"]["0.1"]["status"] == "done"


async def test_a_failed_call_is_told(kit: Any) -> None:
    leaf = Leaf(kit, *looks(1, 2), end())
    leaf.board.fails.append(ActionError("the door is locked."))
    update = await leaf.run()
    assert (leaf.asked[1].done[0].ok, leaf.asked[1].done[0].text) == (False, "the door is locked.")
    assert "failures" not in update  # the second look went well


async def test_a_tool_that_never_went_well_is_told_with_the_result(kit: Any) -> None:
    leaf = Leaf(kit, *looks(1), end("no door opens"))
    leaf.board.fails.append(ActionError("the door is locked."))
    update = await leaf.run()
    assert (update["ideas"]["0.1"]["status"], update["ideas"]["0.1"]["result"]) == ("done", "no door opens")
    assert update["failures"]["0.1"]["cause"] == "look: the door is locked."


async def test_calls_of_one_turn_are_made_in_their_order_up_to_a_bound(kit: Any) -> None:
    many = Acted(tuple(Call("look", {"door": n}) for n in range(20)), usage=COST)
    leaf = Leaf(kit, many, end())
    await leaf.run()
    assert leaf.board.done == [*range(16)]
    assert [one.ok for one in leaf.asked[1].done] == [True] * 16 + [False] * 4


async def test_a_call_that_keeps_bringing_the_same_ends_the_leaf_with_it(kit: Any) -> None:
    leaf = Leaf(kit, *looks(1, 1, 1, 1))
    update = await leaf.run()
    assert leaf.board.done == [1, 1]
    assert len(leaf.asked) == 3
    idea = update["ideas"]["0.1"]
    assert (idea["status"], idea["result"]) == ("done", "behind door 1 stands 2")
    assert "error" not in idea or not idea["error"]


@pytest.mark.parametrize(
    ("turns", "made"),
    [
        ([(1, 2), (1, 2), (1, 2), (1, 2)], [1, 2, 1, 2]),
        ([(1,), (2,), (1,), (2,), (1,), (2,)], [1, 2, 1, 2]),
        ([(7,), (1,), (2, 3), (1,), (2, 3), (1,)], [7, 1, 2, 3, 1, 2, 3]),
        ([tuple(range(20))] * 4, [*range(16)] * 2),
    ],
)
async def test_calls_that_go_round_end_the_leaf_with_what_was_found(kit: Any, turns: Any, made: Any) -> None:
    asked = [Acted(tuple(Call("look", {"door": n}) for n in doors), usage=COST) for doors in turns]
    leaf = Leaf(kit, *asked)
    update = await leaf.run()
    assert leaf.board.done == made
    idea = update["ideas"]["0.1"]
    assert (idea["status"], idea["error"]) == ("done", {"kind": "unfinished"})
    assert "had brought the same" in update["failures"]["0.1"]["cause"]


async def test_calls_that_go_on_are_no_round(kit: Any) -> None:
    turns = [(1, 2), (1, 3), (1, 2), (1, 4), (1, 2)]
    asked = [Acted(tuple(Call("look", {"door": n}) for n in doors), usage=COST) for doors in turns]
    leaf = Leaf(kit, *asked, end("door 5"))
    update = await leaf.run()
    assert update["ideas"]["0.1"]["result"] == "door 5"


async def test_a_call_that_fails_is_tried_again_and_given_up_in_the_end(kit: Any) -> None:
    leaf = Leaf(kit, *looks(1, 1, 1, 1, 1, 1, 1))
    leaf.board.fails += [ActionError("the line is busy.") for _ in range(7)]
    update = await leaf.run()
    assert leaf.board.done == [1, 1, 1, 1]
    assert update["ideas"]["0.1"]["status"] == "failed"

    heard = Leaf(kit, *looks(1, 1, 1, 1), end("door 2"))
    heard.board.fails += [ActionError("the line is busy.") for _ in range(3)]
    assert (await heard.run())["ideas"]["0.1"]["result"] == "door 2"


async def test_what_changes_something_is_done_twice_only_where_that_is_said_again(kit: Any) -> None:
    note = Acted((Call("post", {"text": "hello"}),), usage=COST)
    once = Leaf(kit, note, note, end("posted it"))
    once.allow("post")
    await once.run()
    assert [text for text, _ in once.board.done] == ["hello"]
    held = once.asked[2].done[1]
    assert not held.ok and "made just now" in held.text

    looping = Leaf(kit, *[note] * 12)
    looping.allow("post")
    update = await looping.run()
    assert [text for text, _ in looping.board.done] == ["hello", "hello"]
    assert (update["ideas"]["0.1"]["status"], update["ideas"]["0.1"]["result"]) == ("done", "posted")

    meant = Leaf(kit, note, note, note, end("posted it twice"))
    meant.allow("post")
    await meant.run()
    assert [text for text, _ in meant.board.done] == ["hello", "hello"]


async def test_two_of_a_call_in_one_turn_are_meant(kit: Any) -> None:
    leaf = Leaf(kit, Acted((Call("post", {"text": "hi"}),) * 2, usage=COST), end())
    leaf.allow("post")
    await leaf.run()
    assert len(leaf.board.done) == 2


async def test_what_was_made_twice_in_one_turn_may_be_made_once_more(kit: Any) -> None:
    look = Call("look", {"door": 1})
    leaf = Leaf(kit, Acted((look, look), usage=COST), Acted((look,), usage=COST), end("door 2"))
    update = await leaf.run()
    assert leaf.board.done == [1, 1, 1]
    assert update["ideas"]["0.1"]["result"] == "door 2"


async def test_the_cap_of_turns_ends_a_leaf_with_what_was_found(kit: Any) -> None:
    leaf = Leaf(kit, *looks(1, 2, 3), budget={"max_turns": 2})
    update = await leaf.run()
    idea = update["ideas"]["0.1"]
    assert (idea["status"], idea["error"]) == ("done", {"kind": "unfinished"})
    assert "behind door 2 stands 3" in idea["result"]
    assert len(idea["evidence"]) == 2
    assert "max_turns=2" in update["failures"]["0.1"]["cause"]


@pytest.mark.parametrize(
    "error", [BudgetExceeded("the cap max_model_calls=2 is reached (2 spent)."), ReasonerError("it is mute.")]
)
async def test_an_end_in_the_middle_gives_what_was_found(kit: Any, error: Exception) -> None:
    leaf = Leaf(kit, *looks(1, 2), error)
    update = await leaf.run()
    idea = update["ideas"]["0.1"]
    assert idea["status"] == "done"
    assert "behind door 2 stands 3" in idea["result"]
    assert error.what.rstrip(".") in update["failures"]["0.1"]["cause"]
    first = await Leaf(kit, error).run()
    assert first["ideas"]["0.1"]["status"] == "failed"


async def test_the_budget_is_checked_between_turns(kit: Any) -> None:
    leaf = Leaf(kit, *looks(1, 2, 3), end(), budget={"max_model_calls": 2})
    update = await leaf.run()
    assert leaf.board.done == [1, 2]
    assert "max_model_calls=2" in update["failures"]["0.1"]["cause"]


async def test_a_run_with_an_unfinished_leaf_is_not_done(kit: Any) -> None:
    leaf = Leaf(kit, *looks(1, 2), budget={"max_turns": 1})
    update = await leaf.run()
    state = leaf.kit.reduced(leaf.state, {"ideas": {"0.1": leaf_idea()}})
    state = leaf.kit.reduced(state, update)
    root = {**state["ideas"]["0"], "status": "done"}
    answer = {"text": "two", "short": "", "found": True, "support": 1.0, "citations": []}
    closed = await leaf.kit.update(
        close, {**state, "ideas": {**state["ideas"], "0": root}, "answer": answer}, leaf.session
    )
    assert closed["status"] == "stopped"
    assert "max_turns=1" in closed["stop_reason"]


async def test_what_is_said_at_the_end_reaches_the_answer_whole(kit: Any) -> None:
    said = "long " * 200
    leaf = Leaf(kit, *looks(1), end(said))
    update = await leaf.run()
    state = leaf.kit.reduced(leaf.state, {"ideas": {"0.1": leaf_idea()}})
    (found,) = await findings(leaf.kit.reduced(state, update), leaf.session, ["0.1"])
    assert found.result == said
    assert all(citation.source.startswith("tool:") for citation in found.citations)


async def test_a_dry_run_shows_the_call_and_goes_on(kit: Any) -> None:
    leaf = Leaf(kit, *writing(), dry_run=True)
    await leaf.run()
    assert leaf.board.done == [1, 2]
    (shown,) = await leaf.rows("shown")
    assert (shown["action"], shown["args"]) == ("post", {"text": "note"})


async def test_turns_are_rows(kit: Any) -> None:
    leaf = Leaf(kit, *looks(1), end("so"))
    await leaf.run()
    rows = await leaf.rows(TURNS)
    assert [(row["turn"], row["text"], len(row["calls"])) for row in rows] == [(0, "", 1), (1, "so", 0)]
