"""The commands for a memory that is not what was written: `rebuild`, `restore`, `reset`."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ddax.cli.backend import Output, home_of
from ddax.cli.maintaining.memory import NAMESPACE, WAIT_SECONDS, with_memory
from ddax.cli.maintaining.memory_change import look_through, reads_export
from ddax.cli.options import JSON, VERBOSE
from ddax.errors import UsageError
from ddax.wording import amount

if TYPE_CHECKING:
    from ddax.memory.gate.write_gate import GatedMemory
    from ddax.memory.store.mending import Mended


def rebuild(namespace: NAMESPACE = None, json: JSON = False, verbose: VERBOSE = False) -> None:
    """Make the index anew from the record of text; of a damaged record take what can be read."""
    from ddax.memory.lock import lock_owner
    from ddax.memory.store.mending import rebuilt

    output, record = Output(json=json, verbose=verbose), _record()
    owner = lock_owner(record.parent)
    # One that another process serves is whole: it was read through when that process opened it.
    served = owner is not None and owner.serves
    mended = None if served else rebuilt(record, clock=time.time, wait_seconds=WAIT_SECONDS)
    name, rows = with_memory(namespace, _counted, rebuild=True)
    if json:
        also = {} if mended is None else {"mended": _plain(mended)}
        output.result({"namespace": name, "rows": rows, **also})
    if mended is not None:
        _say(output, mended, "The record was damaged. Of it is kept")
    output.say(f"The index of {name!r} is made anew: {amount(rows, 'row')}.")


def restore(
    file: Annotated[Path, typer.Argument(help="A copy of a `record.sqlite`, or what `memory export` wrote.")],
    namespace: NAMESPACE = None,
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Put a copy or an export in the place of the memory; what was there is set aside."""
    from ddax.memory.store.mending import begun_anew, is_record, restored

    output = Output(json=json, verbose=verbose)
    if not file.is_file():
        raise UsageError(
            f"There is no file {str(file)!r}.",
            why="A folder stands at this path." if file.is_dir() else "Nothing stands at this path.",
            mend="Name a copy of a `record.sqlite`, or a file that `ddax memory export` wrote.",
        )
    if is_record(file):
        mended = restored(_record(), file, clock=time.time, wait_seconds=WAIT_SECONDS)
        with_memory(namespace, _counted, rebuild=True)
    else:
        with reads_export(file):
            look_through(file)
            mended = begun_anew(_record(), clock=time.time, wait_seconds=WAIT_SECONDS)
            mended = _imported(file, namespace, mended)
    if json:
        output.result(_plain(mended))
    _say(output, mended, f"The memory is that of {file}")


def reset(json: JSON = False, verbose: VERBOSE = False) -> None:
    """Begin with an empty memory, in every namespace; what was there is set aside."""
    from ddax.memory.store.mending import begun_anew

    output = Output(json=json, verbose=verbose)
    mended = begun_anew(_record(), clock=time.time, wait_seconds=WAIT_SECONDS)
    if json:
        output.result(_plain(mended))
    output.say("The memory is empty.")
    _say_aside(output, mended)


def _imported(file: Path, namespace: str | None, mended: Mended) -> Mended:
    """Read an export into the empty memory; return what it holds then."""
    from dataclasses import replace

    from ddax.memory.store.record_check import held_rows
    from ddax.memory.upkeep.transfer import imported

    async def work(memory: GatedMemory) -> None:
        with file.open(encoding="utf-8") as lines:
            await imported(memory, lines)

    with_memory(namespace, work)
    return replace(mended, rows=held_rows(_record()))


async def _counted(memory: GatedMemory) -> tuple[str, int]:
    rows = [await memory.count("internal_thought"), await memory.count("observation")]
    return memory.namespace, sum(rows)


def _record() -> Path:
    from ddax.memory.home import Home
    from ddax.memory.records import RECORD

    return Home(home_of()).ensure().memory / RECORD


def _plain(mended: Mended) -> dict[str, Any]:
    return asdict(mended) | {"aside": mended.aside and str(mended.aside)}


def _say(output: Output, mended: Mended, how: str) -> None:
    from ddax.memory.store.record_check import said_rows

    output.say(f"{how}: {said_rows(mended.rows)}.")
    if mended.lost:
        output.say(f"Lost: {said_rows(mended.lost)}.")
    _say_aside(output, mended)


def _say_aside(output: Output, mended: Mended) -> None:
    if mended.aside is not None:
        output.say(f"The old files are in {mended.aside}.")
