"""Values with units: brought to one before they are compared, and told with the number they belong to."""

from __future__ import annotations

import pytest

from ddax.reasoning.embedded import EmbeddedReasoner
from ddax.text.units import pointed, quantity
from tests.unit.embedded_asking import asked

PARTS = (
    "| part | weight | length | price |\n|---|---|---|---|\n| anvil | 25 kg | 40 cm | 180 EUR |\n"
    "| hammer | 900 g | 32 cm | 19 EUR |\n| chisel | 0.2 kg | 240 mm | 12 EUR |\n"
)
TOOLS = "| Tool | Weight (kg) |\n|---|---|\n| Lathe | 310 |\n| Bandsaw | 85 |\n"
MENU = "# Menu\n\nThe bar opens at nine.\n\n- Gelato 4 euros\n- Tea €3\n- Cake: fresh each day\n"


def pair(column: str, one: str, other: str) -> str:
    """Return a table of two things and one value of each."""
    return f"| thing | {column} |\n|---|---|\n| alpha | {one} |\n| beta | {other} |\n"


@pytest.mark.parametrize(
    ("cell", "kind", "value"),
    [
        ("25 kg", "mass", 25_000),
        ("3 lb", "mass", 1360.777),
        ("0.5 m", "length", 0.5),
        ("5 ft 11 in", "length", 1.8034),
        ("2 h 30 min", "time", 150),
        ("3 square kilometres", "area", 3e6),
        ("500 mL", "volume", 0.5),
        ("120 km / h", "speed", 100 / 3),
        ("41 °F", "temperature", 278.15),
        ("−5 °C", "temperature", 268.15),
        ("2 GB", "data", 2e9),
        ("2 Gb", "bits", 2e9),
        ("$1,200", "USD", 1200),
        ("EUR 19", "EUR", 19),
        ("1.2 million", "", 1.2e6),
        ("2 seats", "seat", 2),
        ("ca. 5 kg", "mass", 5000),
    ],
)
def test_a_cell_is_brought_to_the_unit_of_its_kind(cell: str, kind: str, value: float) -> None:
    assert quantity(cell) == (kind, pytest.approx(value))


@pytest.mark.parametrize(
    ("column", "written"),
    [
        (["19,50", "7"], ["19.50", "7"]),
        (["1.200,50", "900"], ["1,200.50", "900"]),
        (["1.200", "0,5"], ["1,200", "0.5"]),
        (["1.200.000", "900"], ["1,200,000", "900"]),
        (["1,200.50", "900"], ["1,200.50", "900"]),
        (["0.912", "1.234"], ["0.912", "1.234"]),
        (["1.234", "2.345"], ["1.234", "2.345"]),
        (["1,200", "900"], ["1,200", "900"]),
        (["1.200", "900"], None),
        (["1.200"], None),
        (["19,50", "7.25"], None),
    ],
)
def test_the_numbers_of_a_column_are_read_as_one_of_them_tells(
    column: list[str], written: list[str] | None
) -> None:
    assert pointed(column) == written


@pytest.mark.parametrize(
    "cell", ["< 5 kg", "up to 5 kg", "5-7 kg", "30 min 2 h", "25 kg 40 cm", "12:30", "19,50 EUR", "n/a", ""]
)
def test_a_bound_a_range_or_two_values_are_no_quantity(cell: str) -> None:
    assert quantity(cell) is None


def test_a_number_has_the_unit_of_its_column() -> None:
    assert quantity("310", "Weight (kg)") == quantity("310", "Weight in kg") == ("mass", 310_000)
    assert quantity("900 g", "Weight (kg)") == ("mass", 900)
    assert quantity("310", "People (2020)") == ("", 310)


