"""A model is a record, a short name or an object: by role, as a fallback, with its own limits and key."""

import time

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_openai import ChatOpenAI

from ddax import open_agent
from ddax.configs.layers import load_context
from ddax.configs.models import over
from ddax.configs.prices import Provider
from ddax.configs.settings import Context, ModelRecord, Models
from ddax.errors import ReasonerError, SettingsError, UsageError
from ddax.graph.services import Parts
from ddax.reasoning.factory import Extras, open_model, open_reasoner
from ddax.reasoning.given import objects_of
from ddax.reasoning.language.provider.efforts import effort_fields
from ddax.reasoning.language.provider.retrying import Limits
from ddax.reasoning.language.provider.window import Measure
from ddax.types import Usage

HOUSE = {"name": "openai:qwen3", "base_url": "http://127.0.0.1:9/v1"}
PROVIDERS = {"openai": Provider("OPENAI_API_KEY", "langchain-openai")}


def opened(model, environment=None, **models):
    return open_reasoner(
        model, embedder=None, prices={}, clock=time.monotonic, providers=PROVIDERS,
        models=Models(**models), extras=Extras(environment=environment or {}),
    )  # fmt: skip


def callers(reasoner, role):
    return reasoner._team.members[role]


@pytest.mark.parametrize(
    "layer",
    [
        {"env": {"DDAX_MODEL": '{"name": "openai:qwen3", "base_url": "http://127.0.0.1:9/v1"}'}},
        {"env": {"DDAX_MODEL": "{name: 'openai:qwen3', base_url: 'http://127.0.0.1:9/v1'}"}},
        {"env": {}, "arguments": {"model": HOUSE}},
    ],
)
def test_a_record_comes_from_any_layer(layer, tmp_path):
    assert load_context(directory=tmp_path, **layer).context.model == ModelRecord(**HOUSE)


def test_a_record_stands_in_a_settings_file(tmp_path):
    file = tmp_path / "ddax.yaml"
    file.write_text(
        "model:\n  name: openai:qwen3\n  base_url: http://127.0.0.1:9/v1\n"
        "models:\n  judge: {effort: high}\n  plan: openai:a\n  fallbacks: [{name: openai:b}, openai:c]\n"
    )
    context = load_context(directory=tmp_path, env={}).context
    assert (context.model_name, context.models.judge.effort) == ("openai:qwen3", "high")
    assert Context.model_validate(context.model_dump(mode="json")) == context


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"name": "openai:x", "adress": "y"}, "adress"),
        ({"name": "openai:x", "total_seconds": 0}, "total_seconds"),
        (FakeListChatModel(responses=[]), "open_agent"),
        ("{name: [", "no record"),
    ],
)
def test_a_record_that_is_none_is_refused_with_its_place(wrong, why):
    with pytest.raises(SettingsError, match=why):
        Context(model=wrong)


def test_a_role_may_ask_the_usual_model_otherwise():
    usual = ModelRecord(**HOUSE, effort="low")
    assert over("", usual) == usual
    assert over(ModelRecord(effort="high", output_tokens=9), usual) == ModelRecord(
        **HOUSE, effort="high", output_tokens=9
    )
    assert over("openai:b", usual) == ModelRecord(name="openai:b")


def test_limits_price_effort_and_key_are_those_of_each_record():
    judge = {"name": "openai:j", "base_url": "http://127.0.0.1:9/v1", "idle_seconds": 7, "total_seconds": 70,
             "output_tokens": 3000, "context_tokens": 4096, "effort": "high",
             "price": {"input": 1, "output": 2}}  # fmt: skip
    found = opened(ModelRecord(**HOUSE), judge=judge, total_seconds=50, output_tokens=500, fallbacks=[judge])
    [first, fallback], [other] = callers(found, "plan"), callers(found, "judge")
    assert fallback is other
    limits = other._limits
    assert (limits.idle_seconds, limits.attempt_seconds, limits.output_tokens) == (7, 70, 2048)
    assert (first._limits.attempt_seconds, first._limits.output_tokens) == (50, 500)
    assert (first.effort, other.effort, other._price.cost(10**6, 10**6)) == (None, "high", 3.0)
    within = found._within("plan", 1.0, Usage(), Measure())._limits
    assert within.passage_characters == 6144  # the smallest window of a role must be able to read it


def test_the_key_of_a_provider_goes_to_no_other_address_unless_its_variable_is_named():
    environment = {"OPENAI_API_KEY": "sk-of-the-provider", "HOUSE_KEY": "of-the-house"}

    def key(record):
        model = open_model(record, limits=Limits(), providers=PROVIDERS, environment=environment)
        return model.openai_api_key.get_secret_value(), model.openai_api_base

    assert key(ModelRecord(**HOUSE)) == ("none", HOUSE["base_url"])
    assert key(ModelRecord(**HOUSE, key_variable="HOUSE_KEY")) == ("of-the-house", HOUSE["base_url"])
    with pytest.raises(UsageError, match="no key must not be sent"):
        key(ModelRecord(**HOUSE, key_variable="HOME"))
    with pytest.raises(ReasonerError, match="OTHER_KEY is not set"):
        key(ModelRecord(**HOUSE, key_variable="OTHER_KEY"))


