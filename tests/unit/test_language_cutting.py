"""What does not fit a prompt is cut by what bears on the question, wherever it stands, and that is said."""

from __future__ import annotations

import pytest

from ddax.reasoning.language.cutting import cut
from ddax.types import Passage

FILL = "The weather of that year was mild and the fields were wide. "
ANSWER = "The lighthouse of Belmark was built by Ann Orde in 1871."


def page(place: float, length: int = 400) -> str:
    at = int(place * length)
    return FILL * at + ANSWER + " " + FILL * (length - at)


@pytest.mark.parametrize("place", [0.0, 0.5, 1.0])
def test_the_sentence_that_answers_stays_wherever_it_stands(place: float) -> None:
    named = {"P1": Passage("m1", "a.md", "A", page(place))}
    text = cut(named, 800, "Who built the lighthouse of Belmark?")["P1"]
    assert ANSWER in text and "characters cut]" in text and len(text) < 1200


def test_of_several_pages_the_one_that_answers_has_the_room() -> None:
    pages = {f"P{n}": Passage(f"m{n}", "a.md", "A", FILL * 20) for n in range(1, 6)}
    pages["P6"] = Passage("m6", "b.md", "B", page(0.9, 30))
    assert ANSWER in cut(pages, 500, "Who built the lighthouse?")["P6"]


def test_scripts_without_spaces_are_weighed_too() -> None:
    text = (
        "今日は天気がいいです。" * 100 + "灯台は一八七一年に建てられました。" + "今日は天気がいいです。" * 100
    )
    assert (
        "灯台は一八七一年"
        in cut({"P1": Passage("m", "a", "A", text)}, 200, "灯台はいつ建てられましたか")["P1"]
    )


def test_what_fits_is_left_as_it_is() -> None:
    named = {"P1": Passage("m1", "a", "A", "x" * 900), "P2": Passage("m2", "b", "B", "  y\n")}
    assert cut(named, 904, "z") == {"P1": "x" * 900, "P2": "  y\n"}


def test_what_is_left_of_a_text_stands_in_it_word_for_word() -> None:
    text = page(0.3)
    for piece in cut({"P1": Passage("m1", "a", "A", text)}, 900, "lighthouse")["P1"].split("[..."):
        assert piece.rpartition("cut]")[2].strip() in text
