"""Calls that a model writes into its text in place of making them."""

import json

import pytest

from ddax.reasoning.language.written import written_calls

NAMES = ("play", "set_lamp")
PLAY = '{"name": "play", "arguments": {"genre": "jazz"}}'
READ = [("play", '{"genre": "jazz"}')]


@pytest.mark.parametrize(
    ("text", "before"),
    [
        (PLAY, ""),
        (f"```json\n{PLAY}\n```", ""),
        (f"Sure, this plays it:\n```\n{PLAY}\n```\n", "Sure, this plays it:"),
        ('{{"name": "play", "arguments": {"genre": "jazz"}}}', ""),
        (f"<tool_call>\n{PLAY}\n</tool_call>", "<tool_call>"),
        (f"[TOOL_CALLS] [{PLAY}]", "[TOOL_CALLS]"),
        (f"{PLAY}<|im_end|>", ""),
        ('{"name": "play", "parameters": {"genre": "jazz"}}', ""),
        ('{"tool": "play", "args": {"genre": "jazz"}}', ""),
        ('{"type": "function", "function": {"name": "play", "arguments": "{\\"genre\\": \\"jazz\\"}"}}', ""),
        ("{'name': 'play', 'arguments': {'genre': 'jazz',}}", ""),
    ],
)
def test_a_call_that_ends_a_text_is_read(text, before):
    assert written_calls(text, NAMES) == (READ, before)


def test_several_calls_are_read_in_their_order():
    lamp = '{"name": "set_lamp", "arguments": {"room": "hall", "colour": {"r": 1}}}'
    calls, before = written_calls(f"Both:\n{lamp}\nand then\n{PLAY}", NAMES)
    assert [(name, json.loads(args)) for name, args in calls] == [
        ("set_lamp", {"room": "hall", "colour": {"r": 1}}),
        ("play", {"genre": "jazz"}),
    ]
    assert before == "Both:"


@pytest.mark.parametrize(
    "text",
    [
        "Jazz is playing.",
        f"You could send {PLAY} and then it would play.",
        '{"name": "Ada", "arguments": {"genre": "jazz"}}',
        '{"name": "play"}',
        '{"name": "play", "arguments": "loud"}',
        '{"name": "play", "arguments": {"genre": "ja',
        "{" * 5_000,
    ],
)
def test_what_is_no_call_stays_text(text):
    assert written_calls(text, NAMES) == ([], text)
