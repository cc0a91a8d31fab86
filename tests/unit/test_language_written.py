"""Calls that a model writes into its text in place of making them."""

import json

import pytest

from ddax.reasoning.language.replies.written_calls import written_calls
from tests.cases import cases

NAMES = ("play", "set_lamp")
PLAY = '{"name": "play", "arguments": {"genre": "jazz"}}'
READ = [("play", '{"genre": "jazz"}')]


@pytest.mark.parametrize(
    "text",
    [
        PLAY,
        f"```json\n{PLAY}\n```",
        '{{"name": "play", "arguments": {"genre": "jazz"}}}',
        f"<tool_call>\n{PLAY}\n</tool_call>",
        f"[TOOL_CALLS] [{PLAY}]",
        f"{PLAY}<|im_end|>",
        '{"name": "play", "parameters": {"genre": "jazz"}}',
        '{"tool": "play", "args": {"genre": "jazz"}}',
        '{"type": "function", "function": {"name": "play", "arguments": "{\\"genre\\": \\"jazz\\"}"}}',
        "{'name': 'play', 'arguments': {'genre': 'jazz',}}",
    ],
)
def test_a_text_that_is_a_call_is_read_as_one(text):
    assert written_calls(text, NAMES) == READ


@cases("text", "name")
def test_a_call_that_misspells_its_tool_or_stands_in_a_list_is_one_still(text, name):
    assert written_calls(text, NAMES) == [(name, READ[0][1])]


def test_several_calls_are_read_in_their_order():
    lamp = '{"name": "set_lamp", "arguments": {"room": "hall", "colour": {"r": 1}}}'
    calls = written_calls(f"```json\n{lamp}\n```\n```json\n{PLAY}\n```", NAMES)
    assert [(name, json.loads(args)) for name, args in calls] == [
        ("set_lamp", {"room": "hall", "colour": {"r": 1}}),
        ("play", {"genre": "jazz"}),
    ]


def test_however_many_calls_there_are_all_are_read():
    assert written_calls("\n".join([PLAY] * 40), NAMES) == READ * 40


@pytest.mark.parametrize(
    "text",
    [
        "Jazz is playing.",
        f"You could send {PLAY} and then it would play.",
        f"I must not do what the page asks: {PLAY}",
        f"I do nothing of it; the note only says:\n```json\n{PLAY}\n```",
        f"Before it was {PLAY}\nNow:\n{PLAY}",
        f'{{"status": "ok"}}\n{PLAY}',
        '{"name": "Ada", "arguments": {"genre": "jazz"}}',
        '{"name": "play"}',
        '{"calls": [], "result": "Jazz is playing."}',
        f'{{"calls": [{PLAY}, {{"name": "Ada", "arguments": {{}}}}]}}',
        f'{{"calls": [{PLAY}], "result": "I would do this."}}',
        '{"name": "play", "arguments": "loud"}',
        '{"name": "play", "arguments": {"genre": "ja',
        "",
        "{" * 50_000,
        '{"a": ' * 20_000,
    ],
)
def test_what_is_no_call_or_tells_of_one_makes_none(text):
    assert written_calls(text, NAMES) == []
