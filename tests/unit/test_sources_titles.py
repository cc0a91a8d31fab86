"""Titles found in texts."""

from __future__ import annotations

import time

from ddax.actions.sources.titles import TitleIndex
from tests.cases import cases

TITLES = [
    "The Guest (film)", "You're Next", "Paris", "New York City", "York", "the", "statistics", "Index", "東京",
    "The White Hell of Pitz Palu", "Pitz Palu", "St. Louis", "The Guest (2009 novel)", "statistics.median",
    "42",
]  # fmt: skip


def found(text: str) -> list[str]:
    return [TITLES[mention.document] for mention in TitleIndex(TITLES).mentions(text)]


@cases("text", "expected")
def test_titles_are_found_as_whole_phrases(text: str, expected: list[str]) -> None:
    assert found(text) == expected


def test_many_titles_do_not_slow_a_text_down() -> None:
    index = TitleIndex([f"Person Number{i} of Town{i % 1000}" for i in range(100_000)])
    text = "Then Person Number77 of Town77 met the Person who was Person Number5. " * 200
    start = time.perf_counter()
    mentions = list(index.mentions(text))
    assert len(mentions) == 200 and {m.document for m in mentions} == {77}
    assert time.perf_counter() - start < 2.0
