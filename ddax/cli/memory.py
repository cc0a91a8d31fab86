"""The command `memory rebuild`: make the index, and where need be the vectors, anew from the record."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated

import typer

from ddax.cli.backend import Output, home_of, settings

NAMESPACE = Annotated[str | None, typer.Option(help="The namespace; default: the setting.")]
JSON = Annotated[bool, typer.Option("--json", help="Print exactly one JSON object on stdout.")]
VERBOSE = Annotated[bool, typer.Option("--verbose", "-v", help="Tracebacks; with --json events on stderr.")]


def rebuild(namespace: NAMESPACE = None, json: JSON = False, verbose: VERBOSE = False) -> None:
    """Make the index of the memory anew from its record of text."""
    output = Output(json=json, verbose=verbose)
    name = settings(None, {"namespace": namespace}).context.namespace
    rows = asyncio.run(_rebuild(name))
    if json:
        output.result({"namespace": name, "rows": rows})
    output.say(f"The index of {name!r} is made anew: {rows} rows.")


async def _rebuild(namespace: str) -> int:
    """Open a namespace with its index and vectors made anew; return how many rows it holds."""
    from ddax.configs.settings import Recall
    from ddax.memory.embedding_cache import CachedEmbedder
    from ddax.memory.embeddings import open_embedder
    from ddax.memory.home import Home
    from ddax.memory.store import open_memory

    home = await asyncio.to_thread(Home(home_of()).ensure)
    embedder = CachedEmbedder(open_embedder(), home.cache / "vectors.sqlite")
    memory = await open_memory(
        home.memory, namespace=namespace, embedder=embedder, clock=time.time, recall=Recall(), rebuild=True
    )
    try:
        return await memory.count("internal_thought") + await memory.count("observation")
    finally:
        await memory.close()
