"""Sentences read with what they stand under, and said without the marks of layout."""

from __future__ import annotations

import html
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.reasoning.embedded.evidence import Weighed, fit_of_title
from ddax.reasoning.embedded.sentences import Sentence, fair_share, split
from ddax.reasoning.embedded.shown import MAX_WORDS, pack
from ddax.text.question import analyse
from ddax.text.words import fold, terms, words
from ddax.types import Passage

TABLE = (
    "# Travel policy\n\n## Hotels\n\nThe highest price of a night:\n\n"
    "| City | Price |\n|---|---|\n| London | 180 euros |\n\nReceipts count.\n"
)
PIECES = st.sampled_from(
    ["# A\n", "word ", "end. ", "\n", "\n\n", "| a | b |\n", "|---|---|\n", "- item\n", ">>> f(1)\n",
     "a      b\n", "====\n", "```\n", "你好。", "Why?\n\n", "f(x)\n\n", ":\n"]
)  # fmt: skip


def cut(text: str, title: str = "Travel policy", start: int = 0) -> list[Sentence]:
    return split([Passage("p", "p.md", title, text, start, start + len(text))])


@given(st.text(max_size=20), st.sampled_from(["", "&eacute;", "&amp;", "İ", "\u212a", "ﬁ", "é"]))
def test_folding_drops_case_accents_and_entities_of_any_text(text: str, sign: str) -> None:
    plain = unicodedata.normalize("NFKD", html.unescape(text + sign).lower())
    assert fold(text + sign) == "".join(char for char in plain if not unicodedata.combining(char))


@given(st.lists(PIECES, max_size=40).map("".join), st.integers(0, 50))
def test_every_quote_is_verbatim_and_says_something(text: str, start: int) -> None:
    for sentence in cut(text, start=start):
        quote = sentence.citation()
        assert text[quote.start - start : quote.end - start] == quote.quote
        assert any(char.isalnum() for char in sentence.plain)
        assert "\n" not in sentence.plain and "|" not in sentence.plain


def test_a_row_is_read_with_its_heading_and_header_and_rulers_are_left_out() -> None:
    found = {sentence.plain: sentence for sentence in cut(TABLE)}
    assert "---" not in "".join(found)
    row = found["London: 180 euros"]
    assert row.item and row.heading is not None and row.heading.plain == "Hotels"
    assert "highest price of a night" in row.titled and "City: Price" in row.titled
    assert found["City: Price"].label and found["Hotels"].label
    assert not found["Receipts count."].label and found["Receipts count."].intro == ""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (r"| Grey \| Goose | Tom Hale |", "Grey | Goose: Tom Hale"),
        (r"| Tom Hale | Grey\|Goose |", "Tom Hale: Grey|Goose"),
        (r"| pipes | a\\|b |", r"pipes: a\|b"),
        (r"| \| | bar |", "|: bar"),
        (r"Tom Hale | Grey \|", "Tom Hale: Grey |"),
        (r"Search with the pattern ship\|boat here.", r"Search with the pattern ship\|boat here."),
    ],
)
def test_a_bar_inside_a_cell_is_part_of_what_the_cell_says(line: str, said: str) -> None:
    (found,) = cut(line)
    assert found.plain == said and found.text == line


def test_a_fence_makes_no_heading_of_the_line_above_it() -> None:
    lines = cut("- The port is 2024\n```\n| port | 2024 |\n```\n- | 1 | 2 |\n")
    assert [(line.plain, line.label, line.code) for line in lines] == [
        ("The port is 2024", False, False), ("port: 2024", False, True), ("1: 2", False, False),
    ]  # fmt: skip
    assert lines[2].cells == []


def test_a_passage_that_begins_in_code_says_so_up_to_the_fence() -> None:
    text = "# The port is 80.\nrun()\n```\n# Use\n\nThe port is 90.\n"
    lines = split([Passage("p", "s", "t", text, 500, 500 + len(text), fenced=True)])
    assert [(line.plain, line.label, line.code) for line in lines] == [
        ("The port is 80.", True, True), ("run()", False, True), ("Use", True, False),
        ("The port is 90.", False, False),
    ]  # fmt: skip
    assert [line.heading and line.heading.plain for line in lines] == [None, None, None, "Use"]


