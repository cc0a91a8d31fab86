"""Tables and what they say to a question: properties over made tables, and cases of each operation."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddax.reasoning.embedded.evidence import Weighed
from ddax.reasoning.embedded.queries import Told, ask
from ddax.reasoning.embedded.sentences import split
from ddax.reasoning.embedded.tables import Table, tables
from ddax.text.question import analyse
from ddax.types import Passage

BOATS = (
    "# Boats\n\n| boat | crew | price (EUR) | built |\n|---|---|---|---|\n| Heron | 4 | 1,200 | 1961 |\n"
    "| Petrel | 9 | 5,400 | 2016 |\n| Skua | 2 | 800 | 1998 |\n\nAll boats were measured ashore.\n"
)
SERVERS = (
    "# servers\n\n- servers[0].name: gull\n- servers[0].port: 8080\n- servers[1].name: tern\n"
    "- servers[1].port: 9090\n"
)
NAMES = ("Anvil", "Bench", "Chisel", "Drill", "File", "Gauge", "Hammer")


def read(text: str, *, start: int = 0) -> list[Table]:
    """Return the tables of a document."""
    lines = split([Passage("p", "p.md", "p", text, start, start + len(text))])
    return tables([Weighed(line, 0.0, 0.0, 0.0, frozenset(), ()) for line in lines])


def told(question: str, text: str) -> Told | None:
    """Return what the first table of a document says to a question."""
    return ask(analyse(question), read(text)[0], defaultdict(lambda: 1.0))


@pytest.mark.parametrize(
    ("question", "op", "short"),
    [
        ("What is the price of the Heron?", "cell", "1,200"),
        ("Which boat is the cheapest?", "extreme", "Skua"),
        ("Which boat has the most crew?", "extreme", "Petrel"),
        ("Which boat is the oldest?", "extreme", "Heron"),
        ("Which boat is the newest?", "extreme", "Petrel"),
        ("How many boats are there?", "count", "3"),
        ("How many boats cost more than 1,000 euros?", "count", "2"),
        ("Which boats cost more than 1,000 euros?", "list", "Heron, Petrel"),
        ("What is the total crew of all boats?", "sum", "15"),
        ("Which is cheaper, the Heron or the Petrel?", "extreme", "Heron"),
    ],
)
def test_a_question_asks_rows(question: str, op: str, short: str) -> None:
    found = told(question, BOATS)
    assert found is not None
    assert (found.op, found.short) == (op, short)
    assert 0 < found.explained <= 1


def test_objects_listed_field_by_field_are_rows() -> None:
    found = told("What is the port of tern?", SERVERS)
    assert found is not None and found.short == "9090"
    assert any("9090" in line.sentence.text for line in found.lines)


def test_of_a_table_that_is_cut_nothing_is_counted_or_compared() -> None:
    rows = "".join(f"| {name}{n} | {n} |\n" for n, name in enumerate(NAMES * 12))
    cut = ("| tool | weight |\n|---|---|\n" + rows)[:880]
    assert told("How many tools are there?", cut) is None
    assert told("Which tool has the most weight?", cut) is None


def test_rows_of_a_later_passage_keep_the_header_of_their_table() -> None:
    head, rest = BOATS[:95], BOATS[95:]
    head, rest = BOATS.split("| Skua")[0], "| Skua" + BOATS.split("| Skua")[1]
    pages = [
        Passage("a", "p.md", "p", head, 0, len(head)),
        Passage("b", "p.md", "p", rest, len(head), len(BOATS)),
    ]
    lines = {line.text: line for line in split(pages)}
    assert lines["| Skua | 2 | 800 | 1998 |"].cells[2] == ("price (EUR)", "800")


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 9999), min_size=2, max_size=7, unique=True))
def test_what_is_computed_is_true_of_any_table(values: list[int]) -> None:
    rows = list(zip(NAMES, values, strict=False))
    text = (
        "| tool | weight |\n|---|---|\n"
        + "".join(f"| {name} | {n} |\n" for name, n in rows)
        + "\nWeighed dry.\n"
    )
    heavy = told("Which tool is the heaviest?", text)
    assert heavy is not None and heavy.short == max(rows, key=lambda row: row[1])[0]
    added = told("What is the total weight of the tools?", text)
    assert added is not None and added.short == f"{sum(values):,}"
    for name, value in rows:
        cell = told(f"What is the weight of the {name}?", text)
        assert cell is not None and cell.short == str(value)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 99), min_size=3, max_size=7), st.integers(1, 99))
def test_the_rows_that_meet_a_bound_are_those_above_it(values: list[int], bound: int) -> None:
    rows = list(zip(NAMES, values, strict=False))
    text = (
        "| tool | weight |\n|---|---|\n"
        + "".join(f"| {name} | {n} |\n" for name, n in rows)
        + "\nWeighed dry.\n"
    )
    found = told(f"How many tools have a weight of more than {bound}?", text)
    above = [name for name, value in rows if value > bound]
    assert (found.short if found else "0") == str(len(above))
