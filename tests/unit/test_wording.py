"""Words that hang on a number."""

from __future__ import annotations

import pytest

from ddax.wording import amount


@pytest.mark.parametrize(
    ("count", "words", "said"),
    [
        (0, ("page",), "0 pages"),
        (1, ("page",), "1 page"),
        (1, ("reply", "replies"), "1 reply"),
        (2, ("reply", "replies"), "2 replies"),
        (12_000, ("token",), "12,000 tokens"),
    ],
)
def test_a_noun_goes_with_its_count(count: int, words: tuple[str, ...], said: str) -> None:
    assert amount(count, *words) == said
