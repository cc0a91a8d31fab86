"""The command `new`: write the skeleton of a node, an action or an identity, with a test that passes."""

from __future__ import annotations

import builtins
import keyword
import re
import sys
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from string import Template
from typing import Annotated, Literal

import typer

from ddax.cli.backend import Output, check_folder
from ddax.cli.options import JSON, VERBOSE
from ddax.errors import UsageError

Kind = Literal["node", "action", "identity"]
SUFFIX = {"node": ".py", "action": ".py", "identity": ".yaml"}
NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")
TAKEN = (
    sys.stdlib_module_names
    | set(dir(builtins))
    | {"ddax", "pydantic", "pytest", "conftest"}
    | {"action", "action_context", "action_result", "build", "build_graph", "splice"}
)
"""Names that a file or a function of that name would hide from what is written, or from its test."""


def new(
    kind: Annotated[Kind, typer.Argument(help="What to write.", show_default=False)],
    name: Annotated[
        str, typer.Argument(help="Its name: lower-case letters, digits and _.", show_default=False)
    ],
    folder: Annotated[Path, typer.Option("--to", help="The folder to write into.")] = Path(),
    json: JSON = False,
    verbose: VERBOSE = False,
) -> None:
    """Write a node, an action or an identity of one's own, with its test; overwrites nothing."""
    output = Output(json=json, verbose=verbose)
    written = write(kind, name, folder)
    if json:
        output.result({"kind": kind, "name": name, "files": [str(path) for path in written]})
    for path in written:
        output.say(f"wrote {path}")
    output.say(f"Test it: python -m pytest -q {written[1]}")
    if find_spec("pytest") is None:
        output.say("pytest is not installed here: pip install pytest")


def write(kind: str, name: str, folder: Path) -> tuple[Path, Path]:
    """Write both files and return their paths; raises UsageError for a bad name or a file that is there."""
    python = SUFFIX[kind] == ".py"
    taken = python and (keyword.iskeyword(name) or name in TAKEN)
    if not NAME.fullmatch(name) or name.startswith("test_") or taken:
        raise UsageError(
            f"{name[:60]!r} cannot be the name of {'an' if kind[0] in 'aeiou' else 'a'} {kind}.",
            why="Something else is called that already."
            if taken
            else "It becomes the name of a file and a test.",
            mend=f"Write lower-case letters, digits and _, a letter first: ddax new {kind} my_{kind}",
        )
    paths = folder / f"{name}{SUFFIX[kind]}", folder / f"test_{name}.py"
    there = [str(path) for path in paths if path.exists()]
    if there:
        raise UsageError(
            f"{there[0]} is there already.",
            why="Nothing is overwritten.",
            mend="Choose another name, or another folder by --to.",
        )
    check_folder(paths[0])
    words = {"name": name, "title": "".join(part.title() for part in name.split("_"))}
    for path, skeleton in zip(paths, (kind, f"test_{kind}"), strict=True):
        path.write_text(Template(_skeleton(skeleton)).substitute(words), encoding="utf-8")
    return paths


def _skeleton(name: str) -> str:
    return resources.files("ddax.cli").joinpath("skeletons", f"{name}.txt").read_text(encoding="utf-8")
