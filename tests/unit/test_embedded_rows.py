"""The cell of a table that a question names, told where row and column say all it asks."""

from __future__ import annotations

import pytest

from ddax.debate.carried import carriers
from ddax.memory.embed.likeness import Vectors
from ddax.memory.embeddings import HashEmbedder
from ddax.reasoning.embedded import EmbeddedReasoner
from ddax.reasoning.embedded.evidence import weigh
from ddax.reasoning.embedded.rows import asked_cell
from ddax.reasoning.entailment.rules import lexical
from ddax.reasoning.protocol import MergeRequest
from ddax.text.question import analyse
from ddax.types import Passage
from tests.unit.embedded_asking import asked

GOALS = (
    "| Player | Season | Goals | Club |\n|---|---|---|---|\n| Messi | 2019 | 30 | Inter |\n"
    "| Messi | 2020 | 25 | - |\n| Ann Lee | 2020 | 12 | Nassr |\n"
)
FIELDS = "| Field | Value |\n|---|---|\n| Founded | 1941 |\n| Founder | John Ford |\n| Employees | 240 |\n"


@pytest.mark.parametrize(
    ("task", "title", "text", "short"),
    [
        ("Who has more goals than Ann Lee?", "League", GOALS, ""),
        ("Who are the goals of Ann Lee?", "League", GOALS, ""),
        ("Which club has not Ann Lee?", "League", GOALS, ""),
        ("How many goals does Ann Lee have?", "League", GOALS, "12"),
        ("How many goals did Messi have?", "League", GOALS, ""),
        ("How many goals did Messi have in 2020?", "League", GOALS, "25"),
        ("What was the club of Messi in 2020?", "League", GOALS, ""),
        ("When was Acme founded?", "Acme", FIELDS, "1941"),
        ("Who is the founder of Acme?", "Acme", FIELDS, "John Ford"),
        ("How many employees does Acme have?", "Acme", FIELDS, "240"),
        ("Who founded Acme?", "Acme", FIELDS.replace("John Ford", "-"), ""),
        ("How many goals does Ann Lee have?", "League", f"```\n{GOALS}```\n", ""),
        ("How many goals does Ann Lee have?", "League", f"## Former players\n\n{GOALS}", ""),
        (
            "How many goals does the former player Ann Lee have?",
            "League",
            f"## Former players\n\n{GOALS}",
            "12",
        ),
        ("How many goals does Ann Lee have?", "League", f"A table could be, for example:\n\n{GOALS}", ""),
        ("How many goals does Ann Lee have?", "League", GOALS.replace("Season", "Past season"), "12"),
        ("Who is the founder of Acme?", "Acme", FIELDS.replace("John Ford", "N/A"), ""),
        ("Who is the founder of Acme?", "Acme", FIELDS.replace("John Ford", "Unknown"), ""),
        ("How old is Ann Lee?", "League", "| Player | Goals |\n|---|---|\n| Ann Lee | 12 |\n", ""),
    ],
)
def test_a_cell_answers_what_its_row_and_column_say(task: str, title: str, text: str, short: str) -> None:
    weighed = weigh(analyse(task), [Passage("t", "t.md", title, text)], Vectors(HashEmbedder()))
    found = asked_cell(analyse(task), weighed)
    assert (found[1] if found else "") == short


FERRIES = Passage(
    "f",
    "ferries.md",
    "Ferries of the Sound",
    "# Ferries of the Sound\n\nThe ferry Ariel was launched in 1998 and carries 240 passengers. "
    "The ferry Borealis carries 90 cars. The museum of the ferries was founded by Walter Inch in 1902. "
    "The pier of the ferries was built in 1884 by Edwin Moss.\n\n"
    "| Ferry | Captain | Speed (knots) | Cabins |\n|---|---|--:|--:|\n"
    "| Ariel | Hanne Rask | 19 | 40 |\n| Borealis | Per Lund | 24 | 12 |\n",
)


@pytest.mark.parametrize(
    ("task", "short"),
    [
        ("How many passengers does the Ariel carry?", "240"),
        ("How many passengers does the Borealis carry?", ""),
        ("How many different passengers does the Ariel carry?", "240"),
        ("When was the ferry Ariel launched?", "1998"),
        ("When was the ferry Borealis launched?", ""),
        ("Who founded the museum of the ferries?", "Walter Inch"),
        ("Who built the pier of the ferries?", "Edwin Moss"),
        ("Who is the captain of the Borealis?", "Per Lund"),
        ("What is the speed of the Borealis?", "24"),
        ("How many cabins does the Ariel have?", "40"),
        ("What is the name of the Ariel?", ""),
        ("What is the number of cabins of the ferry Borealis?", "12"),
        ("How many cabins does the captain of the Ariel clean?", ""),
        ("How fast in knots is the speed of the Ariel?", "19"),
    ],
)
async def test_a_short_answer_is_about_what_is_asked(
    reasoner: EmbeddedReasoner, task: str, short: str
) -> None:
    assert (await reasoner.merge(MergeRequest(task, task, (), (FERRIES,), final=True))).short == short


async def test_a_row_is_said_and_quoted_with_the_names_of_its_columns(reasoner: EmbeddedReasoner) -> None:
    task = "What is the speed of the Borealis?"
    reply = await reasoner.merge(MergeRequest(task, task, (), (FERRIES,), final=True))
    said = "Borealis: Captain Per Lund, Speed (knots) 24, Cabins 12."
    assert reply.text.startswith(f"Ferries of the Sound: {said}")
    quotes = [citation.quote for citation in reply.citations]
    assert quotes[0] == "| Borealis | Per Lund | 24 | 12 |"
    assert "| Ferry | Captain | Speed (knots) | Cabins |" in quotes
    assert all(carriers(reply.text, quotes, lexical))


FERNS = (
    "# Ferns\n\n| Species | Height (cm) | Recorded by |\n|---|---|---|\n| Hard fern | 40 | A. Keane |\n"
    "| Lady fern | 90 | unknown |\n| Royal fern | n/a | M. Duff |\n"
)


@pytest.mark.parametrize(
    ("task", "told", "kept_out"),
    [
        ("Who recorded the lady fern?", "Recorded by unknown", "Keane"),
        ("How high is the royal fern?", "Height (cm) n/a", "Hard fern"),
    ],
)
async def test_a_cell_that_says_unknown_is_told_alone(
    reasoner: EmbeddedReasoner, task: str, told: str, kept_out: str
) -> None:
    said = await asked(reasoner, task, Ferns=FERNS)
    assert told in said.text and kept_out not in said.text and said.short == "", said.text


@pytest.mark.parametrize(
    ("task", "short"), [("Who recorded the hard fern?", "A. Keane"), ("How high is the lady fern?", "90")]
)
async def test_a_cell_beside_one_that_says_unknown_is_told(
    reasoner: EmbeddedReasoner, task: str, short: str
) -> None:
    assert (await asked(reasoner, task, Ferns=FERNS)).short == short
