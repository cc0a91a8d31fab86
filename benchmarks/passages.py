"""How much of what was read a synthesis has to be given, so that the answer is among it.

Two-hop questions are searched and read as by any run, over one paragraph a file and over longer files of
several. Then the passages that a call would be given under each bound are looked through for the gold answer.
No model is asked, and nothing is fitted here.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks import hotpot
from benchmarks.core import Figure, Options, Result, bootstrap

if TYPE_CHECKING:
    from ddax.reasoning.protocol import MergeRequest
    from ddax.types import Passage

NAME = "passages"
DESCRIPTION = "share of two-hop questions whose answer is in the passages that a call gets, by their bound"
BOUNDS = (1000, 1500, 2000, 3000, 4500, 6000, 9000, 12000)
"""Characters of passages that one call gets."""
LONGER = 12
"""Paragraphs of one file in the second form: about six thousand characters."""
QUICK = 10
UNSAID = frozenset({"yes", "no"})
"""Answers that no passage says in so many words."""


def run(options: Options) -> Result:
    """Read for every question once, and cut what was read by every bound."""
    cases, pool = hotpot.load(options.file(hotpot.FILE))
    asked = [case for case in cases if case.answer not in UNSAID][: QUICK if options.quick else None]
    with tempfile.TemporaryDirectory(prefix="ddax-passages-") as place:
        figures = asyncio.run(_measured(asked, pool, Path(place), options.seed))
    notes = (
        f"{len(asked)} questions whose answer is more than yes or no; without a cut is what five visits read",
        f"long files: {LONGER} paragraphs of the pool in a row",
    )
    return Result(NAME, tuple(figures), (options.seed,), notes=notes)


async def _measured(
    cases: Sequence[hotpot.Case], pool: Mapping[str, str], place: Path, seed: int
) -> list[Figure]:
    figures: list[Figure] = []
    for form, files in (("short files", dict(pool)), ("long files", joined(pool, LONGER))):
        (place / form).mkdir()
        bench = await hotpot.bench_of(files, place / form, seed)
        shown = [await _shown(bench, case) for case in cases]
        for bound in (*map(str, BOUNDS), "no cut"):
            rows = [by[bound] for by in shown]
            held = bootstrap([float(_says(case, row)) for case, row in zip(cases, rows, strict=True)])
            name = f"{form}, {bound} characters" if bound.isdigit() else f"{form}, {bound}"
            size = float(np.mean([sum(map(len, row)) for row in rows]))
            shares = (held.value, "share", None, held.low, held.high, len(rows))
            figures.append(Figure(f"{name}: answer among them", *shares))
            figures.append(Figure(f"{name}: characters given", size, "", n=len(rows)))
    return figures


def joined(pool: Mapping[str, str], many: int) -> dict[str, str]:
    """Return the paragraphs of a pool as longer documents, so many in one, each under its own heading."""
    rows = [*pool.items()]
    groups = [rows[k : k + many] for k in range(0, len(rows), many)]
    return {
        f"Notes {n}": "\n\n".join(f"## {title}\n\n{text}" for title, text in group)
        for n, group in enumerate(groups, 1)
    }


def _says(case: hotpot.Case, texts: Sequence[str]) -> bool:
    return f" {hotpot.normal(case.answer)} " in f" {hotpot.normal(' '.join(texts))} "


async def _shown(bench: hotpot.Bench, case: hotpot.Case) -> dict[str, tuple[str, ...]]:
    """Return the texts that a synthesis would be given under each bound, and those of all that was read."""
    from ddax.reasoning.embedded import EmbeddedReasoner
    from ddax.steps.findings.long_reading import best_first
    from ddax.steps.findings.quick_road import chosen

    read = await _read(bench, case)
    best = await best_first(read, case.question, EmbeddedReasoner(bench.embedder))
    found = {str(bound): tuple(p.text for p in chosen(read, best, bound)) for bound in BOUNDS}
    return {**found, "no cut": tuple(p.text for p in read)}


async def _read(bench: hotpot.Bench, case: hotpot.Case) -> tuple[Passage, ...]:
    """Run one question up to its synthesis, and return the passages of that request, uncut."""
    from ddax import Context, open_agent
    from ddax.graph.services import Parts
    from ddax.reasoning.protocol import Synthesis
    from ddax.reasoning.scripted import ScriptedReasoner

    def nothing(request: MergeRequest) -> Synthesis:
        return Synthesis("Not found.", (), False, 0.0)

    bench.runs += 1
    reasoner = ScriptedReasoner({"merge": [nothing]}, repeat=True)
    context = Context.model_validate(
        {"sources": bench.library.specs, "namespace": f"passages-{bench.runs}", "seed": bench.seed,
         "mood": {"engine": "numpy"}, "effort": "quick", "models": {"passages": 10**6}}
    )  # fmt: skip
    parts = Parts(embedder=bench.embedder, library=hotpot.View(bench.library, hidden=frozenset()),
                  reasoner=reasoner)  # fmt: skip
    async with open_agent(context, home=bench.place / "home", parts=parts) as agent:
        await agent.run(case.question, thread=f"passages-{bench.runs}")
    asked = [request for method, request in reasoner.requests if method == "merge"]
    return tuple(asked[-1].evidence) if asked else ()
