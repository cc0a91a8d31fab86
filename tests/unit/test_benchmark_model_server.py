"""The one model server of the benchmarks: same request, same reply; it counts; it keeps its latency."""

import asyncio
import json
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from benchmarks.model_server import Model, Reply, Served, handle, key_of, tokens, vector


def answer(body):
    said = body["messages"][-1]["content"]
    if said == "tools":
        return Reply(tools=(("look", '{"number": 1}'),), kind="plan")
    return Reply(f"you said {said}", kind="leaf")


@pytest.fixture
def served():
    model, begun = Model(answer, 0.0), Future()

    async def serve():
        stopped = asyncio.Event()
        server = await asyncio.start_server(lambda r, w: handle(model, r, w), "127.0.0.1", 0)
        begun.set_result((server.sockets[0].getsockname()[1], asyncio.get_running_loop(), stopped))
        await stopped.wait()
        server.close()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))  # which ends what is open
    thread.start()
    port, loop, stopped = begun.result(10)
    yield Served(f"http://127.0.0.1:{port}/v1")
    loop.call_soon_threadsafe(stopped.set)
    thread.join()


def ask(served, said, path="chat/completions", **more):
    body = {"model": "m", "messages": [{"role": "user", "content": said}], **more}
    with urllib.request.urlopen(
        urllib.request.Request(f"{served.base}/{path}", json.dumps(body).encode())
    ) as reply:
        return reply.read()


def test_the_same_request_has_the_same_reply_and_the_books_say_what_was_asked(served):
    first, again, other = ask(served, "a"), ask(served, "a"), ask(served, "b")
    assert first == again != other
    reply = json.loads(first)
    assert reply["choices"][0]["message"]["content"] == "you said a"
    books = served.books()
    keys = [call["key"] for call in books["calls"]]
    assert keys[0] == keys[1] != keys[2]
    assert {call["kind"] for call in books["calls"]} == {"leaf"}
    assert books["calls"][0]["tokens_out"] == reply["usage"]["completion_tokens"] == tokens("you said a")
    served.clear()
    assert served.books() == {"peak": 0, "failed": 0, "error": "", "calls": []}


def test_calls_beside_each_other_are_counted_and_each_takes_the_latency(served):
    served.clear(0.2)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: ask(served, str(n)), range(4)))
    books = served.books()
    assert 1 <= books["peak"] <= 4
    assert len(books["calls"]) == 4
    assert all(call["end"] - call["start"] >= 0.19 for call in books["calls"])
    assert all(call["end"] <= time.perf_counter() for call in books["calls"])


def test_several_choices_tools_streams_and_embeddings_have_their_forms(served):
    assert len(json.loads(ask(served, "a", n=3))["choices"]) == 3
    call = json.loads(ask(served, "tools", tools=[]))["choices"][0]
    assert call["finish_reason"] == "tool_calls"
    assert call["message"]["tool_calls"][0]["function"] == {"name": "look", "arguments": '{"number": 1}'}
    streamed = ask(served, "a", stream=True, stream_options={"include_usage": True}).decode()
    events = [line.removeprefix("data: ") for line in streamed.splitlines() if line]
    assert events[-1] == "[DONE]"
    assert json.loads(events[0])["choices"][0]["delta"]["content"] == "you said a"
    assert json.loads(events[-2])["usage"]["completion_tokens"] > 0
    made = json.loads(ask(served, "", path="embeddings", input=["a b", "a b", "c"]))["data"]
    assert made[0]["embedding"] == made[1]["embedding"] == vector("a b") != made[2]["embedding"]


def test_what_the_script_does_not_know_is_an_error_and_not_a_reply(served):
    for path, said, status in (("nothing", "a", 404), ("chat/completions", None, 400)):
        with pytest.raises(urllib.error.HTTPError) as refused:
            body = {"messages": [] if said is None else [{"role": "user", "content": said}]}
            urllib.request.urlopen(urllib.request.Request(f"{served.base}/{path}", json.dumps(body).encode()))
        assert refused.value.code == status
        refused.value.close()
    assert served.books()["failed"] == 1
    assert served.books()["calls"] == []


def test_what_a_request_asks_is_what_changes_the_reply():
    body = {"messages": [{"role": "user", "content": "a"}], "user": "one", "model": "m"}
    assert key_of(body) == key_of({**body, "user": "two", "model": "n"})
    assert key_of(body) != key_of({**body, "n": 2})


def test_schemas_of_tools_and_of_the_reply_are_counted_as_providers_bill_them(served):
    plain = json.loads(ask(served, "a"))["usage"]["prompt_tokens"]
    form = {"type": "json_schema", "json_schema": {"name": "form", "schema": {"type": "object"}}}
    tools = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]
    formed = json.loads(ask(served, "a", response_format=form))["usage"]["prompt_tokens"]
    offered = json.loads(ask(served, "a", tools=tools))["usage"]["prompt_tokens"]
    assert formed - plain == tokens(json.dumps(form))
    assert offered - plain == tokens(json.dumps(tools))
    assert [call["tokens_in"] for call in served.books()["calls"]] == [plain, formed, offered]