@pytest.mark.parametrize(
    ("column", "one", "other", "task", "short"),
    [
        ("weight", "25 kg", "900 g", "Which is heavier, alpha or beta?", "alpha"),
        ("weight", "3 lb", "2 kg", "Which is heavier, alpha or beta?", "beta"),
        ("length", "40 cm", "0.5 m", "Which is longer, alpha or beta?", "beta"),
        ("length", "40 cm", "0.5 m", "Which thing is the longest?", "beta"),
        ("weight", "25 kg", "900 g", "Which thing is the lightest?", "beta"),
        ("weight (kg)", "25", "900 g", "Which thing is the lightest?", "beta"),
        ("length", "3 ft", "0.9144 m", "Which thing is the longest?", ""),
        ("length", "3 ft", "0.9144 m", "Which is longer, alpha or beta?", ""),
        ("weight", "25 kg", "40 cm", "Which is heavier, alpha or beta?", ""),
        ("weight", "25", "900 g", "Which is heavier, alpha or beta?", ""),
        ("weight", "25", "900 g", "Which thing is the heaviest?", ""),
        ("length", "40", "0.5 m", "Which is longer, alpha or beta?", ""),
        ("length", "5 kg", "0.5 m", "Which is longer, alpha or beta?", ""),
        ("price", "19 EUR", "20 USD", "Which is cheaper, alpha or beta?", ""),
        ("price", "19 EUR", "20 USD", "Which thing is the cheapest?", ""),
        ("price", "19 EUR", "€ 20", "Which is cheaper, alpha or beta?", "alpha"),
        ("price", "19,50 EUR", "7,25 EUR", "Which thing is the cheapest?", "beta"),
        ("price", "19,50 EUR", "1.950 EUR", "Which thing is the cheapest?", "alpha"),
        ("price", "1.200,50 EUR", "900 EUR", "Which is cheaper, alpha or beta?", "beta"),
        ("price", "1.200 EUR", "900 EUR", "Which thing is the cheapest?", ""),
        ("price", "1.200 EUR", "900 EUR", "Which is cheaper, alpha or beta?", ""),
        ("speed", "100 km/h", "70 mph", "Which is faster, alpha or beta?", "beta"),
        ("population", "1.2 million", "900,000", "Which thing has the largest population?", "alpha"),
    ],
)
async def test_values_are_compared_in_one_unit_or_not_at_all(
    reasoner: EmbeddedReasoner, column: str, one: str, other: str, task: str, short: str
) -> None:
    reply = await asked(reasoner, task, things=pair(column, one, other))
    assert reply.short == short, reply.text


@pytest.mark.parametrize(
    ("one", "other", "short"),
    [
        ("weighs 25 kg and has 2 horns", "weighs 900 g", "Alpha"),
        ("weighs 3 lb", "weighs 2 kg", "Beta"),
        ("weighs 25 kg", "is 40 cm long", ""),
        ("weighs 25", "weighs 900 g", ""),
        ("eats 7 kg a day", "weighs 900 g", ""),
    ],
)
async def test_masses_in_sentences_are_compared_in_one_unit(
    reasoner: EmbeddedReasoner, one: str, other: str, short: str
) -> None:
    task = "Which is heavier, the Alpha or the Beta?"
    reply = await asked(reasoner, task, Alpha=f"The Alpha {one}.", Beta=f"The Beta {other}.")
    assert reply.short == short, reply.text


@pytest.mark.parametrize(("other", "short"), [("25 kg", ""), ("2000 g", "beta")])
async def test_nothing_is_decided_between_rows_of_one_name(
    reasoner: EmbeddedReasoner, other: str, short: str
) -> None:
    rows = f"{pair('weight', '2 kg', '9 kg')}| alpha | {other} |\n"
    assert (await asked(reasoner, "Which is heavier, alpha or beta?", things=rows)).short == short


async def test_a_length_in_feet_and_inches_is_one_value(reasoner: EmbeddedReasoner) -> None:
    pages = {"Alpha": "The Alpha is 5 ft 11 in tall.", "Beta": "The Beta is 1.60 m tall."}
    assert (await asked(reasoner, "Which is taller, the Alpha or the Beta?", **pages)).short == "Alpha"


async def test_of_several_tables_the_one_is_meant_that_the_question_names(
    reasoner: EmbeddedReasoner,
) -> None:
    pages = {"stock": PARTS, "machines": TOOLS}
    assert (await asked(reasoner, "Which part is the heaviest?", **pages)).short == "anvil"
    assert (await asked(reasoner, "Which thing is the heaviest?", **pages)).short == ""


