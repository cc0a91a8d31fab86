"""What goes on with "it" or "she", what was changed, and who disagrees: nothing is told of another thing."""

from __future__ import annotations

import pytest

from ddax.reasoning.embedded import EmbeddedReasoner
from ddax.reasoning.protocol import MergeRequest, Synthesis
from ddax.types import Passage

BOATS = (
    "The boat Tern belongs to Ole Vik. He is a baker.\n\nThe boat Kite belongs to Per Moe. He is a smith.\n"
)
FERRIES = (
    "The ferry Merrow runs to Holm. She carries 90 passengers.\n\n"
    "The ferry Selkie runs to Skerry. She carries 220 passengers.\n"
)
INN = (
    "The inn was built by Rolf Dahl. He was a smuggler.\n\nThe inn was bought by Gerd Lunde. She sold beer.\n"
)
MILL = "The mill of Rusk closed in 1890. It had two wheels. The bakery closed because the baker had died.\n"
MOVED = (
    "The summer fair of Rusk takes place on 14 June 2024. It has three stages. The summer fair of Rusk was "
    "moved from 14 June to 21 June 2024.\n"
)


async def asked(reasoner: EmbeddedReasoner, task: str, *texts: str) -> Synthesis:
    passages = tuple(Passage(f"{n}", f"{n}.txt", f"{n}", text, 0, len(text)) for n, text in enumerate(texts))
    return await reasoner.merge(MergeRequest(task, task, (), passages, final=True))


@pytest.mark.parametrize(
    ("text", "task", "apart"),
    [
        (BOATS, "Is Per Moe a baker?", "Per Moe. He is a baker"),
        (BOATS, "Is Ole Vik a smith?", "Ole Vik. He is a smith"),
        (FERRIES, "How many passengers does the Merrow carry?", "90 passengers. She carries 220"),
        (FERRIES, "How many passengers does the Selkie carry?", "220 passengers. She carries 90"),
        (INN, "Was Gerd Lunde a smuggler?", "Gerd Lunde. He was a smuggler"),
    ],
)
async def test_a_pronoun_is_told_behind_whom_it_is_about(
    reasoner: EmbeddedReasoner, text: str, task: str, apart: str
) -> None:
    said = await asked(reasoner, task, text)
    assert apart not in said.text, said.text


@pytest.mark.parametrize(
    ("task", "short"),
    [
        ("How many passengers does the Merrow carry?", "90"),
        ("How many passengers does the Selkie carry?", "220"),
    ],
)
async def test_what_goes_on_still_answers(reasoner: EmbeddedReasoner, task: str, short: str) -> None:
    said = await asked(reasoner, task, FERRIES)
    assert f"She carries {short} passengers" in said.text


@pytest.mark.parametrize("task", ["Why did the mill of Rusk close?", "Why did the mill close?"])
async def test_the_reason_of_another_thing_is_no_reason(reasoner: EmbeddedReasoner, task: str) -> None:
    other = "The bakery closed because the baker had died. The mill closed in 1890.\n"
    for text in (MILL, other):
        said = await asked(reasoner, task, text)
        assert not said.citations and said.short == "", said.text


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("The mill closed in 1890. It closed because the stream had dried up.", "Why did the mill close?"),
        ("The mill closed because the stream had dried up.", "Why did the mill close?"),
        ("The school moved to the hill to avoid floods.", "Why was the school moved to the hill?"),
    ],
)
async def test_its_own_reason_is_told(reasoner: EmbeddedReasoner, text: str, task: str) -> None:
    said = await asked(reasoner, task, text)
    assert said.citations and text[-20:-1] in said.text


@pytest.mark.parametrize(
    "text",
    [
        MOVED,
        "The meeting of the board is on 3 March 2025. It was moved from 3 March 2025 to 9 March 2025.\n",
        "The meeting of the board is on 3 March 2025.\n\nThe meeting of the board was postponed "
        "from 3 March to 9 March 2025.\n",
    ],
)
async def test_a_date_that_was_changed_is_no_short_answer(reasoner: EmbeddedReasoner, text: str) -> None:
    task = "When is the summer fair of Rusk?" if "fair" in text else "When is the meeting of the board?"
    said = await asked(reasoner, task, text)
    assert said.short == "" and " to " in said.text, (said.short, said.text)


async def test_no_yes_is_said_where_another_document_says_another_number(reasoner: EmbeddedReasoner) -> None:
    texts = [f"The bridge of Rusk is {length} metres long.\n" for length in (120, 135)]
    for length in (120, 135):
        said = await asked(reasoner, f"Is the bridge of Rusk {length} metres long?", *texts)
        assert said.short == "", said.text
    said = await asked(reasoner, "Is the bridge of Rusk 120 metres long?", texts[0])
    assert said.short == "yes"
