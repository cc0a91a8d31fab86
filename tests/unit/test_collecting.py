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
from ddax.errors import UsageError
from ddax.graph.sessions import LocalServices
from ddax.memory.home import Home

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


async def test_a_session_that_does_not_open_leaves_it_as_it_was(tmp_path: Path) -> None:
    context: Any = Context.model_validate({"mood": {"engine": "numpy"}, "sources": [str(tmp_path / "none")]})
    services = LocalServices(Home(tmp_path / "home").ensure())
    with pytest.raises(UsageError):
        await services.session(context)
    assert gc.get_threshold() == USUAL
    await services.session(context.model_copy(update={"sources": ()}))
    assert gc.get_threshold() == SELDOM
    with pytest.raises(UsageError):
        await services.session(context)
    assert gc.get_threshold() == SELDOM, "another one is open"
    await services.close()
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


class Knot:
    """An object in a cycle, which only the collector takes away."""

    def __init__(self) -> None:
        self.me = self


def test_cycles_made_in_a_block_are_gone_at_the_first_look_behind_it() -> None:
    with seldom():
        knot = weakref.ref(Knot())
    fresh = [[] for _ in range(USUAL[0] + 1)]
    assert fresh and knot() is None


def test_who_ends_a_block_does_not_wait_for_the_collector() -> None:
    looks = list[int]()
    gc.collect()

    def count(phase: str, told: dict[str, int]) -> None:
        looks.append(told["generation"])

    with seldom():
        gc.callbacks.append(count)
    gc.callbacks.remove(count)
    assert looks == []


@pytest.mark.parametrize("at", ["entering", "leaving"])
def test_a_block_that_the_collector_ends_inside_another_stops_nobody(at: str) -> None:
    told = (
        "import contextlib, faulthandler, gc, sys\n"
        "faulthandler.dump_traceback_later(20, exit=True)\n"
        "import ddax.collecting as ours\n"
        "class Dropped:\n"
        "    def __init__(self):\n"
        "        self.me, self.stack = self, contextlib.ExitStack()\n"
        "        self.stack.enter_context(ours.seldom())\n"
        "class Looking(list):\n"
        "    def append(self, one):\n"
        "        gc.collect()\n"
        "        super().append(one)\n"
        "    def remove(self, one):\n"
        "        super().remove(one)\n"
        "        gc.collect()\n"
        "gc.set_threshold(700, 10, 10)\n"
        "if sys.argv[1] == 'entering':\n"
        "    Dropped()\n"
        "    ours._open = Looking(ours._open)\n"
        "with ours.seldom():\n"
        "    if sys.argv[1] == 'leaving':\n"
        "        Dropped()\n"
        "        ours._open = Looking(ours._open)\n"
        "print(gc.get_threshold(), ours._open, ours._before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", told, at], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, f"{USUAL} [] []"), done.stderr


def test_an_import_leaves_the_collector_as_it_was() -> None:
    told = (
        "import gc; was = gc.get_threshold(); from ddax import open_agent; print(was == gc.get_threshold())"
    )
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"
