"""Whole runs with a language model over real HTTP: a rote model answers, on loopback, with no key.

Roles, fallbacks, streaming, tool calls, kept replies, recordings, costs.
"""

import asyncio
import json
import time

import pytest
from langchain_openai import ChatOpenAI
from pydantic import create_model

from ddax import open_agent
from ddax.cli.board import Board
from ddax.cli.main import run_command
from ddax.configs.settings import Context, Models
from ddax.errors import RateLimited, Unavailable, UsageError
from ddax.ideas import dag
from ddax.reasoning import protocol as p
from ddax.reasoning import rote
from ddax.reasoning.factory import Extras, open_reasoner
from ddax.reasoning.language import Limits, assemble
from ddax.reasoning.testing import FakeOpenAI, Say
from ddax.types import Usage

TASK = "When was the harbour of Belmark built?"
MODEL = "openai:gpt-4.1-mini"
CACHED = {
    "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120,
    "prompt_tokens_details": {"cached_tokens": 60},
}  # fmt: skip


@pytest.fixture
def sources(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    for n in range(6):
        text = f"# Harbour {n}\n\nThe harbour number {n} of Belmark was built in {1800 + n}.\n"
        (folder / f"harbour{n}.md").write_text(text)
    return str(folder)


@pytest.fixture
def server(monkeypatch):
    with FakeOpenAI(answer=lambda body: Say(rote.reply(body), usage=CACHED)) as running:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-a-key-of-the-test-alone")
        for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE"):
            monkeypatch.setenv(name, running.base_url)
        yield running


async def run(home, sources, on_event=None, **settings):
    models = {"quote_below": 0, **settings.pop("models", {})}
    context = Context.model_validate({"model": MODEL, "sources": [sources], "models": models, **settings})
    async with open_agent(context, home=home) as agent:
        result = await agent.run(TASK, thread="t", on_event=on_event)
        return result, (await agent.state("t"))["ideas"], await agent.costs("t")


async def test_a_run_answers_with_quotes_and_counts_each_call_by_node_idea_and_model(
    server, sources, tmp_path
):
    result, ideas, log = await run(tmp_path / "home", sources, effort="deep")
    assert result["status"] == "done"
    assert "of Belmark was built in 180" in result["answer"]
    usage = result["usage"]
    assert usage["model_calls"] == len(server.requests) == usage["models"][MODEL]
    assert usage["cached_share"] == 0.6
    assert sum(node["model_calls"] for node in usage["by_node"].values()) == len(server.requests)
    calls = [call for row in log for call in row["calls"]]
    assert sum((Usage.of_row(c) for c in calls), Usage()) == Usage(
        usage["model_calls"], usage["tokens"], pytest.approx(usage["usd"])
    )
    read = {c["idea"] for c in calls if c["request"] == "extract"}
    visits = {i for i, idea in ideas.items() if idea.get("action", {}).get("name") == "visit"}
    assert read < visits, "pages of one step are read by one call, noted for the first of them"
    assert usage["usd"] == pytest.approx(len(server.requests) * (40 * 0.4 + 60 * 0.1 + 20 * 1.6) / 1e6)
    assert all("tools" not in body for body in server.requests)


async def test_a_question_over_documents_takes_one_call_with_the_passages_that_matter(
    server, sources, tmp_path
):
    result, ideas, _ = await run(tmp_path / "home", sources)
    assert result["status"] == "done" and "of Belmark was built in 180" in result["answer"]
    (body,) = server.requests
    assert rote.request_of(body) == "merge"
    prompt = body["messages"][-1]["content"]
    passages, _, findings = prompt.partition("FIRST READING")
    told = [n for n in range(6) if f"harbour number {n}" in passages]
    assert told and all(passages.count(f"harbour number {n}") == 1 for n in told)
    assert {n for n in range(6) if f"harbour number {n}" in findings} <= set(told)  # the answer to be checked
    assert {i["action"]["name"] for i in ideas.values() if i["kind"] == "leaf"} == {"search", "visit"}


async def test_a_run_that_was_stopped_and_resumed_tells_the_cost_of_every_call(server, sources, tmp_path):
    def answer(body):
        return Say(rote.reply(body), usage=CACHED, delay=30 if rote.request_of(body) == "merge" else 0)

    server._answer = answer
    context = Context.model_validate({"model": MODEL, "sources": [sources], "models": {"quote_below": 0}})
    async with open_agent(context, home=tmp_path / "home") as agent:
        running = asyncio.create_task(agent.run(TASK, thread="t"))
        while not any(rote.request_of(body) == "merge" for body in server.requests):
            await asyncio.sleep(0.01)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        server._answer = lambda body: Say(rote.reply(body), usage=CACHED)
        assert (await agent.resume("t"))["status"] == "done"
        paid = [Usage.of_row(call) for row in await agent.costs("t") for call in row["calls"]]
    assert sum(usage.model_calls for usage in paid) == len(server.requests)


async def test_a_recording_gives_the_same_dag_byte_for_byte_with_no_server_and_no_key(
    server, sources, tmp_path, monkeypatch
):
    file = str(tmp_path / "run.jsonl")
    first, ideas, _ = await run(tmp_path / "a", sources, record=file)
    made = len(server.requests)
    server.stop()
    monkeypatch.delenv("OPENAI_API_KEY")
    second, again, _ = await run(tmp_path / "b", sources, replay=file)
    assert json.dumps(again) == json.dumps(ideas)
    assert dag.digest(again) == dag.digest(ideas)
    assert (second["answer"], second["citations"]) == (first["answer"], first["citations"])
    assert second["usage"]["usd"] == first["usage"]["usd"]
    assert len(server.requests) == made
    assert "sk-a-key" not in (tmp_path / "run.jsonl").read_text()


async def test_kept_replies_give_the_same_dag_for_nothing_and_can_be_turned_off(server, sources, tmp_path):
    _, ideas, _ = await run(tmp_path / "home", sources)
    made = len(server.requests)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "cache").mkdir()
    kept = tmp_path / "home" / "cache" / "replies.sqlite"
    (tmp_path / "b" / "cache" / "replies.sqlite").write_bytes(kept.read_bytes())
    result, again, _ = await run(tmp_path / "b", sources)
    assert len(server.requests) == made
    assert again == ideas
    assert (result["usage"]["model_calls"], result["usage"]["usd"]) == (0, 0.0)
    assert result["usage"]["hits"] == made
    assert result["usage"]["saved_usd"] > 0
    _, third, _ = await run(tmp_path / "c", sources, models={"cache": False})
    assert third == ideas
    assert len(server.requests) == 2 * made
    assert not (tmp_path / "c" / "cache" / "replies.sqlite").exists()


