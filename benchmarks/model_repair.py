"""Repairs the bugs of a HumanEvalFix file by search and a language model together.

Each bug is repaired with every second assert held out; the held-out half judges the patch. Where the half
that is shown passes already, the halves change places: without a failing test there is nothing to repair.
The search comes first, the model is asked where it found nothing, at most `CALLS` times a bug. What is
done is kept in `~/.cache/ddax-bench`, so that a run that was broken off goes on; it is removed at the end.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.core import Figure, Options, Result, Target
from benchmarks.local_model import LOCAL_FILE
from benchmarks.repair import DATA, QUICK, read_bugs, task_of

if TYPE_CHECKING:
    from ddax.evolution.records import RepairResult, RepairTask
    from ddax.reasoning.protocol import Reasoner

NAME = "model-repair"
DESCRIPTION = (
    "bugs of a HumanEvalFix file repaired by search and a model together, half of the tests held out"
)
SECONDS = 120.0
"""Seconds of a bug; the search has them to itself where there is no model."""
CALLS = 3
CANDIDATES = 2
"""Candidates that are asked for in one call."""
NONE = "embedded"
"""The model that stands for the search alone."""
PLACE = Path("~/.cache/ddax-bench").expanduser()
SHARE, RIGHT = 80 / 82, 0.93


@dataclass(frozen=True)
class Fate:
    """How the repair of one bug ended; `held` are the held-out tests passed and all of them."""

    bug: str
    solved: bool
    origin: str
    held: tuple[int, int]
    calls: int
    tokens: int
    repaired: int
    seconds: float
    problems: tuple[str, ...] = ()

    @property
    def right(self) -> bool:
        """Whether it was repaired, and passes what it was not shown."""
        return self.solved and self.held[0] == self.held[1]


def chosen_model(options: Options) -> str:
    """Return the model that is asked: the one given, else the one of this machine; "" where there is none."""
    if options.model:
        return options.model
    return f"gguf:{LOCAL_FILE}" if LOCAL_FILE.is_file() else ""


@asynccontextmanager
async def opened(model: str) -> AsyncIterator[Reasoner | None]:
    """Open a model; None where there is to be none."""
    if model == NONE:
        yield None
        return
    from ddax.configs.prices import load_prices, load_providers
    from ddax.memory.embeddings import open_embedder
    from ddax.reasoning.factory import open_reasoner

    reasoner: Any = open_reasoner(
        model, embedder=open_embedder(), prices=load_prices(home=PLACE), providers=load_providers(home=PLACE),
        clock=time.monotonic,
    )  # fmt: skip
    try:
        yield reasoner
    finally:
        await reasoner.close()


async def fate_of(bug: dict[str, Any], reasoner: Reasoner | None, *, seed: int, seconds: float) -> Fate:
    """Repair one bug."""
    from ddax.configs.settings import Budget, Evolution
    from ddax.evolution.repair import repair
    from ddax.reasoning.budget import BudgetKeeper, MeteredReasoner

    caps = Budget(max_model_calls=CALLS, max_seconds=10 * seconds)
    asked = reasoner and MeteredReasoner(reasoner, BudgetKeeper(caps, clock=time.monotonic))
    settings = Evolution(seconds=seconds, evolution_population_size=CANDIDATES, evolution_max_generations=1)
    for task in halves(bug):
        found = await repair(
            task, settings=settings, rng=np.random.default_rng(seed), clock=time.monotonic, reasoner=asked
        )
        if found.patched or found.tests_before[0] < found.tests_before[1]:
            break
    return _fate(bug["task_id"], found)


def halves(bug: dict[str, Any]) -> Iterator[RepairTask]:
    """Yield the task with either half of its tests held out; once where there is one test."""
    whole = task_of(bug, held_out=False)
    units = whole.suite().units
    for start in (1, 0) if len(units) > 1 else (1,):
        yield replace(whole, held_out=tuple(unit.id for unit in units[start::2]))


def _fate(name: str, found: RepairResult) -> Fate:
    usage = found.usage
    return Fate(
        name, found.patched, found.origin, found.held_out, usage.model_calls, usage.tokens, usage.repaired,
        round(found.seconds, 2), () if found.patched else found.caveats,
    )  # fmt: skip


class Kept:
    """What is done of a run, a line a bug; another model, time or seed begins anew."""

    def __init__(self, place: Path, asked: Sequence[Any]) -> None:
        key = sha256(json.dumps(asked).encode()).hexdigest()[:16]
        self.file = place / f"{NAME}-{key}.jsonl"
        self.fates: dict[str, Fate] = {}
        for line in self.file.read_text(encoding="utf-8").splitlines() if self.file.is_file() else ():
            try:
                row = json.loads(line)
            except ValueError:  # the line at which it was broken off
                continue
            pairs = {"held": tuple(row["held"]), "problems": tuple(row["problems"])}
            self.fates[row["bug"]] = Fate(**{**row, **pairs})

    def add(self, fate: Fate) -> None:
        """Keep what came of a bug."""
        self.fates[fate.bug] = fate
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(asdict(fate)) + "\n")

    def drop(self) -> None:
        """Forget the run: it is over."""
        self.file.unlink(missing_ok=True)


async def fates(
    bugs: Sequence[dict[str, Any]], model: str, kept: Kept, *, seed: int, seconds: float
) -> list[Fate]:
    """Repair what is not done yet."""
    async with opened(model) as reasoner:
        for bug in bugs:
            if bug["task_id"] not in kept.fates:
                kept.add(await fate_of(bug, reasoner, seed=seed, seconds=seconds))
    return [kept.fates[bug["task_id"]] for bug in bugs]


def run(options: Options) -> Result:
    """Run the benchmark; without a model it says why there is no figure of one."""
    model = chosen_model(options)
    if not model:
        why = (
            f"not run: no {LOCAL_FILE.name} on this machine (ddax models get), and no --model provider:model"
        )
        return Result(NAME, (), (options.seed,), notes=(why,))
    bugs = read_bugs(options.file(DATA))
    bugs = bugs[:: max(1, len(bugs) // QUICK)] if options.quick else bugs
    seconds = SECONDS / 2 if options.quick else SECONDS
    kept = Kept(PLACE, [model, seconds, options.seed, CALLS, CANDIDATES])
    before = len(kept.fates)
    found = asyncio.run(fates(bugs, model, kept, seed=options.seed, seconds=seconds))
    kept.drop()
    notes = [f"model {model}, {seconds:g} s a bug; the tests that are shown are the oracle"]
    notes += [f"{before} of these bugs were done by a run that was broken off"] if before else []
    notes += [_line(fate) for fate in found if not fate.right]
    return Result(NAME, tuple(figures(found, model)), (options.seed,), notes=tuple(notes))


def figures(found: Sequence[Fate], model: str) -> list[Figure]:
    """Return what is told of the bugs."""
    n, solved, asked = len(found), [f for f in found if f.solved], [f for f in found if f.calls]
    judged = [f for f in solved if f.held[1]]
    right = sum(f.right for f in judged) / len(judged) if judged else float("nan")
    least = Target(">=", SHARE) if model != NONE else None
    return [
        Figure("plausible", len(solved) / n, "share", least, n=n),
        Figure("of these, right on the held-out half", right, "share", Target(">=", RIGHT), n=len(judged)),
        Figure("repaired by the model", sum(f.origin not in ("", "search") for f in found), "bugs", n=n),
        Figure("bugs the model was asked about", len(asked), "bugs", n=n),
        Figure("model calls a bug, at most", max(f.calls for f in found), "calls", Target("<=", CALLS), n=n),
        Figure("model calls a bug asked about", _mean([f.calls for f in asked]), "calls", n=len(asked)),
        Figure(
            "tokens with schemas, a bug asked about", _mean([f.tokens for f in asked]), "tokens", n=len(asked)
        ),
        Figure("seconds a bug, median", statistics.median(f.seconds for f in found), "s", n=n),
        Figure("seconds a bug, mean", _mean([f.seconds for f in found]), "s", n=n),
    ]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _line(fate: Fate) -> str:
    held = f"{fate.held[0]} of {fate.held[1]} held-out tests" if fate.solved else "not repaired"
    why = f" ({'; '.join(fate.problems)})" if fate.problems else ""
    return f"{fate.bug}: {held}, {fate.calls} calls, {fate.seconds:g} s{why}"[:240]
