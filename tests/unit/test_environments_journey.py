from __future__ import annotations

import pytest

from ddax.environments.grid import GridWorld
from ddax.environments.journey import Journey
from ddax.environments.protocol import Move, Observation
from ddax.errors import ActionError, NotAllowed, UsageError
from ddax.types import Effect

EAST, SOUTH, WEST = Move("go", "east"), Move("go", "south"), Move("go", "west")


class Paying(GridWorld):
    """A grid where going south costs something outside."""

    def __init__(self, **options: bool) -> None:
        super().__init__(("S..", "...", "..G"), **options)

    def effect_of(self, move: Move) -> Effect:
        return "spends" if move.target == "south" else "none"


class Drifting(GridWorld):
    """A grid without snapshots that looks otherwise after each reset."""

    resets = 0

    async def reset(self, *, seed: int = 0) -> Observation:
        self.resets += 1
        self._names = tuple(f"room {k + self.resets}" for k in range(9))
        return await super().reset(seed=seed)


async def places(journey: Journey, *moves: Move) -> None:
    await journey.start()
    for move in moves:
        await journey.step(move)


async def test_it_goes_on_from_where_it_stands_without_a_reset() -> None:
    journey = Journey(GridWorld(), keep=0)
    await places(journey, EAST)
    await journey.goto((EAST, EAST))
    assert (journey.resets, journey.moved, journey.replayed) == (1, 1, 1)


async def test_the_nearest_snapshot_is_taken() -> None:
    journey = Journey(GridWorld())
    await places(journey, EAST, EAST)
    await journey.goto((EAST,))
    await journey.goto((SOUTH,))
    assert (journey.restored, journey.replayed, journey.resets) == (2, 1, 1)


async def test_an_effect_outside_is_never_made_twice() -> None:
    journey = Journey(Paying(can_snapshot=False))
    await places(journey, SOUTH, EAST)
    here = await journey.world.observe()
    with pytest.raises(NotAllowed, match="twice"):
        await journey.goto((SOUTH,))
    assert journey.history == (SOUTH, EAST)
    assert await journey.world.observe() == here


async def test_with_snapshots_the_way_back_is_open_and_the_move_still_not_repeated() -> None:
    journey = Journey(Paying())
    await places(journey, SOUTH, EAST)
    await journey.goto((SOUTH,))
    await journey.goto(())
    with pytest.raises(NotAllowed):
        await journey.step(SOUTH)
    assert journey.history == ()


async def test_a_way_back_that_leads_elsewhere_is_noticed() -> None:
    journey = Journey(Drifting(can_snapshot=False))
    await places(journey, EAST)
    with pytest.raises(ActionError) as caught:
        await journey.goto((SOUTH,))
    assert caught.value.kind == "diverged"
    assert journey.history is None


async def test_a_refused_move_leaves_the_journey_where_it_is() -> None:
    journey = Journey(GridWorld())
    await places(journey, EAST)
    with pytest.raises(ActionError):
        await journey.step(Move("go", "up"))
    assert journey.history == (EAST,)
    assert (await journey.step(WEST)).text == "You are at row 1, column 1."


async def test_few_snapshots_are_enough() -> None:
    journey = Journey(GridWorld(), keep=1)
    await places(journey, EAST, EAST, WEST)
    seen = await journey.goto((EAST, EAST))
    assert seen.text == "You are at row 1, column 3."


@pytest.mark.parametrize("rows", [("..",), ("SS",), ("S", ".."), ("S?",)])
def test_a_grid_that_is_no_world_is_refused(rows: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        GridWorld(rows)
