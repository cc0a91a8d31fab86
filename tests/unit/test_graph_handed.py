"""What a user hands over and gets wrong: each is told as the agent is opened, in words that mend it."""

import pytest

from ddax import Context, build_graph, open_agent
from ddax.actions.registry import action
from ddax.errors import UsageError
from ddax.graph.services import Parts
from ddax.memory.embeddings import HashEmbedder
from ddax.reasoning.scripted import ScriptedReasoner
from tests.cases import cases


@action(effect="none")
def count(text: str) -> str:
    """Count words."""
    return str(len(text.split()))


class Half:
    """A part with a name and nothing else."""

    name = "half"


@cases("place", "lacks")
def test_a_part_that_is_none_is_told_with_what_it_lacks(place, lacks):
    with pytest.raises(UsageError, match=rf"a {place} that is none\. A Half has no .*{lacks}"):
        Parts(**{place: Half()})


@pytest.mark.parametrize("model", [object(), 3, ["openai:x"], lambda text: text])
async def test_a_model_that_is_none_is_told_what_may_be_given(model):
    for place, given in (("model", {"model": model}), ("models['judge']", {"models": {"judge": model}})):
        with pytest.raises(UsageError) as caught:
            async with open_agent(Context(), **given):
                raise AssertionError("it was opened")
        said = str(caught.value)
        assert f"a {place} that is no model. This is a {type(model).__name__}." in said
        assert "chat model of LangChain" in said and "open_agent(model='openai:gpt-4.1-mini')" in said


def test_two_actions_of_one_name_are_told():
    with pytest.raises(UsageError, match="two actions with the name 'count'"):
        Parts(actions=(count, count))


def test_parts_that_do_what_they_say_are_taken():
    assert Parts(reasoner=ScriptedReasoner({}), embedder=HashEmbedder(), actions=(count,)).memory is None


@pytest.mark.parametrize(
    ("build", "made"),
    [
        (lambda services: None, "It returned a NoneType"),
        (lambda services: build_graph(services).compile(), "It returned a CompiledGraph"),
        ("my.module:build", "It is a str"),
    ],
)
async def test_what_is_no_graph_is_told_before_anything_runs(build, made, tmp_path):
    agent = open_agent(Context(), home=tmp_path, build=build)
    with pytest.raises(UsageError, match=f"`build` made no graph. {made}"):
        await agent.__aenter__()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"context": {"sources": ["docs"]}}, "settings that are no Context"),
        ({"parts": {"actions": (count,)}}, "parts that are no Parts"),
    ],
)
def test_what_is_handed_over_in_another_form_is_told(given, told):
    with pytest.raises(UsageError, match=rf"{told}\. This is a dict\. Write: open_agent"):
        open_agent(**given)