async def test_the_pieces_of_replies_are_told_and_change_nothing(server, sources, tmp_path):
    whole = {"debate": {"ask": "always"}, "models": {"first_search": False}}
    _, ideas, _ = await run(tmp_path / "a", sources, **whole)
    events, board, seen = [], Board(), []

    def on_event(event):
        events.append(event)
        board.apply(event)
        seen.append(board.saying)

    _, again, _ = await run(tmp_path / "b", sources, on_event, stream=True, **whole)
    assert again == ideas
    pieces = [e for e in events if e["type"] == "token"]
    assert {e["data"]["request"] for e in pieces} >= {"expand", "extract", "judge", "merge"}
    merged = "".join(e["data"]["text"] for e in pieces if e["data"]["request"] == "expand" and e["step"] == 1)
    assert json.loads(merged)["children"]
    assert any(seen)
    assert board.saying == ""
    assert all(body["stream"] for body in server.requests[-5:])


async def test_each_role_has_its_model_and_little_budget_brings_the_lean_one(server, sources, tmp_path):
    models = {"judge": "openai:judge", "extract": "openai:reader", "lean": "openai:lean", "lean_below": 0.5}
    result, _, _ = await run(
        tmp_path / "home", sources, models=models, budget={"max_model_calls": 16, "max_usd": 9},
        debate={"ask": "always"}, effort="deep",
    )  # fmt: skip
    asked = {rote.request_of(body): set() for body in server.requests}
    for body in server.requests:
        asked[rote.request_of(body)].add(body["model"])
    assert asked["judge"] >= {"judge"}
    assert asked["extract"] == {"reader"} or asked["extract"] == {"reader", "lean"}
    assert asked["expand"] == {"gpt-4.1-mini"}
    assert "openai:lean" in result["usage"]["models"]
    assert result["usage"]["usd"] is None
    assert result["usage"]["model_calls"] <= 17


