"""Values with units: brought to one before they are compared."""

from __future__ import annotations

import pytest

from ddax.text.units import pointed, quantity


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
