"""Finds out which overrides of a scripted human were mistakes, by running the agent's own choice.

Each case is a real run of the graph. The agent wants to order a page; ordering spends, so the human is
asked and changes the order. In 30 % of the overrides the agent's page held the answer and the human's
does not; in the others the human was right, or it made no difference. Whether the override was a
mistake is known by construction and never shown to the agent.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from benchmarks.core import Figure, Options, Result, Target, bootstrap
from benchmarks.names import invented

if TYPE_CHECKING:
    from ddax.actions.protocol import Action
    from ddax.memory.protocol import Embedder
    from ddax.reasoning.embedded import EmbeddedReasoner
    from ddax.types import Document, Hit

NAME = "regret"
DESCRIPTION = (
    "overrides of scripted humans, 30 % of them mistakes, told apart by running the agent's own choice"
)
CASES, QUICK = 100, 20
BAD = 0.3
NEUTRAL = 0.15
THINGS = ("lighthouse", "harbour", "town hall", "observatory", "stone bridge", "railway station")

Kind = Literal["bad", "good", "neutral"]


@dataclass(frozen=True)
class Case:
    """One question, the pages there are, what the agent orders, and what the human orders instead."""

    question: str
    pages: dict[str, str]
    own: str
    human: str
    kind: Kind


def run(options: Options) -> Result:
    """Measure on fresh cases."""
    cases = cases_of(QUICK if options.quick else CASES, options.seed)
    told = asyncio.run(judged(cases))
    bad = [case.kind == "bad" for case in cases]
    hit = [found for found, is_bad in zip(told, bad, strict=True) if is_bad]
    flagged = [is_bad for found, is_bad in zip(told, bad, strict=True) if found]
    recall = bootstrap([float(found) for found in hit], seed=options.seed)
    precision = bootstrap([float(is_bad) for is_bad in flagged] or [0.0], seed=options.seed)
    figures = (
        Figure(
            "precision of regret",
            precision.value,
            "",
            Target(">=", 0.9),
            precision.low,
            precision.high,
            len(flagged),
        ),
        Figure("recall of regret", recall.value, "", Target(">=", 0.9), recall.low, recall.high, len(hit)),
        Figure("share of overrides that were mistakes", sum(bad) / len(bad), n=len(bad)),
    )
    notes = (
        "the verifier is the support of the answer, by the embedded reasoner, for both ends alike",
        f"{sum(c.kind == 'neutral' for c in cases)} overrides made no difference and count as no mistake",
    )
    return Result(NAME, figures, (options.seed,), 1, notes)


def cases_of(number: int, seed: int) -> list[Case]:
    """Make cases: an exact share of mistakes, in random order."""
    rng = np.random.default_rng(seed)
    bad, neutral = round(BAD * number), round(NEUTRAL * number)
    counts: dict[Kind, int] = {"bad": bad, "neutral": neutral, "good": number - bad - neutral}
    kinds = [kind for kind, count in counts.items() for _ in range(count)]
    return [_case(kinds[k], rng) for k in rng.permutation(number)]


def _case(kind: Kind, rng: np.random.Generator) -> Case:
    place, other, third, maker, wrong = (invented(rng) for _ in range(5))
    thing = THINGS[int(rng.integers(len(THINGS)))]
    year = int(rng.integers(1700, 1950))
    made = f"designed by {maker}"
    pages = {
        f"History of {place}": f"{place} is a town on the coast. Its {thing} was {made} in {year}. "
        f"The {thing} of {place} was {made}.",
        f"Guide to {other}": f"{other} lies two hours from {place}. Cheese is sold there every market "
        f"day. The {thing} of {other} was painted by {wrong}.",
        f"Guide to {third}": f"{third} is known for its gardens. Trains from {place} arrive at noon.",
    }
    right, near, far = pages
    own, human = {
        "bad": (right, (near, far)[int(rng.integers(2))]),
        "good": (near, right),
        "neutral": (near, far),
    }[kind]
    return Case(f"Who designed the {thing} of {place}?", pages, own, human, kind)


async def judged(cases: Sequence[Case]) -> list[bool]:
    """Run every case and return which overrides are found to be mistakes."""
    from ddax.memory.embeddings import open_embedder

    embedder = await asyncio.to_thread(open_embedder)
    return [await _judge(case, embedder) for case in cases]


async def _judge(case: Case, embedder: Embedder) -> bool:
    from ddax import Context, open_agent
    from ddax.configs.settings import Recall
    from ddax.graph.counterfactual import compare_override
    from ddax.graph.services import Parts
    from ddax.memory.agents.overrides import Overrides
    from ddax.memory.fake import DictMemory

    library = Shelf(case.pages)
    parts = Parts(
        reasoner=buyer(embedder, case.own), memory=DictMemory("regret", embedder, lambda: 1.7e9, Recall()),
        library=library, embedder=embedder, actions=(ordering(),),
    )  # fmt: skip
    context = Context.model_validate(
        {"seed": 0, "human": True, "mood": {"engine": "numpy"}, "evolution": {"evolution_enabled": False}}
    )
    with tempfile.TemporaryDirectory() as home:
        async with open_agent(context, home=Path(home), parts=parts) as agent:
            result = await agent.run(case.question, thread="case")
            answer: Any = {"choice": "go on", "arguments": {"source": case.human}}
            while result["status"] == "waiting":
                result = await agent.resume("case", answer=answer)
                answer = {"choice": "veto"}
            store = (await agent.services.session(context)).agents
            assert store is not None
            first = Overrides(store).all()[0]
            compared = await compare_override(agent, first.entry["id"], allow_effects=True)
    return compared.regretted


class Shelf:
    """The pages of a case; nothing is found by searching, pages have to be ordered."""

    def __init__(self, pages: dict[str, str]) -> None:
        self.specs: tuple[str, ...] = ("shelf",)
        self.pages, self.outside = pages, False

    async def search(self, query: str, *, intent: str = "", k: int = 10, mode: str = "hybrid") -> list[Hit]:
        return []

    async def read(self, source: str) -> Document:
        from ddax.types import Document

        return Document(source, source, source, self.pages[source])

    async def mentioned(self, text: str, *, limit: int = 10) -> list[Hit]:
        return []

    def holds(self, source: str, text: str) -> bool | None:
        return text in self.pages[source] if source in self.pages else None

    async def warm(self, limit: int | None = None) -> int:
        return 0

    def describe(self) -> str:
        return "pages to order"


def ordering() -> Action:
    """Return the action `order`: a visit that spends, so that a human is asked before it."""
    from ddax.actions.protocol import Action
    from ddax.actions.visit import visit

    return Action("order", visit.function, visit.arguments, "spends", "Order a page and read it.")


def buyer(embedder: Embedder, source: str) -> EmbeddedReasoner:
    """Return an embedded reasoner that first orders one page, and then has no further idea."""
    from ddax.errors import ReasonerError
    from ddax.reasoning.embedded.reasoner import EmbeddedReasoner
    from ddax.reasoning.protocol import ExpandRequest, Expansion
    from ddax.types import ActionCall, Proposal

    class Ordering(EmbeddedReasoner):
        bought = False

        async def expand(self, request: ExpandRequest) -> Expansion:
            if request.findings:
                raise ReasonerError("There is nothing else to order.")
            call = ActionCall(name="order", args={"source": source}, intent=request.task)
            return Expansion((Proposal(f"order {source}", f"the answer to: {request.task}", action=call),))

    return Ordering(embedder)
