"""What rules save: a second pass over the same tasks, and over others in other words; then the world changes.

The world is drawn from a seed: landmarks, their architects, the cities these were born in, a page each.
Every pass counts the calls of the reasoner, whose replies nothing keeps. The control asks the same tasks
with rules switched off, in a home of its own.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.core import Figure, Options, Result, Target, bootstrap

NAME = "rules"
DESCRIPTION = "reasoner calls of a second pass, thanks to rules; and what happens when the world changes"
TASKS, QUICK = 12, 4
FIRST = "In which city was the architect of the {} born?"
REWORDED = (
    "Where was the person who designed the {} born?",
    "What is the birthplace of the architect of the {}?",
    "The designer of the {} was born in which city?",
)
_KINDS = ("Tower", "Bridge", "Hall", "Gate", "Mill", "Arcade")
_SYLLABLES = (
    "bel",
    "cor",
    "dan",
    "esk",
    "fal",
    "gar",
    "hol",
    "jor",
    "kel",
    "lum",
    "mar",
    "nor",
    "pel",
    "tor",
)


@dataclass(frozen=True)
class Case:
    """A landmark, who designed it, and where that person was born."""

    landmark: str
    architect: str
    city: str


@dataclass(frozen=True)
class Pass:
    """What one pass came to: calls of the reasoner and whether the answer was right, by task."""

    calls: list[float]
    right: list[float]


class Counting:
    """A reasoner that counts what is asked of it."""

    def __init__(self, inner: Any) -> None:
        self.inner, self.name, self.calls = inner, inner.name, 0

    def __getattr__(self, name: str) -> Any:
        ask: Callable[[Any], Awaitable[Any]] = getattr(self.inner, name)

        async def counted(request: Any) -> Any:
            self.calls += 1
            return await ask(request)

        return counted


def draw(n: int, rng: np.random.Generator) -> list[Case]:
    """Draw n cases whose names are all different."""
    used: set[str] = set()

    def name() -> str:
        while (found := "".join(rng.choice(_SYLLABLES, 3)).capitalize()) in used:
            continue
        used.add(found)
        return found

    return [
        Case(f"{name()} {_KINDS[int(rng.integers(len(_KINDS)))]}", f"{name()} {name()}", name())
        for _ in range(n)
    ]


def write(folder: Path, cases: Sequence[Case], *, moved: bool = False) -> None:
    """Write the pages; in the world that has `moved` the births stand in registers of their own."""
    folder.mkdir(exist_ok=True)
    for case in cases:
        pages = {
            case.landmark: f"{case.landmark} stands on a hill. It was designed by {case.architect} in 1931.",
            case.architect: f"{case.architect} was an architect. {case.architect} was born in the city of "
            f"{case.city} and died in 1970.",
            case.city: f"{case.city} is a port in the north. Its harbour was built in 1712.",
        }
        if moved:
            register = f"Register {case.city[:4]}"
            pages[case.architect] = f"{case.architect} was an architect and is listed in the {register}."
            pages[register] = (
                f"{register}: the architect {case.architect} was born in the city of {case.city}."
            )
        for title, text in pages.items():
            (folder / f"{title}.md").write_text(f"# {title}\n\n{text}\n", encoding="utf-8")


class Bench:
    """A home and its sources."""

    def __init__(self, place: Path, embedder: Any, seed: int, *, rules: bool = True) -> None:
        self.place, self.embedder, self.seed, self.rules, self.asked = place, embedder, seed, rules, 0

    async def go(self, tasks: Sequence[tuple[str, Case]], sources: Path) -> Pass:
        """Ask tasks one after the other."""
        from benchmarks.hotpot import holds
        from ddax import Context, open_agent
        from ddax.configs.settings import Mood, Rules
        from ddax.graph.services import Parts
        from ddax.reasoning.embedded import EmbeddedReasoner

        reasoner: Any = Counting(EmbeddedReasoner(self.embedder))
        context = Context(
            sources=(str(sources),),
            seed=self.seed,
            mood=Mood(engine="numpy"),
            rules=Rules(enabled=self.rules),
        )
        calls, right = [], []
        parts = Parts(embedder=self.embedder, reasoner=reasoner)
        async with open_agent(context, home=self.place, parts=parts) as agent:
            for text, case in tasks:
                self.asked += 1
                before = reasoner.calls
                result = await agent.run(text, thread=f"task-{self.asked}")
                calls.append(float(reasoner.calls - before))
                right.append(float(holds(case.city, str(result["answer"]))))
        return Pass(calls, right)


def run(options: Options) -> Result:
    """Learn, ask again, ask in other words, and change the world."""
    with tempfile.TemporaryDirectory(prefix="ddax-rules-") as place:
        return asyncio.run(_run(Path(place), options))


async def _run(place: Path, options: Options) -> Result:
    from ddax.memory.embedding_cache import CachedEmbedder
    from ddax.memory.embeddings import open_embedder

    n = QUICK if options.quick else TASKS
    cases = draw(3 * n, np.random.default_rng(options.seed))
    old, new, later = cases[:n], cases[n : 2 * n], cases[2 * n :]
    write(place / "world", cases)
    write(place / "moved", cases, moved=True)
    embedder = CachedEmbedder(open_embedder())
    first = [(FIRST.format(c.landmark), c) for c in old]
    other = [(REWORDED[i % len(REWORDED)].format(c.landmark), c) for i, c in enumerate(new)]
    after = [(FIRST.format(c.landmark), c) for c in later]
    with_rules = Bench(place / "with", embedder, options.seed)
    learning = await with_rules.go(first[:1], place / "world")
    again = await with_rules.go(first, place / "world")
    reworded = await with_rules.go(other, place / "world")
    changed = await with_rules.go(after, place / "moved")
    control = Bench(place / "without", embedder, options.seed, rules=False)
    plain_first = await control.go(first, place / "world")
    plain_other = await control.go(other, place / "world")
    plain_after = await Bench(place / "moved-home", embedder, options.seed, rules=False).go(
        after, place / "moved"
    )
    half = len(after) // 2
    return Result(NAME, (
        _saved("calls saved, other tasks in other words", reworded, plain_other, Target(">=", 0.6)),
        _saved("calls saved, the same tasks", again, plain_first, Target(">=", 0.8)),
        _mean("right, other tasks in other words", reworded.right),
        _mean("the same without rules", plain_other.right),
        _mean("right, the same tasks", again.right),
        _mean("the same without rules, same tasks", plain_first.right),
        _mean("right after the world changed, first half", changed.right[:half]),
        _mean("right after the world changed, second half", changed.right[half:]),
        _mean("the same without rules, second half", plain_after.right[half:]),
        _mean("calls a task while learning", learning.calls),
        _mean("calls a task without rules, other words", plain_other.calls),
        _mean("calls a task with rules, other words", reworded.calls),
        _mean("calls a task after the world changed", changed.calls),
    ), (options.seed,), 1, (
        "one task is learned from; the reasoner is the embedded one, no reply is kept, and the vectors of "
        "texts, which are no replies, are",
    ))  # fmt: skip


def _saved(name: str, ours: Pass, plain: Pass, target: Target) -> Figure:
    share = [1.0 - a / b for a, b in zip(ours.calls, plain.calls, strict=True)]
    found = bootstrap(share)
    return Figure(name, found.value, "", target, found.low, found.high, len(share))


def _mean(name: str, values: list[float]) -> Figure:
    found = bootstrap(values)
    return Figure(name, found.value, "", None, found.low, found.high, len(values))
