"""The garbage collector looks seldom while an agent is open, and as before when it is closed."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ddax import open_agent
from ddax.collecting import SELDOM, seldom
from ddax.configs.settings import Context

USUAL = (700, 10, 10)


@pytest.fixture(autouse=True)
def usual() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(*USUAL)
    yield
    gc.set_threshold(*before)


async def test_agents_set_it_while_one_is_open(tmp_path: Path) -> None:
    context: Any = Context.model_validate({"mood": {"engine": "numpy"}})
    async with open_agent(context, home=tmp_path / "one") as one:
        await one.run("What is a dam?")
        assert gc.get_threshold() == SELDOM
        async with open_agent(context, home=tmp_path / "two") as two:
            await two.run("What is a dam?")
        assert gc.get_threshold() == SELDOM, "the first is still open"
    assert gc.get_threshold() == USUAL


def test_a_block_inside_another_and_one_that_fails_set_it_back() -> None:
    with pytest.raises(RuntimeError), seldom():
        with seldom():
            assert gc.get_threshold() == SELDOM
        assert gc.get_threshold() == SELDOM
        raise RuntimeError
    assert gc.get_threshold() == USUAL


@pytest.mark.parametrize("own", [(0, 10, 10), (200_000, 5, 5)])
def test_a_process_that_looks_never_or_more_seldom_is_left_alone(own: tuple[int, int, int]) -> None:
    gc.set_threshold(*own)
    with seldom():
        assert gc.get_threshold() == own
    assert gc.get_threshold() == own


def test_what_a_process_sets_meanwhile_stays() -> None:
    with seldom():
        gc.set_threshold(9_000, 9, 9)
    assert gc.get_threshold() == (9_000, 9, 9)


def test_cycles_made_in_a_block_are_gone_behind_it() -> None:
    class Knot:
        def __init__(self) -> None:
            self.me = self

    with seldom():
        knot = weakref.ref(Knot())
    assert knot() is None


def test_an_import_leaves_the_collector_as_it_was() -> None:
    told = (
        "import gc; was = gc.get_threshold(); from ddax import open_agent; print(was == gc.get_threshold())"
    )
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"
