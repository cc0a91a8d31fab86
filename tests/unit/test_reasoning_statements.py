"""A text taken apart into what it states, each piece with its place."""

from __future__ import annotations

import pytest

from ddax.reasoning.statements import statements

DOCUMENT = """# Costs

The pier was built in 1902. It cost 3 million.

The facts:

- **North** pier: 12 m
1. Keep it.

| Pier | Built |
|---|---|
| North | 1902 |

```python
x = [1]
```
> A quoted line.
"""


def test_a_document_has_its_statements_with_their_places() -> None:
    found = statements(DOCUMENT)
    assert [(one.form, DOCUMENT[one.start : one.end]) for one in found] == [
        ("sentence", "The pier was built in 1902."), ("sentence", "It cost 3 million."),
        ("sentence", "**North** pier: 12 m"), ("sentence", "Keep it."), ("row", "North | 1902"),
        ("code", "```python\nx = [1]\n```"), ("sentence", "A quoted line."),
    ]  # fmt: skip
    assert found[4].words == "North: Built 1902"


def test_the_values_of_json_are_checked_under_their_names() -> None:
    text = '{"pier": {"built_in": 1902, "by": ["Jan Orr", "B \\"C\\""], "open": true, "x": null, "y": ""}}'
    assert [(text[one.start : one.end], one.words) for one in statements(text)] == [
        ("1902", "pier built in: 1902"), ('"Jan Orr"', "pier by: Jan Orr"), ('"B \\"C\\""', 'pier by: B "C"'),
        ("true", "pier open: true"),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "   ", "# Title", "---", "{", "| a |\n|---|\n", "```\n", "The facts:"])
def test_what_only_sets_a_text_out_states_nothing(text: str) -> None:
    assert [one for one in statements(text) if one.form != "code"] == []
