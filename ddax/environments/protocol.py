"""The environment protocol: what an agent sees of a world, what it does there, and how it goes back.

Fits a toy world and a browser alike: an observation is text with elements whose ids are stable, a move
names an element, and each move says beforehand what it would do outside.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol, runtime_checkable

from ddax.types import Effect, JsonDict, Picture


@dataclass(frozen=True)
class Element:
    """A thing that can be acted on; `id` stays the same as long as the thing is there.

    `kind` is a word such as move, button, link or field.
    """

    id: str
    kind: str
    text: str


@dataclass(frozen=True)
class Move:
    """One act: what is done (`go`, `click`, `type`), the id of the element, and a value to put in."""

    name: str
    target: str = ""
    value: str = ""

    def to_row(self) -> list[str]:
        """Return the move as plain JSON."""
        return [self.name, self.target, self.value]

    @classmethod
    def from_row(cls, row: list[str]) -> Move:
        """Read a move written by `to_row`."""
        return cls(*row)


@dataclass(frozen=True)
class Observation:
    """What is seen after a reset or a move; from outside, so never an instruction.

    `reward` is what the last move brought, in the world's own unit; `done` says that the world has ended.
    """

    text: str
    elements: tuple[Element, ...] = ()
    reward: float = 0.0
    done: bool = False

    @property
    def digest(self) -> str:
        """Return a hash of what is seen, to tell two positions of a world apart."""
        seen = "\n".join([self.text, str(self.done), *(f"{e.id} {e.text}" for e in self.elements)])
        return sha256(seen.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True)
class Snapshot:
    """The whole state of a world as plain JSON, to be given back to the world that made it."""

    world: str
    data: JsonDict


@runtime_checkable
class Pictured(Protocol):
    """A world that can be seen, not only told."""

    async def picture(self) -> Picture | None:
        """Return what is seen now as a picture without a secret; None where there is none."""
        ...


class Environment(Protocol):
    """A world. Its methods are called one at a time; they raise `ddax.errors.ActionError`.

    `effect` is the strongest thing a move may do outside. Where `can_snapshot` is False the way back
    is a reset and a replay of the moves (`ddax.environments.journey`).
    """

    name: str
    effect: Effect
    can_snapshot: bool

    async def reset(self, *, seed: int = 0) -> Observation:
        """Start again; the same seed and the same moves give the same observations."""
        ...

    async def observe(self) -> Observation:
        """Return what is seen now, without a change."""
        ...

    def effect_of(self, move: Move) -> Effect:
        """Say what a move would do outside of the world."""
        ...

    async def act(self, move: Move) -> Observation:
        """Make a move; raises ActionError (`no_such_move`, `world_ended`) where it cannot be made."""
        ...

    async def snapshot(self) -> Snapshot:
        """Return the whole state; raises ActionError (`no_snapshot`) where that is not possible."""
        ...

    async def restore(self, snapshot: Snapshot) -> Observation:
        """Go back to a snapshot; raises ActionError (`foreign_snapshot`) for that of another world."""
        ...

    async def close(self) -> None:
        """Let go of everything the world holds."""
        ...
