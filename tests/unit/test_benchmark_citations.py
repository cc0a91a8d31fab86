"""The checker of the benchmark counts carried, marked and bare sentences by its own rules."""

from __future__ import annotations

from benchmarks.citations import check

PAGES = {"a.md": "Rex G. Maughan is the founder. The town lies on a river."}
QUOTE = {"source": "a.md", "quote": "Rex G. Maughan is the founder."}


def test_it_tells_carried_marked_and_bare_sentences_apart() -> None:
    text = "Yes. Rex Maughan: Rex G. Maughan is the founder. The moon is made of cheese."
    spans = [{"start": 0, "end": 4, "status": "unchecked"}, {"start": 5, "end": 49, "status": "supported"}]
    assert check(text, [QUOTE], PAGES, spans) == (3, 1, 1)
    assert check(text, [QUOTE], PAGES) == (3, 1, 0)


def test_a_quote_that_is_not_in_its_page_carries_nothing() -> None:
    false = {"source": "a.md", "quote": "Rex G. Maughan is the owner."}
    assert check("Rex G. Maughan is the owner.", [false], PAGES) == (1, 0, 0)
    assert check("Rex G. Maughan is the founder.", [{**QUOTE, "source": "b.md"}], PAGES) == (1, 0, 0)
