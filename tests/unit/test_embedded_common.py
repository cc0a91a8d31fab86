"""Common questions: costs, columns by an adjective, what is denied besides, what is taken back."""

from __future__ import annotations

import pytest

from ddax.reasoning.embedded import EmbeddedReasoner
from ddax.reasoning.entailment.words import root_of
from ddax.text.words import term_of
from tests.unit.embedded_asking import asked

CARDS = (
    "The library is open daily. A fee of 12 € is charged for a replaced card. "
    "Books may be kept for 30 days.\n"
)
MILL = (
    "This leaflet is for those who walk through the county with a map, a bag and some time to spare, and it "
    "is printed anew each spring by the office for guests in the old custom house.\n\nThe mill of Lund "
    "burned down in 1951, but was not rebuilt. A bakery stands there.\n"
)
BAND = "The brass band wants 600 euros. Later it was told: the band wants 650 euros, not 600.\n"
BOATS = (
    "| Boat | Length m | Weight kg | Time min | Year built |\n|---|---|---|---|---|\n"
    "| Merganser | 11.2 | 4300 | 312 | 2011 |\n| Blue Heron | 9.8 | 3650 | 327 | 1998 |\n"
    "| Petrel | 12.6 | 5100 | 298 | 2016 |\n\nAll boats were measured ashore.\n"
)
TOWN = (
    "The town hall of Torsby was built in 1902. The lighthouse of Vessa is 38 m high and was built in 1857. "
    "The town hall of Vessa was built in 1934.\n"
)


@pytest.mark.parametrize("task", ["What does a replacement card cost?", "How much is a replacement card?"])
async def test_a_cost_is_told_as_a_fee_for_what_is_done(reasoner: EmbeddedReasoner, task: str) -> None:
    reply = await asked(reasoner, task, page=CARDS)
    assert reply.text.startswith("page: A fee of 12 € is charged for a replaced card."), reply.text


async def test_what_says_no_price_tells_no_cost(reasoner: EmbeddedReasoner) -> None:
    reply = await asked(reasoner, "What does a library book cost?", page=CARDS)
    assert not reply.found


@pytest.mark.parametrize(
    ("task", "short"),
    [("When did the mill of Lund burn down?", "1951"), ("Was the mill of Lund rebuilt?", "")],
)
async def test_what_is_denied_besides_denies_not_what_is_asked(
    reasoner: EmbeddedReasoner, task: str, short: str
) -> None:
    reply = await asked(reasoner, task, page=MILL)
    assert reply.found and reply.short == short, reply.text


@pytest.mark.parametrize(
    ("task", "short"),
    [
        ("Which boat is the heaviest?", "Petrel"),
        ("Which is the shortest boat?", "Blue Heron"),
        ("Which boat was the fastest?", "Petrel"),
        ("Which boat was the slowest?", "Blue Heron"),
        ("Which boat is the oldest?", "Blue Heron"),
        ("Which boat is the newest?", "Petrel"),
    ],
)
async def test_an_adjective_names_a_column(reasoner: EmbeddedReasoner, task: str, short: str) -> None:
    reply = await asked(reasoner, task, page=BOATS)
    assert reply.short == short, reply.text


@pytest.mark.parametrize(
    ("task", "short"),
    [
        ("Which boat is longer, Petrel or Merganser?", "Petrel"),
        ("Which boat is lighter, Petrel or Merganser?", "Merganser"),
        ("Which boat is older, Petrel or Blue Heron?", "Blue Heron"),
        ("Which boat is faster, Blue Heron or Petrel?", "Petrel"),
        ("Which boat is deeper, Blue Heron or Petrel?", ""),
    ],
)
async def test_two_rows_are_compared_by_a_column(reasoner: EmbeddedReasoner, task: str, short: str) -> None:
    reply = await asked(reasoner, task, page=BOATS)
    assert reply.short == short, reply.text
    assert not short or reply.text.startswith(f"{short}. page: {short}: "), reply.text


async def test_a_choice_begins_with_what_decides_it(reasoner: EmbeddedReasoner) -> None:
    task = "Which was built first, the lighthouse of Vessa or the town hall of Vessa?"
    reply = await asked(reasoner, task, page=TOWN)
    assert reply.text.startswith(
        "Lighthouse of Vessa. page: The lighthouse of Vessa is 38 m high and was built in 1857. "
        "The town hall of Vessa"
    )


async def test_what_is_taken_back_in_the_same_breath_is_told_with_it(reasoner: EmbeddedReasoner) -> None:
    reply = await asked(reasoner, "How much does the brass band want?", page=BAND)
    assert reply.short == "" and "650 euros, not 600" in reply.text


@pytest.mark.parametrize(
    ("one", "other"),
    [("replacement", "replaced"), ("payment", "paid"), ("department", "departments"), ("fell", "falls")],
)
def test_forms_of_one_word_meet(one: str, other: str) -> None:
    assert term_of(one) == term_of(other)


@pytest.mark.parametrize(("one", "other"), [("department", "departed"), ("apartment", "apart")])
def test_words_that_only_look_alike_do_not_meet(one: str, other: str) -> None:
    assert term_of(one) != term_of(other)


@pytest.mark.parametrize("word", ["broke", "taught", "won", "slept"])
def test_the_support_check_knows_the_same_verbs(word: str) -> None:
    assert root_of(word) == term_of(word)


@pytest.mark.parametrize(
    ("task", "does"),
    [
        ("Which module parses HTML?", "A parser for HTML and XHTML."),
        ("Which module reads CSV files?", "A reader of CSV files, with dialects."),
    ],
)
async def test_a_module_is_named_by_who_does_what_is_asked(
    reasoner: EmbeddedReasoner, task: str, does: str
) -> None:
    reply = await asked(reasoner, task, handy=f"handy\n\n{does}\n", other="other\n\nSends mail by SMTP.\n")
    assert (reply.found, reply.short) == (True, "handy"), reply.text
