"""The one call of the quick road: sentences are told with numbers, and a reply that cites them is read."""

from __future__ import annotations

import json
from typing import Any

from ddax.reasoning import protocol as p
from ddax.reasoning.language.replies.marked import SettleWire, sentences_of, synthesis, told
from ddax.reasoning.language.replies.parsing import parse
from ddax.reasoning.language.replies.schemas import schema_of
from ddax.types import Passage

ADA = Passage("m1", "a.txt", "Ada", "# Ada\n\nAda was born in London. Her father was a poet.", 10, 60)
TABLE = Passage(
    "m2", "b.txt", "Towns", "| town | year |\n|---|---|\n| Belmark | 1902 |\n\n```\na[1] = 2\n```"
)
NAMED = {"P1": ADA, "P2": TABLE}
EVERY = sentences_of(NAMED, 10_000, "")
REQUEST = p.MergeRequest("Where was Ada born?", "i", (), (ADA, TABLE), final=True, settling=True)


def read(**given: Any) -> p.Synthesis:
    return synthesis(parse(json.dumps(given), SettleWire), REQUEST, NAMED, EVERY)


def test_each_sentence_is_told_once_with_its_number_and_a_title_is_no_sentence() -> None:
    text = told(EVERY, NAMED)
    assert '{"title": "Ada"}\nAda was born in London. [1] Her father was a poet. [2]\n' in text
    assert "# Ada" not in text
    for number, one in enumerate(EVERY, 1):
        words = NAMED[one.passage].text[one.start : one.end]
        assert text.count(f"{words} [{number}]") == 1


def test_a_number_stands_for_the_words_of_the_passage_and_where_they_stand() -> None:
    found = read(cited=[1], found=True, answer="In London [1].", short="London")
    (cited,) = found.citations
    assert (cited.quote, cited.passage_id, cited.start) == ("Ada was born in London.", "m1", 17)
    assert (found.text, found.short, found.support) == ("In London.", "London", 1.0)
    assert [one.citations for one in found.stated] == [(1,)]


def test_numbers_in_the_text_are_cited_as_well_and_follow_what_they_carry() -> None:
    found = read(cited=[], found=True, answer="Ada's father wrote [2]. She is of London [1].", short="")
    assert found.text == "Ada's father wrote. She is of London."
    assert [found.citations[n - 1].quote for one in found.stated for n in one.citations] == [
        "Her father was a poet.", "Ada was born in London.",
    ]  # fmt: skip


def test_a_number_of_no_sentence_cites_nothing_and_code_keeps_its_brackets() -> None:
    assert not read(cited=[99, -1, 0], found=True, answer="In Paris.", short="Paris").found
    found = read(cited=[1], found=True, answer="Write `a[2]` in London [1].", short="")
    assert "`a[2]`" in found.text and len(found.citations) == 1


def test_a_reply_that_copies_quotes_all_the_same_is_read() -> None:
    quote = {"passage": "P1", "quote": "Her father was a poet."}
    found = read(quotes=[quote], found=True, answer="A poet [1].", short="")
    assert found.found and found.citations[0].quote == "Her father was a poet."
    given = read(sentences=[{"text": "A poet.", "citations": [quote]}], found=True, short="")
    assert given.found and given.text == "A poet."


def test_the_form_that_is_asked_for_has_no_quotes() -> None:
    assert list(schema_of(SettleWire)["properties"]) == ["cited", "answer", "short"]


def test_of_a_long_passage_the_sentences_that_bear_on_the_task_are_told_and_the_rest_is_said() -> None:
    long = Passage("m3", "c.txt", "Long", " ".join(f"Room {n:03} has a door." for n in range(300)))
    few = sentences_of({"P1": long, "P2": ADA}, 600, "What has room 217, and who was the father?")
    text = told(few, {"P1": long, "P2": ADA})
    assert "Room 217 has a door. [" in text and "Her father was a poet." in text
    before, _, after = text.partition("Room 217")
    assert "characters cut]" in before and "characters cut]" in after and len(text) < 1500


def test_a_reply_without_a_text_has_found_nothing() -> None:
    for given in ({"cited": [], "answer": "", "short": ""}, {"cited": [1], "answer": " "}, {"found": False}):
        assert not read(**given).found


def test_an_answer_that_is_given_in_short_alone_is_one() -> None:
    found = read(cited=[1], answer="", short="London")
    assert found.found and found.text == "London"
