"""The contract of a world: the same seed shows the same, a snapshot leads back, nothing follows the end."""

from __future__ import annotations

import json
from collections.abc import Awaitable
from typing import Any, get_args

import numpy as np

from ddax.environments.journey import Journey
from ddax.environments.protocol import Element, Environment, Move, Observation, Snapshot
from ddax.errors import ActionError
from ddax.testing.contract import Broken, Contract, expect
from ddax.types import Effect

MOVES_TO_THE_END = 1000
"""Random moves after which a world that `ends` must have ended."""


class EnvironmentContract(Contract):
    """What holds for every environment; `make` opens one, `ends` says whether random moves end it.

    `word` is the name of a move that each shown element takes.
    """

    word = "go"
    ends = True

    def make(self) -> Environment:
        """Open a fresh world."""
        raise NotImplementedError

    def walk(self, seen: Observation, turn: int) -> Move:
        """Choose a move among those that are shown."""
        return self.move(seen.elements[(turn * 7 + 1) % len(seen.elements)])

    def move(self, element: Element) -> Move:
        """Return a move that an element takes; for worlds whose elements do not all take the same word."""
        return Move(self.word, element.id)

    async def some(self, world: Environment, seen: Observation, n: int = 5) -> list[Observation]:
        """Make up to n moves from where the world stands, and return what was seen."""
        found: list[Observation] = []
        while not seen.done and len(found) < n:
            seen = await world.act(self.walk(seen, len(found)))
            found.append(seen)
        return found

    async def rule_the_same_seed_and_moves_show_the_same(self) -> None:
        world = self.make()
        first = await self.some(world, await world.reset(seed=5))
        second = await self.some(world, await world.reset(seed=5))
        await self.close(world)
        expect(first and first == second, "the same seed and the same moves showed two different things")

    async def rule_looking_changes_nothing(self) -> None:
        world = self.make()
        seen = await world.reset(seed=2)
        looks = [await world.observe(), await world.observe()]
        expect(looks == [seen, seen], "observe() shows something else than the reset before it")
        moved = await world.act(self.walk(seen, 1))
        expect(await world.observe() == moved, "observe() shows something else than the move before it")
        await self.close(world)

    async def rule_elements_have_ids_and_words_of_their_own(self) -> None:
        world = self.make()
        seen = await world.reset(seed=1)
        await self.close(world)
        ids = [element.id for element in seen.elements]
        expect(ids and len(ids) == len(set(ids)), f"the ids of the elements are not unique: {ids}")
        expect(seen.text, "a world that shows no text cannot be thought about")
        expect(all(e.text and e.kind for e in seen.elements), "an element has no text or no kind")

    async def rule_a_move_that_is_not_offered_is_refused_and_changes_nothing(self) -> None:
        world = self.make()
        seen = await world.reset(seed=1)
        for move in (Move(self.word, "nowhere"), Move("no such word", seen.elements[0].id)):
            await refused(world.act(move), "no_such_move")
        expect(await world.observe() == seen, "a refused move changed the world")
        await self.close(world)

    async def rule_a_world_that_was_not_started_says_so(self) -> None:
        world = self.make()
        await refused(world.observe(), "not_started")
        await self.close(world)

    async def rule_a_snapshot_is_json_and_leads_back_with_all_that_follows(self) -> None:
        world = self.make()
        if world.can_snapshot:
            seen = await world.reset(seed=4)
            kept = await world.snapshot()
            again = Snapshot(kept.world, json.loads(json.dumps(kept.data)))
            onward = await self.some(world, seen)
            expect(await world.restore(again) == seen, "the world came back at another place")
            expect(await self.some(world, seen) == onward, "another future followed after the way back")
        await self.close(world)

    async def rule_a_snapshot_fits_a_fresh_world_and_no_other(self) -> None:
        world, fresh = self.make(), self.make()
        if world.can_snapshot:
            seen = await world.reset(seed=4)
            kept = await world.snapshot()
            await refused(world.restore(Snapshot("another", kept.data)), "foreign_snapshot")
            await fresh.reset(seed=9)
            expect(await fresh.restore(kept) == seen, "a fresh world shows something else after restore()")
        await self.close(world)
        await self.close(fresh)

    async def rule_nothing_follows_the_end(self) -> None:
        if not self.ends:
            return
        world = self.make()
        seen, rng = await world.reset(seed=3), np.random.default_rng(1)
        for _ in range(MOVES_TO_THE_END):
            if seen.done:
                break
            seen = await world.act(self.move(seen.elements[rng.integers(len(seen.elements))]))
        expect(seen.done, f"the world did not end in {MOVES_TO_THE_END} random moves; is `ends` right?")
        expect(seen.elements == (), "a world that has ended still offers something")
        await refused(world.act(Move(self.word, "x")), "world_ended")
        await self.close(world)

    async def rule_every_move_says_its_effect(self) -> None:
        world = self.make()
        seen = await world.reset(seed=1)
        found = {world.effect_of(self.move(element)) for element in seen.elements}
        expect(found <= set(get_args(Effect)), f"{found} are no effects")
        await self.close(world)

    async def rule_a_journey_finds_back_to_every_place(self) -> None:
        world = self.make()
        for keep in (64, 0) if world.can_snapshot else (0,):
            journey = Journey(world, seed=6, keep=keep)
            seen = await journey.start()
            seen_at: dict[tuple[Move, ...], Observation] = {(): seen}
            while not seen.done and len(seen_at) <= 4:
                seen = await journey.step(self.walk(seen, len(seen_at)))
                seen_at[journey.history or ()] = seen
            for history in sorted(seen_at, key=lambda h: (len(h) * 3) % 5):
                expect(await journey.goto(history) == seen_at[history], "a place looked different later")
                expect(journey.history == history, "the journey stands somewhere else than it says")
            expect((journey.replayed > 0) == (keep == 0), "moves were replayed where a snapshot was kept")
        await self.close(world)


async def refused(call: Awaitable[Any], kind: str) -> None:
    """Expect a call to raise an ActionError of a kind."""
    try:
        await call
    except ActionError as error:
        expect(error.kind == kind, f"the refusal is of kind {error.kind!r}, and should be {kind!r}")
        return
    raise Broken(f"nothing was raised where ActionError({kind!r}) belongs")
