"""JSON is read a value a line, with the path to each, and records of one kind as a table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.actions.sources.files import extracted
from ddax.actions.sources.formats.json_text import SHORT, as_values

BODY = "The pier was built in 1902. " * 10
RECORDS = "| city | mayor |\n| --- | --- |\n| Lindholm | Eva Strand |\n| Varby |  |\n"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('{"staging": {"port": 8080, "tls": false, "by": null}}',
         "- staging.port: 8080\n- staging.tls: false\n- staging.by: null\n"),
        ('{"a b": [1.50, "x\\ny"], "c": {}, "d": [[1], [2, 3]]}',
         "- a b: 1.50, x y\n- c: {}\n- d[0]: 1\n- d[1]: 2, 3\n"),
        ('[{"city": "Lindholm", "mayor": "Eva Strand"}, {"city": "Varby"}]', RECORDS),
        ('{"city": "Lindholm", "mayor": "Eva Strand"}\n\n{"city": "Varby"}\n', RECORDS),
        ('{"towns": [{"a|b": 1}, {"a|b": 2}], "n": 3}',
         "## towns\n\n| a\\|b |\n| --- |\n| 1 |\n| 2 |\n\n- n: 3\n"),
        (f'[{{"title": "Pier", "body": "{BODY}"}}, {{"title": "Mill"}}]',
         f"- [0].title: Pier\n\n[0].body:\n\n{BODY.strip()}\n\n- [1].title: Mill\n"),
        ('[{"a": 1}, {"b": 2}, {"c": 3}]', "- [0].a: 1\n- [1].b: 2\n- [2].c: 3\n"),
        ("[1, 2]", "- 1, 2\n"),
        ('{"id": 123456789012345678901234567890, "e": 1e400}',
         "- id: 123456789012345678901234567890\n- e: 1e400\n"),
        ('{"half": "a\\ud800b\\u0000\\r\\nc"}', "- half: ab c\n"),
    ],
)  # fmt: skip
def test_json_is_read_a_value_a_line(text: str, read: str) -> None:
    assert as_values(text) == read


@pytest.mark.parametrize(
    "text", ["", "{broken", "just words\nand more", '"one string"', "12", "[]", "{}", "[" * 100_000]
)
def test_what_has_no_values_to_name_stays_as_it_is(text: str) -> None:
    assert as_values(text) == text


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list) and value:
        for inner in value.values() if isinstance(value, dict) else value:
            yield from leaves(inner)
    else:
        yield value


WORDS = st.text("abc d|é", min_size=1, max_size=8).filter(str.strip)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS | st.just("long " * SHORT),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=20,
)


@given(VALUES.filter(lambda value: isinstance(value, dict | list) and bool(value)))
def test_no_value_is_lost(value: Any) -> None:
    read = " ".join(as_values(json.dumps(value)).replace("\\|", "|").split())
    for leaf in leaves(value):
        said = leaf if isinstance(leaf, str) else json.dumps(leaf)
        assert " ".join(said.split()) in read


@pytest.mark.parametrize("name", ["towns.json", "towns.jsonl", "towns.ndjson"])
def test_files_of_json_are_read_so(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text('{"city": "Lindholm", "mayor": "Eva Strand"}\n{"city": "Varby"}\n')
    (found,) = extracted(tmp_path / name)
    assert not isinstance(found, str) and found.text == RECORDS and found.title == "towns"  # type: ignore[attr-defined]
