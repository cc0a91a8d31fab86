"""The words of an order one by one, and postal addresses in one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.environments.pilot.addresses import parts_of
from ddax.environments.pilot.orders import read_orders
from ddax.environments.pilot.wording import wording


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("5 Hill Road, 20457 Hamburg", {"street": "5 Hill Road", "zip": "20457", "city": "Hamburg"}),
        ("Lange Str. 7b, Bremen 28195", {"street": "Lange Str. 7b", "zip": "28195", "city": "Bremen"}),
        (
            "Ann Lee, 10 Low Road, London SW1A 1AA, United Kingdom",
            {
                "name": "Ann Lee", "street": "10 Low Road", "zip": "SW1A 1AA", "city": "London",
                "country": "United Kingdom",
            },
        ),
        ("5 Hill Road, 20457 Hamburg for Bo Dahl", {
            "name": "Bo Dahl", "street": "5 Hill Road", "zip": "20457", "city": "Hamburg",
        }),
        ("Hamburg", {}),
        ("5 Hill Road, Hamburg", {}),
        ("5 Hill Road, 20457 Hamburg, floor 3, Germany", {}),
    ],
)  # fmt: skip
def test_an_address_is_read_whole_or_not_at_all(text: str, parts: dict[str, str]) -> None:
    assert parts_of(text) == parts


def test_days_times_numbers_and_quotes_are_words_of_their_own() -> None:
    order = read_orders("Book two seats on 4 March 2027 at 10:30 for a@b.example, note “by the aisle”.")[0]
    kinds = [(word.key, word.kind) for word in wording(order).words if word.kind != "word"]
    assert kinds == [
        ("2", "number"), ("2027-03-04", "day"), ("10:30", "time"), ("a@b.example", "email"), ("", "quote"),
    ]  # fmt: skip


def test_words_are_found_side_by_side_and_once() -> None:
    said = wording(read_orders("Order a Dr. Ruiz tea with the Dr. Ruiz cup")[0])
    first = said.find(["dr", "ruiz"])
    said.met |= set(first)
    assert first == [2, 3] and said.find(["dr", "ruiz"]) == [7, 8] and said.find(["ruiz", "cup", "tea"]) == []


@given(st.lists(st.sampled_from(["book", "Ann", "3", "“sea view”", "on", "4 May 2027,", "the", "10:30"])))
def test_every_word_is_met_known_or_left(parts: list[str]) -> None:
    for order in read_orders(" ".join(parts)):
        said = wording(order)
        left = said.left({"book"})
        assert {at for run in said.runs({"book"}) for at in run} >= set(left)
        said.met |= set(left)
        assert said.left({"book"}) == []
