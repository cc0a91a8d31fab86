"""What every world must do, whoever made it: run against the grid and against Gymnasium's worlds."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ddax.environments.grid import GridWorld
from ddax.environments.journey import Journey
from ddax.environments.protocol import Environment, Move, Observation, Snapshot
from ddax.errors import ActionError

TOY = importlib.util.find_spec("gymnasium") is not None


def toy(world: str, **options: Any) -> Callable[[], Environment]:
    def make() -> Environment:
        if not TOY:
            pytest.skip("gymnasium (extra worlds) is not installed")
        from ddax.environments.toy_text import ToyTextWorld

        return ToyTextWorld(world, **options)

    return make


WORLDS: dict[str, Callable[[], Environment]] = {
    "grid": GridWorld,
    "lake": toy("FrozenLake-v1", is_slippery=False),
    "slippery lake": toy("FrozenLake-v1"),
    "large lake": toy("FrozenLake8x8-v1"),
    "cliff": toy("CliffWalking-v1"),
    "slippery cliff": toy("CliffWalking-v1", is_slippery=True),
    "taxi": toy("Taxi-v4"),
    "blackjack": toy("Blackjack-v1"),
}


@pytest.fixture(params=WORLDS)
def world(request: pytest.FixtureRequest) -> Environment:
    return WORLDS[request.param]()


def walk(seen: Observation, turn: int) -> Move:
    return Move("go", seen.elements[(turn * 7 + 1) % len(seen.elements)].id)


async def some_moves(world: Environment, seed: int, n: int = 6) -> list[Observation]:
    seen = [await world.reset(seed=seed)]
    while not seen[-1].done and len(seen) <= n:
        seen.append(await world.act(walk(seen[-1], len(seen))))
    return seen


async def test_the_same_seed_and_moves_show_the_same(world: Environment) -> None:
    first, second = await some_moves(world, 5), await some_moves(world, 5)
    assert first == second
    assert len(first) > 1


async def test_looking_changes_nothing(world: Environment) -> None:
    seen = await world.reset(seed=2)
    assert await world.observe() == seen == await world.observe()
    moved = await world.act(walk(seen, 1))
    assert await world.observe() == moved


async def test_elements_have_their_own_ids_and_words(world: Environment) -> None:
    seen = await world.reset(seed=1)
    ids = [element.id for element in seen.elements]
    assert len(ids) == len(set(ids)) > 1
    assert seen.text
    assert all(element.text and element.kind for element in seen.elements)


async def test_a_move_that_is_not_offered_is_refused_and_changes_nothing(world: Environment) -> None:
    seen = await world.reset(seed=1)
    for move in (Move("go", "nowhere"), Move("jump", seen.elements[0].id)):
        with pytest.raises(ActionError) as caught:
            await world.act(move)
        assert caught.value.kind == "no_such_move"
    assert await world.observe() == seen


async def test_a_world_that_was_not_started_says_so(world: Environment) -> None:
    with pytest.raises(ActionError) as caught:
        await world.observe()
    assert caught.value.kind == "not_started"


async def test_a_snapshot_is_json_and_leads_back_with_all_that_follows(world: Environment) -> None:
    if not world.can_snapshot:
        pytest.skip("no snapshots")
    seen = await world.reset(seed=4)
    kept = await world.snapshot()
    again = Snapshot(kept.world, json.loads(json.dumps(kept.data)))
    onward = await some_moves_from(world, seen)
    assert await world.restore(again) == seen
    assert await some_moves_from(world, seen) == onward


async def some_moves_from(world: Environment, seen: Observation) -> list[Observation]:
    found: list[Observation] = []
    while not seen.done and len(found) < 5:
        seen = await world.act(walk(seen, len(found)))
        found.append(seen)
    return found


async def test_a_snapshot_fits_a_fresh_world_and_no_other(world: Environment) -> None:
    seen = await world.reset(seed=4)
    kept = await world.snapshot()
    with pytest.raises(ActionError) as caught:
        await world.restore(Snapshot("another", kept.data))
    assert caught.value.kind == "foreign_snapshot"
    await world.reset(seed=9)
    assert await world.restore(kept) == seen


async def test_nothing_follows_the_end(world: Environment) -> None:
    seen = await world.reset(seed=3)
    rng = np.random.default_rng(1)
    for _ in range(1000):
        if seen.done:
            break
        seen = await world.act(Move("go", seen.elements[rng.integers(len(seen.elements))].id))
    assert seen.done
    assert seen.elements == ()
    with pytest.raises(ActionError) as caught:
        await world.act(Move("go", "left"))
    assert caught.value.kind == "world_ended"


async def test_every_move_says_its_effect(world: Environment) -> None:
    seen = await world.reset(seed=1)
    assert {world.effect_of(Move("go", e.id)) for e in seen.elements} <= {"none", "reads", "writes", "spends"}


async def test_a_journey_finds_back_to_every_place_by_snapshot_and_by_replay(world: Environment) -> None:
    for keep in (64, 0):
        journey = Journey(world, seed=6, keep=keep)
        seen, seen_at = await journey.start(), {}
        seen_at[()] = seen
        while not seen.done and len(seen_at) <= 4:
            seen = await journey.step(walk(seen, len(seen_at)))
            seen_at[journey.history] = seen
        for history in sorted(seen_at, key=lambda h: (len(h) * 3) % 5):
            assert await journey.goto(history) == seen_at[history]
            assert journey.history == history
        assert (journey.replayed > 0) == (keep == 0)
    await world.close()
