"""The tokens of a call are told by what they went to, and come to all of them."""

from __future__ import annotations

import pytest

from ddax.cli.looking.costs import part_lines
from ddax.reasoning.language.parts import form_size, sizes_of, split
from ddax.reasoning.language.provider.channel import Order
from ddax.reasoning.language.replies.schemas import AskWire
from ddax.reasoning.prompts import Prompt, render
from ddax.types import Usage

PROMPT = render("ask", task="Ünder which sign?", situation="", options="a or b", evidence="[P1] It is said.")


def order(prompt: Prompt, **more: object) -> Order:
    messages = [("system", prompt.system), ("human", prompt.user)]
    return Order(messages, AskWire, "schema", parts=prompt.parts, **more)  # type: ignore[arg-type]  # as named


def test_the_parts_of_a_prompt_are_its_sections() -> None:
    assert set(PROMPT.parts) == {"task", "request", "passages"}
    assert PROMPT.parts["task"] == len("TASK\nÜnder which sign?".encode())
    assert PROMPT.followed("\n\nmore", "passages").parts["passages"] == PROMPT.parts["passages"] + 6


@pytest.mark.parametrize("schema", [True, False])
def test_the_bytes_of_a_call_come_to_all_that_is_sent(schema: bool) -> None:
    sizes = sizes_of(order(PROMPT), schema=schema)
    sent = len((PROMPT.system + PROMPT.user).encode()) + (form_size(AskWire) if schema else 0)
    assert sum(sizes.values()) == sent
    assert ("schema" in sizes) is schema


@pytest.mark.parametrize("tokens", [0, 1, 7, 1_000])
def test_shares_come_to_the_whole(tokens: int) -> None:
    assert sum(split(tokens, {"rules": 300, "task": 200, "passages": 333}).values()) == tokens


def test_parts_are_added_up_and_kept_in_rows_of_state() -> None:
    one = Usage(1, 30, parts=(("reply", 10), ("rules", 20)), unshown=5)
    both = one + Usage(1, 12, parts=(("rules", 12),))
    assert both.parts == (("reply", 10), ("rules", 32))
    again = Usage.of_row(both.row())
    assert (again.parts, again.unshown) == (both.parts, 5)


def test_what_was_cached_is_told_beside_the_parts() -> None:
    lines = part_lines(Usage(1, 40, prompt_tokens=30, cached_tokens=15, parts=(("reply", 10), ("rules", 30))))
    assert [" ".join(line.split()) for line in lines] == [
        "by part rules 30 tokens, 75%", "by part reply 10 tokens, 25%", "cached: 15 of 30 tokens sent, 50%"
    ]  # fmt: skip


def test_without_a_model_there_are_no_parts() -> None:
    assert part_lines(Usage()) == []
