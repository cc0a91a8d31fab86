"""What the commands share: how an agent is opened, where home is, how flags become settings.

The agent comes in through `typer.Context.obj`, so that tests hand in another one; without it the
real `open_agent` is imported at first use.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import typer

from ddax.cli.errors import resume_command
from ddax.cli.text import dump_json
from ddax.errors import UsageError

if TYPE_CHECKING:
    from ddax.configs.layers import Loaded

Event = Mapping[str, Any]
OnEvent = Callable[[Event], None]
Result = Mapping[str, Any]
MAX_TASK = 1_000_000
_THREAD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


class Agent(Protocol):
    """The part of `ddax.graph.runner.Agent` that the command line uses."""

    async def run(self, task: str, *, thread: str | None = None, on_event: OnEvent | None = None) -> Result: ...
    async def resume(
        self, thread: str | None = None, *, on_event: OnEvent | None = None, answer: Any = None
    ) -> Result: ...
    async def state(self, thread: str) -> Mapping[str, Any]: ...
    def threads(self) -> list[Any]: ...
    async def cancel(self, thread: str) -> None: ...


Opener = Callable[..., AbstractAsyncContextManager[Agent]]


@dataclass(frozen=True)
class Output:
    """Where words go: `say` to stdout unless `json`, `note` to stderr, `result` is the one object."""

    json: bool
    verbose: bool = False

    def say(self, line: str = "") -> None:
        """Print a line for people."""
        if not self.json:
            print(line, flush=True)

    def note(self, line: str) -> None:
        """Print a remark beside the result; with `--json` only if -v."""
        if not self.json or self.verbose:
            print(line, file=sys.stderr, flush=True)

    def result(self, value: Any) -> None:
        """Print the one JSON object."""
        print(dump_json(value, ascii_only=not speaks_utf8(sys.stdout)), flush=True)


def speaks_utf8(stream: Any) -> bool:
    """Say whether a stream can take every character."""
    return (getattr(stream, "encoding", None) or "").lower().replace("-", "") == "utf8"


def opener_of(context: typer.Context) -> Opener:
    """Return the function that opens an agent."""
    if context.obj is not None:
        return context.obj  # type: ignore[no-any-return]  # typer keeps it as Any
    from ddax import open_agent

    return open_agent


def home_of(env: Mapping[str, str] | None = None) -> Path:
    """Return DDAX_HOME, by default `.ddax` in the working directory."""
    return Path((os.environ if env is None else env).get("DDAX_HOME") or ".ddax")


def settings(config: str | None, arguments: Mapping[str, Any] | None = None) -> Loaded:
    """Load the effective settings of this call."""
    from ddax.configs.layers import load_context

    return load_context(file=config, arguments=arguments)


def check_thread(thread: str | None) -> str | None:
    """Return a thread id that is safe as a name; raises `UsageError`."""
    if thread is None or (_THREAD.fullmatch(thread) and ".." not in thread):
        return thread
    raise UsageError(
        f"The thread id {thread[:60]!r} is not allowed.",
        why="Letters, digits, '.', '_' and '-' are, up to 128 of them, beginning with a letter or digit.",
        mend="`ddax runs` lists the threads there are.",
    )


def read_task(task: str | None) -> str:
    """Return the task from the argument, or from stdin for `-`; raises `UsageError`."""
    text = _read_stdin() if task == "-" else task or ""
    text = text.strip().lstrip("\ufeff")
    if not text:
        raise UsageError("The task is empty.", mend='Write it in quotes: ddax run "TASK", or `-` to read stdin.')
    if len(text) > MAX_TASK:
        raise UsageError(
            f"The task has {len(text):,} characters, {MAX_TASK:,} are allowed.",
            mend="Put the long part into a file and give it with --sources.",
        )
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise UsageError("The task is not valid UTF-8 text.", mend="Save it as UTF-8 and pass it on stdin with `-`.")
    return text


def _read_stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as exc:
        raise UsageError(
            f"The task on stdin is not UTF-8 text (byte {exc.start}).", mend="Save it as UTF-8 and try again."
        ) from exc


def how_to_resume(thread: str, config: str | None) -> str:
    """Return the exact command that resumes a thread from this shell."""
    return resume_command(thread, home=os.environ.get("DDAX_HOME", ""), config=config or "")
