"""Tasks under budgets drawn at random: what is spent beyond a cap, and whether there is an answer."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.core import Figure, Options, Result, Target

NAME = "budgets"
DESCRIPTION = "tasks under random caps of steps, calls, tokens, money and time: overshoot, and an answer"
CALL = {"tokens": 120, "usd": 0.01, "seconds": 2.0}
"""What one model call costs; the clock is moved by the model."""


class Ended(NamedTuple):
    """How one task ended: the calls beyond each cap, and whether it found an answer or says why not."""

    over: float
    found: bool
    explained: bool
    status: str


def run(options: Options) -> Result:
    """Draw budgets and run a task of several expansions under each."""
    count = 60 if options.quick else 1000
    rng = np.random.default_rng(options.seed)
    ends = asyncio.run(measure(count, rng))
    capped = [end for end in ends if end.status == "stopped"]
    figures = (
        Figure("calls beyond a cap, largest", max(e.over for e in ends), "", Target("<=", 1), n=len(ends)),
        Figure("with an answer or a partial one", sum(e.found for e in ends) / len(ends), n=len(ends)),
        Figure("says why there is none", sum(e.explained for e in ends) / len(ends), n=len(ends)),
        Figure("neither", sum(not (e.found or e.explained) for e in ends), "tasks", Target("<=", 0),
               n=len(ends)),
        Figure("stopped by a cap", len(capped) / len(ends), "", n=len(ends)),
    )  # fmt: skip
    return Result(
        NAME, figures, (options.seed,), 1, ("a call costs 120 tokens, 0.01 USD and 2 s of its clock",)
    )


async def measure(count: int, rng: np.random.Generator) -> list[Ended]:
    """Run so many tasks, each under a budget of its own."""
    return [await _one(_drawn(rng)) for _ in range(count)]


def _drawn(rng: np.random.Generator) -> dict[str, Any]:
    """Draw each cap somewhere between nothing and more than the task needs; most leave one in force."""
    caps = {
        "max_steps": int(rng.integers(1, 30)),
        "max_model_calls": int(rng.integers(0, 30)),
        "max_tokens": int(rng.integers(0, 30 * 120)),
        "max_usd": round(float(rng.uniform(0, 0.3)), 4),
        "max_seconds": round(float(rng.uniform(0.1, 60)), 2),
    }
    kept = set(rng.choice(list(caps), int(rng.integers(1, 3)), replace=False))
    return {name: value for name, value in caps.items() if name in kept}


async def _one(caps: dict[str, Any]) -> Ended:
    from benchmarks.fanout import Nothing
    from ddax import Context, open_agent
    from ddax.graph.services import Parts
    from ddax.memory.embeddings import HashEmbedder
    from ddax.memory.fake import DictMemory
    from ddax.nodes.close import NO_ANSWER
    from ddax.reasoning.scripted import ScriptedReasoner

    free = {"max_model_calls": 10_000, "max_tokens": 10**8, "max_usd": 1000.0, "max_seconds": 1e6}
    context = Context.model_validate({"mood": {"engine": "numpy"}, "budget": {**free, **caps}})
    now = [0.0]
    reasoner, embedder = ScriptedReasoner(_script(now), repeat=True), HashEmbedder()
    memory = DictMemory("main", embedder, lambda: now[0], context.recall)
    parts = Parts(reasoner=reasoner, embedder=embedder, memory=memory, library=Nothing())
    with tempfile.TemporaryDirectory() as home:
        async with open_agent(
            context, home=Path(home), parts=parts, clock=lambda: 1.7e9 + now[0], monotonic=lambda: now[0]
        ) as agent:
            result = await agent.run("what is there to know of the mountains?", thread="t")
            found = bool((await agent.state("t"))["answer"]["found"])
    calls = len(reasoner.requests)
    over = [_over(name, cap, calls) for name, cap in caps.items() if name != "max_steps"]
    if "max_steps" in caps:
        over.append(max(0, result["steps"] - caps["max_steps"] - 1))
    text = result["answer"]
    explained = text.startswith(NO_ANSWER) and bool(text.removeprefix(NO_ANSWER).strip())
    return Ended(max(over, default=0.0), found, explained, result["status"])


def _over(name: str, cap: float, calls: int) -> float:
    """Return by how many calls a cap was passed; the call that reaches it is not beyond it."""
    each = {
        "max_model_calls": 1.0,
        "max_tokens": CALL["tokens"],
        "max_usd": CALL["usd"],
        "max_seconds": CALL["seconds"],
    }
    return max(0.0, float(np.ceil(round(calls - cap / each[name], 6))))


def _script(now: list[float]) -> dict[str, list[Any]]:
    """Return replies that cost: three levels of expansion, whatever is asked."""
    from ddax.reasoning import protocol as p
    from ddax.types import ActionCall, Citation, Proposal, Usage

    def paid(make: Any) -> Any:
        def reply(request: Any) -> Any:
            now[0] += CALL["seconds"]
            return make(request, Usage(1, int(CALL["tokens"]), CALL["usd"]))

        return reply

    def leaf(topic: str, depth: int) -> Proposal:
        call = ActionCall(name="save", args={"text": f"{topic} at {depth}"}, intent="")
        return Proposal(f"keep {topic} {depth}", f"{topic} is kept", action=call)

    def plan(request: Any, usage: Usage) -> p.Expansion:
        deep = [Proposal(f"{topic} below {request.idea[:40]}", topic) for topic in ("rivers", "towers")]
        more = deep if request.depth < 2 else []
        return p.Expansion((leaf("peaks", request.depth), *more), usage)

    cited = (Citation("id", "nowhere", "nowhere", "nothing"),)
    return {
        "expand": [paid(plan)],
        "extract": [paid(lambda _, usage: p.Extraction((), "read", usage))],
        "judge": [paid(lambda _, usage: p.Judgment(0.6, 0.9, (("coverage", 0.6, "so so"),), usage))],
        "merge": [paid(lambda _, usage: p.Synthesis("There are peaks.", cited, True, 0.9, usage=usage))],
        "reflect": [paid(lambda _, usage: p.Lesson("Look up.", usage))],
        "argue": [paid(lambda _, usage: p.Argument("So it is.", (), 0.5, usage))],
        "predict": [paid(lambda _, usage: p.Prediction("peaks", 0.5, usage))],
        "ask": [paid(lambda _, usage: p.Question("Which?", usage))],
    }
