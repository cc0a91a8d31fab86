"""The commands that change the memory: `forget`, `consolidate`, `export`, `import`."""

from __future__ import annotations

import asyncio
import json as jsonlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ddax.cli.backend import Output, check_folder, home_of, run_folder
from ddax.cli.maintaining.memory import NAMESPACE, with_memory
from ddax.cli.options import JSON, VERBOSE
from ddax.errors import StorageError, UsageError
from ddax.wording import amount

if TYPE_CHECKING:
    from ddax.memory.gate.write_gate import GatedMemory
    from ddax.memory.upkeep.forget import Forgotten


def forget(
    memories: Annotated[list[str], typer.Argument(help="The memories: ids, or the first characters.")],
    namespace: NAMESPACE = None,
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Remove memories for good, with all that repeats them or was learned from them; tombstones stay."""
    output = Output(json=json, verbose=verbose)

    async def work(memory: GatedMemory) -> tuple[Forgotten, list[str]]:
        from ddax.memory.home import Home
        from ddax.memory.upkeep.forget import forget_traced
        from ddax.memory.upkeep.forget_files import forget_files
        from ddax.memory.upkeep.provenance import resolved

        # Every name is looked up before anything goes: a wrong one changes nothing.
        found = [await resolved(memory, name) for name in memories]
        gone, traces = await forget_traced(memory, found)
        return gone, await asyncio.to_thread(forget_files, Home(home_of()), traces)

    # Where there is no home there is nothing to forget.
    gone, files = with_memory(namespace, work, looks=True)
    if json:
        output.result(_forgotten(gone, files))
    for line in _told(gone, files):
        output.say(line)


def _forgotten(gone: Forgotten, files: list[str]) -> dict[str, Any]:
    """Return what went as plain JSON; of what there is nothing beside rows and thoughts, no word."""
    more = {
        "passages": list(gone.passages), "learned": dict(gone.learned or {}), "blotted": gone.blotted,
        "files": files, "left": list(gone.left), "threads": list(gone.threads),
    }  # fmt: skip
    also = {name: value for name, value in more.items() if value}
    return {"forgotten": list(gone.named), "thoughts": list(gone.thoughts), **also}


def _told(gone: Forgotten, files: list[str]) -> Iterator[str]:
    """Yield what went, and what still says the same."""
    yield from (f"{memory_id[:12]} is forgotten." for memory_id in gone.named)
    named = (
        ("Thoughts that repeat it are forgotten as well", gone.thoughts),
        ("Listings and neighbours that repeat it are forgotten as well", gone.passages),
        ("Other sources say the same; name these too, or they stay", gone.left),
    )
    for words, ids in named:
        if ids:
            yield f"{words}, {len(ids)}:"
            yield from (f"  {memory_id[:12]}" for memory_id in ids)
    for table, count in sorted((gone.learned or {}).items()):
        yield f"Learned from it and removed: {amount(count, 'row')} of {table}."
    if gone.blotted:
        yield f"Its words are blotted out of {amount(gone.blotted, 'row')} of logs and pages."
    yield from (f"Its words are removed from {name}." for name in files)
    if gone.threads:
        yield "These threads read it, and their checkpoints keep it until they are removed"
        yield "(finished ones: ddax gc --days 0 --delete):"
        yield from (f"  {thread}" for thread in gone.threads)


def consolidate(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
    summarise_days: Annotated[
        float, typer.Option(min=0, help="Age from which old thoughts become statistics.")
    ] = 30.0,
    forget_days: Annotated[
        float, typer.Option(min=0, help="Age from which passages that taught nothing go.")
    ] = 365.0,
    namespace: NAMESPACE = None,
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Merge duplicates, fold old material into statistics, forget by policy; every row leaves a tombstone."""
    output = Output(json=json, verbose=verbose)

    async def work(memory: GatedMemory) -> dict[str, int]:
        from ddax.memory.upkeep.consolidate import Policy
        from ddax.memory.upkeep.consolidate import consolidate as carry_out
        from ddax.memory.upkeep.consolidate import plan as planned

        policy = Policy(summarise_days, forget_days)
        busy = await _unfinished(memory)
        do = planned if dry_run else carry_out
        return (await do(memory, policy, now=time.time(), busy=busy)).counts()

    counts = with_memory(namespace, work, looks=dry_run)
    if json:
        output.result({"dry_run": dry_run, **counts})
    said = ", ".join(f"{n} {name}" for name, n in counts.items())
    output.say(f"{'Would be: ' if dry_run else ''}{said}")


async def _unfinished(memory: GatedMemory) -> set[str]:
    """Return the tasks of threads that may be resumed; a stopped one may be, too, where it was cancelled."""
    from ddax.graph.threads.manifests import OVER

    threads = {info.thread_id for info in run_folder().all() if info.status not in OVER - {"stopped"}}
    rows = await memory.rows("tasks", limit=10**9)
    return {str(row["task"]) for row in rows if row.get("thread") in threads}


def export_to(
    file: Annotated[Path, typer.Argument(help="The file to write, as JSON lines; it must not be there.")],
    namespace: NAMESPACE = None,
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Write a namespace to a file: rows, pages, lessons, rules, relations."""
    output = Output(json=json, verbose=verbose)
    if file.exists():
        raise UsageError(
            f"The file {str(file)!r} is there already.",
            why="Nothing is overwritten.",
            mend="Name another one.",
        )
    check_folder(file)

    async def work(memory: GatedMemory) -> int:
        from ddax.memory.files import storage_errors
        from ddax.memory.upkeep.transfer import exported

        part = file.with_name(f"{file.name}.part")
        lines = 0
        with storage_errors(part):
            try:
                with part.open("w", encoding="utf-8") as out:
                    async for item in exported(memory):
                        out.write(jsonlib.dumps(item) + "\n")
                        lines += 1
                    out.flush()
                    os.fsync(out.fileno())
                part.replace(file)
            finally:
                part.unlink(missing_ok=True)
        return lines

    lines = with_memory(namespace, work, looks=True)
    if json:
        output.result({"file": str(file), "lines": lines})
    output.say(f"{amount(lines, 'line is', 'lines are')} in {file}.")


def import_from(
    file: Annotated[Path, typer.Argument(help="A file that `ddax memory export` wrote.")],
    namespace: NAMESPACE = None,
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Read an export into a namespace, through the write gate; doing it twice changes nothing."""
    output = Output(json=json, verbose=verbose)
    if not file.is_file():
        raise UsageError(
            f"There is no file {str(file)!r}.",
            why="A folder stands at this path." if file.is_dir() else "Nothing stands at this path.",
            mend="Name one that `ddax memory export` wrote.",
        )

    async def work(memory: GatedMemory) -> dict[str, Any]:
        from ddax.memory.upkeep.transfer import imported

        with file.open(encoding="utf-8") as lines:
            return dict(await imported(memory, lines))

    with reads_export(file):
        look_through(file)
        counts = with_memory(namespace, work)
    if json:
        output.result(counts)
    output.say(", ".join(amount(n, name.removesuffix("s"), name) for name, n in counts.items()))


@contextmanager
def reads_export(file: Path) -> Iterator[None]:
    """Name an export that cannot be read as text, or not at all."""
    try:
        yield
    except UnicodeDecodeError as exc:
        raise UsageError(
            f"The file {str(file)!r} is no text.",
            why=f"{exc}.",
            mend="Name one that `ddax memory export` wrote.",
        ) from exc
    except OSError as exc:
        raise StorageError(
            f"Cannot read {str(file)!r}.",
            why=f"{exc.strerror or exc}.",
            mend="Check the path and its permissions.",
        ) from exc


def look_through(file: Path) -> None:
    """Refuse a damaged export whole: half of one in the memory would be hard to tell from all of it."""
    from ddax.memory.upkeep.transfer import check_export

    with file.open(encoding="utf-8") as lines:
        check_export(lines)
