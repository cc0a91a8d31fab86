"""Words for comparing: read once, each asker with a list of its own, and a plural like its singular."""

import pytest

from ddax.text.words import LINE, stem, terms, words


@pytest.mark.parametrize("read", [words, terms])
def test_who_asks_again_has_the_words_as_they_are(read: object) -> None:
    assert callable(read)
    first = read("The rivers of Córdoba")
    wanted = list(first)
    first.append("more")
    assert read("The rivers of Córdoba") == wanted and wanted[-1] == "cordoba"


@pytest.mark.parametrize("length", [LINE, LINE + 1])
def test_a_long_text_has_the_same_words(length: int) -> None:
    text = ("rivers " * LINE)[:length]
    assert set(words(text)[:-1]) == {"rivers"} and set(terms(text)[:-1]) == {"river"}


@pytest.mark.parametrize(
    ("many", "one"),
    [("sites", "site"), ("files", "file"), ("rates", "rate"), ("boxes", "box"), ("passes", "pass")],
)
def test_a_plural_meets_its_singular(many: str, one: str) -> None:
    assert stem(many) == stem(one)
