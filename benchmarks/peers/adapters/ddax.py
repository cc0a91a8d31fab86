"""Ours, through its public door; the CPU of embedding and of the support check is told apart."""

import asyncio
import contextlib
import os
import time

LOOP = asyncio.Runner()
"""One loop for the warm-up and the run: the client keeps its connections in it."""


def load():
    """Import what `open_agent` imports at its first use."""
    global BaseModel, Context, open_agent, Parts, ActionResult, action, open_embedder, Record
    from pydantic import BaseModel

    from ddax import Context, open_agent
    from ddax.actions.protocol import ActionResult
    from ddax.actions.registry import action
    from ddax.graph.services import Parts
    from ddax.memory.embeddings import open_embedder
    from ddax.types import Record


class Stopwatch:
    """CPU seconds of the threads that calls ran on."""

    def __init__(self):
        self.seconds = 0.0

    def around(self, work):
        """Return the same work, timed."""

        def timed(*args, **named):
            began = time.thread_time()
            try:
                return work(*args, **named)
            finally:
                self.seconds += time.thread_time() - began

        return timed


def leaves(given):
    """Look at so many things, the engine asks the model once for each."""
    return LOOP.run(_leaves(given))


saved = leaves  # every step of ours is always saved


async def _leaves(given):
    class Look(BaseModel):
        number: int

    @action(effect="reads")
    async def look(context, arguments: Look) -> ActionResult:
        """Look at one thing; the engine takes from the page what it says, with one call of the model."""
        text = f"This is the page of the thing number {arguments.number}. The thing is blue."
        page = Record("observation", text, source=f"thing {arguments.number}", title="Thing",
                      task=context.task,
                      idea=context.idea, step=context.step, created=context.now,
                      end=len(text), meta={"kind": "page"})  # fmt: skip
        return ActionResult(text, records=(page,))

    width, parallel = given["leaves"], given.get("parallel", 64)
    settings = {
        "selection": {"branching": max(2, width), "beam": max(12, width)},
        "budget": {"max_parallel": parallel, "max_model_calls": 1000, "max_ideas": 500},
        "models": {"concurrency": parallel + 8},
    }
    task = f"Look at {width} things. Say what they have in common."
    return await run(given, task, settings, (look,))


def game24(given):
    """Play each puzzle: inner ideas are steps, and an action checks what came out."""
    return {"answers": [LOOP.run(_game(given, k, puzzle)) for k, puzzle in enumerate(given["puzzles"])]}


async def _game(given, number, puzzle):
    class Check(BaseModel):
        steps: str

    @action(effect="none")
    async def check(context, arguments: Check) -> ActionResult:
        """See whether steps are right."""
        text = f"Worked out: {arguments.steps} gives 24."
        page = Record("observation", text, source="arithmetic", title="Check", task=context.task,
                      idea=context.idea, step=context.step, created=context.now, end=len(text),
                      meta={"kind": "page"})  # fmt: skip
        return ActionResult(text, records=(page,))

    settings = {"selection": {"branching": 10, "join": 1.0}, "budget": {"max_model_calls": given["calls"]}}
    place, task = f"{given['place']}{number}", given["question"].format(numbers=puzzle)
    return (await run({**given, "place": place}, task, settings, (check,)))["answer"]


async def run(given, task, settings, actions=(), sources=()):
    """Run a task in a home of its own, or go on with it where it was cut."""
    os.environ.update(OPENAI_BASE_URL=given["base"], OPENAI_API_BASE=given["base"], OPENAI_API_KEY="none")
    context = Context.model_validate({"model": "openai:script", "sources": list(sources), **settings})
    embedding, support = Stopwatch(), Stopwatch()
    with _timed(embedding):
        async with open_agent(context, home=given["place"], parts=Parts(actions=tuple(actions))) as agent:
            session = await agent.services.session(context)
            object.__setattr__(session, "check", support.around(session.check))
            begun = any(info.thread_id == "t" for info in agent.threads())
            result = await (agent.resume("t") if begun else agent.run(task, thread="t"))
    return {
        "answer": result["answer"], "status": result["status"], "reason": result["stop_reason"],
        "embedding_cpu": embedding.seconds, "support_cpu": support.seconds, "steps": result["steps"],
    }  # fmt: skip


@contextlib.contextmanager
def _timed(watch):
    """Time the encoder that the session opens."""
    kind = type(open_embedder())
    plain = kind.embed
    kind.embed = watch.around(plain)
    try:
        yield
    finally:
        kind.embed = plain
