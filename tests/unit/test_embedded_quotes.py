"""Every answer is made of quotes that stand in their document where they say, whatever it looks like."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.memory.embed.likeness import Vectors
from ddax.memory.embeddings import HashEmbedder
from ddax.reasoning.embedded.answer import NOT_FOUND, Answer, answer, ranked
from ddax.reasoning.embedded.shown import MAX_WORDS, pack
from ddax.text.chunks import chunks
from ddax.text.question import analyse
from ddax.types import Passage

PIECES = (
    "# Wages\n", "# Wages\r\n", "Wages is led by Annika Brandt. ", "Wages is led by Annika Brandt",
    "It is led by Ole Krag in 1901.\r\n", "| Desk | Leader |\n|---|---|\n| Wages | Ann Lee |\n",
    "| Desk | Leader |\r\n|:--|--:|\r\n| Wages | Ann \\| Lee |\r\n", "```\n", "~~~python\r\n", "\u00a0",
    "“Wages” is „led“ by «Åsa Öst». ", "e\u0301 ", "\ufeff", "\u2028", "\x0b", "\x85", "İ", "ﬁ", "👩‍👩‍👧 ",
    "\n\n", "\r\n\r\n", "\r", "\t", "    ", "- Wages:\tled by Ann Lee\n", "1. Wages. Led by Ole Krag.\n",
    "**Wages:** led by __Ole Krag__.\n", "From: a\nTo: b\nSubject: Wages\n", "Wages:\n", "word " * 70,
    "x" * 500, "wages;" * 90, "---\n", ">>> f(1)\n1\n", "> quote\n", "(Ann Lee; 3 May 1901 – 4 June 1999) ",
    "Why?\n\n", "Yes, it is.\n", "*", "_", "|", "\\|", "#", "&amp; ", "你好。",
)  # fmt: skip
TASKS = (
    "Who leads Wages?", "When was Wages led?", "Is Wages led by Annika Brandt?", "What is Wages?",
    "How many Wages are led?", "Why is Wages led?", "Who is older, Ann Lee or Ole Krag?", "wages led", "Why?",
)  # fmt: skip
VECTORS = Vectors(HashEmbedder())


def parts_of(text: str, title: str = "Wages") -> list[Passage]:
    """Return all parts of one document."""
    return [Passage(str(i), "w.md", title, c.text, c.start, c.end) for i, c in enumerate(chunks(text))]


def read(task: str, text: str, title: str = "Wages") -> Answer:
    """Answer from all parts of one document."""
    return answer(analyse(task), parts_of(text, title), VECTORS)


TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), max_size=30).map("".join)


@given(TEXTS, st.sampled_from(TASKS), st.sampled_from(["Wages", "notes", "Desk (a)", "Annika Brandt", "|"]))
def test_what_could_be_claimed_quotes_its_document_word_for_word(text: str, task: str, title: str) -> None:
    question = analyse(task)
    order, raw, likely = ranked(question, parts_of(text, title), VECTORS)
    assert raw == sorted(raw, reverse=True) and 0 <= likely <= 1
    told, quotes = pack([line for one in order for line in one.lines], asked=frozenset(question.terms))
    assert all(text[quote.start : quote.end] == quote.quote for quote in quotes)
    assert "\n" not in told and len(told.split()) <= MAX_WORDS


@given(TEXTS, st.sampled_from(TASKS))
def test_passages_that_are_shown_stand_in_their_document_line_by_line(text: str, task: str) -> None:
    found = read(task, text)
    assert found.found == bool(found.citations)
    assert not (found.found and found.nearest), "passages are shown where nothing is claimed"
    assert found.found or found.text.startswith(NOT_FOUND)
    assert len(found.nearest) <= 3
    assert all(passage.quote in text and passage.place.startswith("w.md") for passage in found.nearest)


@pytest.mark.parametrize(
    "piece",
    ["word ", "x", "| a ", ".", "A. ", "(1900 - ", "(; ", "“", "\"'“", "Go. ", "Abc of the ", "1,", "two-",
     "**a ", "_", "# ", "- ", "a\t", "   ", "\n", "a\r\n", "```\n", "From: a\n", "abc:\n", "Abc\n\n",
     "1. a.\n", "who when ", "It is. "],
)  # fmt: skip
def test_a_hostile_document_takes_no_longer_than_its_length(piece: str) -> None:
    began = time.process_time()
    found = read("Who is the head of the Abc word in 1900?", piece * (50_000 // len(piece)))
    assert found.text
    assert time.process_time() - began < 5
