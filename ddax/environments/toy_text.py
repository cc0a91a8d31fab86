"""Gymnasium's toy-text worlds: FrozenLake, CliffWalking, Taxi and Blackjack (extra `worlds`).

The whole state of such a world is a few numbers and its random generator, so each of them can be
taken down and given back. The only file that knows gymnasium.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from ddax.environments.protocol import Element, Move, Observation, Snapshot
from ddax.environments.trouble import check_move, check_snapshot, not_started
from ddax.errors import UsageError
from ddax.types import Effect, JsonDict

Describe = Callable[[Any, Any, float], str]
"""Say in words what is seen: takes the bare world, its newest observation and the last reward."""

WAYS: Mapping[str, tuple[str, ...]] = {
    "FrozenLake": ("left", "down", "right", "up"),
    "CliffWalking": ("up", "right", "down", "left"),
    "Taxi": ("south", "north", "east", "west", "pick up", "drop off"),
    "Blackjack": ("stick", "hit"),
}
"""The moves of each family, in the order of gymnasium's numbers."""
LIMITS: Mapping[str, int] = {"FrozenLake": 100, "CliffWalking": 200, "Taxi": 200, "Blackjack": 50}
"""Moves after which a world ends by itself."""
STATE = ("s", "lastaction", "player", "dealer", "fickle_step")
"""What besides the random generator makes up the state of a world."""


class ToyTextWorld:
    """One of gymnasium's toy-text worlds behind the environment protocol.

    `describe` replaces the words for what is seen; `options` go to gymnasium as they are.
    """

    effect: Effect = "none"
    can_snapshot = True

    def __init__(self, world: str, *, describe: Describe | None = None, **options: Any) -> None:
        self.name = world
        self._family = next((family for family in WAYS if world.startswith(family)), "")
        if not self._family:
            raise UsageError(
                f"There is no toy-text world {world!r}.",
                why="Its name begins as none that is known here.",
                mend=f"Choose one of {', '.join(WAYS)}, as gymnasium spells them with a version.",
            )
        self._bare = _made(world, options).unwrapped
        self._describe = describe or WORDS[self._family]
        self._seen: Any = None
        self._reward, self._done, self._moves = 0.0, False, 0

    @property
    def bare(self) -> Any:
        """Return gymnasium's own world, for those who change its rules."""
        return self._bare

    async def reset(self, *, seed: int = 0) -> Observation:
        self._seen, _ = self._bare.reset(seed=seed)
        self._reward, self._done, self._moves = 0.0, False, 0
        return self._observation()

    async def observe(self) -> Observation:
        return self._observation()

    def effect_of(self, move: Move) -> Effect:
        return self.effect

    async def act(self, move: Move) -> Observation:
        check_move(self.name, self._observation(), move)
        self._seen, reward, ended, cut, _ = self._bare.step(WAYS[self._family].index(move.target))
        self._moves += 1
        self._reward = float(reward)
        self._done = bool(ended or cut) or self._moves >= LIMITS[self._family]
        return self._observation()

    async def snapshot(self) -> Snapshot:
        self._observation()
        own = {name: _plain(getattr(self._bare, name)) for name in STATE if hasattr(self._bare, name)}
        kept: JsonDict = {
            "own": own,
            "random": _plain(self._bare.np_random.bit_generator.state),
            "seen": _plain(self._seen),
            "reward": self._reward,
            "done": self._done,
            "moves": self._moves,
        }
        return Snapshot(self.name, kept)

    async def restore(self, snapshot: Snapshot) -> Observation:
        check_snapshot(self.name, snapshot)
        kept = snapshot.data
        if self._seen is None:  # the random generator exists only after a first reset
            self._bare.reset(seed=0)
        for name, value in kept["own"].items():
            setattr(self._bare, name, _plain(value))
        self._bare.np_random.bit_generator.state = kept["random"]
        self._seen = tuple(kept["seen"]) if isinstance(kept["seen"], list) else kept["seen"]
        self._reward, self._done, self._moves = kept["reward"], kept["done"], kept["moves"]
        return self._observation()

    async def close(self) -> None:
        self._bare.close()

    def _observation(self) -> Observation:
        if self._seen is None:
            raise not_started(self.name)
        text = self._describe(self._bare, self._seen, self._reward)
        ways = () if self._done else WAYS[self._family]
        offered = tuple(Element(way, "move", f"go {way}") for way in ways)
        return Observation(text, offered, self._reward, self._done)


def _made(world: str, options: JsonDict) -> Any:
    try:
        gymnasium = importlib.import_module("gymnasium")
    except ImportError as error:
        raise UsageError(
            f"The world {world!r} needs gymnasium.",
            why="The package is not installed.",
            mend='Install it: pip install "ddax[worlds]"',
        ) from error
    try:
        return gymnasium.make(world, **options)
    except (gymnasium.error.Error, TypeError, KeyError) as error:
        raise UsageError(
            f"Gymnasium does not make the world {world!r}.",
            why=str(error),
            mend=f"Check its name and its options: {', '.join(options) or 'none were given'}.",
        ) from error


def _plain(value: Any) -> Any:
    """Return numbers of numpy as plain ones, so that a snapshot is JSON; copies what it holds."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value.item() if hasattr(value, "item") else value


def _frozen_lake(bare: Any, seen: Any, reward: float) -> str:
    row, column = divmod(int(seen), int(bare.ncol))
    mark = bytes(bare.desc[row, column])
    place = f"row {row + 1}, column {column + 1} of {bare.nrow} by {bare.ncol}"
    if mark == b"G":
        return f"You have reached the goal at {place}."
    return f"You fell into a hole at {place}." if mark == b"H" else f"You are on the ice at {place}."


def _cliff(bare: Any, seen: Any, reward: float) -> str:
    rows, columns = bare.shape
    row, column = divmod(int(seen), int(columns))
    place = f"row {row + 1}, column {column + 1} of {rows} by {columns}"
    if reward <= -100:
        return f"You fell off the cliff and are back at the start at {place}."
    reached = (row, column) == (rows - 1, columns - 1)
    return f"You have reached the goal at {place}." if reached else f"You are at {place}."


def _taxi(bare: Any, seen: Any, reward: float) -> str:
    row, column, passenger, target = (int(part) for part in bare.decode(int(seen)))
    stands = ("red", "green", "yellow", "blue")
    rides = "rides in the taxi" if passenger == len(stands) else f"waits at {stands[passenger]}"
    said = " The passenger has been brought there." if reward > 0 else ""
    place = f"row {row + 1}, column {column + 1}"
    return f"The taxi is at {place}; the passenger {rides} and wants to go to {stands[target]}.{said}"


def _blackjack(bare: Any, seen: Any, reward: float) -> str:
    own, shown, ace = (int(part) for part in seen)
    usable = " with a usable ace" if ace else ""
    said = {1: " You have won.", -1: " You have lost."}.get(int(reward > 0) - int(reward < 0), "")
    return f"You hold {own}{usable}; the dealer shows {shown}.{said}"


WORDS: Mapping[str, Describe] = {
    "FrozenLake": _frozen_lake, "CliffWalking": _cliff, "Taxi": _taxi, "Blackjack": _blackjack,
}  # fmt: skip
"""How each family is put into words."""
