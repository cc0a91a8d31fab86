"""Ask follow-ups whose meaning needs the turn before: without a model, and with a real one.

Each case of `data/model_chat.yaml` asks two questions on one thread over the same small town of documents.
The second is right where its answer holds what it should and nothing of the look-alike beside it. It carries
the turn where it was read with the one before in mind. With the model of this machine five cases are asked,
all with `DDAX_BENCH_WHOLE=1`.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import local_model
from benchmarks.core import ROOT, Figure, Options, Result, Target

NAME = "model-chat"
DESCRIPTION = "30 follow-ups whose meaning needs the turn before, without a model and with a real one"
CASES = ROOT / "benchmarks" / "data" / "model_chat.yaml"
QUICK, WITH_MODEL = 8, 5


@dataclass(frozen=True)
class Case:
    """Two questions, what the answer to the second must hold, and what it must not."""

    first: str
    then: str
    right: tuple[str, ...]
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fate:
    """How a follow-up ended; `carried` says that the turn before was in what was searched or told."""

    case: Case
    answer: str
    carried: bool
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0

    @property
    def right(self) -> bool:
        """Whether the answer holds what it should and nothing of a look-alike."""
        said = self.answer.casefold()
        return all(word.casefold() in said for word in self.case.right) and not any(
            word.casefold() in said for word in self.case.wrong
        )


def table() -> tuple[Mapping[str, str], list[Case]]:
    """Read the documents and the cases."""
    import yaml

    found = yaml.safe_load(CASES.read_text(encoding="utf-8"))
    rows = found["cases"]
    return found["documents"], [
        Case(r["first"], r["then"], tuple(r["right"]), tuple(r["wrong"])) for r in rows
    ]


async def fates(cases: Sequence[Case], documents: Mapping[str, str], model: Any = "embedded") -> list[Fate]:
    """Ask the cases, each on a thread and in a home of its own."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "town"
        folder.mkdir()
        for name, text in documents.items():
            (folder / name).write_text(text, encoding="utf-8")
        return [
            await _fate(case, str(folder), Path(place) / f"home{n}", model) for n, case in enumerate(cases)
        ]


async def _fate(case: Case, folder: str, home: Path, model: Any) -> Fate:
    from ddax import open_agent
    from ddax.configs.settings import Context

    context = Context.model_validate({"sources": [folder], "model": model, "mood": {"engine": "numpy"}})
    async with open_agent(context, home=home) as agent:
        await agent.run(case.first, thread="talk")
        second = await agent.run(case.then, thread="talk")
        state = await agent.state("talk")
    usage = second["usage"]
    return Fate(
        case, second["answer"], _carries(state), usage["model_calls"], usage["tokens"], usage["seconds"]
    )


def _carries(state: Mapping[str, Any]) -> bool:
    """Tell whether the second question was read with the first in mind, or is told with it."""
    from ddax.steps.findings.earlier_turns import earlier

    before = {**state, "messages": state["messages"][:-1]}
    return bool(state["work"].get("read_as")) and bool(earlier(before))  # type: ignore[arg-type]  # a state


def run(options: Options) -> Result:
    """Ask all cases without a model, and some with the model of this machine."""
    documents, cases = table()
    chosen = cases[:: max(1, len(cases) // QUICK)][:QUICK] if options.quick else cases
    free = asyncio.run(fates(chosen, documents))
    figures = [*_figures("without a model", free, Target(">=", 0.8))]
    notes = [_line("without", fate) for fate in free if not fate.right]
    if why := "short form" if options.quick else local_model.missing():
        notes.append(f"with a model: not run ({why})")
        return Result(NAME, tuple(figures), notes=tuple(notes))
    asked = cases if os.environ.get("DDAX_BENCH_WHOLE") else cases[:: len(cases) // WITH_MODEL][:WITH_MODEL]
    told = asyncio.run(fates(asked, documents, local_model.setting()))
    figures += _figures(f"with {local_model.named()}", told, Target(">=", 0.8))
    figures += [
        Figure("calls a follow-up", sum(f.calls for f in told) / len(told), n=len(told)),
        Figure("tokens a follow-up", sum(f.tokens for f in told) / len(told), n=len(told)),
        Figure("seconds a follow-up", sum(f.seconds for f in told) / len(told), "s", n=len(told)),
    ]
    notes += [f"with the model: {len(asked)} of {len(cases)}"]
    notes += [_line("with", fate) for fate in told if not fate.right]
    return Result(NAME, tuple(figures), notes=tuple(notes))


def _figures(how: str, found: Sequence[Fate], least: Target) -> list[Figure]:
    n = len(found)
    return [
        Figure(f"right {how}", sum(fate.right for fate in found) / n, "of all", least, n=n),
        Figure(f"turn carried {how}", sum(f.carried for f in found) / n, "of all", Target(">=", 1.0), n=n),
    ]


def _line(how: str, fate: Fate) -> str:
    return f"{how}: {fate.case.first} {fate.case.then} -> {' '.join(fate.answer.split())[:160]}"
