"""The command `mcp`: ddax as tools for an editor or an assistant, over stdio.

Every call is the command line in a process of its own: same settings, locks, exit codes and resume, and
nothing that it prints can get into the protocol. Needs the extra `mcp`.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from ddax.cli.options import VERBOSE
from ddax.errors import UsageError

ANSWERED = frozenset({0, 1, 6, 8, 10})
"""Exit codes with a result: done, not found, stopped by the budget, waiting for a human, proposals."""
SERVERS = (("mcp.server.mcpserver", "MCPServer"), ("mcp.server.fastmcp", "FastMCP"))
"""The server class of the package's second and first generation."""
INSTRUCTIONS = (
    "ddax answers questions from named sources with verbatim citations and repairs Python against its tests. "
    "A thread id in a result can be shown, resumed and followed up."
)


def mcp(
    sources: Annotated[
        list[str] | None,
        typer.Option(
            "--sources", "-s", help="Sources of questions that name none; may be given several times."
        ),
    ] = None,
    verbose: VERBOSE = False,
) -> None:
    """Serve ddax as tools over stdio, for editors and assistants (extra mcp)."""
    server = build(tuple(sources or ()))
    asyncio.run(server.run_stdio_async())


def build(sources: Sequence[str] = ()) -> Any:
    """Return the server with its tools; raises UsageError where the package is missing."""
    server = _of_the_server()("ddax", instructions=INSTRUCTIONS)
    for tool in (_ask(tuple(sources)), fix, runs, show, resume):
        server.tool()(tool)
    return server


def _of_the_server(module: str = "", name: str = "") -> Any:
    """Return the server class, or a name of a module beside it; raises UsageError without the package."""
    for package, server in SERVERS:
        try:
            return getattr(import_module(package + module), name or server)
        except ImportError:
            continue
    raise UsageError(
        "The package for MCP is not installed.",
        why="It comes with an extra, which is not installed.",
        mend="Install it: pip install 'ddax[mcp]'",
    )


def _ask(given: tuple[str, ...]) -> Any:
    async def ask(question: str, sources: list[str] | None = None, thread: str = "") -> dict[str, Any]:
        """Answer a question from sources (folders, files, URLs, python:MODULE) with citations.

        Name a finished thread to follow it up: it has its sources already. Another name begins a new thread.
        """
        read = sources or ([] if _begun(thread) else given)
        words = [word for source in read for word in ("--sources", source)]
        return await call(
            "run", "--no-human", *words, *(["--thread", thread] if thread else []), "--", question
        )

    return ask


def _begun(thread: str) -> bool:
    """Tell whether there is a thread of this name, whatever is in its folder."""
    from ddax.memory.home import Home

    folder = Home.from_environ(os.environ).runs
    return folder.is_dir() and any(found.name == thread for found in folder.iterdir())


async def fix(paths: list[str], tests: str, seconds: int = 30) -> dict[str, Any]:
    """Search a repair of Python files against a test command such as "pytest -q tests"; writes nothing.

    The diff and the whole changed files come back, to be looked at before they are written; a patch for
    which little beside the failing tests speaks is one of `proposals`.
    """
    return await call("fix", "--tests", tests, "--budget", f"{seconds}s", "--", *paths)


async def runs() -> dict[str, Any]:
    """List the threads, newest first."""
    return await call("runs")


async def show(thread: str) -> dict[str, Any]:
    """Show a thread: its task, its result, and its DAG of ideas."""
    return await call("show", "--", thread)


async def resume(thread: str) -> dict[str, Any]:
    """Go on with a thread that was interrupted, where its last checkpoint is."""
    return await call("resume", "--", thread)


async def call(command: str, *words: str) -> dict[str, Any]:
    """Run a command with --json in a process of its own and return its object.

    Where there is no result, what, why and mend are the error that the protocol carries.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "ddax", command, "--json", *words, stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, cwd=Path.cwd(), env=_environment(),
    )  # fmt: skip
    try:
        out, err = await process.communicate()
    except asyncio.CancelledError:
        process.terminate()  # it closes its thread in order, to be resumed
        await process.wait()
        raise
    return _object(command, process.returncode or 0, out, err)


def _object(command: str, code: int, out: bytes, err: bytes) -> dict[str, Any]:
    try:
        found = json.loads(out)
    except ValueError as exc:
        raise _failure(f"ddax {command} ended with {code}: {err.decode(errors='replace')[-500:]}") from exc
    error = found.get("error")
    if code not in ANSWERED or isinstance(error, Mapping):
        words = [str((error or {}).get(word, "")) for word in ("what", "why", "mend")]
        raise _failure(" ".join(filter(None, words)) or f"ddax {command} ended with {code}.")
    return {**found, "exit_code": code}


def _failure(message: str) -> Exception:
    """Return the error whose words the server passes on; those of any other it keeps to itself."""
    raised: Exception = _of_the_server(".exceptions", "ToolError")(message)
    return raised


def _environment() -> dict[str, str]:
    """Return the environment with this package on the path, however it was started."""
    paths = [
        str(Path(__file__).parents[3]),
        *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)),
    ]
    return {**os.environ, "PYTHONUTF8": "1", "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))}