def test_more_for_the_body_goes_with_every_call():
    record = ModelRecord(**HOUSE, extra={"chat_template_kwargs": {"enable_thinking": False}})
    model = open_model(record, limits=Limits(), providers=PROVIDERS, environment={})
    assert model.extra_body == {"chat_template_kwargs": {"enable_thinking": False}}


class Field:
    annotation = str


@pytest.mark.parametrize(
    ("fields", "model", "asked"),
    [
        (["reasoning_effort"], "o4-mini", {"reasoning_effort": "medium"}),
        (["reasoning_effort", "thinking"], "claude-opus-4-6", {"reasoning_effort": "medium"}),
        (["reasoning_effort", "thinking"], "claude-sonnet-4-5",
         {"thinking": {"type": "enabled", "budget_tokens": 6000}}),
        (["thinking"], "claude-3-7-sonnet", {"thinking": {"type": "enabled", "budget_tokens": 6000}}),
        (["reasoning_effort", "thinking_budget"], "gemini-2.5-flash", {"thinking_budget": 6000}),
        (["reasoning_effort", "thinking_budget"], "gemini-3-pro", {"reasoning_effort": "medium"}),
        (["reasoning"], "qwen3", {"reasoning": True}),
        (["reasoning"], "gpt-oss:20b", {"reasoning": "medium"}),
        (["temperature"], "mistral", {}),
    ],
)  # fmt: skip
def test_effort_reaches_each_class_in_its_own_words(fields, model, asked):
    given = dict.fromkeys(fields, Field)
    assert effort_fields(given, "medium", model=model, most=8000) == asked
    assert effort_fields(given, "", model=model) == {}


class Chat(FakeListChatModel):
    model_name: str = "tiny"


def test_objects_are_named_by_class_and_model_without_their_secrets():
    one, two, same = Chat(responses=["a"]), Chat(responses=["b"]), ChatOpenAI(model="m", api_key="sk-x")
    assert list(objects_of(one, {"judge": two, "plan": one, "merge": same})) == [
        "object:Chat/tiny", "object:Chat/tiny#judge", "object:ChatOpenAI/m",
    ]  # fmt: skip


def test_an_agent_is_opened_with_an_object_a_name_or_a_record(tmp_path):
    model = Chat(responses=[])
    agent = open_agent(model=model, models={"judge": HOUSE}, home=tmp_path)
    assert (agent.context.model, agent.context.models.judge.name) == ("object:Chat/tiny", "openai:qwen3")
    again = open_agent(parts=Parts(model=model), home=tmp_path)
    assert again.context.model == "object:Chat/tiny"
    assert open_agent(model=HOUSE, home=tmp_path).context.model == ModelRecord(**HOUSE)
    assert open_agent(home=tmp_path).context.model == "embedded"


@pytest.mark.parametrize(
    ("given", "error", "why"),
    [
        ({"model": "gpt-4.1"}, UsageError, "names no model"),
        ({"model": "embeded"}, UsageError, "The nearest name is 'embedded'"),
        ({"model": "Locale"}, UsageError, "The nearest name is 'local'"),
        ({"model": "opanai:gpt-4.1"}, UsageError, "The nearest name is 'openai'"),
        ({"model": HOUSE, "models": {"judge": "lokal"}}, UsageError, "The nearest name is 'local'"),
        ({"model": "openai:gpt-4.1"}, ReasonerError, "OPENAI_API_KEY is not set"),
        ({"model": "nobody:x"}, UsageError, "no provider 'nobody'"),
        ({"model": "object:Chat/tiny"}, UsageError, "open_agent"),
        ({"model": HOUSE, "models": {"judge": "openai:x"}}, ReasonerError, "openai:x needs a key"),
        ({"models": {"boss": Chat(responses=[])}}, UsageError, "boss"),
        ({"model": 3.5}, UsageError, "float"),
    ],
)
def test_a_model_that_cannot_be_asked_is_told_as_the_agent_is_opened(
    given, error, why, tmp_path, monkeypatch
):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(error, match=why):
        open_agent(home=tmp_path, **given)


async def test_a_thread_whose_model_was_an_object_asks_for_it_again(tmp_path):
    with pytest.raises(UsageError, match="Give it again"):
        opened("object:Chat/tiny")
    held = open_reasoner(
        "object:Chat/tiny", embedder=None, prices={}, clock=time.monotonic, providers=PROVIDERS,
        extras=Extras(environment={}, objects={"object:Chat/tiny": Chat(responses=[])}),
    )  # fmt: skip
    assert held.name == "object:Chat/tiny"
