"""Watch a run: a live tree on a terminal, one plain line an event in a pipe, silence with `--json`."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self, TextIO

from ddax.cli.backend import Output
from ddax.cli.board import READING, TOKEN, Board, plain_line, reading_line
from ddax.cli.text import speaks_utf8

if TYPE_CHECKING:
    from rich.live import Live

    from ddax.cli.backend import OnEvent

REDRAW_SECONDS = 0.1
MANY_FILES = 100
"""Files from which on it is told in a pipe how many were read."""


class Watcher(Protocol):
    """Something that is told every event of a run, inside a `with`."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    def on_event(self, event: Mapping[str, Any]) -> None: ...


def watcher(output: Output, *, env: Mapping[str, str] | None = None) -> Watcher:
    """Choose how a run is watched."""
    environment = os.environ if env is None else env
    if output.json or output.quiet:
        return PlainWatcher(sys.stderr if output.verbose else None)
    if sys.stdout.isatty() and environment.get("TERM", "") != "dumb":
        return LiveWatcher(sys.stdout)
    return PlainWatcher(sys.stdout)


def told_first(on_event: OnEvent, tell: Callable[[], None], *, told: bool = False) -> OnEvent:
    """Return a listener that tells something before the first step: a run that is refused has none."""

    def heard(event: Any) -> Any:
        nonlocal told
        if not told and event["type"] != READING:
            told = True
            tell()
        return on_event(event)

    return heard


class PlainWatcher:
    """Write one line an event to a stream, or nothing."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream, self._tenth = stream, 0

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End."""

    def on_event(self, event: Mapping[str, Any]) -> None:
        """Write the line of an event."""
        if self._stream is not None and event.get("type") == READING:
            self._read(event.get("data") or {})
        # Pieces of JSON, line by line, would help nobody.
        elif self._stream is not None and event.get("type") != TOKEN:
            print(plain_line(event), file=self._stream, flush=True)

    def _read(self, data: Mapping[str, Any]) -> None:
        """Write how far reading the sources is, each tenth of it once; a few files are read before that."""
        read, of = int(data.get("read", 0)), int(data.get("of", 0))
        if of >= MANY_FILES and read * 10 // of > self._tenth:
            self._tenth = read * 10 // of
            print(reading_line(data), file=self._stream, flush=True)


class LiveWatcher:
    """Redraw the tree of ideas in place, at most ten times a second."""

    def __init__(self, stream: TextIO, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.board = Board()
        self._stream, self._clock, self._drawn = stream, clock, float("-inf")
        self._live: Live | None = None

    def __enter__(self) -> Self:
        """Take over the terminal's last lines."""
        from rich.console import Console
        from rich.live import Live

        console = Console(file=self._stream, highlight=False, markup=False, emoji=False)
        self._live = live = Live(console=console, auto_refresh=False, vertical_overflow="ellipsis")
        live.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Draw the last picture and give the terminal back."""
        if self._live is not None:
            self._draw()
            self._live.__exit__(kind, error, trace)

    def on_event(self, event: Mapping[str, Any]) -> None:
        """Take in an event and redraw if the last picture is old enough."""
        self.board.apply(event)
        if self._clock() - self._drawn >= REDRAW_SECONDS:
            self._draw()

    def _draw(self) -> None:
        from ddax.cli.tree import picture

        if self._live is None:
            return
        console = self._live.console
        rows = max(console.height - 10, 3)
        drawn = picture(self.board, width=console.width, rows=rows, ascii_only=not speaks_utf8(self._stream))
        self._live.update(drawn, refresh=True)
        self._drawn = self._clock()
