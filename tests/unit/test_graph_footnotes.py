"""Footnotes stand where a person looks, behind what they belong to, and break no table, code or JSON."""

from __future__ import annotations

import json
from typing import Any

from ddax.graph.footnotes import footnoted
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