@pytest.mark.parametrize(
    ("task", "short"),
    [
        ("Was kostet der Hammer?", "19 EUR"),
        ("Was wiegt der Hammer?", "900 g"),
        ("Wie schwer ist der Hammer?", "900 g"),
        ("Was kostet der Hobel?", ""),
    ],
)
@pytest.mark.parametrize("header", ["| Werkzeug | Gewicht | Preis |", "| part | weight | price |"])
async def test_a_german_question_finds_the_column_it_asks_for(
    reasoner: EmbeddedReasoner, header: str, task: str, short: str
) -> None:
    text = f"{header}\n|---|---|---|\n| Hammer | 900 g | 19 EUR |\n| Amboss | 25 kg | 180 EUR |\n"
    reply = await asked(reasoner, task, lager=text)
    assert reply.short == short and reply.found == bool(short), reply.text


@pytest.mark.parametrize(
    ("task", "short"),
    [
        ("What does Gelato cost?", "4 euros"),
        ("How much is the Gelato?", "4 euros"),
        ("What does the tea cost?", "€3"),
    ],
)
async def test_a_price_right_behind_a_thing_is_what_it_costs(
    reasoner: EmbeddedReasoner, task: str, short: str
) -> None:
    reply = await asked(reasoner, task, menu=MENU)
    assert reply.found and reply.short == short, reply.text


@pytest.mark.parametrize(
    ("task", "text"),
    [
        ("What does the cake cost?", MENU),
        ("What does the museum cost?", "# Town\n\nThe museum pays the town 200 euros a day.\n"),
    ],
)
async def test_another_amount_is_no_price(reasoner: EmbeddedReasoner, task: str, text: str) -> None:
    assert not (await asked(reasoner, task, page=text)).found


async def test_two_short_lines_with_prices_are_no_title(reasoner: EmbeddedReasoner) -> None:
    reply = await asked(reasoner, "What does Gelato cost?", menu="Gelato 4 euros\nCake 6 euros\n")
    assert reply.found and "Gelato 4 euros" in reply.text


STONES = (
    "| Stone | Part | Length (m) |\n|---|---|---|\n| Grey stone | base | 3 |\n| Grey stone | top | 2 |\n"
    "| Long stone | base | 4 |\n| Long stone | top | 0.5 |\n"
)
TOWERS = (
    "| Turm | Höhe (m) | Baujahr | Plätze |\n|---|---|---|---|\n| Hungerturm | 21 | 1255 | 40 |\n"
    "| Glockenturm | 33 | 1410 | 12 |\n| Pulverturm | 17 | 1502 | 25 |\n"
)
SALES = "| Month | Sales |\n|---|---|\n| May | 12 |\n| June | 19 |\n"
WEIGHTS = "| Item | Weight (kg) |\n|---|---|\n| A | 3 |\n| B | 7 |\n| C | 9 |\n"


@pytest.mark.parametrize(
    ("task", "text", "short"),
    [
        ("Which stone is the longest?", STONES, ""),
        ("Which stone is the longest?", STONES.replace("Grey stone | top", "Red stone | top"), ""),
        ("Which boat is the longest?", "| Place | Boat | Length (m) |\n|---|---|---|\n| A | Tern | 3 |\n"
         "| B | Lark | 4 |\n", "Lark"),
        ("Which month had the most sales?", SALES, "June"),
        ("Which month had the most sales?", f"{SALES}| Total | 31 |\n", ""),
        ("Which is heavier, A or B?", WEIGHTS, "B"),
        ("Which item is lighter: A or C?", WEIGHTS, "A"),
        ("Which is heavier, A or D?", WEIGHTS, ""),
        ("Welcher Turm ist der höchste?", TOWERS, "Glockenturm"),
        ("Welcher Turm ist am niedrigsten?", TOWERS, ""),
        ("Welcher Turm ist der älteste?", TOWERS, "Hungerturm"),
        ("Welcher Turm hat die meisten Plätze?", TOWERS, "Hungerturm"),
        ("Welcher Turm hat die wenigsten Plätze?", TOWERS, "Glockenturm"),
        ("Welcher Turm ist der teuerste?", TOWERS, ""),
    ],
)  # fmt: skip
async def test_the_end_of_a_column_is_of_one_thing_a_row(
    reasoner: EmbeddedReasoner, task: str, text: str, short: str
) -> None:
    reply = await asked(reasoner, task, Table=f"# Table\n\n{text}")
    assert (reply.short, reply.found) == (short, bool(short)), reply