async def test_an_outage_falls_back_says_who_answered_and_opens_the_circuit(server):
    server._answer = lambda body: Say("down", status=503) if body["model"] == "first" else rote.reply(body)
    reasoner = open_reasoner(
        "openai:first", embedder=None, prices={}, clock=time.monotonic, models=Models(
            fallbacks=("openai:second",), cache=False
        ), limits=Limits(first_wait=0.0),
    )  # fmt: skip
    ask = p.AskRequest("t", "s", ())
    replies = [await reasoner.ask(ask) for _ in range(4)]
    assert [dict(r.usage.models) for r in replies] == [
        *[{"openai:first": 3, "openai:second": 1}] * 3, {"openai:second": 1},
    ]  # fmt: skip
    assert all(r.text == "Shall I go on?" for r in replies)
    await reasoner.close()


@pytest.fixture
def in_a_file(server, monkeypatch):
    """Stand in for the server of a file, whose package is an extra."""
    model = ChatOpenAI(model="local", base_url=server.base_url, api_key="local", max_retries=0)
    monkeypatch.setattr(assemble, "open_local", lambda name, **_: assemble.Local(model))
    return lambda **more: open_reasoner("gguf:a.gguf", embedder=None, prices={}, clock=time.monotonic, **more)


async def test_a_model_in_a_file_can_give_each_argument_of_an_action(server, in_a_file):
    args = [{"name": "to", "value": "Ada"}, {"name": "text", "value": "Come."}]
    mail = {"name": "mail", "args": args, "intent": "i"}
    child = {"title": "Write", "expected": "an answer", "prior": 1, "action": mail, "needs": []}
    server.add({"children": [child], "requirements": []})
    served = in_a_file(
        extras=Extras(arguments={"mail": create_model("Mail", to=(str, ...), text=(str, ...))})
    )
    plan = await served.expand(p.ExpandRequest("t", "i", 0, (), (), (), ("mail",)))
    await served.close()
    assert plan.children[0].action["args"] == {"to": "Ada", "text": "Come."}
    named = server.requests[0]["response_format"]["json_schema"]["schema"]["$defs"]["ArgumentWire"]
    assert named["properties"]["name"] == {"enum": ["to", "text"]}


async def test_a_model_in_a_file_is_asked_one_call_at_a_time(server, in_a_file):
    under_way, most = set(), []

    def answer(body):
        under_way.add(id(body))
        most.append(len(under_way))
        time.sleep(0.05)
        under_way.remove(id(body))
        return {"text": "So?"}

    server._answer = answer
    served = in_a_file()
    await asyncio.gather(*(served.ask(p.AskRequest(f"t{n}", "s", ())) for n in range(4)))
    await served.close()
    assert most == [1] * 4


async def test_the_beginning_of_a_prompt_is_the_same_bytes_in_every_call(server, sources, tmp_path):
    await run(tmp_path / "home", sources, debate={"ask": "always"}, effort="deep")
    heads = {}
    for body in server.requests:
        head = json.dumps([body["messages"][0], body["response_format"], list(body)])
        heads.setdefault(rote.request_of(body), set()).add(head)
    assert all(len(kinds) == 1 for kinds in heads.values())
    assert len(heads) >= 5


