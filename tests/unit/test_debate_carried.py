"""Which quote carries each statement of a text."""

from __future__ import annotations

import pytest

from ddax.debate.carried import carriers, short_unsupported
from ddax.reasoning.entailment.rules import lexical
from ddax.reasoning.statements import statements
from ddax.types import Entailment

QUOTES = [
    "After five years of service the entitlement rises to 28 days.",
    "Business trips are approved by Priya Raman, the **office manager**.",
]


def test_quotes_titles_and_cuts_are_carried_and_the_rest_is_not() -> None:
    text = (
        "Yes. Leave policy: After five years of service the entitlement rises to 28 days. "
        "Business trips are approved by Priya Raman… The moon is made of cheese."
    )
    assert carriers(text, QUOTES, lexical) == [0, 1, 2, 0]


def test_a_quote_that_ends_in_a_unit_or_an_initial_does_not_swallow_the_next() -> None:
    quotes = [
        "Alarm E17 means more than 95 °C.",
        "Close valve V3 before you restart.",
        "It was led by Berg J.",
    ]
    text = f"Pump station: {quotes[0]} {quotes[1]} {quotes[2]} Nothing is known of it."
    assert carriers(text, quotes, lexical) == [1, 2, 3, 0]


def test_other_words_for_the_same_are_carried_by_the_check() -> None:
    assert carriers("Priya Raman approves business trips.", QUOTES, lexical) == [2]
    assert carriers("Priya Raman does not approve business trips.", QUOTES, lexical) == [0]


def test_a_quote_inside_a_larger_claim_does_not_carry_it() -> None:
    text = "Nobody believes that the entitlement rises to 28 days."
    assert carriers(text, ["the entitlement rises to 28 days."], lexical) == [0]


def test_without_citations_nothing_is_carried() -> None:
    assert carriers("One thing is so. Another is not.", [], lexical) == [0, 0]
    assert carriers("", [], lexical) == []


@pytest.mark.parametrize(
    ("text", "short", "unsupported"),
    [
        ("The entitlement rises to 40 days.", "40 days", True),
        ("In short: Yes. Business trips are approved by Priya Raman.", "Yes", True),
        ("Der Anspruch steigt auf 28 Tage.", "28", False),  # a quote says it
        ("After five years of service the entitlement rises to 28 days.", "28 days", False),
        ("Priya Raman approves business trips.", "Priya Raman", False),
        ("The moon is made of cheese.", "", False),
        ("The moon is made of cheese.", "28 days, Priya Raman", False),  # no sentence says it as it stands
    ],
)
def test_a_short_answer_that_only_bare_sentences_say_is_known(
    text: str, short: str, unsupported: bool
) -> None:
    lines = [
        (text[one.start : one.end], n)
        for one, n in zip(statements(text, QUOTES), carriers(text, QUOTES, lexical), strict=True)
    ]
    assert short_unsupported(short, lines, QUOTES) is unsupported


def test_a_row_carries_what_it_says_under_the_names_of_its_columns_and_nothing_else() -> None:
    quotes = ["| Borealis | Per Lund | 24 |", "Ferries", "| Ferry | Captain | Speed |"]
    text = "Ferries: Borealis: Captain Per Lund, Speed 24. Borealis: Captain 24, Speed Per Lund."
    assert carriers(text, quotes, lexical) == [1, 0]
    assert carriers(text, quotes[:2], lexical) == [0, 0]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Garda: Greatest depth 410 m.", 0),
        ("Garda: Greatest depth 410 m, Area 146 km2.", 0),
        ("Como: Greatest depth 410 m.", 2),
        ("Lakes: Como: Greatest depth 410 m, Area 146 km2.", 2),
        ("Garda: 410 m, 146 km2.", 0),
        ("Lakes: Como: 410 m, 146 km2.", 2),
    ],
)
def test_a_row_says_nothing_of_another_subject(text: str, number: int) -> None:
    quotes = ["| Lake | Greatest depth | Area |", "| Como | 410 m | 146 km2 |"]
    assert carriers(text, quotes, lambda premise, said: Entailment("neutral", 0.9)) == [number]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Garda: 410 m, 146 km2.", 0),
        ("Maggiore: 410 m, 146 km2.", 0),
        ("Como: 410 m, 146 km2.", 1),
        ("Lakes: Garda: 370 m, 368 km2.", 1),
    ],
)
def test_a_title_stands_in_the_sentence_before_what_is_said(text: str, number: int) -> None:
    quotes = ["Garda: 370 m, 368 km2. Como: 410 m, 146 km2, less than Maggiore."]
    assert carriers(text, quotes, lambda premise, said: Entailment("neutral", 0.9)) == [number]


@pytest.mark.parametrize(
    ("text", "carried"),
    [
        ("Tomas Lind: office manager, room 2.08.", 0),
        ("Priya Raman: room 2.08, extension 417.", 1),
        ("Who is who: Priya Raman: office manager, room 2.08.", 1),
        ("Rules: Keep the receipts of a trip.", 2),
        ("Fees: the first two weeks are free.", 0),
        ("Fees: After that, the first two weeks are free.", 3),
    ],
)
def test_behind_a_title_stands_what_begins_a_quote_or_the_quote_says_the_title(
    text: str, carried: int
) -> None:
    quotes = [
        "- Priya Raman: office manager, room 2.08, extension 417",
        "2. Keep the receipts of a trip.",
        "A year costs 9 euros. After that, the first two weeks are free.",
    ]
    assert carriers(text, quotes, lambda premise, said: Entailment("neutral", 0.9)) == [carried]


def test_the_quote_that_says_most_of_a_statement_carries_it() -> None:
    quotes = ["Parse TOML from a string.", "- loads(s: str) -> dict: Parse TOML from a string."]
    assert carriers("tomllib: loads(s: str) -> dict: Parse TOML from a string.", quotes, lexical) == [2]
    assert carriers("tomllib.loads: Parse TOML from a string.", quotes, lexical) == [1]
