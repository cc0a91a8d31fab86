"""Kill a run at every event with SIGKILL, resume it in another process, and print the digests as JSON.

Run as a script: imports once, then forks a fresh process for every run, so that a kill is real and
still costs no start-up. The event of a node is sent before its superstep is saved, so each kill
falls between the effect of a node and its checkpoint.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

# Imported once, before the forks: it is half of the time of a short run.
import chromadb.api.rust  # noqa: F401

import ddax.actions.sources
import ddax.actions.web.opening
import ddax.environments.browser.world
import ddax.graph.savers.sqlite
import ddax.graph.session.collaborators
import ddax.memory.store.chroma
import ddax.memory.store.namespace
import ddax.reasoning.embedded.reasoner
import ddax.reasoning.factory  # noqa: F401
from ddax import Context, open_agent
from ddax.graph.services import Parts
from ddax.ideas import dag
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.share.remote import RemoteMemory

QUESTION = "In which city was the architect of the Corvane Tower born?"


def context(folder: str) -> Context:
    """Return the settings of every run."""
    return Context(sources=(folder,), seed=7, mood={"engine": "numpy"})  # type: ignore[arg-type]


async def drive(home: str, folder: str, *, kill_at: int | None, resume: bool) -> dict[str, Any]:
    """Run or resume once; with `kill_at` die at that event."""
    seen, thread = 0, Path(home).name  # of its own: a Postgres is shared by all

    def on_event(event: dict[str, Any]) -> None:
        nonlocal seen
        seen += 1
        if kill_at is not None and seen >= kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    async with open_agent(context(folder), home=home, parts=Parts(embedder=HashEmbedder())) as agent:
        work = (
            agent.resume(thread, on_event=on_event)
            if resume
            else agent.run(QUESTION, thread=thread, on_event=on_event)
        )
        result = await work
        state = await agent.state(thread)
        session = await agent.services.session(None)
        intents = await session.memory.rows("intents")
        agents = session.agents.all() if session.agents is not None else []
    return {
        "remote": isinstance(getattr(session.memory, "inner", None), RemoteMemory),
        "digest": dag.digest(state["ideas"]),
        "answer": result["answer"],
        "status": result["status"],
        "events": seen,
        "leaves": sorted(row["leaf"] for row in intents),
        "agents": [_account(agent) for agent in agents],
    }


def _account(agent: dict[str, Any]) -> list[Any]:
    """Return what an agent's file says, without the times, and the thread's name in its ids."""
    kinds = ("dissent_history", "agreement_history", "override_history")
    said = ("impact", "right", "depth_score", "verified_better")
    kept = [[{k: e[k] for k in said if k in e} for e in agent[kind]] for kind in kinds]
    return [agent["agent_name"], agent["trust_score"], agent["rounds_participated"], *kept]


def forked(home: str, folder: str, *, kill_at: int | None, resume: bool) -> tuple[int, dict[str, Any]]:
    """Run in a forked process; return its wait status and what it reported."""
    report = Path(home) / "report.json"
    report.parent.mkdir(parents=True, exist_ok=True)
    report.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        try:
            told = asyncio.run(drive(home, folder, kill_at=kill_at, resume=resume))
            report.write_text(json.dumps(told))
            os._exit(0)
        except BaseException:
            import traceback

            traceback.print_exc()
            os._exit(1)
    _, status = os.waitpid(child, 0)
    return status, json.loads(report.read_text()) if report.exists() else {}


def owner_of(home: str) -> int:
    """Have another process own the memory of a home; return its pid."""
    from ddax.memory.home import Home
    from ddax.memory.share.seats import take

    ready, told = os.pipe()
    child = os.fork()
    if child == 0:
        take(Home(Path(home)).ensure().memory, clock=time.time)
        os.write(told, b"owned")
        signal.pause()
    os.read(ready, 5)
    os.close(ready)
    os.close(told)
    return child


def main(base: str, folder: str, every: int, shared: bool) -> None:
    """Compare every killed (or each n-th) and resumed run with the undisturbed one.

    `shared`: another process owns the memory of each home; that is killed before every second resume.
    """
    status, control = forked(f"{base}/control", folder, kill_at=None, resume=False)
    assert status == 0, "the undisturbed run failed"
    runs = []
    for n in range(1, control["events"] + 1, every):
        home = f"{base}/kill-{n}"
        owner = owner_of(home) if shared else 0
        killed, _ = forked(home, folder, kill_at=n, resume=False)
        if owner and len(runs) % 2:
            owner = end(owner)
        ended, resumed = forked(home, folder, kill_at=None, resume=True)
        runs.append({"kill_at": n, "killed_by": killed, "ended": ended, **resumed})
        if owner:
            end(owner)
    print(json.dumps({"control": control, "runs": runs}))


def end(owner: int) -> int:
    """Kill a process, and return that there is none."""
    os.kill(owner, signal.SIGKILL)
    os.waitpid(owner, 0)
    return 0


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:] == ["shared"])