def test_the_command_line_records_replays_and_tells_costs(server, sources, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DDAX_HOME", str(tmp_path / "a"))
    run_ = ["run", TASK, "--sources", sources, "--thread", "t", "--json"]
    assert run_command([*run_, "--model", MODEL, "--record", "r.jsonl"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert run_command(["costs", "t", "--json"]) == 0
    costs = json.loads(capsys.readouterr().out)
    assert costs["total"]["model_calls"] == len(costs["calls"]) == first["usage"]["model_calls"]
    assert set(costs["by_node"]) == set(first["usage"]["by_node"])
    assert sum(costs["by_part"].values()) == costs["total"]["tokens"]
    assert set(costs["by_part"]) >= {"rules", "schema", "task", "passages", "request", "reply"}
    assert first["usage"]["by_part"] == costs["by_part"]
    assert run_command(["costs", "t"]) == 0
    told = capsys.readouterr().out
    assert f"total: ${first['usage']['usd']:.4f}" in told
    assert "by part rules " in told and "tokens sent, 60%" in told
    monkeypatch.setenv("DDAX_HOME", str(tmp_path / "b"))
    assert run_command([*run_, "--replay", "r.jsonl"]) == 0
    assert json.loads(capsys.readouterr().out)["answer"] == first["answer"]
    assert run_command([*run_[:-3], "--replay", "r.jsonl", "--record", "r2.jsonl"]) == 2
    assert run_command([*run_[:-3], "--replay", "missing.jsonl"]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_prompts_are_listed_and_shown_word_for_word(capsys):
    assert run_command(["prompts", "list", "--json"]) == 0
    names = [row["name"] for row in json.loads(capsys.readouterr().out)["prompts"]]
    assert "expand" in names
    assert run_command(["prompts", "show", "judge"]) == 0
    assert "Judge the result. Give each criterion" in capsys.readouterr().out
    assert run_command(["prompts", "show", "nonsense"]) == 2
    assert "Known are expand" in capsys.readouterr().err


def test_a_second_event_loop_gets_connections_of_its_own(server, sources, tmp_path):
    for name in ("a", "b"):
        context = Context.model_validate({"model": MODEL, "sources": [sources], "models": {"cache": False}})
        with open_agent(context, home=tmp_path / name) as agent:
            assert agent.run_sync(TASK)["status"] == "done"


LIMIT = Say("Daily limit", status=429, headers={"retry-after": "86400"})
OUTAGE = Say("down", status=503)
NO_CREDIT = Say("You exceeded your current quota", status=429, code="insufficient_quota")


@pytest.mark.parametrize(
    ("request_", "said", "kind", "told"),
    [
        *[(asked, LIMIT, RateLimited, "again for 24 h") for asked in ("expand", "extract", "merge")],
        *[(asked, OUTAGE, Unavailable, "after 3 attempts: HTTP 503") for asked in ("expand", "merge")],
        *[("merge", Say("no", status=code), Unavailable, f"HTTP {code}") for code in (401, 402, 404)],
        ("extract", NO_CREDIT, Unavailable, "no credit"),
    ],
)
async def test_a_run_whose_model_is_not_to_be_had_for_now_is_gone_on_with(
    tmp_path, sources, server, request_, said, kind, told
):
    gone = [said]

    def answer(body):
        return gone[0] if gone and rote.request_of(body) == request_ else rote.reply(body)

    server._answer = answer
    with pytest.raises(kind, match=told):
        await run(tmp_path / "home", sources, effort="deep")
    asked = len(server.requests)
    gone.clear()
    async with open_agent(home=tmp_path / "home") as agent:
        assert agent.runs.known("t").status == "running"
        result = await agent.resume("t")
        ideas = (await agent.state("t"))["ideas"]
    assert (result["status"], result["failures"]) == ("done", [])
    assert not [idea["title"] for idea in ideas.values() if idea["status"] == "failed"]
    assert asked < len(server.requests)


async def test_a_run_broken_off_by_its_model_goes_on_with_another_one(tmp_path, sources, server):
    server._answer = lambda body: OUTAGE if body["model"] != "other" else rote.reply(body)
    with pytest.raises(Unavailable):
        await run(tmp_path / "home", sources)
    async with open_agent(home=tmp_path / "home") as agent:
        with pytest.raises(Unavailable):
            await agent.resume("t", model="openai:down")
        assert (agent.runs.known("t").model, agent.runs.known("t").began_with) == (MODEL, "")
        result = await agent.resume("t", model="openai:other")
        info = agent.runs.known("t")
        with pytest.raises(UsageError, match="asks no model now"):
            await agent.resume("t", model=MODEL)
        agent.runs.update("t", status="running")  # as of one that died after its last checkpoint
        assert (await agent.resume("t", model=MODEL))["answer"] == result["answer"]
        assert agent.runs.known("t").model == "openai:other"
    assert result["status"] == "done"
    assert "openai:other" in result["usage"]["models"]
    assert (info.model, info.began_with) == ("openai:other", MODEL)


def test_a_short_answer_that_no_citation_carries_is_shown_with_the_mark(
    server, sources, tmp_path, monkeypatch, capsys
):
    def answer(body):
        reply = rote.reply(body)
        if rote.request_of(body) == "merge":
            cited = reply["sentences"][0]["citations"]
            reply = {"found": True, "short": "1650", "sentences": [
                {"text": "It was built by the bishops in 1650.", "citations": cited}
            ]}  # fmt: skip
        return reply

    server._answer = answer
    monkeypatch.setenv("DDAX_HOME", str(tmp_path / "home"))
    command = ["run", TASK, "--sources", sources, "--model", MODEL]
    assert run_command(command) == 0
    assert "In short: 1650 (not checked)\n" in capsys.readouterr().out
    assert run_command([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["short_unsupported"] is True
