"""Titles found in texts."""

from __future__ import annotations

import time

import pytest

from ddax.actions.sources.titles import TitleIndex

TITLES = [
    "The Guest (film)", "You're Next", "Paris", "New York City", "York", "the", "statistics", "Index", "東京",
    "The White Hell of Pitz Palu", "Pitz Palu", "St. Louis", "The Guest (2009 novel)", "statistics.median",
    "42",
]  # fmt: skip


def found(text: str) -> list[str]:
    return [TITLES[mention.document] for mention in TitleIndex(TITLES).mentions(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Was The Guest shot before You're Next?",
            ["The Guest (film)", "The Guest (2009 novel)", "You're Next"],
        ),
        ("Paris is old. Parisians live there.", ["Paris"]),
        ("in New York City now", ["New York City"]),
        ("the duke of York", ["York"]),
        ("the white hell of pitz palu is a film", ["The White Hell of Pitz Palu"]),
        ("you're next", []),
        ("the statistics of 42", []),
        ("東京は日本の首都", ["東京"]),
        ("He saw the Guest. Paris came.", ["Paris"]),
        ("He went to New York. City life is hard.", ["York"]),
        ("in St. Louis", ["St. Louis"]),
        ("call statistics.median(x)", ["statistics.median"]),
        ("", []),
    ],
)
def test_titles_are_found_as_whole_phrases(text: str, expected: list[str]) -> None:
    assert found(text) == expected


def test_many_titles_do_not_slow_a_text_down() -> None:
    index = TitleIndex([f"Person Number{i} of Town{i % 1000}" for i in range(100_000)])
    text = "Then Person Number77 of Town77 met the Person who was Person Number5. " * 200
    start = time.perf_counter()
    mentions = list(index.mentions(text))
    assert len(mentions) == 200 and {m.document for m in mentions} == {77}
    assert time.perf_counter() - start < 2.0
