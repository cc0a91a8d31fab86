"""The command `view`: a local page that shows the runs, follows them live and answers their questions."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import webbrowser
from collections.abc import Coroutine
from typing import Annotated, Any

import typer

from ddax.cli.backend import Opener, Output, home_of, opener_of
from ddax.cli.looking.runs import known_run
from ddax.cli.options import VERBOSE


def view(
    context: typer.Context,
    thread: Annotated[
        str | None, typer.Argument(help="The thread to show; default: the list.", show_default=False)
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0: any free one.")] = 0,
    open_: Annotated[bool, typer.Option("--open/--no-open", help="Open the address in a browser.")] = True,
    verbose: VERBOSE = False,
) -> None:
    """Show the runs in a local page: follow them live, look into each idea, answer, fork.

    Bound to this machine, with a token in the address; looking changes nothing. Ctrl-C ends it.
    """
    name = known_run(thread).thread_id if thread else ""
    output = Output(json=False, verbose=verbose)
    with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
        asyncio.run(_until_told(serve(opener_of(context), name, port, open_, output)))


async def _until_told(serving: Coroutine[Any, Any, None]) -> None:
    """Let SIGTERM end the page as Ctrl-C does, also as a job in the background, which hears no Ctrl-C."""
    task = asyncio.ensure_future(serving)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    await task


async def serve(opener: Opener, thread: str, port: int, show: bool, output: Output) -> None:
    """Serve the page until the server ends or this is cancelled; says where it is."""
    from ddax.memory.home import Home
    from ddax.viewer.serving import served

    home = Home(home_of())
    async with served(home, os.environ, opener, port=port) as (place, serving):
        output.say(f"Runs of {home.path}")
        output.say(f"Open: {place.address(thread)}")
        output.say("Ctrl-C ends the page; runs go on, and what was started here can be resumed.")
        if show:
            await asyncio.to_thread(webbrowser.open, place.address(thread))
        # Whoever ends this command must not cut the server off: leaving the block lets it close in order.
        await asyncio.shield(serving)
