"""The commands that look at the memory: `stats`, `search`, `show`, `history`, `audit`.

Those that change it are in `ddax.cli.maintaining.memory_change`, those that mend it in
`ddax.cli.maintaining.memory_mend`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from ddax.cli.backend import Output, home_of, settings
from ddax.cli.options import JSON, VERBOSE
from ddax.cli.text import clean, shorten
from ddax.errors import UsageError
from ddax.wording import amount

if TYPE_CHECKING:
    from ddax.memory.gate.write_gate import GatedMemory
    from ddax.memory.home import Home

NAMESPACE = Annotated[str | None, typer.Option(help="The namespace; default: the setting.")]
ID = Annotated[str, typer.Argument(help="The memory: its id, or the first characters of it.")]
ASKER = "ddax memory"
"""The task that recalls for the command line: it has written nothing itself."""
LINE = 100
WAIT_SECONDS = 2.0
T = TypeVar("T")


@asynccontextmanager
async def opened(
    namespace: str | None, *, rebuild: bool = False, looks: bool = False
) -> AsyncIterator[GatedMemory]:
    """Open a namespace of the home's memory behind the write gate; who only looks makes no home."""
    from ddax.memory.agents.agent_store import AgentStore
    from ddax.memory.agents.trust import INITIAL_TRUST
    from ddax.memory.embed.cache import CachedEmbedder
    from ddax.memory.embeddings import open_embedder
    from ddax.memory.gate.write_gate import GatedMemory
    from ddax.memory.share.reaching import held, reach_memory
    from ddax.reasoning.entailment import open_check

    context = settings(None, {"namespace": namespace}).context
    async with _home(looks) as home, held(home.memory, clock=time.time, wait_seconds=WAIT_SECONDS):
        embedder = CachedEmbedder(open_embedder(), home.cache / "vectors.sqlite")
        agents = AgentStore(home.agents, clock=time.time, embedder=embedder)
        inner = await reach_memory(
            home.memory,
            namespace=context.namespace,
            embedder=embedder,
            clock=time.time,
            recall=context.recall,
            trust=lambda writer: agents.trust(writer) / INITIAL_TRUST,
            rebuild=rebuild,
        )
        try:
            yield GatedMemory(inner, open_check(embedder, context.support))
        finally:
            await inner.close()


@asynccontextmanager
async def _home(looks: bool) -> AsyncIterator[Home]:
    """Make the home, or an empty one for a moment where there is none and it is only looked at."""
    from ddax.memory.home import Home

    path = home_of()
    if looks and not await asyncio.to_thread(path.exists):
        with TemporaryDirectory(prefix="ddax-") as empty:
            yield await asyncio.to_thread(Home(Path(empty)).ensure)
    else:
        yield await asyncio.to_thread(Home(path).ensure)


def with_memory(
    namespace: str | None,
    work: Callable[[GatedMemory], Awaitable[T]],
    *,
    rebuild: bool = False,
    looks: bool = False,
) -> T:
    """Open the memory, do something with it, and close it."""

    async def run() -> T:
        async with opened(namespace, rebuild=rebuild, looks=looks) as memory:
            return await work(memory)

    return asyncio.run(run())


def stats(namespace: NAMESPACE = None, json: JSON = False, verbose: VERBOSE = False) -> None:
    """Count what the memory holds and what it refused."""
    output = Output(json=json, verbose=verbose)

    async def work(memory: GatedMemory) -> dict[str, Any]:
        return {"namespace": memory.namespace, **asdict(await memory.upkeep.tally())}

    found = with_memory(namespace, work, looks=True)
    if json:
        output.result(found)
        return
    output.say(f"namespace {clean(found['namespace'], LINE)}, {amount(found['pages'], 'page')}")
    for title in ("rows", "refusals", "relations", "tombstones", "logs"):
        counts = ", ".join(f"{clean(name, LINE)} {n}" for name, n in found[title].items())
        output.say(f"{title:<11} {counts or 'none'}")


