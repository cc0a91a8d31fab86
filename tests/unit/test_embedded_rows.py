"""The cell of a table that a question names, told where row and column say all it asks."""

from __future__ import annotations

import pytest

from ddax.memory.embeddings import HashEmbedder
from ddax.reasoning.embedded.evidence import weigh
from ddax.reasoning.embedded.question import analyse
from ddax.reasoning.embedded.rows import asked_cell
from ddax.reasoning.embedded.vectors import Vectors
from ddax.types import Passage

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
        ("How old is Ann Lee?", "League", "| Player | Goals |\n|---|---|\n| Ann Lee | 12 |\n", ""),
    ],
)
def test_a_cell_answers_what_its_row_and_column_say(task: str, title: str, text: str, short: str) -> None:
    weighed = weigh(analyse(task), [Passage("t", "t.md", title, text)], Vectors(HashEmbedder()))
    found = asked_cell(analyse(task), weighed)
    assert (found[1] if found else "") == short
