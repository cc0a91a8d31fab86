"""A model that plans no reading of what was found: whole runs over real HTTP, a rote model with odd plans."""

import pytest

from ddax import open_agent
from ddax.configs.settings import Context
from ddax.ideas import dag
from ddax.reasoning import rote
from ddax.reasoning.testing import FakeOpenAI, Say

TASK = "When was the harbour of Belmark built?"
THOUGHT = {"title": "think it over", "expected": "it is clear", "prior": 0.5, "action": None, "needs": []}
SAVE = {
    "title": "note it", "expected": "a note", "prior": 0.5, "needs": [],
    "action": {"name": "save", "intent": "i", "args": [
        {"name": "text", "value": "a"}, {"name": "title", "value": "b"},
    ]},
}  # fmt: skip
SEARCH = {
    "title": "search again", "expected": "pages", "prior": 0.5, "needs": [],
    "action": {"name": "search", "args": [{"name": "query", "value": "harbour"}], "intent": "when"},
}  # fmt: skip


@pytest.fixture
def sources(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "harbour.md").write_text("# Belmark\n\nThe harbour of Belmark was built in 1804.\n")
    for name in ("cheese", "goats", "wool", "trains", "bells"):
        (folder / f"{name}.md").write_text(f"# {name}\n\nOf the {name} of Belmark much is told here.\n")
    return str(folder)


async def run(tmp_path, sources, monkeypatch, children, **settings):
    """Run the task with a model whose every plan is `children`."""

    def answer(body):
        plan = rote.request_of(body) == "expand"
        return Say({"children": children} if plan else rote.reply(body))

    with FakeOpenAI(answer=answer) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-a-key-of-the-test-alone")
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        context = Context.model_validate({"model": "openai:gpt-4.1-mini", "sources": [sources], **settings})
        async with open_agent(context, home=tmp_path / "home") as agent:
            result = await agent.run(TASK, thread="t")
            return result, dag.subtree((await agent.state("t"))["ideas"], "0")


def read(ideas):
    return [i["action"]["args"]["source"] for i in ideas if i.get("action", {}).get("name") == "visit"]


@pytest.mark.parametrize(
    "children", [[], [THOUGHT], [SEARCH], [SAVE]], ids=["empty", "thought", "search", "save"]
)
async def test_where_a_model_plans_nothing_and_nothing_was_read_what_was_found_first_is_read(
    tmp_path, sources, monkeypatch, children
):
    result, ideas = await run(tmp_path, sources, monkeypatch, children)
    assert (result["status"], result["failures"]) == ("done", [])
    assert "built in 1804" in result["answer"]
    assert read(ideas)[0].endswith("harbour.md") and len(read(ideas)) <= 3


async def test_no_more_is_read_than_the_budget_allows(tmp_path, sources, monkeypatch):
    result, ideas = await run(tmp_path, sources, monkeypatch, [], budget={"max_reads": 1})
    assert result["status"] == "done" and len(read(ideas)) == 1


async def test_an_idea_that_is_taken_apart_into_itself_is_nothing_new(tmp_path, sources, monkeypatch):
    other = {**THOUGHT, "title": "think of something else"}
    result, _ = await run(tmp_path, sources, monkeypatch, [THOUGHT, other])
    assert (result["status"], result["failures"]) == ("done", [])
    assert "built in 1804" in result["answer"]
    assert result["usage"]["model_calls"] <= 12