def search(
    text: Annotated[str, typer.Argument(help="What to look for, in words.")],
    as_of: Annotated[
        str | None, typer.Option(help="What was held to be true then: 2026-01-31 or 2026-01-31T12:00.")
    ] = None,
    k: Annotated[int, typer.Option("--k", "-k", min=1, max=100, help="Hits of each type.")] = 5,
    namespace: NAMESPACE = None,
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Recall what bears on a text, and show the factors of each score."""
    output = Output(json=json, verbose=verbose)
    if not text.strip():
        raise UsageError(
            "The text is empty.",
            why="What bears on nothing cannot be searched for.",
            mend='Write it in quotes: ddax memory search "TEXT".',
        )
    when = None if as_of is None else _moment(as_of)

    async def work(memory: GatedMemory) -> list[Any]:
        from ddax.memory.protocol import RecallQuery

        query = RecallQuery(
            text, ASKER, 0, time.time() + 1, n_thoughts=k, m_observations=k, budget=10**9, as_of=when
        )
        return await memory.recall(query)

    hits = with_memory(namespace, work, looks=True)
    if json:
        output.result({"hits": [asdict(hit) for hit in hits]})
        return
    if not hits:
        output.say("Nothing is remembered that bears on it.")
    for hit in hits:
        output.say(f"{hit.record.id[:12]}  {clean(hit.record.text, LINE)}")
        output.say(f"{'':<14}{hit.explain()}  {clean(hit.record.source or hit.record.title, 60)}")


def show(memory: ID, namespace: NAMESPACE = None, json: JSON = False, verbose: VERBOSE = False) -> None:
    """Show a memory whole, and where it comes from."""
    output = Output(json=json, verbose=verbose)

    async def work(store: GatedMemory) -> dict[str, Any]:
        from ddax.memory.upkeep.provenance import plain, provenance, resolved, validity

        memory_id = await resolved(store, memory)
        rows = await store.get([memory_id])
        if not rows:
            raise UsageError(
                f"The memory {memory_id[:12]} is gone.",
                why="It was forgotten or merged into another; only a tombstone is left.",
                mend=f"See: ddax memory history {memory_id[:12]}",
            )
        relations = await store.upkeep.relations([memory_id])
        origin = plain(await provenance(store, rows[0]))
        return {
            "memory": asdict(rows[0]),
            "provenance": origin,
            **validity(rows[0], relations),
            "relations": [plain(r) for r in relations],
        }

    found = with_memory(namespace, work, looks=True)
    if json:
        output.result(found)
        return
    row, origin = found["memory"], found["provenance"]
    output.say(clean(row["text"], len(row["text"])))
    output.say()
    writer, idea, task = (clean(row[name], LINE) for name in ("writer", "idea", "task"))
    output.say(f"{row['memory_type']} {row['id']}, by {writer}, surprise {row['epsilon']:.2f}")
    output.say(f"written {_local(row['created'])}, idea {idea or '-'}, step {row['step']}")
    output.say(f"task {task or '-'}, thread {clean(origin['thread'] or 'unknown', LINE)}")
    if row["source"]:
        place = f", bytes {origin['bytes'][0]} to {origin['bytes'][1]}" if origin["bytes"] else ""
        kept = "" if origin["page"] else " (the page is not kept)"
        output.say(f"source {clean(row['source'], 200)}{place}{kept}")
    for cited in origin["cites"]:
        output.say(f"rests on {clean(cited)[:12]}")
    output.say(f"held to be true from {_local(found['valid_from'])}")
    for words, name in (("superseded by", "superseded_by"), ("contradicts", "contradicts")):
        for other in found[name]:
            output.say(f"{words} {clean(other)[:12]}")


def history(memory: ID, namespace: NAMESPACE = None, json: JSON = False, verbose: VERBOSE = False) -> None:
    """Tell what became of a memory, also of one that is gone."""
    output = Output(json=json, verbose=verbose)

    async def work(store: GatedMemory) -> dict[str, Any]:
        from ddax.memory.upkeep.provenance import history as told
        from ddax.memory.upkeep.provenance import plain, resolved

        memory_id = await resolved(store, memory)
        return {"id": memory_id, "events": [plain(event) for event in await told(store, memory_id)]}

    found = with_memory(namespace, work, looks=True)
    if json:
        output.result(found)
        return
    for event in found["events"]:
        # What an older release refused has no time.
        when = _local(event["at"]) if event["at"] else f"{'':<16}"
        output.say(f"{when}  {clean(event['what'], 2 * LINE)} {clean(event['other'])[:12]}".rstrip())


def audit(namespace: NAMESPACE = None, json: JSON = False, verbose: VERBOSE = False) -> None:
    """Print the rates of junk, duplicate, stale, orphan and contradicted rows."""
    output = Output(json=json, verbose=verbose)

    async def work(memory: GatedMemory) -> Any:
        from ddax.memory.upkeep.audit import audit as look

        return await look(memory, now=time.time())

    found = with_memory(namespace, work, looks=True)
    if json:
        output.result({"rates": found.rates(), **asdict(found)})
        return
    output.say(f"{amount(found.rows, 'row')}")
    named = (found.junk, found.duplicates, found.stale, found.orphans, found.contradicted)
    for (name, rate), ids in zip(found.rates().items(), named, strict=True):
        first = ids[0] if ids else ""
        example = f"  e.g. {(first if isinstance(first, str) else first[0])[:12]}" if ids else ""
        output.say(f"{name:<14} {rate:6.1%}  {len(ids)}{example}")


def _moment(text: str) -> float:
    try:
        return datetime.fromisoformat(text).astimezone(UTC).timestamp()
    except (ValueError, OverflowError) as exc:
        raise UsageError(
            f"{shorten(text, 40)!r} is no time.", why=f"{exc}.", mend="Write 2026-01-31 or 2026-01-31T12:00."
        ) from exc


def _local(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
