"""A sample of battery D: kills before and after every kind of effect, and each kind of damage."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import durability
from benchmarks.core import Figure
from benchmarks.durable import record_files

pytestmark = [pytest.mark.integration, pytest.mark.long, pytest.mark.timeout(900)]


def held(figures: list[Figure], kills: int) -> None:
    found = {figure.name: figure for figure in figures}
    # A run has a few points more or less, by which leaf is done first: the last ones may not come.
    assert sum(figure.value for name, figure in found.items() if name.startswith("kills, ")) >= 0.9 * kills
    assert [figure for figure in figures if figure.misses] == []


def test_a_sample_of_kills_and_damages_costs_nothing(tmp_path: Path) -> None:
    figures = durability.sample(tmp_path, 50, damages=1)
    held(figures, 50)
    assert any(
        figure.name == "damaged checkpoints detected or harmless" and figure.n == 13 for figure in figures
    )


def test_a_sample_of_kills_costs_nothing_in_a_postgres(tmp_path: Path, postgres: str) -> None:
    held(durability.sample(tmp_path, 14, address=postgres), 14)


def test_no_damage_to_a_file_of_the_memory_is_silent(tmp_path: Path) -> None:
    tried = list(record_files.trials(tmp_path, 2))
    assert {one.file for one in tried} == set(record_files.FILES)
    figures = durability.memory_figures(tried)
    assert [figure for figure in figures if figure.misses] == []
    assert sum(one.end == "named" for one in tried) > 20
