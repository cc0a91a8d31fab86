"""A run that writes moments at a given pace, followed by a page that loses its server on the way."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.view_page import COUNTED, Gauge, Sample, Server, until
from benchmarks.view_world import TASK, ideas_of, state_at

THREAD = "live"
IDEAS = 200
AWAY = 2.0
"""Seconds for which the page has no server."""
LOST = "document.querySelector('.notes').textContent.includes('is lost')"
SAYS = "(document.querySelector('.time .what')?.textContent ?? '').startsWith"


@dataclass(frozen=True)
class Followed:
    """What came of following a stream: samples in order, and how the moments came to the page."""

    samples: tuple[Sample, ...]
    written: int
    seconds: float
    lost: int
    twice: int
    behind: float
    """Seconds from the last moment's writing until the page showed it."""


async def follow(
    home: Path, browser: Any, *, before: int, rate: float, seconds: float, every: float
) -> Followed:
    """Write `before` moments, open the page, then write `rate` a second and sample every so many seconds."""
    count = int(rate * seconds)
    going, ready = asyncio.Event(), asyncio.Event()
    writer = asyncio.create_task(_write(home, before, count, rate, ready, going))
    try:
        await _first(ready.wait(), writer)
        async with Server(home) as server:
            context = await browser.new_context(viewport={"width": 1440, "height": 900})
            page = await context.new_page()
            await page.goto(server.address(THREAD))
            await until(page, f"{SAYS}('moment')")
            await page.evaluate(COUNTED)
            going.set()
            await asyncio.sleep(seconds / 10)
            await server.kill()
            await until(page, LOST)
            await asyncio.sleep(AWAY)
            await server.start()
            await until(page, f"!({LOST})")
            gauge, samples = Gauge(browser, page, server), list[Sample]()
            while not writer.done():
                await asyncio.wait({writer}, timeout=every)
                samples.append(await gauge.sample())
            took, ended, last = await writer
            await until(page, f"window.seen.last >= {last}")
            await until(page, f"{SAYS}('moment {last},')")
            behind, seen = time.monotonic() - ended, await page.evaluate("window.seen")
            samples.append(await gauge.sample())
            await context.close()
    finally:
        writer.cancel()
        await asyncio.gather(writer, return_exceptions=True)
    return Followed(tuple(samples), count, took, seen["lost"], seen["twice"], behind)


async def _first(waited: Any, writer: asyncio.Task[Any]) -> None:
    """Wait for something, or for the writer's fault."""
    waiting = asyncio.ensure_future(waited)
    await asyncio.wait({waiting, writer}, return_when=asyncio.FIRST_COMPLETED)
    if writer.done():
        waiting.cancel()
        await writer


async def _write(
    home: Path, before: int, count: int, rate: float, ready: asyncio.Event, going: asyncio.Event
) -> tuple[float, float, int]:
    """Run a loop of supersteps over the product's state and store.

    The first `before` come at once, the others at their time. Returns the seconds of the others, the time
    at which they ended, and the number of the last moment.
    """
    from ddax.graph.savers import open_store
    from ddax.graph.threads.manifests import RunFolder, RunInfo
    from ddax.memory.home import Home

    place, rng, begun = Home(home), np.random.default_rng(0), 0.0
    ideas = {idea["id"]: idea for idea in ideas_of(IDEAS)}
    names = list(ideas)
    RunFolder(place.runs).save(RunInfo(THREAD, TASK, "running", created=time.time(), updated=time.time()))

    async def turn(state: Any) -> Any:
        nonlocal begun
        step = state["step"] + 1
        if step == before:
            ready.set()
            await going.wait()
            begun = time.monotonic()
        elif step > before:
            await asyncio.sleep(max(0.0, begun + (step - before) / rate - time.monotonic()))
        patch = {names[1 + step % (IDEAS - 1)]: {"Q": round(float(rng.random()), 6), "N": step}}
        return {"ideas": patch, **state_at(step, rng)}

    work = {"id": "task-live", "root": "0", "thread": THREAD, "text": TASK, "opened": 0.0}
    opened = {"work": work, "task": TASK, "status": "running", "ideas": ideas, **state_at(0, rng)}
    async with open_store(place.checkpoints, {}) as store:
        graph = _loop(opened, turn, before + count).compile(checkpointer=store)
        config: Any = {"configurable": {"thread_id": THREAD}, "recursion_limit": before + count + 10}
        async for _ in graph.astream({"task": TASK}, config, stream_mode="updates", durability="sync"):
            pass
        ended = time.monotonic()
        last = (await graph.aget_state(config)).metadata
    return ended - begun, ended, int((last or {})["step"])


def _loop(opened: dict[str, Any], turn: Any, most: int) -> Any:
    """Return a graph of two nodes that the page knows: one opens, the other takes the turns."""
    from langgraph.graph import END, START, StateGraph

    from ddax.graph.state import State

    builder = StateGraph(State)
    builder.add_node("open_task", lambda state: opened)
    builder.add_node("expand", turn)
    builder.add_edge(START, "open_task")
    builder.add_edge("open_task", "expand")
    builder.add_conditional_edges(
        "expand", lambda state: "expand" if state["step"] < most else END, ["expand", END]
    )
    return builder