def test_an_answer_stands_under_its_question() -> None:
    found = cut("How do I leave?\n\nUse the back door.\n", title="House rules")
    assert found[0].label and found[1].titled == "House rules: How do I leave?: Use the back door."


@pytest.mark.parametrize(
    ("question", "title", "opening", "fits"),
    [
        ("Which function adds numbers?", "maths.add", "maths.add(a, b)\n\nAdd numbers.", True),
        ("Which function adds numbers?", "maths", "maths\n\nAdd numbers.", False),
        ("Which module adds numbers?", "maths", "maths\n\nAdd numbers.", True),
        ("Which module adds numbers?", "maths", "maths\n\n## Classes\n\n- Adder(int): Add numbers.", False),
        ("Which class adds numbers?", "maths.Adder", "maths.Adder(int)\n\nAdd numbers.", True),
        ("What does add do?", "maths.add", "maths.add(a, b)\n\nAdd numbers.", True),
        ("What does add do?", "maths.sub", "maths.sub(a, b)\n\nSubtract.", False),
        ("Who adds numbers?", "maths.add", "maths.add(a, b)\n\nAdd numbers.", False),
    ],
)
def test_the_opening_of_a_document_answers_for_its_title(
    question: str, title: str, opening: str, fits: bool
) -> None:
    first = next(sentence for sentence in cut(opening, title=title) if not sentence.label)
    assert fit_of_title(analyse(question), first) == float(fits)


def test_terms_know_joined_names_numbers_and_the_words_of_asking() -> None:
    assert {"median", "group", "median_group"} <= set(terms("median_grouped"))
    assert {"temporary", "directory"} <= set(terms("TemporaryDirectory"))
    assert terms("2.2.1") == ["2.2.1"]
    assert terms("متى") == [] and "多少" not in terms("多少天内")


def test_a_long_row_is_said_no_further_than_it_is_quoted() -> None:
    row = "| " + " | ".join(f"c{k} v{k}" for k in range(60)) + " |"
    line = next(line for line in cut(f"# Doc\n\n{row}\n") if line.item)
    said, quotes = pack([Weighed(line, 1.0, 1.0, 1.0, frozenset(), ())])
    assert said.endswith("…")
    assert set(words(said.split(": ", 1)[1])) == set(words(quotes[0].quote))


def test_every_document_is_read_where_one_holds_more_sentences_than_are_weighed() -> None:
    long = Passage("l", "l.md", "Long", " ".join(f"Filler number {k} stands here." for k in range(1500)))
    short = Passage("s", "s.md", "Short", "Bob Ray was born in Ulm. He died in Rome.")
    found = split([long, short])
    assert len(found) == 1000
    assert [line.text for line in found[-2:]] == ["Bob Ray was born in Ulm.", "He died in Rome."]


@given(st.lists(st.integers(0, 50), max_size=20), st.integers(0, 200))
def test_parts_share_a_limit_fairly(sizes: list[int], limit: int) -> None:
    share = fair_share(sizes, limit)
    given_ = [min(size, share) for size in sizes]
    assert sum(given_) <= limit
    assert given_ == sizes or sum(min(size, share + 1) for size in sizes) > limit


def test_a_row_without_blanks_is_cut_behind_a_cell() -> None:
    rows = ("|".join(["", *(f"{word}{i}" for i in range(45)), ""]) for word in ("col", "val"))
    header, row = rows
    table = f"{header}\n{'|-' * 45}|\n{row}\n"
    line = next(line for line in cut(table, "Doc") if "val0" in line.text)
    text, quotes = pack([Weighed(line, 1.0, 1.0, 1.0, frozenset(), ())])
    assert 40 <= len(text.split()) <= MAX_WORDS
    assert "val1," in text and quotes[0].quote in row


def test_a_passage_that_is_read_again_is_not_cut_again() -> None:
    assert all(first is again for first, again in zip(cut(TABLE), cut(TABLE), strict=True))
    assert cut(TABLE)[0].plain is cut(TABLE)[0].plain
    assert cut(TABLE, start=7)[0].start == cut(TABLE)[0].start + 7
    long = "All is well here. " * 400
    assert [line.text for line in cut(long)] == [line.text for line in cut(long)]
    assert cut(long)[0] is not cut(long)[0]
