"""The retry table, the waits, the circuit breaker, the bill, and the factory's refusals."""

import asyncio
from itertools import pairwise

import numpy as np
import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.outputs import ChatResult

from ddax.configs.prices import Price, Provider
from ddax.errors import ReasonerError, Unavailable, UsageError
from ddax.reasoning.factory import open_model, open_reasoner
from ddax.reasoning.language.provider.channel import Order
from ddax.reasoning.language.provider.failures import Failure, classify, mapped
from ddax.reasoning.language.provider.retrying import Breaker, Limits, wait_before
from ddax.reasoning.language.provider.shortest_way import open_channel
from ddax.reasoning.language.replies.schemas import Wire
from ddax.reasoning.language.usage import Tokens, counted, price_of, priced
from ddax.types import Usage
from tests.cases import cases

LIMITS = Limits()
PROVIDERS = {
    "openai": Provider("OPENAI_API_KEY", "langchain-openai"),
    "ollama": Provider("", "langchain-ollama"),
}


@pytest.mark.parametrize(
    ("status", "retried"),
    [
        *[(code, True) for code in (408, 409, 425, 429, 500, 502, 503, 504, 529)],
        *[(code, False) for code in (400, 401, 403, 404, 413, 422, 418, 301)],
    ],
)
def test_the_retry_table(status, retried):
    failure = Failure("status", status, "said")
    assert "resume" not in mapped(failure, "m", "KEY", 1).mend  # a run that a failure ended is over
    assert failure.retriable is retried
    assert str(status) in mapped(failure, "m", "KEY", 1).what


@pytest.mark.parametrize(
    ("status", "every"),
    [
        *[(code, True) for code in (401, 402, 404, 429, 503)],
        *[(code, False) for code in (400, 403, 413, 418, 422)],
    ],
)
def test_what_every_request_would_meet_is_told_from_what_this_one_met(status, every):
    error = mapped(Failure("status", status, "said"), "m", "KEY", 1)
    assert isinstance(error, Unavailable) is every


@pytest.mark.parametrize(
    ("error", "kind", "retried"),
    [
        (TimeoutError(), "timeout", True),
        (ConnectionResetError("gone"), "connection", True),
        (ValueError("odd"), "foreign", False),
        (type("APITimeoutError", (Exception,), {})(), "timeout", True),
        (type("ConnectError", (type("TransportError", (Exception,), {}),), {})(), "connection", True),
        (type("ContextOverflowError", (Exception,), {"status_code": 400})(), "context", False),
    ],
)
def test_foreign_exceptions_are_read_by_name(error, kind, retried):
    failure = classify(error, lambda: 0.0)
    assert (failure.kind, failure.retriable) == (kind, retried)
    assert mapped(failure, "m", "", 2).mend


def answered(status, message, **told):
    """Return the exception of a client whose server answered with an error in its body."""
    fields = {"status_code": status, "body": {"message": message, **told}}
    return type("APIStatusError", (Exception,), fields)(message)


@cases("status", "said", "told")
def test_a_request_beyond_the_context_is_known_by_the_words_of_each_server(status, said, told):
    failure = classify(answered(status, said, **told), lambda: 0.0)
    assert (failure.kind, failure.retriable) == ("context", False)
    assert "larger context window" in mapped(failure, "m", "", 1).mend


@cases("status", "said")
def test_other_errors_that_speak_of_a_context_keep_their_status(status, said):
    assert classify(answered(status, said), lambda: 0.0).told == f"HTTP {status}"


@cases("body", "status", "retried")
def test_an_error_in_a_body_goes_by_the_status_it_names(body, status, retried):
    failure = classify(type("APIError", (Exception,), {"body": body, "code": None})(), lambda: 0.0)
    assert (failure.status, failure.retriable) == (status, retried)


def _raised(*chain: BaseException) -> BaseException:
    for error, cause in pairwise(chain):
        error.__cause__ = cause
    return chain[0]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            _raised(TimeoutError(), asyncio.CancelledError("scope 7f")),
            "Nothing came before the call was given up.",
        ),
        (_raised(ConnectionError("failed"), ConnectionError("failed"), OSError("at 1.2.3.4")), "at 1.2.3.4"),
        (ValueError("no completion"), "no completion (ValueError)"),
        (KeyError(), "KeyError"),
    ],
)
def test_what_a_foreign_exception_says_is_told_in_words_for_a_reader(error, said):
    told = mapped(classify(error, lambda: 0.0), "m", "", 1)
    assert told.why == said
    assert "foreign" not in str(told) and "deadline" not in str(told)


