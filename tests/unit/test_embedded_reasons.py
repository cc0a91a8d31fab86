"""A question why is answered by what gives a reason, and by no row of a table that says what is so."""

from __future__ import annotations

import pytest

from ddax.reasoning.embedded import EmbeddedReasoner
from ddax.text.question import analyse
from tests.unit.embedded_asking import asked

SETTINGS = (
    "# Settings\n\n| Setting | Default | Meaning |\n|---|---|---|\n"
    "| window | 90 days | time over which trust is summed |\n"
    "| weight | 0.5 | refused at 0 |\n\nTrust is shown with two digits.\n"
)
CHOICES = (
    "# Choices\n\n| Choice | Made | Why |\n|---|---|---|\n"
    "| window of trust | 90 days | older events say little of a writer |\n"
)
MILL = (
    "# Mill\n\nThe mill closed in 1890. The river had changed its course, so that the wheel stood still. "
    "It had been built of brick.\n"
)


@pytest.mark.parametrize("task", ["Why is trust summed over a window?", "why is the weight of 0 refused"])
async def test_a_row_that_gives_no_reason_is_refused(reasoner: EmbeddedReasoner, task: str) -> None:
    reply = await asked(reasoner, task, settings=SETTINGS)
    assert not reply.found
    assert reply.text.startswith("Not found in the sources: what was read says what is so, not why.")


async def test_a_row_answers_what_is_asked_of_it_but_why(reasoner: EmbeddedReasoner) -> None:
    reply = await asked(reasoner, "Over which time is trust summed?", settings=SETTINGS)
    assert reply.text.startswith("settings: window: Default 90 days")


async def test_a_row_that_gives_its_reason_answers(reasoner: EmbeddedReasoner) -> None:
    reply = await asked(reasoner, "Why is the window of trust 90 days?", settings=SETTINGS, choices=CHOICES)
    assert reply.text == "choices: window of trust: Made 90 days, Why older events say little of a writer."


async def test_a_sentence_that_gives_a_reason_comes_first(reasoner: EmbeddedReasoner) -> None:
    reason = "A weight of 0 was refused because the newest idea would always win.\n"
    plain = "A weight of 0 was refused in May.\n"
    reply = await asked(
        reasoner, "Why was a weight of 0 refused?", notes=plain, design=reason, settings=SETTINGS
    )
    assert reply.text.startswith("design: A weight of 0 was refused because")
    assert "Default" not in reply.text


async def test_the_reason_is_told_that_stands_behind_what_is_so(reasoner: EmbeddedReasoner) -> None:
    reply = await asked(reasoner, "Why did the mill close?", mill=MILL)
    assert reply.text.startswith("The mill closed in 1890. The river had changed its course, so that")


BRIDGE = (
    "# Wexley Mill\n\nWexley Mill is a paper mill. The mill closed in 1890. The bridge beside it was rebuilt "
    "because a flood had carried it away. The wheel was taken out in 1904. It had rotted, as it was never "
    "painted. The roof was mended in 1907.\n"
)


@pytest.mark.parametrize(
    "task",
    ["Why did Wexley Mill close?", "Why did the mill close?", "Why was the roof of Wexley Mill mended?"],
)
async def test_what_is_so_is_no_reason_nor_is_that_of_another_thing(
    reasoner: EmbeddedReasoner, task: str
) -> None:
    reply = await asked(reasoner, task, mill=BRIDGE)
    assert not reply.found
    assert reply.text.startswith("Not found in the sources: what was read says what is so, not why.")


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        ("Why was the bridge rebuilt?", "because a flood had carried it away"),
        ("Why was the wheel of Wexley Mill taken out?", "It had rotted, as it was never painted."),
    ],
)
async def test_a_reason_is_told_that_stands_in_the_sentence_or_behind_it(
    reasoner: EmbeddedReasoner, task: str, reason: str
) -> None:
    reply = await asked(reasoner, task, mill=BRIDGE)
    assert reply.found and reason in reply.text


def test_a_question_why_asks_for_nobody_and_no_day() -> None:
    assert analyse("Why is the mill closed when it rains?").kind == "open"
    assert analyse("Why did the man who built the mill leave?").kind == "open"
    assert analyse("When is the mill closed, and why?").kind == "date"
