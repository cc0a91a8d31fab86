"""A journey through a world: moves on, and the way back to any place by snapshot or by replay.

A replay makes moves a second time, so one that has an effect outside is never replayed.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeAlias

from ddax.environments.protocol import Environment, Move, Observation, Snapshot
from ddax.errors import ActionError, NotAllowed

History: TypeAlias = tuple[Move, ...]
"""The moves that lead from a reset to a place."""

OUTSIDE = frozenset({"writes", "spends"})
KEPT = 256
"""Snapshots kept at most; the least recently used one goes first."""


class Journey:
    """Where an agent stands in a world, as the moves that led there.

    `moved` counts moves that were made for the first time, `replayed` those made again, `restored`
    the snapshots gone back to, and `resets` the starts.
    """

    def __init__(self, world: Environment, *, seed: int = 0, keep: int = KEPT) -> None:
        self.world, self.seed = world, seed
        self.history: History | None = None
        self.moved = self.replayed = self.restored = self.resets = 0
        self._keep = keep if world.can_snapshot else 0
        self._snapshots: OrderedDict[History, Snapshot] = OrderedDict()
        self._seen: dict[History, str] = {}

    async def start(self) -> Observation:
        """Go to the start; the first call resets the world."""
        return await self.goto(())

    async def step(self, move: Move) -> Observation:
        """Make a move from where the journey stands."""
        if self.history is None:
            await self.start()
        here = self.history or ()
        known = (*here, move) in self._seen
        if known:
            self._refuse_again(move)
        self.history = None  # unknown, should the move fail half-way
        seen = await self._acted(here, move)
        self.replayed, self.moved = self.replayed + known, self.moved + (not known)
        return seen

    async def goto(self, history: History) -> Observation:
        """Go to the place a history leads to, by the shortest way that repeats no effect.

        Raises NotAllowed where the way would repeat a move with an effect outside, and ActionError
        (`diverged`) where the same moves do not lead to the same place again.
        """
        if self.history == history:
            return await self.world.observe()
        start, snapshot = self._nearest(history)
        again = history[start:]
        for move in again:
            self._refuse_again(move)
        self.history = None
        seen = await self._back(history[:start], snapshot)
        for index, move in enumerate(again, start):
            seen = await self._acted(history[:index], move)
            self.replayed += 1
        return seen

    def _nearest(self, history: History) -> tuple[int, Snapshot | None]:
        """Return how many moves of a history need no replay, and the snapshot to go back to.

        Without a snapshot the journey goes on from where it stands (more than 0 moves), or resets (0).
        """
        here = self.history
        on_the_way = len(here) if here and history[: len(here)] == here else 0
        for length in range(len(history), on_the_way, -1):
            snapshot = self._snapshots.get(history[:length])
            if snapshot is not None:
                return length, snapshot
        return (on_the_way, None) if on_the_way else (0, self._snapshots.get(()))

    async def _back(self, history: History, snapshot: Snapshot | None) -> Observation:
        if snapshot is not None:
            self._snapshots.move_to_end(history)
            self.restored += 1
            seen = await self.world.restore(snapshot)
        elif history:
            seen = await self.world.observe()
        else:
            self.resets += 1
            seen = await self.world.reset(seed=self.seed)
        await self._arrived(history, seen)
        return seen

    async def _acted(self, here: History, move: Move) -> Observation:
        try:
            seen = await self.world.act(move)
        except ActionError as error:
            if error.kind in ("no_such_move", "world_ended"):
                self.history = here  # refused before anything was done
            raise
        await self._arrived((*here, move), seen)
        return seen

    async def _arrived(self, history: History, seen: Observation) -> None:
        before = self._seen.setdefault(history, seen.digest)
        if before != seen.digest:
            raise ActionError(
                f"the way back in {self.world.name!r} led elsewhere.",
                why=f"After the same {len(history)} moves there is something else now.",
                mend="Look again from the start; what is known of the places behind it is out of date.",
                kind="diverged",
            )
        self.history = history
        if self._keep and history not in self._snapshots:
            self._snapshots[history] = await self.world.snapshot()
            while len(self._snapshots) > self._keep:
                self._snapshots.popitem(last=False)

    def _refuse_again(self, move: Move) -> None:
        effect = self.world.effect_of(move)
        if effect in OUTSIDE:
            words = " ".join(filter(None, move.to_row()))
            raise NotAllowed(
                f"the way back in {self.world.name!r} would repeat {words!r}.",
                why=f"That move {effect} outside of the world, and would do so twice.",
                mend="Go on from where the world stands, or use a world that can be restored.",
            )
