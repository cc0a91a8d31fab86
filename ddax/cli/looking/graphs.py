"""The command `graph`: the state machine as a picture, that of ddax or one of the caller's own."""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Literal

import typer

from ddax.cli.backend import put
from ddax.cli.options import VERBOSE
from ddax.errors import UsageError

Kind = Literal["mermaid", "svg", "png"]
EXAMPLE = "ddax graph --graph my_package.my_module:graph"


def graph(
    kind: Annotated[
        Kind | None,
        typer.Option("--format", help="What to draw; else what the ending of the file says, or mermaid."),
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write to a file instead of stdout.")
    ] = None,
    own: Annotated[
        str | None,
        typer.Option(
            "--graph",
            help="MODULE:NAME or FILE.py:NAME of a graph, or of a function that builds one, instead of ours. "
            "The module is run.",
            show_default=False,
        ),
    ] = None,
    verbose: VERBOSE = False,
) -> None:
    """Draw the state machine, offline: that of ddax, or a graph of your own."""
    kind = _kind_of(kind, file)
    if kind == "png" and file is None and sys.stdout.isatty():
        raise UsageError(
            "A PNG does not go to a terminal.",
            why="It would print as signs that say nothing.",
            mend="Write: ddax graph --format png -o graph.png",
        )
    from ddax.graph.drawing import draw

    put(draw(kind, None if own is None else own_graph(own)), file)


def _kind_of(kind: Kind | None, file: Path | None) -> Kind:
    """Return what is drawn; raises UsageError where the file's ending says another thing."""
    ending = (file.suffix if file else "").lower().removeprefix(".")
    said: Kind | None = "svg" if ending == "svg" else "png" if ending == "png" else None
    if kind and said and kind != said:
        raise UsageError(
            f"--format {kind} does not go into a file that ends with .{ending}.",
            why="Programs open it by its ending.",
            mend="Leave --format out, or give the file another ending.",
        )
    return kind or said or "mermaid"


def own_graph(place: str) -> Any:
    """Return the compiled graph that a place names; raises UsageError where there is none."""
    where, _, name = place.rpartition(":")
    if not where or not name.isidentifier():
        raise UsageError(
            f"{place!r} names no graph.",
            why="A graph is named by its module or file, a colon and its name there.",
            mend=f"Write: {EXAMPLE}",
        )
    module = _loaded(where)
    if not hasattr(module, name):
        there = ", ".join(key for key, value in vars(module).items() if _drawable(value)) or "none"
        raise UsageError(
            f"{where!r} has no {name!r}.",
            why=f"The graphs it has by name: {there}.",
            mend=f"Write: {EXAMPLE}",
        )
    return _compiled(getattr(module, name), place)


def _loaded(where: str) -> ModuleType:
    """Import a module by its name, from the working directory too, or by its file."""
    file = Path(where)
    folder = str(file.parent.resolve()) if file.suffix == ".py" else str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        return _of_file(file) if file.suffix == ".py" else import_module(where)
    except Exception as error:  # whatever the module does when it is run
        raise UsageError(
            f"{where!r} cannot be imported.",
            why=f"{type(error).__name__}: {error}.",
            mend="Run it with python first, from this folder.",
        ) from error


def _of_file(file: Path) -> ModuleType:
    spec = spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None or not file.is_file():
        raise FileNotFoundError(f"there is no file {str(file)!r}")
    module = module_from_spec(spec)
    sys.modules[file.stem] = module  # dataclasses and pydantic look their module up
    spec.loader.exec_module(module)
    return module


def _drawable(value: Any) -> bool:
    return not inspect.isclass(value) and (hasattr(value, "get_graph") or hasattr(value, "compile"))


def _compiled(found: Any, place: str) -> Any:
    """Return a graph as it is drawn: compiled, and made first where it is a function that makes one."""
    if callable(found) and not inspect.isclass(found) and not _drawable(found):
        found = _made(found, place)
    drawn: Any = found
    if not inspect.isclass(drawn) and hasattr(drawn, "compile") and not hasattr(drawn, "get_graph"):
        drawn = drawn.compile()
    if not _drawable(drawn):
        raise UsageError(
            f"{place!r} is no graph.",
            why=f"It is {type(drawn).__name__}.",
            mend="Name a StateGraph, a compiled graph, or a function that returns one.",
        )
    return drawn


def _made(build: Callable[..., Any], place: str) -> Any:
    """Call a function that builds a graph: without services, or with an empty configuration."""
    try:
        needed = [
            one
            for one in inspect.signature(build).parameters.values()
            if one.default is one.empty and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
        ]
        made = build(*[{} if "config" in one.name else None for one in needed])
        return asyncio.run(made) if inspect.iscoroutine(made) else made
    except Exception as error:  # the function is the caller's own
        raise UsageError(
            f"{place!r} builds no graph.",
            why=f"{type(error).__name__}: {error}.",
            mend="Name a function that needs no argument, or only services or a config, which may be empty.",
        ) from error
