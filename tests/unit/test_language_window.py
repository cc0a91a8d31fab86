"""The window of a model is read from refusals in the words of each server, and never more is counted on."""

from __future__ import annotations

import pytest

from ddax.reasoning.language.provider.failure_bodies import own
from ddax.reasoning.language.provider.failures import classify
from ddax.reasoning.language.provider.window import TEMPLATE, Measure, told_in
from tests.cases import cases

REFUSALS = [
    # OpenAI, and servers that speak as it does
    ("This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens."
     " Please reduce the length of the messages.", 128_000, 130_000),
    ("This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8500 in the"
     " messages, 500 in the completion).", 8_192, 8_500),
    ("Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.",
     272_000, 300_000),
    ("Your input exceeds the context window of this model. Please adjust your input and try again.", 0, 0),
    ("This endpoint's maximum context length is 131,072 tokens. However, you requested about 140,000 tokens"
     " (124000 of text input, 16000 in the output).", 131_072, 124_000),
    # Anthropic
    ("prompt is too long: 209871 tokens > 200000 maximum", 200_000, 209_871),
    ("input length and `max_tokens` exceed context limit: 197202 + 21333 > 200000, decrease input length",
     200_000, 197_202),
    # vLLM
    ("The decoder prompt (length 9000) is longer than the maximum model length of 8192. Make sure that"
     " `max_model_len` is no smaller than the number of text tokens.", 8_192, 9_000),
    ("You passed 9000 input tokens and requested 100 output tokens. However, the model's context length is"
     " only 8192 tokens, resulting in a maximum input length of 8092 tokens.", 8_192, 9_000),
    # llama.cpp and its bindings
    ('{"error":{"code":400,"message":"the request exceeds the available context size. try increasing the'
     ' context size","type":"exceed_context_size_error","n_prompt_tokens":14429,"n_ctx":8192}}', 8_192,
     14_429),
    ("request (14429 tokens) exceeds the available context size (8192 tokens), try increasing it",
     8_192, 14_429),
    ("Requested tokens (2285) exceed context window of 2048", 2_048, 2_285),
    # LM Studio
    ("Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with"
     " context length of only 32768 tokens, which is not enough.", 32_768, 111_490),
    ("Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)", 7_424, 15_028),
    # Ollama
    ("the input length exceeds the context length", 0, 0),
    ("input exceeds context length prompt=2782 limit=2048", 2_048, 2_782),
    ("prompt too long; exceeded max context length by 1200 tokens", 8_800, 0),
    # others
    ("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
     1_048_576, 1_200_000),
    ("Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
     32_768, 40_000),
    ("`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens", 4_096, 5_000),
    ("The input (9000 tokens) is longer than the model's context length (8192 tokens).", 8_192, 9_000),
    ("Range of input length should be [1, 30720]", 30_720, 0),
    ("input is too long for requested model: 5000/4096 tokens", 4_096, 5_000),
]  # fmt: skip


@pytest.mark.parametrize(("said", "window", "sent"), REFUSALS, ids=[said[:40] for said, _, _ in REFUSALS])
def test_a_window_is_read_from_the_words_of_each_server(said: str, window: int, sent: int) -> None:
    error = type("APIStatusError", (Exception,), {"status_code": 400, "body": {"message": said}})(said)
    failure = classify(error, lambda: 0.0)
    assert failure.kind == "context"
    assert told_in(said.lower(), 10_000) == (window, sent)


@cases("said")
def test_what_is_no_refusal_of_the_length_is_not_taken_for_one(said: str) -> None:
    error = type("APIStatusError", (Exception,), {"status_code": 400, "body": {"message": said}})(said)
    assert classify(error, lambda: 0.0).kind == "status"


def refused(measure: Measure, words: str, size: int) -> Measure | None:
    return measure.refused(told_in(words, measure.count(size)), size)


def test_without_a_number_a_request_may_be_half_of_what_was_sent() -> None:
    found = refused(Measure(), "your input exceeds the context window", 30_000)
    assert found is not None and found.window == (10_000 + TEMPLATE) // 2


def test_a_number_that_cannot_be_about_what_was_sent_teaches_nothing() -> None:
    words = "maximum context length is 128000 tokens. you requested 130000"
    assert refused(Measure(), words, 3_000) is None


def test_a_smaller_window_takes_the_place_of_a_larger_one_and_never_the_other_way() -> None:
    found: Measure | None = Measure(8_192)
    for words in ("context size (4096 tokens)", "context size (9000 tokens)"):
        assert found is not None
        found = refused(found, words, 30_000)
    assert found is not None and found.window == 4_096


def test_denser_text_is_counted_as_the_server_counts_it() -> None:
    words = "request (9000 tokens) exceeds the available context size (8192 tokens)"
    found = refused(Measure(), words, 12_000)
    assert found is not None and found.count(12_000) == pytest.approx(9_000, abs=2)
    again = refused(found, "the input is longer than the context length (8192 tokens)", 9_000)
    assert again is not None and again.count(9_000) > 8_192


def test_what_a_server_says_back_of_a_request_is_not_its_own() -> None:
    sent = "Tell me: what does 'maximum context length exceeded' mean for a model of 4096 tokens?"
    assert own("This word is not allowed.", sent) == "This word is not allowed."
    assert own(f"Not allowed here: {sent}", sent).split() == ["Not", "allowed", "here:", "?"]
    assert "4096" not in own("Field required, 'input': {'n_ctx': 4096}", "")


def test_the_short_sentence_of_a_server_stays_its_own_where_a_page_has_it_too() -> None:
    page = "A server may say 'prompt is too long: 9000 tokens > 4096 maximum', or that the model has no room."
    said = "prompt is too long: 9000 tokens > 8192 maximum"
    assert own(said, page) == said


def test_a_refusal_that_the_request_quotes_whole_stays_the_servers_own() -> None:
    said = "This model's maximum context length is 8192 tokens, which this request exceeds."
    assert own(said, f"What does this mean? {said}") == said
