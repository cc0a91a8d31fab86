"""The hostile worlds and the agent in them: calm twins, paired seeds, what protect lets through."""

from __future__ import annotations

import importlib.util

import pytest

from benchmarks.hostile_agent import Option, Outcome, Statistics, _allowed, run
from benchmarks.hostile_worlds import WORLDS, Stream
from benchmarks.profiles import ask_rate, branching, to_protect, to_recover

TOY = importlib.util.find_spec("gymnasium") is not None


@pytest.mark.parametrize("name", WORLDS)
async def test_a_calm_world_is_won_without_harm_by_either_agent(name: str) -> None:
    if name == "cliff" and not TOY:
        pytest.skip("gymnasium (extra worlds) is not installed")
    make, steps = WORLDS[name]
    for rigid in (False, True):
        trace = await run(make(3, hostile=False), "task_focused", rigid=rigid, steps=steps)
        assert trace.success and trace.harm == 0


async def test_the_same_seed_is_the_same_story() -> None:
    make, steps = WORLDS["redirect"]
    first, second = [await run(make(5, hostile=True), "cautious", rigid=True, steps=steps) for _ in range(2)]
    assert first == second


async def test_without_rigidity_nothing_stiffens_and_nobody_is_asked() -> None:
    make, steps = WORLDS["redirect"]
    off = await run(make(2, hostile=True), "traumatized", rigid=False, steps=steps)
    on = await run(make(2, hostile=True), "traumatized", rigid=True, steps=steps)
    assert set(off.rho) == {0.0} and not any(off.protect) and off.asked == 0
    assert max(on.rho) > 0.4 and any(on.protect)
    assert on.harm < off.harm


def test_protect_lets_through_what_has_no_effect_and_trusted_reads() -> None:
    options = [
        Option("look", "", effect="none"), Option("own", ""), Option("web", "", trusted=False),
        Option("move", "", effect="writes"),
    ]  # fmt: skip
    assert [o.key for o in _allowed(options, protect=True)] == ["look", "own"]
    assert _allowed(options, protect=False) == options


def test_an_untried_option_takes_the_mean_of_all_unless_it_was_forecast() -> None:
    seen = Statistics()
    seen.add(Option("a", ""), 1.0)
    seen.add(Option("b", ""), 0.0)
    assert seen.q(Option("c", "")) == 0.5
    assert seen.q(Option("a", "")) == 1.0
    assert seen.q(Option("c", "", value=0.2)) == 0.2


async def test_a_day_of_the_stream_is_measured() -> None:
    trace = await run(Stream(1), "cautious", rigid=True, steps=Stream.STEPS)
    assert len(trace.rho) == Stream.STEPS
    assert 1.0 <= branching(trace) <= 8.0
    assert to_protect(trace) == 1.0 and to_recover(trace) > 0
    assert ask_rate(trace) > 0


async def test_a_spell_is_hostile_and_what_is_around_it_is_not() -> None:
    day = Stream(4)
    outcomes: list[Outcome] = []
    while not day.over():
        outcomes.append(await day.do((await day.options())[0]))
    values = [outcome.value for outcome in outcomes]
    spell = values[Stream.CALM : Stream.CALM + Stream.SPELL]
    assert max(spell) < min(values[: Stream.CALM])
