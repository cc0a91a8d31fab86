"""MiniWoB++ with the policy without a model: tasks solved by the reward of the pages themselves.

Played through the browser world and the policy that `ddax run --browser` uses. The seeds are drawn anew for
each run and told with it. The policy was written while looking at episodes of these tasks under other seeds:
the figure says how far general rules carry on this kind of page, not how they would do on an unseen one. An
episode that is said to be done and has not the whole reward is counted for itself; some orders leave out the
press of a button that their page waits for.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.core import Figure, Options, Result, Target, bootstrap
from benchmarks.miniwob_pages import HARNESS, PACKAGE, Episode, html_folder, served, tasks
from ddax.errors import ActionError

NAME = "miniwob"
DESCRIPTION = "MiniWoB++ in Chromium with the policy without a model: share solved, a list by task, no leaks"
SEEDS = 3
"""Seeds of a run: one that is drawn anew, or given by `--seed`, and those behind it."""
QUICK_STEP = 6
"""In the quick form every sixth task, one seed."""
SOLVED = 1.0
"""The page's own whole reward; a part of it counts as unsolved."""
EPISODES_OF_A_BROWSER = 200


@dataclass(frozen=True)
class Played:
    """One episode: its reward, the moves made, its seconds, and what went wrong with the page itself."""

    task: str
    seed: int
    reward: float
    moves: int
    seconds: float
    broken: str = ""
    claimed: bool = False
    """Whether the policy said that it was done."""
    why: str = ""
    """What it said against it."""


def run(options: Options) -> Result:
    """Play the tasks and report shares, times and processes left behind."""
    drawn = options.seed or random.SystemRandom().randrange(1_000, 1_000_000)
    seeds = [drawn + more for more in range(1 if options.quick else SEEDS)]
    print(f"seeds: {', '.join(map(str, seeds))} (again: --seed {drawn})", file=sys.stderr)
    with html_folder() as html, served(html) as address:
        names = tasks(html)[::QUICK_STEP] if options.quick else tasks(html)
        before = _descendants()
        played = asyncio.run(_play(address, names, seeds))
        left = len(_descendants() - before)
    return _result(played, seeds, left)


async def _play(address: str, names: Sequence[str], seeds: Sequence[int]) -> list[Played]:
    from ddax.actions.egress import policy_of
    from ddax.actions.web.proxy import ProxyLimits, egress_proxy
    from ddax.environments.browser.chromium import Chromium

    policy = policy_of(allow_hosts=["127.0.0.1"])
    limits = ProxyLimits(total_bytes=2_000_000_000, exchanges=100_000)
    browser = Chromium(lambda: egress_proxy(policy, clock=time.time, limits=limits))
    played: list[Played] = []
    for name in names:
        for seed in seeds:
            played.append(await _episode(browser, f"{address}/miniwob/{name}.html", name, seed))
            if len(played) % EPISODES_OF_A_BROWSER == 0:
                await browser.close()
    await browser.close()
    return played


async def _episode(browser: object, url: str, name: str, seed: int) -> Played:
    from ddax.environments.browser.options import BrowserOptions
    from ddax.environments.browser.world import BrowserWorld
    from ddax.environments.pilot.drivers.table import DRIVERS
    from ddax.environments.pilot.pilot import Pilot

    rules = Episode()
    options = BrowserOptions(sandbox=True, rules=rules, skip=HARNESS, width=500, height=400)
    world = BrowserWorld(url, browser=browser, options=options, shared=True)  # type: ignore[arg-type]
    moves, reward, broken, start = 0, 0.0, "", time.perf_counter()
    claimed, why = False, ""
    try:
        await world.reset(seed=seed)
        pilot = Pilot(world, DRIVERS)
        start = time.perf_counter()
        try:
            report = await pilot.run(rules.wording)
            reward, claimed, why = report.seen.reward, report.ok, "; ".join(report.failed)
        finally:
            moves = len(pilot.moves)
    except ActionError as error:
        broken = error.kind if moves else f"did not start: {error.kind}"
    seconds = time.perf_counter() - start
    await world.close()
    return Played(name, seed, reward, moves, seconds, broken, claimed, why)


def _result(played: Sequence[Played], seeds: Sequence[int], left: int) -> Result:
    started = [one for one in played if not one.broken.startswith("did not start")]
    names = sorted({one.task for one in started})
    shares = {n: [one.reward >= SOLVED for one in started if one.task == n] for n in names}
    means = bootstrap([sum(found) / len(found) for found in shares.values()])
    always = [name for name, found in shares.items() if all(found)]
    sometimes = [name for name, found in shares.items() if any(found) and not all(found)]
    wrong = [one for one in started if one.claimed and one.reward < SOLVED]
    moves = sum(one.moves for one in started)
    pace = sum(one.seconds for one in started) / max(1, moves)
    figures = (
        Figure("episodes solved", round(100 * means.value, 1), "%", Target(">=", 67),
               round(100 * means.low, 1), round(100 * means.high, 1), len(started)),
        Figure("tasks solved with every seed", len(always), "tasks", n=len(names)),
        Figure("tasks solved with some seeds", len(sometimes), "tasks", n=len(names)),
        Figure("said to be done without the whole reward", len(wrong), "episodes", n=len(started)),
        Figure("tasks that start", len(names), "tasks", n=len({one.task for one in played})),
        Figure("seconds a move", round(pace, 3), "s", n=moves),
        Figure("browser processes left behind", left, "processes", Target("<=", 0), n=len(played)),
    )  # fmt: skip
    wrong_by_task = sorted({one.task for one in wrong})
    never = [name for name in names if name not in always and name not in sometimes]
    notes = (
        f"Pages of {PACKAGE}; solved is the page's whole raw reward ({SOLVED:g}); no model.",
        f"The first seed is drawn anew for each run: --seed {seeds[0]} plays this one again.",
        "The tasks are those it was written on.",
        "The interval is over tasks.",
        f"said to be done without the whole reward: {', '.join(wrong_by_task) or 'none'}",
        f"with every seed: {', '.join(always)}",
        f"with some seeds: {', '.join(sometimes) or 'none'}",
        f"never: {', '.join(never)}",
    )
    return Result(NAME, figures, tuple(seeds), len(seeds), notes)


def _descendants() -> set[int]:
    """Return the processes that were started from this one; empty where the system does not tell."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if fields[0] not in "ZX":
            parents[int(entry.name)] = int(fields[1])
    found = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found
