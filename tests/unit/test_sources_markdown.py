"""Markdown is read as it is shown: no comments, no struck text, and each table with bars."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddax.actions.sources.files import extracted
from ddax.actions.sources.formats.extract import extract
from ddax.actions.sources.formats.markdown import as_shown, with_bars

LONG = "x" * 2000


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("The fee <!-- was 9 --> is 4.\n", "The fee is 4.\n"),
        ("<!-- draft\n\n```\nuntil May -->\nThe fee is 4.\n", "\nThe fee is 4.\n"),
        ("The fee is 4.\n\n<!-- the rest is a draft\n\n# Fee of 9\n", "The fee is 4.\n\n"),
        ("Write `<!-- hidden -->` to hide.\n", "Write `<!-- hidden -->` to hide.\n"),
        ("```html\n<!-- kept -->\n~~kept~~\n```\n", "```html\n<!-- kept -->\n~~kept~~\n```\n"),
        ("~~~\n<!-- kept -->\n~~~\n~~gone~~\n", "~~~\n<!-- kept -->\n~~~\n\n"),
        ("It lasts ~~five years~~ three years.\n", "It lasts three years.\n"),
        ("It lasts <del>five\nyears</del> three years.\n", "It lasts three years.\n"),
        ("About ~~5 to ~~7, a ~~ b ~~ c, a <!-- b\n", "About ~~5 to ~~7, a ~~ b ~~ c, a <!-- b\n"),
        ("One ~~two\n\nthree~~ four\n", "One ~~two\n\nthree~~ four\n"),
        (f"~~{LONG}~~ a\n", f"~~{LONG}~~ a\n"),
    ],
)  # fmt: skip
def test_what_is_not_shown_or_struck_is_left_out(text: str, read: str) -> None:
    assert as_shown(text) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("code | meaning\n---|---\nE1 | lid\nE2 | water\n\na | b\n",
         "| code | meaning |\n| ---|--- |\n| E1 | lid |\n| E2 | water |\n\na | b\n"),
        ("| code | meaning\n|:--|--:\n| E1 | a\\|\n", "| code | meaning |\n|:--|--: |\n| E1 | a\\| |\n"),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n", "| a | b |\n|---|---|\n| 1 | 2 |\n"),
        ("```\na | b\n---|---\n```\n", "```\na | b\n---|---\n```\n"),
        ("a | b | c\n---|---\n", "a | b | c\n---|---\n"),
        ("yes | no\nmaybe | never\n", "yes | no\nmaybe | never\n"),
        ("a | b\n---\n", "a | b\n---\n"),
    ],
)  # fmt: skip
def test_a_table_gets_bars_at_its_rims(text: str, read: str) -> None:
    assert with_bars(text) == read


def test_signs_without_an_end_take_no_time() -> None:
    for sign in ("<!-- ", "~~a ", "`", "``` ", "<del>"):
        text = f"a {sign}" * 20_000
        assert as_shown(text)


def test_a_file_is_read_by_its_ending(tmp_path: Path) -> None:
    text = "Fee <!-- draft -->\n\na | b\n---|---\n1 | 2\n"
    for name, kept in (("page.md", False), ("page.txt", True)):
        path = tmp_path / name
        path.write_text(text)
        found = extracted(path)
        assert isinstance(found, list)
        assert ("draft" in found[0].text) == kept and "| 1 | 2 |" in found[0].text


def test_struck_text_of_a_page_is_left_out() -> None:
    page = b"<p>It lasts <del>five</del> <s>four</s> three years.</p>"
    assert extract(page, "html", fallback="page").text == "It lasts three years."
