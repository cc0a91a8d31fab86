"""What the mood brings: each action's effect switched off in turn, and a world that invites a loop.

Two-hop questions are asked of the real graph over the pooled paragraphs; bugs are repaired by the real
graph from a folder with a failing test; the world of the locked door is in `loop_world`.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks import hotpot, loop_world, repair
from benchmarks.core import Figure, Options, Result, Target, bootstrap, paired_bootstrap

if TYPE_CHECKING:
    from ddax.actions.protocol import Library
    from ddax.graph.builder import Builder
    from ddax.graph.results import RunResult
    from ddax.graph.sessions import LocalServices
    from ddax.memory.protocol import Embedder
    from ddax.reasoning.protocol import Reasoner

NAME = "metacognition"
DESCRIPTION = "ablation of each cognitive action on two-hop questions and repairs; the loop test"
VARIANTS: dict[str, dict[str, Any]] = {
    "all on": {},
    "without EXPLORE": {"explore": False},
    "without CONSOLIDATE": {"consolidate": False},
    "without VERIFY": {"verify": False},
    "without REST": {"rest": False},
    "metacognition off": {"enabled": False},
}
ALL = "all on"
BUG_SECONDS = 20.0


@dataclass(frozen=True)
class Ran:
    """What one run came to; `repeats` are outcomes that had come before, word for word."""

    right: float
    calls: int
    steps: int
    repeats: int
    doubts: int


def run(options: Options) -> Result:
    """Run the three parts; every figure is a run of the whole graph."""
    questions, bugs, worlds = (6, 2, 1) if options.quick else (50, 20, 5)
    with tempfile.TemporaryDirectory(prefix="ddax-mood-") as place:
        figures = asyncio.run(_run(Path(place), options, questions, bugs, worlds))
    notes = (
        "calls: requests to the reasoner; repeats: outcomes of a task that had come before, word for word",
        "differences are paired by task, whose variants run one after the other; 95 % interval by bootstrap",
        f"a repair has {BUG_SECONDS:g} s of the clock: on a busy machine fewer candidates are tried",
        "the loop test: worlds with and without a key, whose answers are the same or reworded",
    )
    return Result(NAME, tuple(figures), (options.seed,), 1, notes)


async def _run(place: Path, options: Options, questions: int, bugs: int, worlds: int) -> list[Figure]:
    from ddax.memory.embed.cache import CachedEmbedder
    from ddax.memory.embeddings import open_embedder

    embedder = CachedEmbedder(open_embedder(), place / "vectors.sqlite")
    loop = await _loop(place, embedder, worlds)
    asked = await _questions(place, options, embedder, questions)
    repaired = await _repairs(place, options, embedder, bugs)
    return [*loop, *_ablation("questions", asked), *_ablation("repairs", repaired)]


class Counting:
    """A reasoner that counts the requests it passes on."""

    def __init__(self, inner: Reasoner) -> None:
        self.name, self._inner, self.calls = inner.name, inner, 0

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._inner, name)

        async def counted(request: Any) -> Any:
            self.calls += 1
            return await method(request)

        return counted


async def _questions(place: Path, options: Options, embedder: Embedder, n: int) -> dict[str, list[Ran]]:
    """Ask the first n questions in every variant."""
    from ddax.actions.sources import open_library

    cases, pool = hotpot.load(options.file(hotpot.FILE))
    folder = place / "pool"
    folder.mkdir()
    for number, (title, text) in enumerate(pool.items()):
        (folder / f"{number:04d}.md").write_text(f"# {title}\n\n{text}\n", encoding="utf-8")
    library = await open_library([str(folder)], embedder=embedder, cache_dir=place / "cache")
    found: dict[str, list[Ran]] = {name: [] for name in VARIANTS}
    for k, case in enumerate(cases[:n]):
        for name, mood in VARIANTS.items():
            setting = _Setting(
                place / "home", f"{name}-{k}", embedder, library, library.specs, mood, options.seed
            )
            found[name].append(await _ask(setting, case.question, partial(_answered, case)))
    return found


async def _repairs(place: Path, options: Options, embedder: Embedder, n: int) -> dict[str, list[Ran]]:
    """Repair n bugs in every variant, each from a folder with its failing test."""
    from ddax.actions.sources import open_library

    bugs = repair.read_bugs(options.file(repair.DATA))
    bugs = bugs[:: max(1, len(bugs) // n)][:n]
    found: dict[str, list[Ran]] = {name: [] for name in VARIANTS}
    for k, bug in enumerate(bugs):
        folder = place / f"bug-{k}"
        folder.mkdir()
        for name, mood in VARIANTS.items():
            # Written anew each time, so that no variant finds what another has left.
            (folder / "program.py").write_text(bug["prompt"] + bug["buggy_solution"], encoding="utf-8")
            (folder / "test_program.py").write_text(f"from program import *\n{bug['test']}", encoding="utf-8")
            library = await open_library([str(folder)], embedder=embedder, cache_dir=place / "cache")
            setting = _Setting(
                place / "home", f"{name}-bug-{k}", embedder, library, (str(folder),), mood, options.seed
            )
            found[name].append(await _ask(setting, "Make the failing tests pass.", _repaired))
    return found


def _answered(case: hotpot.Case, result: RunResult) -> bool:
    return hotpot.holds(case.answer, result["answer"])


def _repaired(result: RunResult) -> bool:
    return result["status"] == "done"


@dataclass(frozen=True)
class _Setting:
    """Where a run takes place, and with what mood."""

    home: Path
    name: str
    embedder: Embedder
    library: Library
    sources: tuple[str, ...]
    mood: dict[str, Any]
    seed: int


async def _ask(setting: _Setting, task: str, right: Callable[[RunResult], bool]) -> Ran:
    """Run the graph on one task in a home of its own: standing and verdicts are learned across namespaces."""
    from ddax import Context, open_agent
    from ddax.graph.services import Parts
    from ddax.reasoning.embedded import EmbeddedReasoner

    name = "".join(c if c.isalnum() else "-" for c in setting.name)
    context = Context.model_validate({
        "sources": setting.sources, "namespace": name, "seed": setting.seed,
        "mood": {"engine": "numpy", **setting.mood}, "evolution": {"seconds": BUG_SECONDS},
    })  # fmt: skip
    reasoner = Counting(EmbeddedReasoner(setting.embedder))
    parts = Parts(embedder=setting.embedder, library=setting.library, reasoner=reasoner)
    async with open_agent(context, home=setting.home / name, parts=parts) as agent:
        result = await agent.run(task, thread=name)
        memory = (await agent.services.session(context)).memory
        texts = [
            row["actual"] for row in await memory.rows("ledger", limit=10_000) if row["action"] != "merge"
        ]
    repeats = len(texts) - len(set(texts))
    return Ran(float(right(result)), reasoner.calls, result["steps"], repeats, len(result["doubts"]))


def _ablation(label: str, found: dict[str, list[Ran]]) -> list[Figure]:
    """Return accuracy, calls, steps and repeats of each variant, and what each action brings."""
    figures = []
    whole = found[ALL]
    for name, runs in found.items():
        right = bootstrap([r.right for r in runs])
        n = len(runs)
        figures += [
            Figure(f"{label}, {name}: right", right.value, "share", None, right.low, right.high, n),
            Figure(f"{label}, {name}: calls", float(np.mean([r.calls for r in runs])), "", n=n),
            Figure(f"{label}, {name}: steps", float(np.mean([r.steps for r in runs])), "", n=n),
            Figure(f"{label}, {name}: repeats", float(np.mean([r.repeats for r in runs])), "", n=n),
        ]
        if name == ALL:
            marked = float(np.mean([r.doubts > 0 for r in runs]))
            figures.append(Figure(f"{label}, {name}: answers with a doubt marked", marked, "share", n=n))
            continue
        gain = paired_bootstrap([r.right for r in whole], [r.right for r in runs])
        cost = paired_bootstrap([float(r.calls) for r in whole], [float(r.calls) for r in runs])
        loops = paired_bootstrap([float(r.repeats) for r in runs], [float(r.repeats) for r in whole])
        figures += [
            Figure(f"{label}: right, gained over {name}", gain.value, "", None, gain.low, gain.high, n),
            Figure(f"{label}: calls, more than {name}", cost.value, "", None, cost.low, cost.high, n),
            Figure(f"{label}: repeats, fewer than {name}", loops.value, "", None, loops.low, loops.high, n),
        ]
    return figures


async def _loop(place: Path, embedder: Embedder, n: int) -> list[Figure]:
    """Live in the world of the door: with the mood, without, with tabu alone, with a repeat counter."""
    from ddax.actions.sources import open_library

    (place / "house").mkdir()
    (place / "house" / "door.md").write_text("A door has a lock. A mat lies before it.", encoding="utf-8")
    library = await open_library([str(place / "house")], embedder=embedder, cache_dir=place / "cache")
    off = {"enabled": False}
    variants: dict[str, tuple[dict[str, Any], float, Callable[[LocalServices], Builder] | None]] = {
        "the mood": ({}, 2.0, None),
        "metacognition off": (off, 0.0, None),
        "tabu alone": (off, 2.0, None),
        "repeat counter": (off, 0.0, loop_world.counting),
    }
    figures = []
    number = 0
    for name, (mood, tabu, build) in variants.items():
        tried: list[tuple[loop_world.World, loop_world.Tried]] = []
        for world in loop_world.worlds(n):
            number += 1
            one = await loop_world.live(
                world, place / "doors" / str(number), mood=mood, tabu=tabu, embedder=embedder,
                library=library, number=number, build=build,
            )  # fmt: skip
            tried.append((world, one))
        figures += _loop_figures(name, tried)
    return figures


def _loop_figures(name: str, tried: Sequence[tuple[loop_world.World, loop_world.Tried]]) -> list[Figure]:
    ours = name == "the mood"
    open_ = [float(t.opened) for w, t in tried if w.key]
    shut = [t for w, t in tried if not w.key]
    honest = [float(t.status != "done" and "max_steps" not in t.reason) for t in shut]
    figures = [
        Figure(f"door with a key, {name}: opened", float(np.mean(open_)), "share",
               Target(">=", 1.0) if ours else None, n=len(open_)),
        Figure(f"door without, {name}: stopped honestly before the cap", float(np.mean(honest)), "share",
               Target(">=", 1.0) if ours else None, n=len(shut)),
        Figure(f"door, {name}: pushes in vain", float(np.mean([t.pushes for _, t in tried])), "",
               n=len(tried)),
        Figure(f"door, {name}: steps", float(np.mean([t.steps for _, t in tried])), "", n=len(tried)),
    ]  # fmt: skip
    if ours:
        seen = float(np.mean([t.stagnant for _, t in tried]))
        figures.append(
            Figure("door, the mood: noticed the standstill", seen, "share", Target(">=", 1.0), n=len(tried))
        )
    return figures
