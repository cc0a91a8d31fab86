"""Earlier views of a world are told by what is not seen any more."""

from __future__ import annotations

from ddax.steps.findings.views import unlike_later
from ddax.types import Passage

ROWS = [f'  [e{n}] button "Approve {n}"' for n in range(40)]


def view(name: str, text: str, source: str = "http://claims.example/") -> Passage:
    return Passage(name, source, "Claims", text, 100, 100 + len(text), 1.0)


def page(*changed: tuple[int, str]) -> str:
    rows = list(ROWS)
    for at, text in changed:
        rows[at] = text
    return "\n".join(['heading "Claims"', *rows])


def test_of_an_earlier_view_what_is_gone_is_left_as_a_piece_of_it() -> None:
    first, second = view("a", page()), view("b", page((3, '  [e3] button "Approved"')))
    told = unlike_later({"a": first, "b": second})
    assert told["b"] is second
    piece = told["a"]
    assert piece.text == ROWS[3]
    assert first.text[piece.start - 100 : piece.end - 100] == piece.text


def test_a_piece_goes_from_the_first_line_that_is_gone_to_the_last() -> None:
    first, second = view("a", page()), view("b", page((3, "x"), (5, "y")))
    assert unlike_later({"a": first, "b": second})["a"].text.split("\n") == ROWS[3:6]


def test_a_view_that_lacks_nothing_of_the_later_one_is_left_out() -> None:
    first, second = view("a", page()), view("b", page() + "\nstatus Saved")
    assert [*unlike_later({"a": first, "b": second})] == ["b"]
    assert [*unlike_later({"a": second, "b": second})] == ["b"]


def test_each_view_is_held_against_the_next_of_its_own_source() -> None:
    other = view("o", "another page", source="http://other.example/")
    first, second = view("a", page()), view("b", page((3, "x")))
    told = unlike_later({"a": first, "o": other, "b": second})
    assert [*told] == ["a", "o", "b"]
    assert told["o"] is other and len(told["a"].text) < 40
