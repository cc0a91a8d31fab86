"""The command `batch`: many tasks from a file, exactly one result for each."""

from __future__ import annotations

import json as jsons
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ddax.cli.backend import Output, has_something_to_read, settings
from ddax.cli.errors import Interrupted, leave_stdout, report
from ddax.cli.interrupts import Interrupts
from ddax.cli.options import CONFIG, MODEL, SEED, VERBOSE
from ddax.cli.text import clean
from ddax.errors import SourceError, UsageError
from ddax.wording import amount

if TYPE_CHECKING:
    from ddax.batch.crews import OpenCrew
    from ddax.batch.pool import Folder
    from ddax.batch.tasks import BatchTask
    from ddax.configs.settings import Context

JSON = Annotated[bool, typer.Option("--json", help="Print exactly one JSON object on stdout: the summary.")]
STOPPED = 6
"""The exit code of a task that a budget or a standstill has stopped, as of a run."""


def batch(
    tasks: Annotated[Path, typer.Argument(help="A file with one JSON object a line.")],
    out: Annotated[Path, typer.Option(help="Folder for the results.")],
    workers: Annotated[int, typer.Option(min=1, max=256, help="Processes that work at once.")] = 1,
    ray: Annotated[
        str | None, typer.Option("--ray", help="Address of a Ray cluster, or 'auto': workers run there.")
    ] = None,
    in_process: Annotated[
        bool, typer.Option("--in-process", help="Workers are coroutines of this process.")
    ] = False,
    memory: Annotated[
        Path | None,
        typer.Option("--memory", help="Folder of one memory for all tasks; default: each its own."),
    ] = None,
    sources: Annotated[
        list[str] | None, typer.Option("--sources", "-s", help="Sources of tasks that name none.")
    ] = None,
    model: MODEL = None,
    config: CONFIG = None,
    seed: SEED = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on in a folder that has results.")] = False,
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Run every task of a file, each in a home of its own, and sum up what came of them.

    A task that takes its process down three times is set aside with a failed result. With --memory
    tasks recall what others wrote, and results depend on their order.
    """
    from ddax.batch.tasks import read_tasks

    output = Output(json=json, verbose=verbose)
    if in_process and ray is not None:
        raise UsageError(
            "--in-process and --ray do not go together.",
            why="Workers run either here or on the cluster.",
            mend="Leave one of them out.",
        )
    base = settings(config, {"sources": sources or None, "model": model, "seed": seed}).context
    found = read_tasks(tasks)
    _check(found, base)
    folder = _folder(out, memory, resume=resume)
    if ray is None:  # the machines of a cluster have disks of their own
        _check_sources([task for task in found if not folder.is_done(task)], base)
    shared = memory.absolute() if memory is not None else None
    crew = _crew(base, folder, shared, in_process=in_process, cluster=ray)
    folder.ensure().bind(shared)
    _work(found, folder, crew, workers, output)
    raise typer.Exit(_finish(found, folder, output))


def _folder(out: Path, memory: Path | None, *, resume: bool) -> Folder:
    """Return the folder of the results, which is free or to be gone on in."""
    from ddax.batch.pool import Folder

    for flag, place in (("--out", out), ("--memory", memory)):
        if place is not None and place.exists() and not place.is_dir():
            raise UsageError(
                f"{flag} {str(place)!r} is a file.",
                why="A folder is wanted: it is made where there is none.",
                mend="Name another place.",
            )
    folder = Folder(out.absolute())
    if folder.results.exists() and any(folder.results.iterdir()) and not resume:
        raise UsageError(
            f"The folder {str(out)!r} has results.",
            why="Another batch wrote into it, and nothing is overwritten.",
            mend="Go on with --resume, or name another folder.",
        )
    return folder


def _check(tasks: list[BatchTask], base: Context) -> None:
    """Say what is wrong with a task before the first one is begun."""
    from ddax.batch.job import settings_of
    from ddax.batch.validators import check_functions

    check_functions(tasks)
    for task in tasks:
        if not has_something_to_read(settings_of(task, base)):
            raise UsageError(
                f"{task.place}: the task has nothing to read.",
                why="Neither its row nor the command names a source, and it is not to search the web.",
                mend="Give it `sources`, or all of them by --sources, or set web.search.",
            )


def _check_sources(tasks: list[BatchTask], base: Context) -> None:
    """Say which source of a task is not there before the first one is begun; pages are not asked for."""
    from ddax.actions.sources import check_source
    from ddax.batch.job import settings_of

    for task in tasks:
        for source in settings_of(task, base).sources:
            try:
                check_source(source)
            except SourceError as error:
                what = f"{task.place}: {error.what[:1].lower()}{error.what[1:]}"
                raise SourceError(what, why=error.why, mend=error.mend) from error


def _crew(
    base: Context, folder: Folder, memory: Path | None, *, in_process: bool, cluster: str | None
) -> OpenCrew:
    """Return what opens runners: coroutines, processes of this machine, or actors on a cluster."""
    from ddax.batch.crews import actors, coroutines, processes

    if in_process:
        return coroutines(base, folder, memory)
    if cluster is None:
        return processes(base, folder, memory)
    from ddax.batch.cluster import connect

    environ = {name: value for name, value in os.environ.items() if name.startswith("DDAX_")}
    return actors(connect(cluster), base, folder, memory, environ)


def _work(tasks: list[BatchTask], folder: Folder, crew: OpenCrew, workers: int, output: Output) -> None:
    from ddax.batch.pool import run_all

    left = [task for task in tasks if not folder.is_done(task)]
    again = Interrupted(f"{_command(folder)} (with the same arguments)")
    interrupts = Interrupts(note=output.note, leave=lambda: report(again, json=output.json))

    async def work() -> None:
        async with crew(min(workers, len(left))) as runners:
            await run_all(left, folder, runners, _teller(len(tasks), len(left), output))

    try:
        interrupts.run(work)
    except KeyboardInterrupt as exc:
        raise again from exc
    except ExceptionGroup as exc:
        if exc.subgroup(BrokenPipeError) is None:
            raise
        leave_stdout()
        raise again from exc


def _command(folder: Folder) -> str:
    return f"ddax batch … --out {shlex.quote(str(folder.root))} --resume"


def _teller(tasks: int, left: int, output: Output) -> Callable[[dict[str, Any]], None]:
    """Return what prints a line for each task that ends, and once what was not read of their sources."""
    import logging

    from ddax.actions.sources.skipping import note

    done, told = tasks - left, set[str]()

    def tell(row: dict[str, Any]) -> None:
        nonlocal done
        done += 1
        if (unread := note(row.get("skipped", ()))) and unread not in told:
            told.add(unread)
            logging.getLogger("ddax").warning("%s", unread)
        mark = "" if row["score"] is None else f"  score {row['score']:.2f}"
        said = row["error"]["cause"] if row["error"] else row["answer"]
        width = len(str(tasks))
        output.say(f"[{done:>{width}}/{tasks}] {row['id']}  {row['status']}{mark}  {clean(said, 60)}")

    return tell


def _finish(tasks: list[BatchTask], folder: Folder, output: Output) -> int:
    """Write and print the summary; return 1 where a task has no answer, 6 where one was stopped, else 0."""
    from ddax.batch.summary import summary
    from ddax.memory.files import write_atomic

    rows = [row for row in map(folder.result, tasks) if row is not None]
    total = summary(rows, len(tasks))
    write_atomic(folder.root / "summary.json", jsons.dumps(total, indent=1))
    if output.json:
        output.result(total)
    else:
        counts = ", ".join(f"{count} {status}" for status, count in total["status"].items())
        scored = f", score {total['score']:.3f} over {total['scored']}" if total["scored"] else ""
        usd = "unknown" if total["usd"] is None else f"{total['usd']:.4f}"
        output.say(f"{total['results']} of {amount(total['tasks'], 'task')}: {counts}{scored}; {usd} USD")
        output.say(f"Results: {folder.results}")
    from ddax.types import NOT_FOUND  # here, since numpy comes with it

    if total["errors"] or total["status"].keys() & {"failed", NOT_FOUND}:
        return 1
    return STOPPED if "stopped" in total["status"] else 0
