"""Sentences and chunks: exact places, nothing lost, the right borders."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.text.chunks import chunks, sentences
from tests.cases import cases

PIECES = st.sampled_from(
    ["Dr. ", "U.S. ", "e.g. ", "word ", "The ", "end. ", "why? ", "。", "你好", "؟ ", "\n", "\n\n", "# ",
     "1. ", "- ", "J. ", "3.14 ", "\"", ")", "...", "é", " ", "\t", "🙂", "x" * 120]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=80).map("".join) | st.text(max_size=200)


def split(text: str) -> list[str]:
    return [text[span.start : span.end] for span in sentences(text)]


@given(TEXTS)
def test_sentences_hold_every_sign_in_order(text: str) -> None:
    spans = sentences(text)
    assert "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())
    assert all(first.end <= second.start for first, second in pairwise(spans))
    assert all(text[a:b] == text[a:b].strip() and b > a for a, b in spans)


@given(TEXTS, st.integers(10, 200), st.integers(0, 9))
def test_chunks_are_verbatim_bounded_and_complete(text: str, size: int, overlap: int) -> None:
    found = chunks(text, size=size, overlap=overlap)
    covered = set()
    for start, end, piece in found:
        assert text[start:end] == piece and 0 < len(piece) <= size
        covered.update(range(start, end))
    assert all(text[i].isspace() for i in range(len(text)) if i not in covered)
    assert [c.start for c in found] == sorted({c.start for c in found})


@cases("text", "expected")
def test_sentences_end_where_a_reader_would_end_them(text: str, expected: list[str]) -> None:
    assert split(text) == expected


def test_a_sentence_that_never_ends_is_cut_at_clauses() -> None:
    found = split("a clause of this kind, " * 60)
    assert all(len(piece) <= 400 for piece in found) and all(piece.endswith(",") for piece in found)


def test_a_short_text_is_one_chunk_and_a_long_one_overlaps() -> None:
    assert chunks("# T\n\nOne. Two.")[0].text == "# T\n\nOne. Two."
    text = " ".join(f"Sentence number {i} stands here." for i in range(100))
    found = chunks(text)
    assert len(found) > 3 and all(len(c.text) > 600 for c in found[:-1])
    assert all(b.start < a.end for a, b in pairwise(found))


def test_a_heading_opens_a_chunk() -> None:
    found = chunks("Intro. " * 60 + "\n\n# Second part\n\nMore text.")
    assert found[-1].text.startswith("# Second part")


def test_a_comment_of_a_program_opens_no_chunk() -> None:
    found = chunks("Intro. " * 60 + "\n\n```sh\n# The port is 80.\nrun\n```\n\nMore text.")
    assert [chunk.text[:5] for chunk in found] == ["Intro"]


def test_a_text_that_begins_in_code_is_cut_there_by_lines() -> None:
    text = "run(a. B)\n```\nOne. Two.\n"
    assert [text[a:b] for a, b in sentences(text, fenced=True)] == ["run(a. B)", "```", "One.", "Two."]


def test_wrong_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="overlap"):
        chunks("text", size=10, overlap=10)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", ["a", "a. ", "\n", ".", "# a", "# a. b", "' "])
def test_monstrous_texts_take_linear_time(unit: str) -> None:
    assert all(len(piece) <= 900 for _, _, piece in chunks(unit * 200_000))


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", [".", "…", " ", "\t", "|", "-", '"', "(", "*"])
def test_signs_that_are_repeated_take_linear_time(unit: str) -> None:
    started = time.perf_counter()
    for text in (f"a{unit * 1998}\n" * 200, f"a{unit * 100_000}a"):
        assert chunks(text)[0].text.startswith("a")
    assert time.perf_counter() - started < 4, "a pattern that tries every place of a run takes longer"
