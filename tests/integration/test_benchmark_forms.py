"""Short forms of benchmarks, for what they hold and not for how fast they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import batch, budgets, fanout, growth, growth_loop, parallel, view
from benchmarks.rote_server import rote_server
from tests.integration.browser_page import NAMES, Find

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("leaves", [16, 64])
async def test_leaves_beside_each_other_all_act(leaves: int) -> None:
    assert await fanout.measure(leaves, seconds=0.01) >= 0.01


async def test_the_floor_of_a_fan_out_waits_as_long() -> None:
    assert await fanout.measure_bare(16, seconds=0.01) >= 0.01


async def test_the_leaves_of_a_models_plan_run_in_one_step() -> None:
    with rote_server(0.0) as address, parallel.model_at(address):
        found = await parallel.one_run()
    assert found.calls >= parallel.LEAVES
    assert found.leaves > 0


async def test_no_budget_is_overshot_by_more_than_a_call() -> None:
    ends = await budgets.measure(12, np.random.default_rng(5))
    assert max(end.over for end in ends) <= 1
    assert all(end.found or end.explained for end in ends)
    assert {"stopped"} < {end.status for end in ends}


@pytest.mark.long
async def test_a_killed_batch_has_the_results_of_the_serial_one(tmp_path: Path) -> None:
    serial = await batch.measure(tmp_path / "serial", 6, workers=1)
    struck = await batch.measure(
        tmp_path / "struck", 6, workers=2, kills=(np.random.default_rng(1), serial.seconds / 6)
    )
    assert struck.rows == serial.rows
    assert sorted(struck.told) == sorted(set(struck.told)) == sorted(serial.rows)


async def test_bytes_of_a_superstep_do_not_grow_with_the_ideas(tmp_path: Path) -> None:
    small, large = [await growth.measure(tmp_path / f"{n}.sqlite", n, 12) for n in (10, 2000)]
    assert max(large.steps) < 1.2 * max(small.steps)


async def test_a_large_thread_comes_back_whole(tmp_path: Path) -> None:
    await growth_loop.build(tmp_path / "large.sqlite", 3000)
    assert (await growth_loop.reopen(tmp_path / "large.sqlite"))["ideas"] == 3000


async def test_the_file_stays_small(tmp_path: Path) -> None:
    _, size = await growth_loop.loop(tmp_path / "kb.sqlite", 3, 200, grow=True, alone=True)
    assert size < 1


@pytest.mark.long
async def test_a_page_follows_50_moments_a_second_and_loses_none_with_its_server(
    need: Find, tmp_path: Path
) -> None:
    """Twenty seconds of them, or as many moments where the machine is busy; the page does not grow."""
    need(*NAMES)
    paints, export, followed = await view.measure(
        tmp_path, loads=1, seconds=20, every=4, sizes=(40, 400), before=20
    )
    assert paints[40][0].cards == 40
    assert 100 < paints[400][0].cards < 200, "beyond its budget a picture is folded"
    assert 0 < paints[40][0].first <= paints[40][0].picture
    assert 0.05 < export < 1
    assert (followed.written, followed.lost, followed.twice) == (1020, 0, 0)
    assert len({sample.elements for sample in followed.samples}) == 1
