"""Ours, through its public door; the CPU of embedding and of the support check is told apart."""

import asyncio
import contextlib
import json
import os
import threading
import time
import urllib.request
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:  # `load` imports them, so that the harness can time it
    from langchain_openai import ChatOpenAI
    from pydantic import BaseModel, SecretStr

    from ddax import Context, open_agent
    from ddax.actions.protocol import Action, ActionContext, ActionResult
    from ddax.actions.registry import action
    from ddax.graph.services import Parts
    from ddax.memory import embeddings
    from ddax.memory.embeddings import open_embedder
    from ddax.memory.protocol import RecallQuery
    from ddax.types import Record

Given = Mapping[str, Any]
"""What the harness reads from its standard input."""
Row = dict[str, Any]
"""What a task brings to the row that the harness prints."""
P = ParamSpec("P")
T = TypeVar("T")
LOOP = asyncio.Runner()
"""One loop for the warm-up and the run: the client keeps its connections in it."""


def load() -> None:
    """Import what `open_agent` imports at its first use."""
    global BaseModel, ChatOpenAI, Context, SecretStr, open_agent, Parts, Record
    global ActionContext, ActionResult, action, embeddings, open_embedder, RecallQuery
    from langchain_openai import ChatOpenAI
    from pydantic import BaseModel, SecretStr

    from ddax import Context, open_agent
    from ddax.actions.protocol import ActionContext, ActionResult
    from ddax.actions.registry import action
    from ddax.graph.services import Parts
    from ddax.memory import embeddings
    from ddax.memory.embeddings import open_embedder
    from ddax.memory.protocol import RecallQuery
    from ddax.types import Record


class Stopwatch:
    """CPU seconds of the threads that calls ran on; a call within a call counts once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._within = threading.local()

    def around(self, work: Callable[P, T]) -> Callable[P, T]:
        """Return the same work, timed."""

        def timed(*args: P.args, **named: P.kwargs) -> T:
            if getattr(self._within, "call", False):
                return work(*args, **named)
            self._within.call, began = True, time.thread_time()
            try:
                return work(*args, **named)
            finally:
                self.seconds += time.thread_time() - began
                self._within.call = False

        return timed


def leaves(given: Given) -> Row:
    """Look at so many things; the action asks the model once for each, as the tools of the others do."""
    model = ChatOpenAI(model="script", base_url=given["base"], api_key=SecretStr("none"), max_retries=0)

    async def asked(number: int) -> str:
        return str((await model.ainvoke(f"Look at thing {number}.")).content)

    return LOOP.run(_leaves(given, asked))


saved = leaves  # every step of ours is always saved


def whole(given: Given) -> Row:
    """Look at so many things without the model, which sees the short results at the last call."""

    async def page(number: int) -> str:
        return f"This is the page of the thing number {number}. The thing is blue."

    return LOOP.run(_leaves(given, page))


async def _leaves(given: Given, seen: Callable[[int], Awaitable[str]]) -> Row:
    class Look(BaseModel):
        number: int

    @action(effect="reads")
    async def look(context: ActionContext, arguments: Look) -> ActionResult:
        """Look at one thing."""
        text = await seen(arguments.number)
        page = Record("observation", text, source=f"thing {arguments.number}", title="Thing",
                      task=context.task,
                      idea=context.idea, step=context.step, created=context.now,
                      end=len(text), meta={"kind": "page"})  # fmt: skip
        return ActionResult(text, records=(page,))

    width, parallel = given["leaves"], given.get("parallel", 64)
    settings = {
        "effort": "deep",  # else one leaf calls the tool in turns, as it is all that there is
        "selection": {"branching": max(2, width), "beam": max(12, width)},
        "budget": {"max_parallel": parallel, "max_model_calls": 1000, "max_ideas": 500},
        "models": {"concurrency": parallel + 8},
    }
    task = f"Look at {width} things. Say what they have in common."
    return await run(given, task, settings, (look,))


def game24(given: Given) -> Row:
    """Play each puzzle: inner ideas are steps, and an action checks what came out."""
    return {"answers": [LOOP.run(_game(given, k, puzzle)) for k, puzzle in enumerate(given["puzzles"])]}


async def _game(given: Given, number: int, puzzle: str) -> str:
    class Check(BaseModel):
        steps: str

    @action(effect="none")
    async def check(context: ActionContext, arguments: Check) -> ActionResult:
        """See whether steps are right."""
        text = f"Worked out: {arguments.steps} gives 24."
        reached = arguments.steps.rstrip().endswith("(left: 24)")
        page = Record("observation", text, source="arithmetic", title="Check", task=context.task,
                      idea=context.idea, step=context.step, created=context.now, end=len(text),
                      meta={"kind": "page"})  # fmt: skip
        return ActionResult(text, records=(page,), settles=reached)

    settings = {
        "effort": "deep",
        "selection": {"branching": 10, "join": 1.0},
        "budget": {"max_model_calls": given["calls"]},
    }
    place, task = f"{given['place']}{number}", given["question"].format(numbers=puzzle)
    found = await run({**given, "place": place}, task, settings, (check,))
    return str(found["answer"])


def injected(given: Given) -> Row:
    """Ask the question over each page, with an action that sends beside the built-in ones."""
    found = [LOOP.run(_read(given, k, page)) for k, page in enumerate(given["pages"])]
    return {"sent": [sent for sent, _ in found], "answers": [answer for _, answer in found]}


async def _read(given: Given, number: int, page: str) -> tuple[list[str], str]:
    sent: list[str] = []

    class Letter(BaseModel):
        to: str
        text: str

    @action(effect="writes")
    async def send(context: ActionContext, arguments: Letter) -> ActionResult:
        """Send a text to an address."""
        sent.append(arguments.to)
        return ActionResult("SENT")

    place = f"{given['place']}{number}"
    os.makedirs(f"{place}-docs")
    with open(f"{place}-docs/harbour.md", "w") as file:
        file.write(f"# Harbour\n\n{page}\n")
    found = await run({**given, "place": place}, given["question"], {}, (send,), [f"{place}-docs"])
    return sent, str(found["answer"])


def research(given: Given) -> Row:
    """Ask each question over a folder of the pages."""
    docs = f"{given['place']}-docs"
    os.makedirs(docs)
    for number, (title, text) in enumerate(given["pages"].items()):
        with open(f"{docs}/{number}.md", "w") as file:
            file.write(f"# {title}\n\n{text}\n")
    asked = enumerate(given["questions"])
    return {"answers": [LOOP.run(_research(given, k, question, docs)) for k, question in asked]}


async def _research(given: Given, number: int, question: str, docs: str) -> str:
    found = await run({**given, "place": f"{given['place']}{number}"}, question, {}, (), [docs])
    return f"{found['short']} {found['answer']}"


class Asking:
    """An embedder that asks the server for vectors, a batch at a time."""

    name, fingerprint = "server", "server-words"

    def __init__(self, base: str, dim: int) -> None:
        self.base, self.dim = base, dim

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector a text."""
        if not texts:
            return np.zeros((0, self.dim), np.float32)
        body = json.dumps({"input": list(texts), "model": "script"}).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{self.base}/embeddings", body)) as reply:
            return np.array([row["embedding"] for row in json.load(reply)["data"]], np.float32)


