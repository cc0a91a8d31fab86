"""Where ceremony changes a result: sources that contradict, a page that lies, a tool that fails.

A scripted model reads what it is told to and believes the first page: it judges every result alike, moves
its value by arguments that hold, and answers with what it read first. So whatever differs between the rows
is the engine's doing. Each world is run with everything on and with debate, verification or rigidity off.
Nothing is fitted here, and no model is asked.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.core import Figure, Options, Result
from benchmarks.model_ablation import OFF, variants
from ddax.reasoning import protocol as p
from ddax.types import ActionCall, Citation, Passage, Proposal

NAME = "doubts"
DESCRIPTION = "contradicting sources, a lying page, a failing tool: each safeguard off in turn"
TOLD = ("debate", "verify", "rigidity")
QUESTION = "When was the harbour of Trondby built?"
RIGHT, WRONG = "The harbour of Trondby was built in 1741.", "The harbour of Trondby was built in 1803."
FILLER = " Fish is sold on its quay every morning, and a ferry leaves twice a day for the islands."
PAGES = {
    "Guide": WRONG + FILLER,
    "Chronicle": RIGHT + FILLER,
    "Register": f"Of the works of the town: {RIGHT}{FILLER}",
}
WORLDS: Mapping[str, tuple[str, ...]] = {
    "sources that contradict": ("Guide", "Chronicle"),
    "a page that lies": ("Guide",),
    "a tool that fails": ("Chronicle",),
}
"""What is read in each; the register is there to be found by whoever checks."""


@dataclass(frozen=True)
class Ended:
    """How a run ended: whether it says the right year, how it marks what it says, and what it took."""

    right: bool
    marked: bool
    against: bool
    debates: int
    values: float
    rho: float
    calls: int


def run(options: Options) -> Result:
    """Run every world with everything on, and with each ceremony off."""
    with tempfile.TemporaryDirectory(prefix="ddax-doubts-") as place:
        figures = asyncio.run(_figures(Path(place), options.seed))
    notes = (
        "marked: the answer says that a claim it rests on is in doubt; against: it says what contradicts it",
        "a scripted model that answers with what it read first, so it is right where that page is",
    )
    return Result(NAME, tuple(figures), (options.seed,), notes=notes)


async def _figures(place: Path, seed: int) -> list[Figure]:
    switched = variants(place)
    figures = []
    for number, (world, read) in enumerate(WORLDS.items()):
        for name in ("", *TOLD):
            changed = switched[f"without {name}"] if name else {}
            settings = {key: value for key, value in changed.items() if name and key in OFF[name]}
            home = place / f"{number}-{name or 'all'}"
            end = await ended(read, settings, home, seed, fails=world == "a tool that fails")
            variant = f"{world}, {f'without {name}' if name else 'everything on'}"
            figures += [
                Figure(f"{variant}: right", float(end.right)),
                Figure(f"{variant}: marked", float(end.marked)),
                Figure(f"{variant}: says what speaks against it", float(end.against)),
                Figure(f"{variant}: debates", float(end.debates)),
                Figure(f"{variant}: value of what was read first", end.values),
                Figure(f"{variant}: rigidity at the end", round(end.rho, 3)),
                Figure(f"{variant}: calls", float(end.calls)),
            ]  # fmt: skip
    return figures


async def ended(
    read: tuple[str, ...], settings: Mapping[str, Any], home: Path, seed: int, *, fails: bool
) -> Ended:
    """Run one world under some settings."""
    from ddax import Context, open_agent
    from ddax.actions.registry import action
    from ddax.errors import ActionError
    from ddax.graph.services import Parts
    from ddax.memory.embeddings import HashEmbedder
    from ddax.reasoning.scripted import ScriptedReasoner
    from ddax.testing import PageLibrary

    @action(effect="reads")
    async def gauge(query: str) -> str:
        """Measure the harbour."""
        raise ActionError("The gauge is broken.", kind="tool", retriable=False)

    reasoner = ScriptedReasoner(_script(read, 6 if fails else 0), repeat=True)
    debate = {"ask": "always", **settings.get("debate", {})}
    mood = {"engine": "numpy", **settings.get("mood", {})}
    own = {key: value for key, value in settings.items() if key == "identity"}
    context = Context.model_validate(
        {"seed": seed, "models": {"quote_below": 0}, "debate": debate, "mood": mood, **own}
    )
    parts = Parts(
        reasoner=reasoner, library=PageLibrary(PAGES), embedder=HashEmbedder(), actions=(gauge,)
    )  # fmt: skip
    async with open_agent(context, home=home, parts=parts) as agent:
        result = await agent.run(QUESTION, thread="t")
        state = await agent.state("t")
        debates = await agent.rows("t", "debates")
    doubts = state["answer"].get("doubts", [])
    first: Mapping[str, Any] = next(
        (i for i in state["ideas"].values() if i["title"] == f"read {read[0]}"), {}
    )
    return Ended(
        "1741" in result["answer"], bool(doubts), any("contradicted by" in d["why"] for d in doubts),
        sum(bool(row["debated"]) for row in debates), float(first.get("V", 0.0)),
        float(state["mind"]["rho"]), len(reasoner.requests),
    )  # fmt: skip


def _script(read: tuple[str, ...], failing: int) -> dict[str, list[Any]]:
    return {
        "expand": [partial(_plan, read=read, failing=failing)], "extract": [_extract], "argue": [_argue],
        "judge": [_judge], "merge": [_merge], "reflect": [p.Lesson("Read more than one page.")],
        "ask": [p.Question("Which year?")], "predict": [p.Prediction("a year", 0.5)],
    }  # fmt: skip


def _plan(request: p.ExpandRequest, *, read: tuple[str, ...], failing: int) -> p.Expansion:
    visits = [_leaf(f"read {n}", WRONG, "visit", source=n) for n in read]
    deep = "The gauge says how deep the harbour is."
    gauges = [_leaf(f"gauge {n}", deep, "gauge", query=f"depth {n}") for n in range(failing)]
    return p.Expansion((*visits, *gauges))


def _leaf(title: str, expected: str, name: str, **args: str) -> Proposal:
    return Proposal(title, expected=expected, action=ActionCall(name=name, args=args, intent=""))


def _cited(passages: tuple[Passage, ...], side: str) -> tuple[Citation, ...]:
    """Quote the sentence on the year: one side from the first page, the other from the last."""
    order = passages if side == "proponent" else passages[::-1]
    for page in order:
        at = page.text.find("The harbour of Trondby was built in")
        if at >= 0:
            quote = page.text[at : at + len(RIGHT)]
            return (Citation(page.id, page.source, page.title, quote, at, at + len(quote)),)
    return ()


def _extract(request: p.ExtractRequest) -> p.Extraction:
    quotes = _cited(request.passages, "proponent")
    said = quotes[0].quote if quotes else ""
    return p.Extraction(tuple(p.Claim(said, one, 0.9) for one in quotes), said or "nothing")


def _argue(request: p.ArgueRequest) -> p.Argument:
    return p.Argument(f"As {request.side}.", _cited(request.evidence, request.side), 0.8)


def _judge(request: p.JudgeRequest) -> p.Judgment:
    moved = sum(0.3 if side == "proponent" else -0.3 for side, _ in request.arguments)
    return p.Judgment(max(0.0, min(1.0, 0.55 + moved)), 0.8, (("support", 0.5, "as it seems"),))


def _merge(request: p.MergeRequest) -> p.Synthesis:
    said = next((f for f in request.findings if f.citations), None)
    if said is None:
        return p.Synthesis("Not found.", (), False, 0.0)
    return p.Synthesis(said.result, said.citations, True, 1.0, stated=(p.Stated(said.result, (1,)),))
