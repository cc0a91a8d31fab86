"""A reply becomes a document: the text as it was written, and beside it what was given for each piece."""

from __future__ import annotations

import json

import pytest

from ddax.reasoning import protocol as p
from ddax.reasoning.language import merging
from ddax.reasoning.language.replies import document
from ddax.reasoning.language.replies.document import MergeWire
from ddax.reasoning.language.replies.parsing import parse
from ddax.reasoning.language.replies.schemas import CitationWire, Unfit, schema_of
from ddax.types import Passage

PASSAGE = Passage("m1", "a.txt", "Piers", "The pier was built by Jan Orr in 1902. It cost 3 million crowns.")
NAMED = {"P1": PASSAGE}
REQUEST = p.MergeRequest("t", "the pier", (), (PASSAGE,), final=True)
BUILT, COST = "The pier was built by Jan Orr in 1902.", "It cost 3 million crowns."


def read(answer, *quotes, request=REQUEST, found=True, short=""):
    cited = [CitationWire(passage="P1", quote=quote) for quote in quotes]
    return document.synthesis(
        MergeWire(quotes=cited, found=found, answer=answer, short=short), request, NAMED
    )


def of_sentences(*pairs, found=True):
    sentences = [
        {"text": text, "citations": [{"passage": "P1", "quote": quote} for quote in quotes]}
        for text, *quotes in pairs
    ]
    reply = parse(json.dumps({"sentences": sentences, "found": found, "short": ""}), MergeWire)
    return document.synthesis(reply, REQUEST, NAMED)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("# Pier\n\nJan Orr built it in 1902 [1].\n\n- It cost 3 million [2]\n- Who paid is not said.",
         "# Pier\n\nJan Orr built it in 1902.\n\n- It cost 3 million\n- Who paid is not said."),
        ("| what | how much |\n|---|---|\n| cost | 3 million [2] |",
         "| what | how much |\n|---|---|\n| cost | 3 million |"),
        ("Run it:\n\n```python\nx = a[1]\n```\n\nIt was built in 1902. [1]",
         "Run it:\n\n```python\nx = a[1]\n```\n\nIt was built in 1902."),
        ("Take `a[1]` and [1](http://x) as [9] they are [P1, 2].",
         "Take `a[1]` and [1](http://x) as [9] they are."),
        ('{"year": 1902, "by": "Jan Orr"}', '{"year": 1902, "by": "Jan Orr"}'),
        ('```json\n{"year": 1902}\n```', '{"year": 1902}'),
    ],
)  # fmt: skip
def test_a_text_is_kept_as_it_was_written_but_for_the_numbers_of_quotes(written, text):
    assert read(written, BUILT, COST).text == text


def test_what_was_given_for_each_statement_stands_beside_it():
    found = read("Orr built it [1]. It cost 3 million [2], in 1902 [1, 2]. None says who paid.", BUILT, COST)
    assert found.stated == (
        p.Stated("Orr built it.", (1,)), p.Stated("It cost 3 million, in 1902.", (2, 1)),
    )  # fmt: skip
    assert [c.quote for c in found.citations] == [BUILT, COST]
    assert found.text.endswith("None says who paid.")
    own = read("Orr built it [1]. Crowns are Danish money [own].", BUILT).stated[1]
    assert own == p.Stated("Crowns are Danish money.", (), own=True)


def test_a_quote_that_does_not_stand_in_its_passage_is_no_citation_of_anything():
    found = read("Orr built it [2]. It is red [1].", "The pier is red.", BUILT)
    assert found.stated == (p.Stated("Orr built it.", (1,)),)
    assert [c.quote for c in found.citations] == [BUILT]


def test_a_statement_copied_from_a_passage_is_cited_without_being_asked():
    found = read("It cost 3 million crowns.")
    assert (found.found, [c.quote for c in found.citations]) == (True, ["It cost 3 million crowns."])


def test_without_a_quote_that_stands_nothing_was_found_unless_the_model_may_know_it():
    for refused in (read("It is red.", "The pier is red."), read("", found=False), read("Red.", found=False)):
        assert (refused.found, refused.citations, refused.support) == (False, (), 0.0)
        assert "the pier" in refused.text
    with pytest.raises(Unfit, match="no answer"):
        read(" ", BUILT)
    free = p.MergeRequest("t", "i", (), (), final=True, own=True)
    assert read("17 * 23 + 4 = 395.", request=free).text == "17 * 23 + 4 = 395."
    allowed = p.MergeRequest("t", "i", (), (PASSAGE,), brief=p.Brief(knowledge="allow"))
    assert read("It is red [own].", request=allowed).stated == (p.Stated("It is red.", (), own=True),)


@pytest.mark.parametrize(
    ("sentences", "text"),
    [
        ([("# Pier",), ("Orr built it.", BUILT), ("It was dear.", COST)],
         "# Pier\n\nOrr built it. It was dear."),
        ([("The facts:",), ("- built in 1902", BUILT), ("- 3 million", COST), ("That is all.",)],
         "The facts:\n\n- built in 1902\n- 3 million\n\nThat is all."),
        ([("| a | b |",), ("|---|---|",), ("| cost | 3 million |", COST)],
         "| a | b |\n|---|---|\n| cost | 3 million |"),
        ([("One line.\n", BUILT), ("Another.", COST)], "One line.\nAnother."),
        ([("1. built", BUILT), ("2. paid", COST), ("```sh\nls\n```",)],
         "1. built\n2. paid\n\n```sh\nls\n```"),
    ],
)  # fmt: skip
def test_a_reply_in_sentences_is_set_as_the_blocks_it_is_made_of(sentences, text):
    assert of_sentences(*sentences).text == text


def test_what_a_model_knows_is_read_with_its_working_out_and_without_quotes():
    request = p.MergeRequest("t", "i", (), (), final=True, own=True)
    assert merging.wire_of(request) is document.OwnWire
    for reply in (
        {"work": "17 * 23 = 391", "found": True, "answer": "It is 395.", "short": "395"},
        {"quotes": [], "found": True, "answer": "It is 395.", "short": "395"},
        {"sentences": [{"text": "It is 395.", "citations": []}], "found": True, "short": "395"},
    ):
        found = merging.read(parse(json.dumps(reply), document.OwnWire), request, {})
        assert (found.text, found.short, found.citations) == ("It is 395.", "395", ())
    assert list(schema_of(document.OwnWire)["properties"]) == ["work", "found", "answer", "short"]
    assert schema_of(document.OwnWire)["title"] == "merge"


def test_a_sentence_without_a_quote_is_kept():
    found = of_sentences(("Orr built it.", BUILT), ("None of the reports gives costs.",))
    assert found.text == "Orr built it. None of the reports gives costs."
    assert found.stated == (p.Stated("Orr built it.", (1,)),)
    assert json.dumps(found.text)
