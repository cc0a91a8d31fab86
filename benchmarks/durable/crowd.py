"""Let many processes ask over one home, kill the one that owns its memory, and count what each was given.

Run as a script: jobs in, reports out, as JSON. The processes are forked, so that starting costs nothing,
and begin to ask at one moment; nothing of a home is open before a fork.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import shutil
import signal
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.durable.driver import Report, ended, fork, imports

QUESTIONS, ROWS = 4, 5
"""Small questions of each process, and the rows it writes beside each."""
STRIKE_SECONDS = 300.0
"""How long is waited for the moment of a kill."""
QUESTION = "In which city was the architect of the Corvane Tower born?"
PAGES = {
    "tower": "The Corvane Tower is in Belmark. It was designed by Ilse Maran in 1931.",
    "ilse": "Ilse Maran was an architect. She was born in the city of Trondby.",
}


@contextlib.contextmanager
def turn(file: Path | None) -> Iterator[None]:
    """Have the only turn of all processes; at once where they need not take turns."""
    if file is None:
        yield
        return
    with file.open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


@dataclass(frozen=True)
class Part:
    """What a process is given: its number, how much it asks, and the pipes by which all begin at once."""

    number: int
    questions: int
    ready: int
    go: int
    turns: Path | None


async def ask(home: Path, folder: Path, part: Part) -> Report:
    """Open an agent, wait for the others, ask, and note each row as it is acknowledged."""
    from ddax import Context, open_agent
    from ddax.configs.settings import Mood
    from ddax.graph.services import Parts
    from ddax.memory.embeddings import HashEmbedder
    from ddax.types import Record

    context = Context(sources=(str(folder),), seed=7, mood=Mood(engine="numpy"))
    walls, cpu, statuses = list[float](), list[float](), list[str]()
    acknowledged = os.open(home.with_suffix(".rows"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    async with open_agent(context, home=home, parts=Parts(embedder=HashEmbedder())) as agent:
        session = await agent.services.session(None)
        memory = getattr(session.memory, "inner", session.memory)  # rows that the gate would weigh
        os.write(part.ready, b".")
        os.read(part.go, 1)
        for asked in range(part.questions):
            with turn(part.turns):
                begun, worked = time.perf_counter(), time.process_time()
                result = await agent.run(QUESTION, thread=f"p{part.number}-{asked}")
                walls.append(time.perf_counter() - begun)
                cpu.append(time.process_time() - worked)
            statuses.append(result["status"])
            for n in range(ROWS):
                text = f"process {part.number} question {asked} row {n}"
                (row,) = await memory.put([Record("observation", text, start=n)])
                os.write(acknowledged, f"{row}\n".encode())
    return {"walls": walls, "cpu": cpu, "statuses": statuses}


def crowd(
    base: Path, folder: Path, name: str, *, processes: int, questions: int, apart: bool,
    kill_at: int | None, in_turn: bool,
) -> Report:  # fmt: skip
    """Run processes over one home, or a home each; kill the owner once so many rows are acknowledged.

    `in_turn` has one question asked at a time, so that the processes do not share the cores.
    """
    turns = base / f"{name}.turn" if in_turn else None
    homes = [base / (f"{name}-{k}" if apart else name) for k in range(processes)]
    base.mkdir(parents=True, exist_ok=True)
    ready, go = os.pipe(), os.pipe()
    children = {
        fork(
            _asking(homes[k], folder, Part(k, questions, ready[1], go[0], turns)), base / f"{name}-{k}.json"
        ): k
        for k in range(processes)
    }
    for _ in range(processes):
        os.read(ready[0], 1)
    os.write(go[1], b"g" * processes)
    killed = _strike(homes[0], kill_at) if kill_at is not None else 0
    reports = {k: ended(child, base / f"{name}-{k}.json") for child, k in children.items()}
    for end in (*ready, *go):
        os.close(end)
    served = [told for child, k in children.items() if child != killed for _, told in [reports[k]]]
    found = [_account(home) for home in dict.fromkeys(homes)]
    for home in dict.fromkeys(homes):
        shutil.rmtree(home)
    return {
        "name": name, "processes": processes, "killed": bool(killed), "begun": len(served),
        "walls": [wall for told in served for wall in told.get("walls", ())],
        "cpu": [used for told in served for used in told.get("cpu", ())],
        "failed": [told.get("says", "no report") for told in served if told.get("statuses") is None],
        "undone": sum(s not in ("done", "not_found") for told in served for s in told.get("statuses", ())),
        "lost": sum(one["lost"] for one in found), "twice": sum(one["twice"] for one in found),
        "acknowledged": sum(one["acknowledged"] for one in found),
    }  # fmt: skip


def _asking(home: Path, folder: Path, part: Part) -> Callable[[], Report]:
    def work() -> Report:
        try:
            return asyncio.run(ask(home, folder, part))
        except BaseException:
            os.write(part.ready, b"!")  # who could not begin holds up nobody
            raise

    return work


def _strike(home: Path, kill_at: int) -> int:
    """Kill the owner of the memory in the middle, and return its pid."""
    from ddax.memory.lock import lock_owner

    rows = home.with_suffix(".rows")
    until = time.monotonic() + STRIKE_SECONDS
    while not rows.exists() or rows.read_bytes().count(b"\n") < kill_at:
        if time.monotonic() > until:
            return 0
        time.sleep(0.005)
    owner = lock_owner(home / "memory")
    if owner is None:
        return 0
    os.kill(owner.pid, signal.SIGKILL)
    return owner.pid


def _account(home: Path) -> dict[str, int]:
    """Count the acknowledged rows, those that are gone, and those that are there twice."""
    file = home.with_suffix(".rows")
    acknowledged = file.read_text().split() if file.exists() else []
    file.unlink(missing_ok=True)
    db = sqlite3.connect(home / "memory" / "record.sqlite")
    try:
        there = db.execute("SELECT id, ns, type, source, start, text FROM memory").fetchall()
        logged = db.execute("SELECT json_extract(row, '$.thread') FROM log WHERE name = 'tasks'").fetchall()
    finally:
        db.close()
    threads = [row[0] for row in logged]
    ids, told = {row[0] for row in there}, {row[1:] for row in there}
    return {
        "acknowledged": len(acknowledged), "lost": len(set(acknowledged) - ids),
        "twice": len(there) - len(told) + len(threads) - len(set(threads)),
    }  # fmt: skip


def main(text: str) -> None:
    """Do the jobs given as JSON and print one report a line."""
    imports()
    given = json.loads(text)
    for job in given["jobs"]:
        print(json.dumps(crowd(Path(given["base"]), Path(given["folder"]), **job)), flush=True)


if __name__ == "__main__":
    main(sys.stdin.read())
