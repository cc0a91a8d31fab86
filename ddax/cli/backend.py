"""What the commands share: how an agent is opened, where home is, how flags become settings.

The agent comes in through `typer.Context.obj`, so that tests hand in another one; without it the
real `open_agent` is imported at first use.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import typer

from ddax.cli.errors import on_thread
from ddax.cli.text import dump_json, shorten, speaks_utf8
from ddax.errors import StorageError, UsageError, no_folder

if TYPE_CHECKING:
    from ddax.configs.layers import Loaded
    from ddax.configs.secrets import Redactor
    from ddax.configs.settings import Context
    from ddax.graph.threads.manifests import RunFolder

Event = Mapping[str, Any]
OnEvent = Callable[[Event], None]
Result = Mapping[str, Any]


class Agent(Protocol):
    """The part of `ddax.graph.runner.Agent` that the command line uses."""

    async def run(
        self, task: str, *, thread: str | None = None, on_event: OnEvent | None = None
    ) -> Result: ...
    async def resume(
        self,
        thread: str | None = None,
        *,
        on_event: OnEvent | None = None,
        answer: Any = None,
        last_good: bool = False,
        model: str | None = None,
    ) -> Result: ...
    async def state(self, thread: str) -> Mapping[str, Any]: ...
    async def result(self, thread: str) -> Result: ...
    async def costs(self, thread: str) -> list[Any]: ...
    async def rows(self, thread: str, table: str, /, **equals: Any) -> list[dict[str, Any]]: ...
    async def cancel(self, thread: str) -> None: ...
    def drain(self) -> bool: ...
    async def history(self, thread: str, *, limit: int | None = None) -> list[Any]: ...
    async def sweep(self, rule: Any) -> Mapping[str, Any]: ...


Opener = Callable[..., AbstractAsyncContextManager[Agent]]


@dataclass(frozen=True)
class Output:
    """Where words go: `say` to stdout unless `json`, `note` to stderr, `result` is the one object.

    With `quiet` there are no notes, and the answer alone is said.
    """

    json: bool
    verbose: bool = False
    quiet: bool = False
    redactor: Redactor = field(default_factory=lambda: redactor(), repr=False)

    def say(self, line: str = "") -> None:
        """Print a line for people."""
        if not self.json:
            print(self.redactor.text(line), flush=True)

    def note(self, line: str) -> None:
        """Print a remark beside the result; with `--json` only if -v."""
        if self.verbose or not (self.json or self.quiet):
            print(self.redactor.text(line), file=sys.stderr, flush=True)

    def result(self, value: Any) -> None:
        """Print the one JSON object."""
        print(dump_json(self.redactor.value(value), ascii_only=not speaks_utf8(sys.stdout)), flush=True)


@contextmanager
def hushed(quiet: bool) -> Iterator[None]:
    """Keep back the warnings of the log for a block that is to be quiet; the result holds what matters."""
    import logging

    log = logging.getLogger("ddax")
    before = log.level
    log.setLevel(logging.ERROR if quiet else before)
    try:
        yield
    finally:
        log.setLevel(before)


def redactor() -> Redactor:
    """Return what blots out the secrets this process knows."""
    from ddax.configs.secrets import Redactor

    return Redactor.of_process()


def opener_of(context: typer.Context) -> Opener:
    """Return the function that opens an agent."""
    if context.obj is not None:
        return context.obj  # type: ignore[no-any-return]  # typer keeps it as Any
    from ddax import open_agent

    return open_agent


def home_of() -> Path:
    """Return the home folder: DDAX_HOME, by default `.ddax` in the working directory.

    Raises StorageError where it is no folder, or none that can be read, and StateError where it is of a
    newer release.
    """
    from ddax.memory.home import Home

    place = Home.from_environ(os.environ)
    home = place.path
    if home.exists() and not home.is_dir():
        raise StorageError(
            f"The home {str(home)!r} is no folder.",
            why="Threads, memory and caches lie in it.",
            mend="Set DDAX_HOME to a folder; it is made where there is none.",
        )
    if home.exists() and not os.access(home, os.R_OK | os.X_OK):
        raise StorageError(
            f"The home {str(home)!r} cannot be read.",
            why="Permission denied.",
            mend="Make it readable, or set DDAX_HOME to another folder.",
        )
    place.version()
    return home


def run_folder() -> RunFolder:
    """Return the manifests of the home, without opening or making anything."""
    from ddax.graph.threads.manifests import RunFolder
    from ddax.memory.home import Home

    return RunFolder(Home(home_of()).runs)


def settings(config: str | None, arguments: Mapping[str, Any] | None = None) -> Loaded:
    """Load the effective settings of this call."""
    from ddax.configs.layers import load_context

    return load_context(file=config, arguments=arguments)


def has_something_to_read(context: Context) -> bool:
    """Tell whether a run has sources, may search the web for its pages, or has a model that knows things."""
    knows = context.model != "embedded" and context.knowledge != "forbid"
    return bool(context.sources or context.web.search or knows or context.replay)


def check_thread(thread: str | None) -> str | None:
    """Return a thread id that is safe as a file name; raises `UsageError`."""
    from ddax.memory.home import safe_name

    return thread if thread is None else safe_name(thread)


def new_thread() -> str:
    """Return a fresh thread id, known before the run so that Ctrl-C can name it."""
    import secrets
    import time

    return f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{secrets.token_hex(3)}"


def read_task(task: str | None) -> str:
    """Return the task from the argument, or from stdin for `-`; raises `UsageError`."""
    text = _read_stdin() if task == "-" else task or ""
    text = text.strip().lstrip("\ufeff")
    if not text:
        raise UsageError(
            "The task is empty.",
            why="A run needs a question or an order in words.",
            mend='Write it in quotes: ddax run "TASK", or `-` to read stdin.',
        )
    from ddax.graph.tasks import check_length

    check_length(text)
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise UsageError(
            "The task is not valid UTF-8 text.",
            why="It holds bytes that are no text.",
            mend="Save it as UTF-8 and pass it on stdin with `-`.",
        )
    return text


def _read_stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as exc:
        raise UsageError(
            f"The task on stdin is not UTF-8 text (byte {exc.start}).",
            why="It holds bytes that are no text.",
            mend="Save it as UTF-8 and try again.",
        ) from exc


def how_to(words: str, thread: str) -> str:
    """Return the exact command that does this to a thread from this shell: `resume`, `run --thread`."""
    return on_thread(words, thread, home=os.environ.get("DDAX_HOME", ""))


def check_folder(file: Path) -> None:
    """Refuse a file whose folder is not there, before anything is done for it; raises UsageError."""
    if not file.parent.is_dir():
        raise no_folder(file)


def put(data: bytes, file: Path | None) -> None:
    """Write what was asked for to a file, or to stdout.

    Raises UsageError where its folder is not there, StorageError where it cannot be written.
    """
    if file is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    check_folder(file)
    try:
        file.write_bytes(data)
    except OSError as exc:
        raise StorageError(
            f"Cannot write {shorten(str(file), 200)!r}.",
            why=f"{exc.strerror or exc}.",
            mend="Give a file in a folder that can be written to.",
        ) from exc
