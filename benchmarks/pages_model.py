"""The orders of `pages` with a language model that plans the moves: a scripted one, or one of this machine.

Each order is a whole run with `look` and `move`, as `ddax run --browser URL --browser-writes --model` makes
it, over HTTP in OpenAI's protocol. The oracles of `pages` judge what is claimed. The script has the moves
that a person would make (`pages_script`), so what goes wrong with it is ours; a real model gets the orders
that are easiest by data. `DDAX_BENCH_MINUTES` ends a real one early, with the orders carried out so far.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from benchmarks.core import Figure, Options, Result, Target, WrongOption
from benchmarks.local_model import missing
from benchmarks.model_questions import Clock, kept_for, served_model
from benchmarks.model_server import model_server
from benchmarks.pages import UPLOAD, Tried, judged, one_browser
from benchmarks.pages_script import made_of, moves
from benchmarks.pages_site import Asked, Oracle, SitePage, read_pages, served_pages
from benchmarks.relay import relayed

SCRIPTED, LOCAL = "scripted", "local"
SCRIPT = "benchmarks.pages_script:reply"
EASIEST, QUICK_EASIEST = 20, 3
PLAIN = ("click ", "type ", "select ")
"""The moves of the easiest orders."""
CALLS = 12
"""Calls that a real model may make for an order: a person would need three to five."""


class Door(Protocol):
    """Where a model is asked, and the books of it."""

    @property
    def base(self) -> str: ...

    def clear(self, latency: float | None = None) -> None: ...

    def books(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True)
class Driven:
    """One order that a model carried out: what came of it, and its price in calls, tokens and seconds."""

    tried: Tried
    calls: int
    tokens: int
    seconds: float


def run(name: str, options: Options, step: int) -> Result:
    """Carry out the orders with the model that is named; without one of this machine say so."""
    title = f"{name} --model {options.model}"
    if options.model not in (SCRIPTED, LOCAL):
        raise WrongOption(f"--model {options.model!r}: {name} knows {SCRIPTED} and {LOCAL}.")
    if options.model == LOCAL and (why := missing()):
        return Result(title, (), notes=(f"not run: {why}",))
    pages = read_pages()[:: step if options.quick else 1]
    with served_pages({page.name: page.html for page in pages}) as address:
        if options.model == SCRIPTED:
            orders = [asked for page in pages for asked in page.orders]
            with model_server(SCRIPT) as door:
                driven = asyncio.run(drive(address, orders, door, {}))
            return Result(title, _figures(driven, Target("<=", 0)), notes=(_SCRIPT_NOTE, *_kinds(driven)))
        return _local(title, pages, address, QUICK_EASIEST if options.quick else EASIEST)


def _local(title: str, pages: Sequence[SitePage], address: str, many: int) -> Result:
    orders = asyncio.run(easiest(pages, address))[:many]
    clock, settings = Clock(), {"budget": {"max_model_calls": CALLS, "max_seconds": 3600}}
    with served_model() as (server, model), relayed(server, kept_for(model)) as door:
        driven = asyncio.run(drive(address, orders, door, settings, clock.over))
    notes = (
        f"{model}, at most {CALLS} calls an order. The {len(driven)} easiest orders"
        f"{f' of the {len(orders)} that were to be tried' if len(driven) < len(orders) else ''}: those that"
        " one click, text or choice carries out and that ask for no answer, by the controls a page shows.",
        *(f"{one.tried.asked.order} -> {one.tried.verdict}: {_cut(one.tried.said)}" for one in driven),
    )
    return Result(title, _figures(driven, None), notes=notes)


async def easiest(pages: Sequence[SitePage], address: str) -> list[Asked]:
    """Return the orders that one plain move carries out, those first whose page shows the fewest controls."""
    plain = [asked for page in pages for asked in page.orders if _is_plain(asked)]
    async with one_browser() as browser:
        shown = {page: await _controls(browser, f"{address}/{page}") for page in {one.page for one in plain}}
    return sorted(plain, key=lambda asked: (shown[asked.page], asked.page, asked.order))


def _is_plain(asked: Asked) -> bool:
    """Tell whether one click, text or choice carries an order out, and nothing is to be told."""
    made = made_of(moves()[asked.order])
    return len(made) == 1 and made[0].startswith(PLAIN) and not (asked.impossible or asked.tells)


async def _controls(browser: Any, url: str) -> int:
    from ddax.environments.browser.world import BrowserWorld

    world = BrowserWorld(url, browser=browser, shared=True)
    try:
        return len((await world.reset()).elements)
    finally:
        await world.close()


async def drive(
    address: str, orders: Sequence[Asked], door: Door, settings: Mapping[str, Any],
    over: Callable[[], bool] = lambda: False,
) -> list[Driven]:  # fmt: skip
    """Carry out orders one after the other, each by an agent with a home of its own, until it is over."""
    driven = []
    with tempfile.TemporaryDirectory(prefix="ddax-pages-") as place:
        Path(place, "files").mkdir()
        Path(place, "files", UPLOAD).write_text("A note.\n", encoding="utf-8")
        for number, asked in enumerate(orders):
            if over():
                break
            door.clear()
            context = context_of(f"{address}/{asked.page}", door.base, Path(place, "files"), settings)
            tried = await _tried(asked, context, Path(place, f"home{number}"))
            driven.append(_driven(tried, door.books()["calls"]))
    return driven


def context_of(url: str, base: str, files: Path, settings: Mapping[str, Any]) -> Any:
    """Return the settings of a run on one page with a model that is asked at an address."""
    from ddax import Context

    model = {"name": "openai:local", "base_url": base, "idle_seconds": 900, "total_seconds": 3600}
    browser = {"writes": True, "uploads": str(files)}
    given = {"sources": [f"browser:{url}"], "browser": browser, "model": model, "mood": {"engine": "numpy"}}
    return Context.model_validate({**given, **settings})


async def _tried(asked: Asked, context: Any, home: Path) -> Tried:
    from ddax import open_agent
    from ddax.errors import DdaxError

    oracle = Oracle()
    async with open_agent(context, home=home) as agent:
        world: Any = (await agent.services.session(context)).world
        world.options = replace(world.options, rules=oracle)
        try:
            result = await agent.run(asked.order, thread="order")
            claimed, said = result["status"] == "done", f"{result['short']} {result['answer']}".strip()
        except DdaxError as error:
            claimed, said = False, str(error)
        return Tried(asked, await judged(oracle, asked, claimed, said), said)


def _driven(tried: Tried, calls: Sequence[Mapping[str, Any]]) -> Driven:
    tokens = sum(call["tokens_in"] + call["tokens_out"] for call in calls)
    seconds = sum(call.get("seconds", 0.0) for call in calls)
    return Driven(tried, len(calls), tokens, seconds)


def _figures(driven: Sequence[Driven], wanted: Target | None) -> tuple[Figure, ...]:
    """Return the verdicts and the price of an order; `wanted` is the target for wrong ones."""
    counts = Counter(one.tried.verdict for one in driven)
    n = len(driven)
    told = counts["refused"] + counts["rightly refused"] + counts["done but not claimed"]
    can = sum(not one.tried.asked.impossible for one in driven)

    def mean(of: Callable[[Driven], float], digits: int = 1) -> float:
        return round(sum(map(of, driven)) / max(1, n), digits)

    return (
        Figure("orders done", round(100 * counts["done"] / max(1, n), 1), "%", n=n),
        Figure("of those that can be done", round(100 * counts["done"] / max(1, can), 1), "%", n=can),
        Figure("wrong or falsely claimed", counts["wrong"], "orders", wanted, n=n),
        Figure("told that it was not done", told, "orders", n=n),
        Figure("of these rightly", counts["rightly refused"], "orders", n=n),
        Figure("done but not claimed", counts["done but not claimed"], "orders", n=n),
        Figure("calls an order", mean(lambda one: one.calls), n=n),
        Figure("tokens an order", mean(lambda one: one.tokens, 0), n=n),
        *([Figure("seconds of the model an order", mean(lambda one: one.seconds), "s", n=n)]
          if any(one.seconds for one in driven) else []),
    )  # fmt: skip


def _kinds(driven: Sequence[Driven]) -> Iterator[str]:
    """Yield the orders of each verdict that is a fault or a lack."""
    for verdict in ("wrong", "refused", "done but not claimed"):
        found = [one.tried for one in driven if one.tried.verdict == verdict]
        told = "; ".join(f"{one.asked.page}: {one.asked.order}" for one in found)
        yield f"{verdict}: {told or 'none'}"


def _cut(said: str) -> str:
    line = " ".join(said.split())
    return line if len(line) <= 100 else f"{line[:99]}…"


_SCRIPT_NOTE = (
    "A scripted model behind OpenAI's protocol. It makes the moves that a person would make; they were put"
    " down by hand, by role and name, with a view of the pages (benchmarks/data/pages_moves.yaml), and it"
    " looks ids up in the page as the request tells it. It claims an order where each of its moves was made;"
    " three orders that cannot be done end where the file says that a careful person asks, the others where"
    " what they name is not shown. So this measures what a model is shown, the moves and the claims, and not"
    " how well a model understands an order. One call plans what is done at one look; tokens are one for four"
    " characters."
)
