"""Runs of `tool-chains` in processes that are killed: doors, each opened with the key behind the last.

Run as a script with the address of the model, a folder, a length and the distance between kills. It imports
once and forks a process for every run, so that a kill is real. It dies by SIGKILL before or after any row
of the memory's logs is written, and in the tool behind its effect. Prints one JSON object.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

# Imported once, before the forks: it is most of the time of a short run.
import chromadb.api.rust  # noqa: F401

import ddax.actions.sources
import ddax.actions.web.opening
import ddax.graph.savers.sqlite
import ddax.graph.session.collaborators
import ddax.memory.store.chroma
import ddax.reasoning.factory
import ddax.reasoning.language.provider.openai_wire  # noqa: F401
from ddax import Context, open_agent
from ddax.actions.protocol import Action, ActionContext
from ddax.actions.registry import action
from ddax.errors import ActionError
from ddax.graph.services import Parts
from ddax.ideas import dag
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.gate.write_gate import GatedMemory

THREAD = "doors"


def key_of(door: int) -> str:
    """Return the key of a door, which nobody can guess."""
    return "k" + sha256(f"door {door}".encode()).hexdigest()[:10]


def side_of(door: int) -> str:
    """Return the side on which a door is hung."""
    return "left" if int(sha256(f"side {door}".encode()).hexdigest(), 16) % 2 else "right"


def task_of(length: int) -> str:
    """Return the task of a chain."""
    first = f"the first with {key_of(0)} on the {side_of(0)}"
    return f"Open {length} doors one after the other, {first}, and say the last key."


class Points:
    """The places at which a run may be killed, counted; at `kill_at` it dies."""

    def __init__(self, kill_at: int) -> None:
        self.kill_at, self.passed = kill_at, 0

    def reach(self) -> None:
        """Pass a place, or die there."""
        self.passed += 1
        if self.passed == self.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    @contextmanager
    def around(self) -> Iterator[None]:
        """Count the places before and after something."""
        self.reach()
        yield
        self.reach()


def door(book: Path, points: Points, length: int) -> Action:
    """Return the tool; its effect is a line in a book, and under one key there is one line.

    Each time it is called stands in a book of its own, whatever comes of it.
    """

    @action(effect="writes", idempotent=True, brings=("web:doors.example",))
    async def open_door(context: ActionContext, key: str, side: Literal["left", "right"]) -> str:
        """Open the next door with the key from behind the last one."""
        number = next((n for n in range(length) if key_of(n) == key), None)
        if number is None or side != side_of(number):
            raise ActionError(f"no door has the key {key} on the {side}.", kind="locked")
        with book.with_name("called.txt").open("a", encoding="utf-8") as calls:
            calls.write(f"{context.key}\n")
        lines = book.read_text().splitlines() if book.exists() else []
        if context.key not in lines:
            with book.open("a", encoding="utf-8") as written:
                written.write(f"{context.key}\n")
                written.flush()
                os.fsync(written.fileno())
        points.reach()
        behind = f"Behind it lies {key_of(number + 1)}"
        return f"{behind}; the next door is on the {side_of(number + 1)}."

    return open_door


async def drive(base: str, home: Path, length: int, points: Points, *, resume: bool) -> dict[str, Any]:
    """Run or resume once."""
    log = GatedMemory.log

    async def counted(self: Any, *given: Any, **named: Any) -> Any:
        with points.around():
            return await log(self, *given, **named)

    GatedMemory.log = counted  # type: ignore[method-assign]  # this process is there for nothing else
    os.environ |= {"OPENAI_BASE_URL": base, "OPENAI_API_BASE": base, "OPENAI_API_KEY": "none"}
    context = Context.model_validate({
        "model": "openai:scripted", "seed": 7, "mood": {"engine": "numpy"},
        "actions": {"allow": ["open_door"]},
    })  # fmt: skip
    parts = Parts(embedder=HashEmbedder(), actions=(door(home / "book.txt", points, length),))
    async with open_agent(context, home=home, parts=parts) as agent:
        result = await (agent.resume(THREAD) if resume else agent.run(task_of(length), thread=THREAD))
        state = await agent.state(THREAD)
        session = await agent.services.session(None)
        intents = await session.memory.rows("intents", limit=10_000)
    ideas = dag.subtree(state["ideas"], state["work"]["root"])
    opened, called = ((home / f"{name}.txt").read_text().splitlines() for name in ("book", "called"))
    return {
        "digest": dag.digest(state["ideas"]), "status": result["status"], "points": points.passed,
        "leaves": sum(idea["kind"] == "leaf" for idea in ideas), "opened": len(opened),
        "again": len(called) - length, "intents": len(intents),
        "calls": result["usage"]["model_calls"],
        "last": key_of(length) in json.dumps([idea.get("result", "") for idea in ideas]),
    }  # fmt: skip


def forked(base: str, home: Path, length: int, *, kill_at: int = 0, resume: bool = False) -> dict[str, Any]:
    """Run in a forked process; return what it reported, with its wait status."""
    home.mkdir(parents=True, exist_ok=True)
    report = home / "report.json"
    report.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        try:
            told = asyncio.run(drive(base, home, length, Points(kill_at), resume=resume))
            report.write_text(json.dumps(told))
            os._exit(0)
        except BaseException:
            import traceback

            traceback.print_exc()
            os._exit(1)
    _, status = os.waitpid(child, 0)
    return {"ended": status, **(json.loads(report.read_text()) if report.exists() else {})}


def main(base: str, folder: str, length: str, every: str) -> None:
    """Run a chain undisturbed, then killed at every n-th place and resumed."""
    number, place, began = int(length), Path(folder), time.perf_counter()
    control = forked(base, place / "control", number)
    seconds = time.perf_counter() - began
    runs = []
    for point in range(1, control.get("points", 0) + 1, int(every)):
        home = place / f"kill-{point}"
        killed = forked(base, home, number, kill_at=point)
        if killed["ended"] == signal.SIGKILL:
            runs.append({"kill_at": point, **forked(base, home, number, resume=True)})
    print(json.dumps({"control": control, "runs": runs, "seconds": seconds}))


if __name__ == "__main__":
    main(*sys.argv[1:])