def test_a_reply_that_had_begun_is_not_said_to_have_brought_nothing():
    cut = _raised(TimeoutError(), asyncio.CancelledError("scope 7f"))
    assert "had begun" in mapped(classify(cut, lambda: 0.0, heard=True), "m", "", 1).why


class Mute(FakeListChatModel):
    """A model whose replies have no choice."""

    responses: list[str] = []

    def _generate(self, *_: object, **__: object) -> ChatResult:
        return ChatResult(generations=[])


def test_a_reply_without_a_choice_is_named_whatever_model_gave_it():
    with pytest.raises(ValueError, match="a reply without a choice"):
        asyncio.run(open_channel(Mute()).say(Order([("human", "Hello")], Wire, "free")))


def test_the_back_off_grows_with_jitter_and_depends_on_the_generator_alone():
    failure = Failure("status", 500, "")
    waits = [
        [wait_before(failure, n, LIMITS, np.random.default_rng(s)) for n in (1, 2, 3)] for s in (1, 1, 2)
    ]
    assert waits[0] == waits[1] != waits[2]
    for n, wait in enumerate(waits[0]):
        assert 0.25 * 2**n <= wait < 0.5 * 2**n


def test_the_circuit_opens_closes_and_lets_one_try():
    now = [0.0]
    breaker = Breaker(LIMITS, lambda: now[0])
    for _ in range(2):
        breaker.failed(ReasonerError("took too long"))
    breaker.check("m")
    breaker.failed(ReasonerError("took too long"))
    with pytest.raises(Unavailable, match="30 s"):
        breaker.check("m")
    now[0] = 30.0
    breaker.check("m")
    with pytest.raises(ReasonerError):
        breaker.check("m")
    breaker.succeeded()
    breaker.check("m")


@pytest.mark.parametrize(
    ("said", "tokens"),
    [
        ({"input_tokens": 7, "output_tokens": 3}, Tokens(7, 3)),
        ({"input_tokens": 7, "output_tokens": 0}, Tokens(7, 1)),
        ({"input_tokens": 10**9, "output_tokens": 10**9 + 1}, Tokens(10**9, 1)),
        ({"input_tokens": True, "output_tokens": "3"}, Tokens(4, 1)),
        (None, Tokens(4, 1)),
    ],
)
def test_tokens_are_what_is_said_or_an_estimate_from_above(said, tokens):
    assert counted(said, sent=12, reply="abc") == tokens


def test_prices_go_by_model_then_by_provider_and_may_be_unknown():
    prices = {"openai:a": Price(1, 2), "ollama:*": Price(0, 0)}
    assert price_of("openai:a", prices) == Price(1, 2)
    assert price_of("ollama:x:7b", prices) == Price(0, 0)
    assert price_of("openai:b", prices) is None
    assert priced(Tokens(1_000_000, 500_000), Price(1, 2), {}) == Usage(1, 1_500_000, 2.0)
    assert priced(Tokens(1, 1), None, {}) == Usage(1, 2, None)


@pytest.mark.parametrize("name", ["", "gpt-4", "openai:", ":x", "embeded"])
def test_a_name_that_is_no_model_is_a_usage_error(name):
    with pytest.raises(UsageError, match="provider:model"):
        open_model(name, limits=LIMITS, providers=PROVIDERS)


def test_an_unknown_provider_is_a_usage_error_that_lists_the_known():
    with pytest.raises(UsageError, match="ollama, openai"):
        open_model("nope:x", limits=LIMITS, providers=PROVIDERS)


@pytest.mark.parametrize("environment", [{}, {"OPENAI_API_KEY": " "}])
def test_a_missing_key_names_its_variable(environment):
    with pytest.raises(ReasonerError, match="OPENAI_API_KEY") as caught:
        open_model("openai:x", limits=LIMITS, providers=PROVIDERS, environment=environment)
    assert caught.value.exit_code == 9


def test_a_missing_package_says_what_to_install():
    with pytest.raises(ReasonerError, match="pip install langchain-ollama"):
        open_model("ollama:x", limits=LIMITS, providers=PROVIDERS, environment={})
    with pytest.raises(ReasonerError, match="pip install langchain-google-vertexai"):
        open_model("google_vertexai:x", limits=LIMITS, providers={}, environment={})


def test_embedded_needs_no_provider():
    assert open_reasoner("embedded", embedder=None, prices={}, clock=lambda: 0.0).name == "embedded"
