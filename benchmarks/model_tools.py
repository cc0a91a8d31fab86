"""Give a real model tasks that one call of an own tool does, and count the right calls.

Each tool takes words of a closed list (an enum) beside free values. A task is right where the first call that
ran had the wanted arguments; a call that its schema refused and the model mended counts as right.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

from benchmarks import local_model
from benchmarks.core import ROOT, Figure, Options, Result, Target

NAME = "model-tools"
DESCRIPTION = "10 tasks for own tools that take an enum, with a real local model"
CASES = ROOT / "benchmarks" / "data" / "model_tools.yaml"
QUICK = 2


class Colour(StrEnum):
    """The colours that a lamp has."""

    red = "red"
    green = "green"
    blue = "blue"
    white = "white"


@dataclass(frozen=True)
class Fate:
    """How a task ended: the calls that ran, what was said, and what it took."""

    task: str
    ran: tuple[tuple[str, Mapping[str, Any]], ...]
    right: bool
    status: str
    answer: str
    calls: int
    tokens: int


def tools(ran: list[tuple[str, Mapping[str, Any]]]) -> tuple[Any, ...]:
    """Return the tools, each writing down how it was called."""
    from ddax.actions.registry import action

    def told(name: str, text: str, **args: Any) -> str:
        ran.append((name, args))
        return text

    @action(effect="none")
    def set_lamp(room: Literal["kitchen", "hall", "bedroom"], colour: Colour) -> str:
        """Set the lamp of a room to a colour."""
        return told("set_lamp", f"The lamp in the {room} is {colour} now.", room=room, colour=str(colour))

    @action(effect="none")
    def convert(value: float, unit: Literal["mi_to_km", "km_to_mi", "kg_to_lb", "lb_to_kg", "c_to_f"]) -> str:
        """Convert a value between two units: miles, kilometres, kilograms, pounds, degrees."""
        by = {"mi_to_km": 1.609344, "km_to_mi": 1 / 1.609344, "kg_to_lb": 2.204623, "lb_to_kg": 1 / 2.204623}
        got = value * 1.8 + 32 if unit == "c_to_f" else value * by[unit]
        return told("convert", f"{value:g} is {got:.2f} ({unit}).", value=value, unit=unit)

    @action(effect="none")
    def book_table(
        people: int,
        day: Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
        meal: Literal["lunch", "dinner"],
    ) -> str:
        """Book a table in the restaurant."""
        return told("book_table", f"Booked for {people}: {day}, {meal}.", people=people, day=day, meal=meal)

    @action(effect="none")
    def set_priority(ticket: int, priority: Literal["P0", "P1", "P2", "P3"]) -> str:
        """Set the priority of a ticket: P0 is urgent, P3 the lowest."""
        return told("set_priority", f"Ticket {ticket} has {priority} now.", ticket=ticket, priority=priority)

    @action(effect="none")
    def play(genre: Literal["jazz", "rock", "classical"], volume: Literal["low", "medium", "high"]) -> str:
        """Play music of a genre at a volume."""
        return told("play", f"Playing {genre} at {volume} volume.", genre=genre, volume=volume)

    return set_lamp, convert, book_table, set_priority, play


async def fate(row: Mapping[str, Any], home: Path, model: Any) -> Fate:
    """Give one task to an agent that has the tools and no document."""
    from ddax import Context, open_agent
    from ddax.errors import DdaxError
    from ddax.graph.services import Parts

    ran: list[tuple[str, Mapping[str, Any]]] = []
    context = Context.model_validate(
        {"model": model, "mood": {"engine": "numpy"}, "budget": {"max_model_calls": 8, "max_seconds": 3600}}
    )
    try:
        async with open_agent(context, home=home, parts=Parts(actions=tools(ran))) as agent:
            result = await agent.run(row["task"])
    except DdaxError as error:
        return Fate(row["task"], tuple(ran), False, "error", str(error), 0, 0)
    right = bool(ran) and ran[0] == (row["tool"], row["wanted"])
    usage = result["usage"]
    return Fate(
        row["task"], tuple(ran), right, result["status"], result["answer"], usage["model_calls"],
        usage["tokens"],
    )  # fmt: skip


def run(options: Options) -> Result:
    """Give each task to the model of this machine."""
    if why := local_model.missing():
        return Result(NAME, (), notes=(f"not run: {why}",))
    rows = _rows()[:QUICK] if options.quick else _rows()
    with tempfile.TemporaryDirectory() as place:
        found = asyncio.run(fates(rows, Path(place), local_model.setting()))
    notes = [f"{local_model.named()}; one call that its schema refused may be mended", *map(_line, found)]
    return Result(NAME, tuple(figures(found)), notes=tuple(notes))


async def fates(rows: Sequence[Mapping[str, Any]], place: Path, model: Any) -> list[Fate]:
    """Give each task to an agent with a home of its own."""
    return [await fate(row, place / f"home{n}", model) for n, row in enumerate(rows)]


def _rows() -> list[Mapping[str, Any]]:
    import yaml

    rows: list[Mapping[str, Any]] = yaml.safe_load(CASES.read_text(encoding="utf-8"))
    return rows


def figures(found: Sequence[Fate]) -> list[Figure]:
    """Return the share of right calls and their price."""
    n = len(found)

    def mean(of: Callable[[Fate], float]) -> float:
        return sum(map(of, found)) / n

    return [
        Figure("called rightly", mean(lambda f: f.right), "of all", Target(">=", 0.8), n=n),
        Figure("called more than once", mean(lambda f: len(f.ran) > 1), "of all", n=n),
        Figure("ended in an error", mean(lambda f: f.status == "error"), "of all", Target("<=", 0), n=n),
        Figure("calls of the model a task", mean(lambda f: f.calls), n=n),
        Figure("tokens a task", mean(lambda f: f.tokens), n=n),
    ]


def _line(one: Fate) -> str:
    how = "right" if one.right else f"wrong: {list(one.ran)[:2]}"
    return f"{one.task} -> {how}; {one.status}: {' '.join(one.answer.split())[:80]}"