def memories(given: Given) -> Row:
    """Write the texts and ask for some of them."""
    return LOOP.run(_memories(given))


async def _memories(given: Given) -> Row:
    parts = Parts(embedder=Asking(given["base"], given["dim"]))
    settings = Context.model_validate({"mood": {"engine": "numpy"}, "selection": {"state_dim": given["dim"]}})
    async with open_agent(settings, home=given["place"], parts=parts) as agent:
        memory = (await agent.services.session(settings)).memory
        texts, began = given["texts"], time.perf_counter()
        for first in range(0, len(texts), 500):
            await memory.put(
                [Record("observation", text, source="notes") for text in texts[first : first + 500]]
            )
        wrote, right = time.perf_counter() - began, 0
        took: list[float] = []
        for number in given["asked"]:
            start = time.perf_counter()
            hits = await memory.recall(RecallQuery(texts[number], "t", before_step=1, now=time.time() + 1))
            took.append(time.perf_counter() - start)
            right += bool(hits) and hits[0].record.text == texts[number]
    return {"wrote": wrote, "took": took, "right": right}


async def run(
    given: Given, task: str, settings: Mapping[str, Any], actions: "Sequence[Action]" = (),
    sources: Sequence[str] = (),
) -> Row:  # fmt: skip
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
        "answer": result["answer"], "short": result.get("short", ""), "status": result["status"],
        "reason": result["stop_reason"],
        "embedding_cpu": embedding.seconds, "support_cpu": support.seconds, "steps": result["steps"],
    }  # fmt: skip


@contextlib.contextmanager
def _timed(watch: Stopwatch) -> Iterator[None]:
    """Time the encoder that the session opens, also on the threads on which it shares out many texts."""
    kind = type(open_embedder())
    plain, batch = kind.embed, embeddings.pooled
    kind.embed = watch.around(plain)  # type: ignore[method-assign]  # `mock` would add to the import
    embeddings.pooled = watch.around(batch)
    try:
        yield
    finally:
        kind.embed = plain  # type: ignore[method-assign]
        embeddings.pooled = batch
