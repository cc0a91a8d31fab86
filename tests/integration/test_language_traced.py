"""Calls of the OpenAI path as handlers see them: below their nodes, with tokens, usage and errors."""

import pytest
from langchain_core.callbacks import AsyncCallbackHandler

from ddax import open_agent
from ddax.configs.settings import Context
from ddax.errors import UsageError
from ddax.reasoning import rote
from ddax.reasoning.testing import FakeOpenAI, Say

TASK = "When was the harbour of Belmark built?"


class Heard(AsyncCallbackHandler):
    """Keeps what it is told of models and of the chains around them."""

    def __init__(self):
        self.chains, self.starts, self.tokens, self.ends, self.errors = {}, [], [], [], []

    async def on_chain_start(self, serialized, inputs, *, run_id, parent_run_id=None, name="", **more):
        self.chains[run_id] = (name, parent_run_id)

    async def on_chat_model_start(self, serialized, messages, *, run_id, parent_run_id=None, **more):
        self.starts.append((run_id, parent_run_id, messages, more))

    async def on_llm_new_token(self, token, *, run_id, **more):
        self.tokens.append((run_id, token))

    async def on_llm_end(self, response, *, run_id, **more):
        self.ends.append((run_id, response))

    async def on_llm_error(self, error, *, run_id, **more):
        self.errors.append((run_id, error))

    def node_of(self, parent):
        """Return the name of the nearest node above a run."""
        while parent is not None:
            name, parent = self.chains[parent]
            if name in ("expand", "act", "evaluate", "merge", "open_task", "reflect"):
                return name
        return ""


@pytest.fixture
def served(tmp_path, monkeypatch):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "harbour.md").write_text("# Belmark\n\nThe harbour of Belmark was built in 1804.\n")
    with FakeOpenAI(answer=lambda body: Say(rote.reply(body))) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-a-key-of-the-test-alone")
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        yield server, Context(model="openai:gpt-4.1-mini", sources=(str(folder),), models={"cache": False})


@pytest.mark.parametrize("stream", [False, True])
async def test_every_call_is_a_run_below_its_node(served, tmp_path, stream):
    server, context = served
    heard = Heard()
    asked = {"callbacks": [heard], "tags": ["mine"], "metadata": {"who": "me"}}
    context = context.model_copy(update={"stream": stream})
    async with open_agent(context, home=tmp_path / "home") as agent:
        result = await agent.run(TASK, config=asked)
    assert result["status"] == "done"
    assert len(heard.starts) == len(heard.ends) == len(server.requests) == result["usage"]["model_calls"] > 0
    assert all(heard.node_of(parent) for _, parent, _, _ in heard.starts)
    _, _, [messages], more = heard.starts[0]
    assert [message.type for message in messages] == ["system", "human"]
    assert (more["metadata"]["who"], "mine" in more["tags"]) == ("me", True)
    assert more["invocation_params"]["model"] == "gpt-4.1-mini"
    assert "key" not in str(more).lower().replace("keyword", "")
    message = heard.ends[0][1].generations[0][0].message
    assert (message.usage_metadata["input_tokens"], message.usage_metadata["output_tokens"]) == (100, 20)
    assert message.content.startswith("{")
    told = "".join(token for run, token in heard.tokens if run == heard.starts[0][0])
    assert told == (message.content if stream else "")


async def test_a_call_that_fails_is_a_run_that_fails(served, tmp_path):
    server, context = served
    server.add(Say("busy", status=503))
    heard = Heard()
    async with open_agent(context, home=tmp_path / "home") as agent:
        await agent.run(TASK, config={"callbacks": [heard]})
    assert len(heard.errors) == 1
    assert len(heard.starts) == len(heard.ends) + 1


async def test_tokens_come_by_the_messages_of_langgraph(served, tmp_path):
    _, context = served
    async with open_agent(context, home=tmp_path / "home") as agent:
        pieces = [
            (piece.content, about["langgraph_node"])
            async for piece, about in agent.graph.astream(
                {"task": TASK}, agent.config("t"), context=context, stream_mode="messages"
            )
            if piece.type == "AIMessageChunk"
        ]
    assert len(pieces) > 5
    assert {node for _, node in pieces} <= {"expand", "act", "evaluate", "merge", "open_task", "reflect"}


async def test_a_resumed_run_and_a_stream_take_a_config_too(served, tmp_path):
    _, context = served
    heard = Heard()
    async with open_agent(context, home=tmp_path / "home") as agent:
        events = [event async for event in agent.stream(TASK, thread="t", config={"callbacks": [heard]})]
        assert events[-1]["type"] == "result"
        assert heard.starts
        with pytest.raises(UsageError, match="recursion_limit"):
            await agent.run(TASK, config={"recursion_limit": 3})
