"""Footnotes stand where a person looks, behind what they belong to, and break no table, code or JSON."""

from __future__ import annotations

import json
from typing import Any

from ddax.graph.reports.footnotes import footnoted, report_of, without_sources
from ddax.viewer.markdown import _document

TEXT = (
    "# Pier\n\nIt was built in 1902. It is red.\n\n"
    "| what | when |\n|---|---|\n| built | 1902 |\n\n```py\nx = 1\n```"
)


def span(said: str, status: str, *citations: int, text: str = TEXT) -> dict[str, Any]:
    start = text.index(said)
    return {"start": start, "end": start + len(said), "status": status, "citations": [*citations]}


SPANS = [
    span("It was built in 1902.", "paraphrase", 1), span("It is red.", "unchecked"),
    span("built | 1902", "supported", 1, 2), span("```py\nx = 1\n```", "unchecked"),
]  # fmt: skip


def test_each_statement_has_its_note_behind_it() -> None:
    found = footnoted({"answer": TEXT, "spans": SPANS})
    assert found.text == (
        "# Pier\n\nIt was built in 1902 [≈1]. It is red [?].\n\n| what | when |\n|---|---|\n"
        "| built | 1902 [1, 2] |\n\n```py\nx = 1\n```"
    )
    assert [words[:3] for words in found.legend] == ["≈  ", "[?]"]


def test_without_spans_and_where_all_is_known_the_text_stays() -> None:
    for spans in (None, [], [span("It was built in 1902.", "knowledge")]):
        assert footnoted({"answer": TEXT, "spans": spans}) == (TEXT, [])
    text = json.dumps({"year": 1902})
    assert footnoted({"answer": text, "spans": [span("1902", "supported", 1, text=text)]}) == (text, [])


def test_spans_that_do_not_fit_the_text_change_nothing() -> None:
    odd = [{"start": 90, "end": 5, "status": "supported", "citations": [1]}, span("It is red.", "unchecked")]
    assert footnoted({"answer": "It is red.", "spans": [*odd, {**SPANS[0], "end": 99}]}).text in (
        "It is red.", "It is red [?].",
    )  # fmt: skip


def test_an_export_keeps_the_blocks_and_begins_no_other_markup() -> None:
    text = (
        "# Pier\n\n- It is <b>red</b> [x](http://y).\n\n"
        "| a | b |\n|---|---|\n| *1* | 2 |\n\n```\na[0] = <b>\n```"
    )
    shown = "\n".join(_document({"answer": text, "spans": []}))
    assert shown.startswith("**Pier**\n\n- It is \\<b\\>red\\</b\\> \\[x\\](http\\://y).")
    assert "| a | b |\n| --- | --- |\n| \\*1\\* | 2 |" in shown and "```\na[0] = <b>\n```" in shown


def test_a_report_alone_numbers_its_sources_as_its_list_does() -> None:
    text = "# R\n\n## A\n\nOne. Two. Three. Four.\n\n## Sources\n\n1. X: x.md\n2. Y: y.md"
    quotes = [
        {"title": "X", "source": "x.md"},
        {"title": "X", "source": "x.md"},
        {"title": "Y", "source": "y.md"},
    ]
    places = [
        (text.index(said), text.index(said) + len(said)) for said in ("One.", "Two.", "Three.", "Four.")
    ]
    said = [("supported", [1, 2]), ("paraphrase", [3]), ("unchecked", []), ("supported", [2, 3])]
    spans = [
        {"start": start, "end": end, "status": status, "citations": numbers}
        for (start, end), (status, numbers) in zip(places, said, strict=True)
    ]
    result = {"answer": text, "citations": quotes, "spans": spans}
    assert "One [1]. Two [2]. Three. Four [1, 2]." in report_of(result)
    assert report_of(result).endswith("2. Y: y.md")
    assert without_sources(result)["answer"] == text.partition("\n\n## Sources")[0]
    assert "Sources" not in "\n".join(_document(result)), "an export lists them below, with their quotes"


def test_what_is_no_report_or_has_no_quotes_keeps_its_text() -> None:
    plain = {"answer": "So.", "citations": [{"title": "X", "source": "x.md"}], "spans": []}
    assert report_of(plain) == without_sources(plain)["answer"] == "So."
    uncited = {"answer": "So.\n\n## Sources\n\nThe Nile.", "citations": [], "spans": []}
    assert report_of(uncited) == without_sources(uncited)["answer"] == uncited["answer"]
