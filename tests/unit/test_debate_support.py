"""What carries a statement: its own words in a quote, other words that nothing speaks against, or nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ddax.debate.support import CARRIED, Means, Support, supports
from ddax.memory.embed.likeness import Vectors
from ddax.memory.embeddings import open_embedder
from ddax.reasoning.entailment import open_check
from ddax.reasoning.protocol import Stated
from ddax.types import Citation, Entailment


@pytest.fixture(scope="module")
def means() -> Any:
    embedder = open_embedder()
    return lambda task="", **more: Means(open_check(embedder), Vectors(embedder).likeness, task, **more)


def cite(quote: str, title: str = "Doc") -> Citation:
    return Citation("m1", "a.md", title, quote)


PIER = "The pier was built by Jan Orr in 1902."
LEAVE = "After five years of service the entitlement rises to 28 days."
DEAL = "In March 2019 Acme Corp acquired Beta Ltd for 40 million dollars."
TEAM = "Maria Costa leads the platform team; her deputy is Lee Wong."
LIMIT = "Each key may send at most 60 requests per minute; beyond that the server answers 429."
RIGHT = [
    (PIER, "Jan Orr built the pier in 1902."),
    (PIER, "Construction of the pier by Jan Orr dates from 1902."),
    (PIER, "Der Pier wurde 1902 von Jan Orr gebaut."),
    (LEAVE, "Staff with five years of service get 28 days of leave."),
    (LEAVE, "After 5 years you get 28 days."),
    (DEAL, "Beta Ltd was bought by Acme Corp in March 2019."),
    (DEAL, "Acme paid 40 million dollars for Beta."),
    (TEAM, "The platform team is led by Maria Costa."),
    (TEAM, "Lee Wong is deputy to Maria Costa."),
    (LIMIT, "The limit is 60 requests a minute per key."),
    (LIMIT, "- **Limit:** at most 60 requests per minute"),
]
WRONG = [
    (PIER, "Jan Orr built the pier in 1912."),
    (PIER, "Pat Lee built the pier in 1902."),
    (PIER, "Lee built the pier in 1902."),
    (PIER, "Der Pier wurde 1912 von Jan Orr gebaut."),
    (LEAVE, "You get 30 days after five years."),
    (LEAVE, "You get 28 weeks after five years."),
    (LEAVE, "After 28 years you get five days."),
    (DEAL, "Beta Ltd acquired Acme Corp in March 2019."),
    (DEAL, "Acme Corp acquired Beta Ltd for 14 million dollars."),
    (TEAM, "Lee Wong leads the platform team."),
    (TEAM, "Maria Costa leads the security team."),
    (LIMIT, "The limit is 60 requests an hour per key."),
    (LIMIT, "The limit is 600 requests a minute per key."),
]


def status(line: str, quote: str, means: Means, *, given: bool = True) -> str:
    (found,) = supports(line, [cite(quote)], means, stated=[Stated(line, (1,))] if given else [])
    return found.status


@pytest.mark.parametrize(("quote", "line"), RIGHT)
def test_a_right_rendering_is_carried(quote: str, line: str, means: Any) -> None:
    assert status(line, quote, means("What is the limit?" if quote == LIMIT else "")) == "paraphrase"


@pytest.mark.parametrize(("quote", "line"), WRONG)
def test_a_wrong_number_name_or_unit_is_never_carried(quote: str, line: str, means: Any) -> None:
    for given in (True, False):
        assert status(line, quote, means(), given=given) in ("contradicted", "unchecked")


def test_words_of_a_quote_are_supported_and_what_nothing_says_is_unchecked(means: Any) -> None:
    text = (
        f"# The pier\n\n{PIER} The reports give no costs. It is red.\n\n"
        "| what | when |\n|---|---|\n| built | 1902 |"
    )
    found = supports(text, [cite(PIER), cite("| what | when |"), cite("| built | 1902 |")], means(own=False))
    assert [(text[one.start : one.end], one.status) for one in found] == [
        (PIER, "supported"), ("The reports give no costs.", "unchecked"), ("It is red.", "unchecked"),
        ("built | 1902", "supported"),
    ]  # fmt: skip


def test_what_the_model_knows_itself_is_knowledge_and_no_quote_makes_it_less(means: Any) -> None:
    text = f"{PIER} Crowns are money."
    stated = [Stated("Crowns are money.", (), own=True)]
    assert [one.status for one in supports(text, [cite(PIER)], means(), stated=stated)] == [
        "supported", "knowledge",
    ]  # fmt: skip
    alone = supports("17 * 23 + 4 is 395.", [], means(own=True))
    assert [one.row() for one in alone] == [
        {"start": 0, "end": 19, "status": "knowledge", "citations": [], "origin": "model"}
    ]


@pytest.mark.parametrize(
    ("answer", "quote", "expected"),
    [
        ("1902", PIER, "paraphrase"), ("1912", PIER, "unchecked"), ("Yes.", PIER, "unchecked"),
        ("Jan Orr", PIER, "paraphrase"),
    ],
)  # fmt: skip
def test_an_answer_of_a_word_or_two_stands_in_its_quote_or_is_not_checked(
    answer: str, quote: str, expected: str, means: Any
) -> None:
    assert status(answer, quote, means()) == expected


def test_each_value_of_json_is_looked_for_in_the_quotes(means: Any) -> None:
    text = '{"built": 1902, "by": "Jan Orr", "cost": 7}'
    found = [one.status for one in supports(text, [cite(PIER)], means())]
    assert [one in CARRIED for one in found] == [True, True, False]


def test_spans_are_small_plain_and_in_order(means: Any) -> None:
    text = f"{PIER} {LEAVE} It is red."
    found = supports(text, [cite(PIER), cite(LEAVE)], means())
    assert [one.row() for one in found][:2] == [
        {"start": 0, "end": len(PIER), "status": "supported", "citations": [1]},
        {"start": len(PIER) + 1, "end": len(PIER) + 1 + len(LEAVE), "status": "supported", "citations": [2]},
    ]
    assert isinstance(found[0], Support) and {"supported", "paraphrase"} == CARRIED


@pytest.mark.parametrize(
    ("relation", "confidence", "found"),
    [
        ("entailment", 0.5, "paraphrase"),
        ("entailment", 0.49, "unchecked"),
        ("contradiction", 0.5, "contradicted"),
        ("contradiction", 0.49, "unchecked"),
        ("neutral", 1.0, "unchecked"),
    ],
)
def test_a_check_counts_from_the_confidence_that_is_asked_of_it(
    relation: Any, confidence: float, found: str
) -> None:
    means = Means(
        lambda *_: Entailment(relation, confidence), lambda _, others: np.zeros(len(others), np.float32)
    )
    assert status("A harbour freezes in spring.", "The pier stands.", means) == found
