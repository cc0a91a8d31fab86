"""A small world of squares in plain Python: for tests, and to try things out with nothing installed."""

from __future__ import annotations

from collections.abc import Sequence

from ddax.environments.protocol import Element, Move, Observation, Snapshot
from ddax.environments.trouble import check_move, check_snapshot, not_started
from ddax.errors import UsageError
from ddax.types import Effect

PLAIN = ("S..", ".#.", ".HG")
STEPS = {"north": (-1, 0), "east": (0, 1), "south": (1, 0), "west": (0, -1)}
MARKS = frozenset("S.#HG")


class GridWorld:
    """Squares with a start S, walls #, holes H and one goal G; falling or arriving ends the world.

    `names` gives each square its own name, row by row; without them a square is its row and column.
    """

    effect: Effect = "none"

    def __init__(
        self,
        rows: Sequence[str] = PLAIN,
        *,
        names: Sequence[str] = (),
        name: str = "grid",
        can_snapshot: bool = True,
    ) -> None:
        starts = [(r, c) for r, row in enumerate(rows) for c, mark in enumerate(row) if mark == "S"]
        if len(starts) != 1 or len({len(row) for row in rows}) != 1 or not set("".join(rows)) <= MARKS:
            raise UsageError(
                f"The grid {list(rows)!r} is no world.",
                why="Its rows differ in length, it holds another mark, or it has not one start.",
                mend="Give rows of one length of the marks S . # H G, with one S.",
            )
        self.name, self.can_snapshot = name, can_snapshot
        self._rows, self._names, self._start = tuple(rows), tuple(names), starts[0]
        self._at: tuple[int, int] | None = None
        self._reward = 0.0

    async def reset(self, *, seed: int = 0) -> Observation:
        """Start again; there is no chance in this world."""
        self._at, self._reward = self._start, 0.0
        return self._seen()

    async def observe(self) -> Observation:
        return self._seen()

    def effect_of(self, move: Move) -> Effect:
        return self.effect

    async def act(self, move: Move) -> Observation:
        """Go to the next square; into a wall or over the edge one stays where one is."""
        check_move(self.name, self._seen(), move)
        row, column = self._here()
        down, right = STEPS[move.target]
        there = (row + down, column + right)
        inside = 0 <= there[0] < len(self._rows) and 0 <= there[1] < len(self._rows[0])
        if inside and self._rows[there[0]][there[1]] != "#":
            self._at = there
        self._reward = 1.0 if self._mark() == "G" else 0.0
        return self._seen()

    async def snapshot(self) -> Snapshot:
        return Snapshot(self.name, {"at": list(self._here()), "reward": self._reward})

    async def restore(self, snapshot: Snapshot) -> Observation:
        check_snapshot(self.name, snapshot)
        row, column = snapshot.data["at"]
        self._at, self._reward = (row, column), float(snapshot.data["reward"])
        return self._seen()

    async def close(self) -> None:
        self._at = None

    def _here(self) -> tuple[int, int]:
        if self._at is None:
            raise not_started(self.name)
        return self._at

    def _mark(self) -> str:
        row, column = self._here()
        return self._rows[row][column]

    def _seen(self) -> Observation:
        row, column = self._here()
        index = row * len(self._rows[0]) + column
        place = self._names[index] if self._names else f"row {row + 1}, column {column + 1}"
        mark = self._mark()
        words = {"H": f"You fell into a hole at {place}.", "G": f"You have reached the goal at {place}."}
        done = mark in words
        offered = () if done else tuple(Element(way, "move", f"go {way}") for way in STEPS)
        return Observation(words.get(mark, f"You are at {place}."), offered, self._reward, done)
