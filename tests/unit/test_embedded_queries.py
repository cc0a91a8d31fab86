"""Tables are asked for rows that meet a bound, for how many there are, and for sums."""

from __future__ import annotations

import pytest

from ddax.reasoning.embedded import EmbeddedReasoner
from tests.unit.embedded_asking import asked

PRODUCTS = """# Products

| product | price_eur | stock | origin |
|---|---|---|---|
| Lamp | 49.90 | 12 | Sweden |
| Desk | 289.00 | 3 | Poland |
| Chair | 119.50 | 0 | Poland |
| Shelf | 75.00 | 8 | Germany |
"""
TEAM = """# Team

| Name | Role | Since |
|---|---|---|
| Ann Lee | Lead | 2019 |
| Bo Marr | Backend, Data | 2022 |
| Cy Dow | Deputy lead | 2024 |
| Di Fox | Backend | 2021 |
"""
HIKES = """# Hikes

| Hike | Length | Ascent | Time |
|---|---|---|---|
| Lake round | 7 km | 120 m | 2 h |
| Ridge | 14 km | 900 m | 6 h |
| Gorge | 5 km | 310 m | 150 min |
"""
CLUB = """# Rowing club

The club has 240 members.

## Board

| Name | Office |
|---|---|
| Sabine Thoms | chair |
| Olaf Kern | treasurer |
"""
PAGES = {"products": PRODUCTS, "team": TEAM, "hikes": HIKES, "club": CLUB}


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("Which products cost more than 100 euros?", "Desk, Chair"),
        ("Which products cost less than 20 euros?", "none"),
        ("Which products are out of stock?", "Chair"),
        ("Which products are in stock?", "Lamp, Desk, Shelf"),
        ("Which products have at least 8 in stock?", "Lamp, Shelf"),
        ("Which products come from Poland?", "Desk, Chair"),
        ("Which products from Poland cost more than 200 euros?", "Desk"),
        ("Who works in Backend?", "Bo Marr, Di Fox"),
        ("Which hikes are longer than 6 km?", "Lake round, Ridge"),
        ("Which hikes take less than 3 hours?", "Lake round, Gorge"),
        ("Which hikes have an ascent of more than 500 m?", "Ridge"),
        ("How many products are there?", "4"),
        ("How many products are from Poland?", "2"),
        ("How many products cost less than 100 euros?", "2"),
        ("How many people are in the team?", "4"),
        ("How many shelves are in stock?", "8"),
        ("What is the total stock?", "23"),
        ("What is the average price?", "133.35"),
        ("What is the total price of all products?", "533.4"),
        ("What is the total length of the hikes?", "26 km"),
    ],
)
async def test_a_table_is_asked(reasoner: EmbeddedReasoner, question: str, short: str) -> None:
    told = await asked(reasoner, question, **PAGES)
    assert told.short == short, told.text
    assert all(citation.quote in PAGES[citation.title] for citation in told.citations)


@pytest.mark.parametrize(
    "question",
    [
        "Which products are made of oak?",
        "How many products did we sell in May?",
        "Which products weigh more than 3 kg?",
        "Which products cost more than the lamp?",
        "Who works as a lead in Oslo?",
        "Which employees are older than 40?",
        "Which hikes cost more than 10 euros?",
        "What is the total weight?",
        "How many hikes are in Norway?",
    ],
)
async def test_what_a_table_does_not_say_is_refused(reasoner: EmbeddedReasoner, question: str) -> None:
    told = await asked(reasoner, question, **PAGES)
    assert told.text.startswith("Not found in the sources"), told.text


@pytest.mark.parametrize(
    ("question", "page"),
    [
        ("How many members does the rowing club have?", CLUB),  # the board is a part of it
        ("How many products are there?", PRODUCTS.replace("# Products", "# Shop\n\n## Products of the week")),
        ("Which products cost more than 100 euros?", PRODUCTS.replace("289.00", "on request")),
    ],
)
async def test_a_part_of_what_is_asked_or_a_value_that_is_none_decides_nothing(
    reasoner: EmbeddedReasoner, question: str, page: str
) -> None:
    assert (await asked(reasoner, question, page=page)).short in ("", "240")


async def test_the_row_of_the_sum_is_not_counted(reasoner: EmbeddedReasoner) -> None:
    page = f"{PRODUCTS}| Total | 533.40 | 23 | |\n"
    assert (await asked(reasoner, "How many products are there?", page=page)).short == "4"
