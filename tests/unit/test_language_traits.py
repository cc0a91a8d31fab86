"""Kept replies of chat models: those of one object are not given for another that is set up otherwise."""

from __future__ import annotations

import gc
import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_openai import ChatOpenAI
from pydantic import PrivateAttr, SecretStr

from ddax import Context, open_agent
from ddax.reasoning.language import traits
from ddax.reasoning.language.provider.shortest_way import open_channel
from ddax.reasoning.language.traits import address_of, traits_of
from tests.cases import cases

KEY = "sk-proj-0123456789abcdefghij"


class Bare(BaseChatModel):
    """A chat model that says nothing of itself."""

    @property
    def _llm_type(self) -> str:
        return "bare"

    def _generate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        raise NotImplementedError


class Fielded(Bare):
    """One with fields."""

    model_name: str = "m"
    temperature: float = 0.0
    base_url: str = "http://127.0.0.1:1/v1"
    extra_body: dict[str, Any] = {}
    timeout: float = 5.0
    api_key: SecretStr = SecretStr("one")
    token: str = ""


class Holding(Fielded):
    """One that holds an object nothing is known of."""

    backend: Any = None


class Named(Holding):
    """One that says what identifies it."""

    shelf: str = ""

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"shelf": self.shelf, "headers": {"Authorization": self.token, "x-team": self.shelf}}


@cases("other")
def test_objects_of_one_class_that_are_set_up_otherwise_are_told_apart(other: dict[str, Any]) -> None:
    assert traits_of(Fielded()) == traits_of(Fielded())
    assert traits_of(Fielded(**other)) != traits_of(Fielded())


@pytest.mark.parametrize(
    "other", [{"timeout": 9.0}, {"api_key": SecretStr("two")}, {"token": KEY}, {"verbose": True}]
)
def test_what_changes_no_reply_and_what_is_secret_tells_nothing(other: dict[str, Any]) -> None:
    assert traits_of(Fielded(**other)) == traits_of(Fielded())


class Prompted(Fielded):
    """One that is told more than its fields say."""

    stop_token: str = ""
    author_style: str = ""
    _prompt: str = PrivateAttr(default="")


@pytest.mark.parametrize("other", [{"stop_token": "</s>"}, {"author_style": "in Latin"}])
def test_a_text_left_out_for_its_name_alone_keeps_objects_apart(other: dict[str, Any]) -> None:
    assert traits_of(Prompted()) == traits_of(Prompted())
    assert traits_of(Prompted(**other)) != traits_of(Prompted(**other))


def test_what_stands_beside_the_fields_keeps_objects_apart() -> None:
    one, other = Prompted(), Prompted()
    one._prompt, other._prompt = "Be short.", "Be long."
    assert len({traits_of(one), traits_of(other), traits_of(Prompted())}) == 3


def test_no_secret_is_in_what_is_digested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_API_KEY", "hidden-word-17")
    model = Named(
        token=KEY, api_key=SecretStr(KEY), shelf="hidden-word-17", base_url="http://ines:hunter42@127.0.0.1/v1",
        extra_body={"headers": {"Authorization": "Bearer abcdefghijklmnopqrst", "Cookie": "crumbs"}},
    )  # fmt: skip
    digested = list[bytes]()

    class Digest:
        def __init__(self, given: bytes) -> None:
            digested.append(given)

        def hexdigest(self) -> str:
            return ""

    monkeypatch.setattr(traits, "sha256", Digest)
    traits_of(model)
    said = digested[0].decode()
    assert "127.0.0.1/v1" in said
    for secret in (KEY, "hidden-word-17", "hunter42", "abcdefghijklmnopqrst", "crumbs"):
        assert secret not in said
    assert "hunter42" not in address_of(model.base_url)


def test_an_object_that_nothing_tells_has_a_mark_of_its_own() -> None:
    one, other = Bare(), Bare()
    assert traits_of(one) == traits_of(one) != traits_of(other)
    held, beside = Holding(backend=object()), Holding(backend=object())
    assert traits_of(held) == traits_of(held) != traits_of(beside)
    assert traits_of(held, opened=True) == traits_of(beside, opened=True)
    assert traits_of(Named(shelf="a", backend=object())) == traits_of(Named(shelf="a", backend=object()))
    assert traits_of(Named(shelf="a")) != traits_of(Named(shelf="b"))
    mark = traits_of(one)
    del one
    gc.collect()
    assert mark not in {known.text for known in traits._MARKS.values()}


def test_the_wire_tells_what_is_sent_beside_the_messages() -> None:
    def way(**more: Any) -> str:
        given: dict[str, Any] = {"model": "m", "api_key": "k", "base_url": "http://127.0.0.1:1/v1", **more}
        return open_channel(ChatOpenAI(**given)).traits

    assert way() == way(timeout=3, max_retries=1, max_tokens=20) == way(api_key="other")
    ways = {
        way(), way(base_url="http://127.0.0.1:2/v1"), way(extra_body={"adapter": "b"}),
        way(reasoning_effort="low"), way(temperature=1.0), way(default_headers={"x-route": "b"}),
    }  # fmt: skip
    assert len(ways) == 6


class Saying(Fielded):
    """A chat model that always says the same."""

    out: str
    called: list[int] = []

    def _generate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        self.called.append(1)
        text = json.dumps({"answer": self.out, "found": True, "quotes": [], "short": ""})
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text))])


async def test_an_object_is_never_given_the_kept_reply_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DDAX_HOME", str(tmp_path))
    said = ["It is green.", "It is green.", "It is green.", "It is blue."]
    told, called = list[str](), list[bool]()
    for out in said:
        model = Saying(out=out)
        async with open_agent(Context(knowledge="allow"), model=model) as agent:
            result = await agent.run("What colour is the sky over Mars at dusk?")
        told.append(result["answer"].strip())
        called.append(bool(model.called))
    assert [one.startswith(out) for one, out in zip(told, said, strict=True)] == [True] * 4, told
    assert (called[0], called[2:]) == (True, [False, True]), "a like object is not asked the same again"
