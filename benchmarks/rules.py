"""What rules save: a second pass over the same tasks, and over others in other words; then the world changes.

The world is drawn from a seed: landmarks, their architects, the cities these were born in, a page each.
Every pass counts the calls of the reasoner, whose replies nothing keeps. The control asks the same tasks
with rules switched off, in a home of its own.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.core import Figure, Options, Result, Target, bootstrap, paired_bootstrap

if TYPE_CHECKING:
    from ddax.memory.protocol import Embedder
    from ddax.memory.rules import Standing
    from ddax.reasoning.protocol import Reasoner

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

    def __init__(self, inner: Reasoner) -> None:
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
    """Write the pages; in the world that has `moved` the landmarks no longer name their architects."""
    folder.mkdir(exist_ok=True)
    for case in cases:
        pages = {
            case.landmark: f"{case.landmark} stands on a hill. It was designed by {case.architect} in 1931.",
            case.architect: f"{case.architect} was an architect. {case.architect} was born in the city of "
            f"{case.city} and died in 1970.",
            case.city: f"{case.city} is a port in the north. Its harbour was built in 1712.",
        }
        if moved:
            pages[case.landmark] = f"{case.landmark} stands on a hill. It was built in 1931."
            pages[case.architect] += f" {case.architect} was the architect of the {case.landmark}."
        for title, text in pages.items():
            (folder / f"{title}.md").write_text(f"# {title}\n\n{text}\n", encoding="utf-8")


class Bench:
    """A home and its sources."""

    def __init__(self, place: Path, embedder: Embedder, seed: int, *, rules: bool = True) -> None:
        self.place, self.embedder, self.seed, self.rules, self.asked = place, embedder, seed, rules, 0

    async def go(self, tasks: Sequence[tuple[str, Case]], sources: Path) -> Pass:
        """Ask tasks one after the other."""
        from benchmarks.hotpot import holds
        from ddax import Context, open_agent
        from ddax.configs.settings import Mood, Rules
        from ddax.graph.services import Parts
        from ddax.reasoning.embedded import EmbeddedReasoner

        reasoner = Counting(EmbeddedReasoner(self.embedder))
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

    async def standings(self) -> dict[str, Standing]:
        """Return how each rule that is known has fared, by its id."""
        from ddax.configs.settings import Recall
        from ddax.memory.rules import MANY, RULES, USES, standing
        from ddax.memory.store.namespace import open_memory

        memory = await open_memory(
            self.place / "memory",
            namespace="default",
            embedder=self.embedder,
            clock=time.time,
            recall=Recall(),
        )
        try:
            rules = [str(row["rule"]) for row in await memory.rows(RULES, limit=MANY)]
            uses = await memory.rows(USES, limit=MANY)
        finally:
            await memory.close()
        return {r: standing([u for u in uses if u["rule"] == r], now=time.time()) for r in rules}


def run(options: Options) -> Result:
    """Learn, ask again, ask in other words, and change the world."""
    with tempfile.TemporaryDirectory(prefix="ddax-rules-") as place:
        return asyncio.run(_run(Path(place), options))


async def _run(place: Path, options: Options) -> Result:
    from ddax.memory.embed.cache import CachedEmbedder
    from ddax.memory.embeddings import open_embedder

    n = QUICK if options.quick else TASKS
    cases = draw(4 * n, np.random.default_rng(options.seed))
    old, new, later = cases[:n], cases[n : 2 * n], cases[2 * n :]
    world, moved = place / "world", place / "moved"
    write(world, cases)
    write(moved, cases, moved=True)
    embedder = CachedEmbedder(open_embedder())
    first = [(FIRST.format(c.landmark), c) for c in old]
    other = [(REWORDED[i % len(REWORDED)].format(c.landmark), c) for i, c in enumerate(new)]
    after = [(FIRST.format(c.landmark), c) for c in later]
    ours = Bench(place / "with", embedder, options.seed)
    learning = await ours.go(first, world)
    again = await ours.go(first, world)
    reworded = await ours.go(other, world)
    known = await ours.standings()
    changed = await ours.go(after, moved)
    given_up = [float((await ours.standings())[rule].retracted) for rule in known]
    control = Bench(place / "without", embedder, options.seed, rules=False)
    plain_first = await control.go(first, world)
    plain_other = await control.go(other, world)
    plain_after = await control.go(after, moved)
    half = len(after) // 2
    return Result(NAME, (
        _saved("calls saved, other tasks in other words", reworded, plain_other, Target(">=", 0.6)),
        _saved("calls saved, the same tasks", again, plain_first, Target(">=", 0.8)),
        _gain("right, less without rules: other tasks in other words", reworded.right, plain_other.right),
        _gain("right, less without rules: the same tasks", again.right, plain_first.right),
        _gain("right, less without rules: after the world changed, second half",
              changed.right[half:], plain_after.right[half:]),
        _mean("right, other tasks in other words", reworded.right),
        _mean("the same without rules", plain_other.right),
        _mean("right, the same tasks", again.right),
        _mean("the same without rules, same tasks", plain_first.right),
        _mean("right after the world changed, first half", changed.right[:half]),
        _mean("right after the world changed, second half", changed.right[half:]),
        _mean("the same without rules, first half", plain_after.right[:half]),
        _mean("the same without rules, second half", plain_after.right[half:]),
        Figure("rules known before the change", len(known), "", Target(">=", 1)),
        _mean("rules known before the change that were retracted by it", given_up, Target(">", 0.0)),
        _mean("calls a task in the first pass", learning.calls),
        _mean("calls a task without rules, other words", plain_other.calls),
        _mean("calls a task with rules, other words", reworded.calls),
        _mean("calls a task after the world changed, first half", changed.calls[:half]),
        _mean("calls a task after the world changed, second half", changed.calls[half:]),
        _mean("the same without rules, calls in the second half", plain_after.calls[half:]),
    ), (options.seed,), 1, (
        "the first pass is learned from; the reasoner is the embedded one, no reply is kept, and the "
        "vectors of texts, which are no replies, are",
    ))  # fmt: skip


def _saved(name: str, ours: Pass, plain: Pass, target: Target) -> Figure:
    share = [1.0 - a / b for a, b in zip(ours.calls, plain.calls, strict=True)]
    found = bootstrap(share)
    return Figure(name, found.value, "", target, found.low, found.high, len(share))


def _gain(name: str, ours: list[float], plain: list[float]) -> Figure:
    """Return how much more is right with rules: an equal score is what the saving is claimed at."""
    found = paired_bootstrap(ours, plain)
    return Figure(name, found.value, "", Target(">=", 0.0), found.low, found.high, len(ours))


def _mean(name: str, values: list[float], target: Target | None = None) -> Figure:
    found = bootstrap(values)
    return Figure(name, found.value, "", target, found.low, found.high, len(values))
