"""The command `export`: a run as one file, to keep or to hand on."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Annotated

import typer

from ddax.cli.backend import Output, check_folder, home_of, put
from ddax.cli.looking.runs import known_run
from ddax.cli.options import VERBOSE
from ddax.errors import UsageError


def export(
    thread: Annotated[str, typer.Argument(help="The thread, as `ddax runs` lists it.")],
    file: Annotated[Path, typer.Argument(help="The file to write: NAME.html, .md or .json.")],
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file if it is there.")] = False,
    verbose: VERBOSE = False,
) -> None:
    """Write a run into one file: a page that opens from disk with no network, Markdown, or JSON."""
    from ddax.viewer.export import FORMS, written
    from ddax.viewer.kept import kept

    form = file.suffix.lower()
    if form not in FORMS:
        raise UsageError(
            f"A run cannot be written as {file.name!r}.",
            why=f"The ending says the form: {', '.join(FORMS)}.",
            mend=f"Write: ddax export {thread} {thread}.html",
        )
    name = known_run(thread).thread_id
    if file.exists() and not force:
        raise UsageError(
            f"The file {str(file)!r} is there already.",
            why="Nothing is overwritten unasked.",
            mend="Name another one, or overwrite it with --force.",
        )
    check_folder(file)

    async def gather() -> str:
        from ddax.memory.home import Home
        from ddax.viewer.reading import Reader

        async with Reader(Home(home_of()), os.environ) as reader:
            return written(await kept(reader, name), form)

    data = asyncio.run(gather()).encode()
    put(data, file)
    Output(json=False, verbose=verbose).say(f"{file}: {len(data):,} bytes")
