"""Kill runs in forked processes and resume them in others. Run as a script: jobs in, reports out, as JSON.

The parent imports once and starts no thread, so that a fork costs no start-up and is clean.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.durable.points import Points, arm
from benchmarks.durable.world import QUESTION, PaidModel, Witness, shop

if TYPE_CHECKING:
    from ddax.graph.runner import Agent

Report = dict[str, Any]


def imports() -> None:
    """Import what every run needs, before the forks."""
    import chromadb.api.rust  # noqa: F401  # half of the time of a short run

    import ddax.actions.sources
    import ddax.actions.web.opening
    import ddax.environments.browser.world
    import ddax.graph.savers.sqlite
    import ddax.graph.session.collaborators
    import ddax.memory.share.reaching
    import ddax.memory.store.chroma
    import ddax.reasoning.embedded.reasoner
    import ddax.reasoning.factory
    import ddax.reasoning.language.assemble  # noqa: F401


def agent_of(home: Path, folder: Path, witness: Witness) -> Agent:
    """Return an agent over a home: the paid model with its cache of replies, the shop, hashed embeddings."""
    import numpy as np

    from ddax import Context, open_agent
    from ddax.actions.registry import open_registry
    from ddax.configs.settings import Mood
    from ddax.graph.services import Parts
    from ddax.memory.embeddings import HashEmbedder
    from ddax.reasoning.language.cache import ReplyCache
    from ddax.reasoning.language.call import Caller, Hints
    from ddax.reasoning.language.provider.retrying import Limits
    from ddax.reasoning.language.reasoner import LanguageReasoner
    from ddax.reasoning.language.team import Team

    order = shop(witness)
    cache = ReplyCache(home / "replies.sqlite", wall=time.time)
    caller = Caller(
        PaidModel(), name="paid:model", hints=Hints(""), price=None, limits=Limits(), clock=time.monotonic,
        wall=time.time, rng=np.random.default_rng(7), cache=cache,
    )  # fmt: skip
    arguments = {name: one.arguments for name, one in open_registry((order,)).items()}
    reasoner = LanguageReasoner(
        Team.of_one(caller), name="paid:model", arguments=arguments, release=cache.close
    )
    context = Context(sources=(str(folder),), seed=7, human=True, mood=Mood(engine="numpy"))
    parts = Parts(reasoner=reasoner, embedder=HashEmbedder(), actions=(order,))
    return open_agent(context, home=home, parts=parts)


async def drive(home: Path, folder: Path, points: Points, *, thread: str = "") -> Report:
    """Begin a task or go on with it, answer what is asked with "go on", and report how it stands."""
    from ddax.ideas import dag

    witness = Witness(home.with_suffix(".witness"))
    arm(points, witness)
    thread = thread or home.name  # of its own: a Postgres is shared by all
    begun = time.perf_counter()
    async with agent_of(home, folder, witness) as agent:
        if agent.runs.load(thread) is None:
            result = await agent.run(QUESTION, thread=thread, on_event=lambda _: points.hit("event"))
        else:
            result = await agent.resume(thread, on_event=lambda _: points.hit("event"))
        while result["status"] == "waiting":
            result = await agent.resume(
                thread, answer={"choice": "go on"}, on_event=lambda _: points.hit("event")
            )
        seconds = time.perf_counter() - begun
        state = await agent.state(thread)
        memory = (await agent.services.session(None)).memory
        known = {key for what, key in witness.events() if what == "remembered"}
        lost = sorted(known - {record.id for record in await memory.get(sorted(known))})
        unknown = await memory.rows("unknowns")
    return {
        "digest": dag.digest(state["ideas"]), "answer": result["answer"], "status": result["status"],
        "points": points.names, "lost": lost, "unknown": [row["ruling"] for row in unknown],
        "seconds": seconds,
    }  # fmt: skip


def forked(
    work: Callable[[], Report], report: Path, *, kill_after: float | None = None
) -> tuple[int, Report]:
    """Do work in a forked process; return its wait status and what it reported."""
    report.unlink(missing_ok=True)
    child = fork(work, report)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(child, signal.SIGKILL)
    return ended(child, report)


def fork(work: Callable[[], Report], report: Path) -> int:
    """Start work in a forked process, which writes its report or its error."""
    child = os.fork()
    if child:
        return child
    try:
        report.write_text(json.dumps(work()))
        os._exit(0)
    except BaseException as error:
        named = {"error": type(error).__name__, "exit": getattr(error, "exit_code", 1), "says": str(error)}
        report.write_text(json.dumps({**named, "trace": traceback.format_exc()[-3000:]}))
        os._exit(1)


def ended(child: int, report: Path) -> tuple[int, Report]:
    """Wait for a forked process."""
    _, status = os.waitpid(child, 0)
    return status, json.loads(report.read_text()) if report.exists() else {}


def once(home: Path, folder: Path, **how: Any) -> tuple[int, Report]:
    """Begin or go on in a process of its own, killed at a point, after some seconds, or not at all."""
    home.parent.mkdir(parents=True, exist_ok=True)
    points, after = Points(how.get("kill_at")), how.get("kill_after")
    return forked(
        lambda: asyncio.run(drive(home, folder, points)), home.with_suffix(".json"), kill_after=after
    )


def account(home: Path) -> Report:
    """Count what was paid or done again, and what was although its result was known."""
    kept: set[str] = set()
    again: dict[str, int] = {"paid": 0, "effect": 0}
    wrong: dict[str, int] = {"paid": 0, "effect": 0}
    seen: set[tuple[str, str]] = set()
    closes = {"kept": "paid", "result": "effect"}
    for what, key in Witness(home.with_suffix(".witness")).events():
        if what in again:
            again[what] += (what, key) in seen
            wrong[what] += (what + key) in kept
            seen.add((what, key))
        elif what in closes:
            kept.add(closes[what] + key)
    return {"again": again, "repeated": wrong}


def killed(base: Path, folder: Path, name: str, kills: list[dict[str, Any]]) -> Report:
    """Kill a run as often as asked, each time when it has been taken up again, and let it end."""
    home = base / name
    deaths = [once(home, folder, **kill)[0] for kill in kills]
    status, told = once(home, folder)
    report = {"name": name, "deaths": deaths, "ended": status, **told, **account(home)}
    report.pop("points", None)
    if status == 0:
        shutil.rmtree(home)  # a home is a few MB, and there are hundreds
    return report


def two(base: Path, folder: Path, name: str, stop_at: int) -> Report:
    """Stop a run in the middle, try its thread from another process, and let the first one go on."""
    home, other = base / name, base / f"{name}-other.json"
    home.parent.mkdir(parents=True, exist_ok=True)
    points = Points(None, stop_at=stop_at)
    report = home.with_suffix(".json")
    first = fork(lambda: asyncio.run(drive(home, folder, points)), report)
    os.waitpid(first, os.WUNTRACED)
    _, second = forked(lambda: asyncio.run(drive(home, folder, Points(None))), other)
    os.kill(first, signal.SIGCONT)
    status, told = ended(first, report)
    told.pop("points", None)
    return {"name": name, "ended": status, "second": second, **told, **account(home)}


def spoiled(base: Path, folder: Path, kind: str, seed: int, deadline: int) -> Report:
    """Damage the checkpoints of a run that was killed in the middle, and resume it."""
    from benchmarks.durable.damage import damage

    source, home = base / f"half-{deadline}", base / f"{kind}-{seed}".replace(" ", "-")
    if not source.exists():
        once(source, folder, kill_at=deadline)
    damage(source, home, kind, seed)
    shutil.copy(source.with_suffix(".witness"), home.with_suffix(".witness"))
    status, told = forked(
        lambda: asyncio.run(drive(home, folder, Points(None), thread=source.name)), home.with_suffix(".json")
    )
    executed = (home / "PWN").exists()
    shutil.rmtree(home)
    told.pop("points", None)
    return {"damage": kind, "seed": seed, "ended": status, "executed": executed, **told}


def main(text: str) -> None:
    """Do the jobs given as JSON and print one report a line."""
    imports()
    given = json.loads(text)
    base, folder = Path(given["base"]), Path(given["folder"])
    for job in given["jobs"]:
        if job["kind"] == "control":
            status, told = once(base / job["name"], folder)
            row: Report = {"ended": status, **told, **account(base / job["name"])}
        elif job["kind"] == "two":
            row = two(base, folder, job["name"], job["stop_at"])
        elif job["kind"] == "spoiled":
            row = spoiled(base, folder, job["damage"], job["seed"], job["kill_at"])
        else:
            row = killed(base, folder, job["name"], job["kills"])
        print(json.dumps({"kind": job["kind"], **row}), flush=True)


if __name__ == "__main__":
    main(sys.stdin.read())
