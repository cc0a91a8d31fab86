"""The flags that most commands have, said once."""

from __future__ import annotations

from typing import Annotated

import typer

MODEL = Annotated[str | None, typer.Option(help="'embedded' (no model) or provider:model.")]
CONFIG = Annotated[str | None, typer.Option(help="Settings file; default ./ddax.yaml if it is there.")]
SEED = Annotated[int | None, typer.Option(help="Seed of every random choice.")]
JSON = Annotated[bool, typer.Option("--json", help="Print exactly one JSON object on stdout.")]
VERBOSE = Annotated[bool, typer.Option("--verbose", "-v", help="Print tracebacks.")]
EVENTS = Annotated[bool, typer.Option("--verbose", "-v", help="Tracebacks; with --json events on stderr.")]
"""The same flag of commands that follow a run."""
