"""The leaf actions of a world: look, move, and probe (a move that is taken back).

Each place gets a short name, its *mark*; the moves that lead there are logged in the memory under it, so
that a leaf names the place it starts from in a few bytes and a resumed run finds its way back.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from hashlib import sha256

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from ddax.actions.protocol import Action, ActionContext, ActionResult
from ddax.environments.journey import History, Journey
from ddax.environments.protocol import Environment, Move, Observation, Pictured
from ddax.errors import ActionError
from ddax.memory.gate.instructions import CUT, instruction_spans
from ddax.types import Effect, Record

PLACES = "places"
"""The log of places: mark, moves that lead there, what is seen."""
POSITIONS = "positions"
"""The log of where the world stood after each look and move."""
VIEWS = "views"
"""The log of what each look and move saw, for whoever plans the next ones: line by line, with ids."""
UNENDED_PAGES = "unended_pages"
"""The log of pages whose HTML was still coming when they were read."""
REFUSED_PAGES = "refused_pages"
"""The log of pages that were answered with a status that refuses them, or that did not come."""
START = "start"
"""The mark of the place a world starts at."""


_LEAD = re.compile(r"\s*(?:\[\w+\] )?(?:\w+ )?")
"""What a line of a view begins with: its indent, an id, the kind of the element."""


class LookArguments(BaseModel):
    """The place to look at; empty for where the world stands now. No view names its place to a model."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    at: SkipJsonSchema[str] = ""


class MoveArguments(BaseModel):
    """The element to act on, how, and the place to do it from; empty for where the world stands now.

    `turn` numbers the moves of a plan, so that the same move can be planned twice.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    target: str = Field(min_length=1)
    name: str = "go"
    value: str = ""
    at: SkipJsonSchema[str] = ""
    turn: int = 0


@dataclass
class WorldActions:
    """The actions of one world, which take turns in it."""

    world: Environment
    seed: int = 0
    journeys: dict[str, Journey] = field(default_factory=dict)
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    def actions(self, *, effect: Effect | None = None) -> tuple[Action, ...]:
        """Return the actions; `effect` says what a move counts as where the world's own word is too weak."""
        ready = [
            Action(
                "look",
                self._look,
                LookArguments,
                "none",
                "Go to a place of the world, and see what is there.",
            ),
            Action(
                "move", self._move, MoveArguments, effect or self.world.effect, "Act on an element there."
            ),
        ]
        if self.world.can_snapshot:
            doc = "See what a move would bring, and take it back."
            ready.append(Action("probe", self._probe, MoveArguments, "none", doc))
        return tuple(ready)

    async def _look(self, context: ActionContext, arguments: LookArguments) -> ActionResult:
        async with self.turn:
            journey, seen = await self._at(context, arguments.at)
            await self._stands(context, journey)
            return await self._told(context, journey.history or (), seen)

    async def _move(self, context: ActionContext, arguments: MoveArguments) -> ActionResult:
        async with self.turn:
            journey, _ = await self._at(context, arguments.at)
            seen = await journey.step(Move(arguments.name, arguments.target, arguments.value))
            await self._stands(context, journey)
            return await self._told(context, journey.history or (), seen)

    async def _probe(self, context: ActionContext, arguments: MoveArguments) -> ActionResult:
        async with self.turn:
            journey, _ = await self._at(context, arguments.at)
            here = await self.world.snapshot()
            try:
                seen = await self.world.act(Move(arguments.name, arguments.target, arguments.value))
            finally:
                await self.world.restore(here)
            return await self._told(context, journey.history or (), seen, probed=arguments.target)

    async def _stands(self, context: ActionContext, journey: Journey) -> None:
        """Log where the world stands now."""
        row = {"task": context.task, "mark": mark_of(journey.history or ())}
        await context.memory.log(POSITIONS, row, key=f"{context.task}:{context.key}")

    async def _at(self, context: ActionContext, mark: str) -> tuple[Journey, Observation]:
        """Go to a place of this task; a new process finds where the world stood in the memory."""
        journey = self.journeys.setdefault(context.task, Journey(self.world, seed=self.seed))
        if len(self.journeys) > 1:  # one world, several tasks: nobody can say where another one left it
            for task, other in self.journeys.items():
                if task != context.task:
                    other.history = None
        if not mark:
            rows = await context.memory.rows(POSITIONS, task=context.task)
            mark = rows[-1]["mark"] if rows else START
        history: History = ()
        if mark != START:
            rows = await context.memory.rows(PLACES, task=context.task, mark=mark)
            if not rows:
                raise ActionError(
                    f"there is no place {mark!r}.",
                    mend="Use a mark that a result named.",
                    kind="no_such_place",
                )
            history = tuple(Move.from_row(row) for row in rows[0]["moves"])
        return journey, await journey.goto(history)

    async def _told(
        self, context: ActionContext, history: History, seen: Observation, *, probed: str = ""
    ) -> ActionResult:
        """Log the place and say what is seen there."""
        mark = mark_of(history)
        row = {
            "task": context.task,
            "mark": mark,
            "moves": [move.to_row() for move in history],
            "text": seen.text,
            "source": _address(seen),
            "elements": [[e.id, e.kind, e.text] for e in seen.elements],
            "reward": seen.reward,
            "done": seen.done,
            "digest": seen.digest,
        }
        if not probed:
            await context.memory.log(PLACES, row, key=f"{context.task}:{mark}")
        text = without_ordering_lines(seen.text)
        if not probed:
            await self._note(context, mark, text, seen)
        said = "\n".join(line.strip() for line in text.splitlines())  # quoted by its words, not its indents
        record = Record(
            "observation",
            said,
            source=_address(seen) or f"world:{self.world.name}#{mark}{f'+{probed}' if probed else ''}",
            title=str(getattr(seen, "title", "")) or self.world.name,
            task=context.task,
            idea=context.idea,
            step=context.step,
            created=context.now,
            meta={"kind": "world", "mark": mark, "reward": seen.reward, "done": seen.done},
        )
        world, wanted = self.world, context.sees and not probed
        picture = await world.picture() if wanted and isinstance(world, Pictured) else None
        return ActionResult(said, records=(record,), sources=(record.source,), picture=picture)

    async def _note(self, context: ActionContext, mark: str, text: str, seen: Observation) -> None:
        """Log what is seen, and the elements that do not stand in its text."""
        others = [f"[{e.id}] {e.text}" for e in seen.elements if f"[{e.id}]" not in seen.text]
        row = {
            "task": context.task, "idea": context.idea, "step": context.step, "mark": mark, "text": text,
            "elements": [without_ordering_lines(words) for words in others],
        }  # fmt: skip
        await context.memory.log(VIEWS, row, key=f"{context.task}:{context.key}")


def without_ordering_lines(text: str) -> str:
    """Return a view without what its lines order their reader to do; ids and kinds of elements stay."""
    if not instruction_spans(text):
        return text
    lines = text.splitlines()
    for n, line in enumerate(lines):
        if instruction_spans(line.strip()):
            lines[n] = f"{_LEAD.match(line)[0]}{CUT}"  # type: ignore[index]  # it matches the empty text
    return "\n".join(lines)


def _address(seen: Observation) -> str:
    """Return the address of a page, so that its words are known to be from there; "" in other worlds."""
    url = str(getattr(seen, "url", ""))
    return url if url.startswith(("http://", "https://")) else ""


def mark_of(history: History) -> str:
    """Return the short name of the place a history leads to."""
    if not history:
        return START
    return sha256(repr([move.to_row() for move in history]).encode()).hexdigest()[:10]
