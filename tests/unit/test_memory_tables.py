"""Rows of tables: their cells, and how they are said with the names of their columns."""

from __future__ import annotations

import pytest

from ddax.text.table_rows import cells_of, named_cells, said_row
from tests.cases import cases

HEADER = "| Ferry | Captain | Cabins |"


@cases("row", "cells")
def test_cells_stand_between_bars(row: str, cells: list[str]) -> None:
    assert cells_of(row) == cells


def test_a_row_is_said_with_the_names_of_its_columns() -> None:
    assert said_row(HEADER, "| Ariel | | 40 |") == "Ariel: Cabins 40"
    assert said_row("| | Captain |", "| Ariel | Hanne Rask |") == "Ariel: Captain Hanne Rask"
    assert named_cells(HEADER, "| Ariel | Rask |") == [("Ferry", "Ariel"), ("Captain", "Rask")]


@pytest.mark.parametrize("row", ["| Ariel | Rask | 40 | more |", "| Ariel |", "Ariel"])
def test_a_row_that_does_not_fit_its_header_has_no_names(row: str) -> None:
    assert named_cells(HEADER, row) == []
